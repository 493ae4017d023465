/**
 * Which dialogs are legs of one call: those that share an identifier, and a guess by place and time.
 *
 * One hop: what is tied to the dialog itself. Strategies in the order they are tried; of several the first names the
 * pair. Both legs of a pair name it alike, whichever is asked.
 */

import type { CorrelationStrategy } from '../contract/index.ts';
import { IDENTIFIER } from '../store/dialogs/call-identifiers.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { callIdHashes } from '../store/dialogs/dialog-store.ts';
import { MAX_TIED } from '../store/dialogs/identifier-index.ts';
import type { Dialogs, Identifiers } from '../store/stores.ts';

/** Legs guessed by time were created this close to each other. */
const GUESS_SPAN_US = 2_000_000;
/** Dialogs looked at for guesses, each way in time. */
const GUESS_STEPS = 5_000;
/** Calls of one hop that lie further apart are no attempts of one call: 64 times T1, the life of a transaction. */
const APART_US = 32_000_000;

const SCORES: readonly (readonly [CorrelationStrategy, number])[] = [
  ['session_id', 100],
  ['x_call_id', 100],
  ['refer', 95],
  ['replaces', 95],
  ['related_icid', 95],
  ['sdp_origin', 90],
  ['icid', 85],
  ['via_branch', 80],
];
const RANKS: Partial<Record<CorrelationStrategy, number>> = Object.fromEntries(SCORES.map(([name], i) => [name, i]));
const ORIGIN_ALONE = 1 << (RANKS.sdp_origin ?? SCORES.length);
const GUESS_SCORE = 50;
/** Identifiers that are the Call-ID of another dialog. */
const BY_CALL_ID: readonly (readonly [CorrelationStrategy, number])[] = [
  ['x_call_id', IDENTIFIER.X_CALL_ID],
  ['x_call_id', IDENTIFIER.CALL_ID_PART],
  ['replaces', IDENTIFIER.REPLACES],
  ['refer', IDENTIFIER.REFER_CALL],
];

/** How the others are found: they have the identifier too, likewise but for those of the same hop, or it is a Call-ID. */
type Way = 'owners' | 'uncommon' | 'named';
/** Of each kind of identifier what it ties by, and the kind that counts how many share it. */
const TIES: Readonly<Record<number, readonly (readonly [CorrelationStrategy, Way, number])[]>> = {
  [IDENTIFIER.SESSION]: [['session_id', 'owners', IDENTIFIER.SESSION]],
  [IDENTIFIER.X_CALL_ID]: [
    ['x_call_id', 'owners', IDENTIFIER.X_CALL_ID],
    ['x_call_id', 'named', IDENTIFIER.X_CALL_ID],
  ],
  [IDENTIFIER.CALL_ID_PART]: [['x_call_id', 'named', IDENTIFIER.CALL_ID_PART]],
  [IDENTIFIER.REPLACES]: [['replaces', 'named', IDENTIFIER.REPLACES]],
  [IDENTIFIER.REFER_CALL]: [['refer', 'named', IDENTIFIER.REFER_CALL]],
  [IDENTIFIER.REFER_PAIR]: [['refer', 'owners', IDENTIFIER.REFER_PAIR]],
  [IDENTIFIER.RELATED_ICID]: [['related_icid', 'owners', IDENTIFIER.ICID]],
  [IDENTIFIER.ICID]: [
    ['related_icid', 'owners', IDENTIFIER.RELATED_ICID],
    ['icid', 'owners', IDENTIFIER.ICID],
  ],
  [IDENTIFIER.SDP_ORIGIN]: [['sdp_origin', 'uncommon', IDENTIFIER.SDP_ORIGIN]],
  [IDENTIFIER.BRANCH]: [['via_branch', 'uncommon', IDENTIFIER.BRANCH]],
};

/** By kind: one of another kind may tie it. */
const TIED_TO_OTHER_KINDS: boolean[] = [];
for (const [kind, ties] of Object.entries(TIES))
  TIED_TO_OTHER_KINDS[Number(kind)] = ties.some(([, way, other]) => way === 'owners' && other !== Number(kind));

/** A transfer ties calls together that are no legs of one call and share no media. */
export function isTransfer({ strategy }: Leg): boolean {
  return strategy === 'refer' || strategy === 'replaces';
}

export type Leg = {
  readonly dialog: Dialog;
  readonly strategy: CorrelationStrategy;
  readonly score: number;
  readonly isIdentifier: boolean;
  /** Nothing but the o= line of a description ties it: senders that always write the same share it too. */
  readonly isByOrigin: boolean;
  /** Between the two creations; null where an identifier made the pair. */
  readonly gapUs: number | null;
};

/** What the search reads. */
export type CorrelationStores = { readonly dialogs: Dialogs; readonly identifiers: Identifiers };

/** Nobody shares an identifier with `d`, and nobody is named by a Call-ID: identifierLegs() would find no leg. */
export function hasNoLegs(d: Dialog, { index }: Identifiers): boolean {
  return !isNamedByCallId(index) && index.isAlone(d.slot, TIED_TO_OTHER_KINDS);
}

/** Some dialog has an identifier that is the Call-ID of another. */
function isNamedByCallId(index: Identifiers['index']): boolean {
  return BY_CALL_ID.some(([, kind]) => index.has(kind));
}

/**
 * Legs that share an identifier with `d`, best first; at most `limit` are looked for. A walk over many dialogs gives
 * `searched`, where identifiers are noted whose owners have all been met. What more than MAX_TIED dialogs share ties none,
 * from whichever end it is looked at; commonStrategies() tells it.
 */
export function identifierLegs(
  d: Dialog,
  stores: CorrelationStores,
  limit = Number.POSITIVE_INFINITY,
  searched: Set<string> | null = null,
): Leg[] {
  const { dialogs, identifiers } = stores;
  const { index } = identifiers;
  /** A bit for each strategy that ties it. */
  const ranksOf = new Map<Dialog, number>();
  const meet = (strategy: CorrelationStrategy, other: Dialog | undefined): void => {
    if (other === undefined || other === d) return;
    const known = ranksOf.get(other);
    if (known !== undefined || ranksOf.size < limit)
      ranksOf.set(other, (known ?? 0) | (1 << (RANKS[strategy] ?? SCORES.length)));
  };
  const meetOwners = (strategy: CorrelationStrategy, kind: number, hashA: number, hashB: number): void => {
    if (searched !== null) {
      const key = `${kind} ${hashA} ${hashB}`;
      if (searched.has(key)) return;
      searched.add(key);
    }
    for (const slot of index.owners(kind, hashA, hashB) ?? []) {
      meet(strategy, dialogs.bySlot(slot));
      if (ranksOf.size >= limit) return;
    }
  };
  /** The dialog that is named by its Call-ID, unless too many name it. */
  const meetNamed = (strategy: CorrelationStrategy, kind: number, hashA: number, hashB: number): void => {
    if (index.count(kind, hashA, hashB) > MAX_TIED) return;
    for (const other of dialogs.withCallIdHashes(hashA, hashB)) meet(strategy, other);
  };
  const meetUncommon = (strategy: CorrelationStrategy, kind: number, hashA: number, hashB: number): void => {
    const others: Dialog[] = [];
    for (const slot of index.owners(kind, hashA, hashB) ?? []) {
      const other = dialogs.bySlot(slot);
      if (other !== undefined) others.push(other);
    }
    // The dialog is one of them.
    if (others.length < 2 || isHabit(others, identifiers)) return;
    // An agent that always sends the same makes parallel calls of one hop, not legs of one call.
    const hop = identifiers.hopOf(d.slot);
    for (const other of others) if (identifiers.hopOf(other.slot) !== hop) meet(strategy, other);
  };
  const meetings = { owners: meetOwners, uncommon: meetUncommon, named: meetNamed };
  for (const { kind, hashA, hashB } of index.of(d.slot))
    for (const [strategy, way, shared] of TIES[kind] ?? []) meetings[way](strategy, shared, hashA, hashB);
  // Where nobody names another by its Call-ID, there is nothing to hash.
  if (isNamedByCallId(index)) {
    const own = callIdHashes(d);
    for (const [strategy, kind] of BY_CALL_ID) meetOwners(strategy, kind, own.hashA, own.hashB);
  }
  const legs: Leg[] = [];
  for (const [dialog, ranks] of ranksOf) {
    const [strategy, score] = SCORES[31 - Math.clz32(ranks & -ranks)] ?? ['via_branch', 0];
    const isByOrigin = ranks === ORIGIN_ALONE;
    legs.push({ dialog, strategy, score, isIdentifier: true, isByOrigin, gapUs: null });
  }
  return legs.sort((a, b) => b.score - a.score || a.dialog.serial - b.dialog.serial);
}

/** Calls of one hop that follow each other with the same o= line or branch: their sender always sends it. */
function isHabit(owners: readonly Dialog[], identifiers: Identifiers): boolean {
  const ofHop = new Map<number, { endUs: number; beginUs: number }>();
  for (const { slot, createdUs, updatedUs } of owners) {
    const hop = identifiers.hopOf(slot);
    const known = ofHop.get(hop);
    if (known === undefined) ofHop.set(hop, { endUs: updatedUs, beginUs: createdUs });
    else {
      known.endUs = Math.min(known.endUs, updatedUs);
      known.beginUs = Math.max(known.beginUs, createdUs);
    }
  }
  for (const { endUs, beginUs } of ofHop.values()) if (beginUs > endUs + APART_US) return true;
  return false;
}

/** What ties `d` to no call, because more than MAX_TIED calls share such an identifier with it. */
export function commonStrategies(d: Dialog, { index }: Identifiers): CorrelationStrategy[] {
  const found = new Set<CorrelationStrategy>();
  for (const { kind, hashA, hashB } of index.of(d.slot))
    for (const [strategy, , shared] of TIES[kind] ?? [])
      if (kind !== IDENTIFIER.CALL_ID_PART && index.count(shared, hashA, hashB) > MAX_TIED) found.add(strategy);
  if (isNamedByCallId(index)) {
    const { hashA, hashB } = callIdHashes(d);
    for (const [strategy, kind] of BY_CALL_ID) if (index.count(kind, hashA, hashB) > MAX_TIED) found.add(strategy);
  }
  return SCORES.flatMap(([strategy]) => (found.has(strategy) ? [strategy] : []));
}

/**
 * Legs guessed: opened by the same method within two seconds and with an address in common, nearest first, at most
 * `limit`; and how many there are.
 */
export function guessedLegs(
  d: Dialog,
  stores: CorrelationStores,
  known: { has(d: Dialog): boolean },
  steps: number,
  limit: number,
): { legs: Leg[]; total: number } {
  const { methodText, createdUs } = d;
  const found: Dialog[] = [];
  let total = 0;
  let kept = 0;
  let isLater = false;
  const { slot, serial } = d;
  const { dialogs, identifiers } = stores;
  dialogs.createdNear(d, GUESS_SPAN_US, steps, (dialog) => {
    if (dialog.methodText !== methodText || !identifiers.sharesAddress(dialog.slot, slot) || known.has(dialog)) return;
    total++;
    // First those before, then those after it. Either way they come nearest first, so that what is beyond `limit` of a
    // side is beyond it of both, but for what has the same time as the last one kept.
    const atUs = dialog.createdUs;
    if (!isLater && (atUs > createdUs || (atUs === createdUs && dialog.serial > serial))) {
      isLater = true;
      kept = 0;
    }
    if (kept < limit || atUs === found.at(-1)?.createdUs) {
      found.push(dialog);
      kept++;
    }
  });
  const legs = found.map((dialog): Leg => {
    const gapUs = Math.abs(dialog.createdUs - createdUs);
    return { dialog, strategy: 'timing_heuristic', score: GUESS_SCORE, isIdentifier: false, isByOrigin: false, gapUs };
  });
  legs.sort((a, b) => (a.gapUs ?? 0) - (b.gapUs ?? 0) || a.dialog.serial - b.dialog.serial);
  legs.length = Math.min(legs.length, limit);
  return { legs, total };
}

/** Legs of one hop, best first, at most `limit`, and how many there are. */
export function correlatedLegs(d: Dialog, stores: CorrelationStores, limit: number): { legs: Leg[]; total: number } {
  const found = identifierLegs(d, stores);
  const known = new Set(found.map((leg) => leg.dialog));
  const guessed = guessedLegs(d, stores, known, GUESS_STEPS, Math.max(0, limit - found.length));
  return { legs: [...found, ...guessed.legs].slice(0, limit), total: found.length + guessed.total };
}
