/**
 * Which dialogs are legs of one call: those that share an identifier, and a guess by place and time.
 *
 * One hop: what is tied to the dialog itself. Strategies in the order they are tried; of several the first names the
 * pair. Both legs of a pair name it alike, whichever is asked.
 */

import type { CorrelationStrategy } from '../contract/index.ts';
import { MAX_LEGS_COMPARED } from '../core/item-limits.ts';
import { IDENTIFIER } from '../store/dialogs/call-identifiers.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { callIdHashes } from '../store/dialogs/dialog-store.ts';
import type { Dialogs, Identifiers } from '../store/stores.ts';

/** Legs guessed by time were created this close to each other. */
const GUESS_SPAN_US = 2_000_000;
/** Dialogs looked at for guesses, each way in time. */
const GUESS_STEPS = 5_000;
/** An o= line or a branch that this many dialogs share identifies nothing: some agents always send the same. */
const COMMON = 64;

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
const GUESS_SCORE = 50;
/** Identifiers that are the Call-ID of another dialog. */
const BY_CALL_ID: readonly (readonly [CorrelationStrategy, number])[] = [
  ['x_call_id', IDENTIFIER.X_CALL_ID],
  ['replaces', IDENTIFIER.REPLACES],
  ['refer', IDENTIFIER.REFER_CALL],
];

/** A transfer ties calls together that are no legs of one call and share no media. */
export function isTransfer({ strategy }: Leg): boolean {
  return strategy === 'refer' || strategy === 'replaces';
}

export type Leg = {
  readonly dialog: Dialog;
  readonly strategy: CorrelationStrategy;
  readonly score: number;
  readonly isIdentifier: boolean;
  /** Between the two creations; null where an identifier made the pair. */
  readonly gapUs: number | null;
};

/** What the search reads. */
export type CorrelationStores = { readonly dialogs: Dialogs; readonly identifiers: Identifiers };

/** Nobody shares an identifier with `d`, and nobody is named by a Call-ID: identifierLegs() would find no leg. */
export function hasNoLegs(d: Dialog, { index }: Identifiers): boolean {
  return !BY_CALL_ID.some(([, kind]) => index.has(kind)) && index.isAlone(d.slot);
}

/**
 * Legs that share an identifier with `d`, best first; at most `limit` are looked for. A walk over many dialogs gives
 * `searched`, where identifiers are noted whose owners have all been met.
 */
export function identifierLegs(
  d: Dialog,
  stores: CorrelationStores,
  limit: number,
  searched: Set<string> | null = null,
): Leg[] {
  const { dialogs, identifiers } = stores;
  const { index } = identifiers;
  const rankOf = new Map<Dialog, number>();
  const meet = (strategy: CorrelationStrategy, other: Dialog | undefined): void => {
    if (other === undefined || other === d) return;
    const rank = SCORES.findIndex(([name]) => name === strategy);
    const known = rankOf.get(other);
    if (known === undefined ? rankOf.size < limit : rank < known) rankOf.set(other, rank);
  };
  const meetOwners = (strategy: CorrelationStrategy, kind: number, hashA: number, hashB: number): void => {
    if (searched !== null) {
      const key = `${kind} ${hashA} ${hashB}`;
      if (searched.has(key)) return;
      searched.add(key);
    }
    index.forEachOwner(kind, hashA, hashB, (slot) => {
      meet(strategy, dialogs.bySlot(slot));
      return rankOf.size < limit;
    });
  };
  const meetUncommon = (strategy: CorrelationStrategy, kind: number, hashA: number, hashB: number): void => {
    const others: Dialog[] = [];
    let owners = 0;
    index.forEachOwner(kind, hashA, hashB, (slot) => {
      const other = dialogs.bySlot(slot);
      if (other !== undefined) others.push(other);
      return ++owners <= COMMON;
    });
    // The dialog is one of them.
    if (owners > COMMON || others.length < 2 || isHabit(others, identifiers)) return;
    // An agent that always sends the same makes parallel calls of one hop, not legs of one call.
    for (const other of others) if (!identifiers.isSameHop(other.slot, d.slot)) meet(strategy, other);
  };
  for (const { kind, hashA, hashB } of index.of(d.slot)) {
    switch (kind) {
      case IDENTIFIER.SESSION:
        meetOwners('session_id', kind, hashA, hashB);
        break;
      case IDENTIFIER.X_CALL_ID:
        meetOwners('x_call_id', kind, hashA, hashB);
        for (const other of dialogs.withCallIdHashes(hashA, hashB)) meet('x_call_id', other);
        break;
      case IDENTIFIER.REPLACES:
        for (const other of dialogs.withCallIdHashes(hashA, hashB)) meet('replaces', other);
        break;
      case IDENTIFIER.REFER_CALL:
        for (const other of dialogs.withCallIdHashes(hashA, hashB)) meet('refer', other);
        break;
      case IDENTIFIER.REFER_PAIR:
        meetOwners('refer', kind, hashA, hashB);
        break;
      case IDENTIFIER.RELATED_ICID:
        meetOwners('related_icid', IDENTIFIER.ICID, hashA, hashB);
        break;
      case IDENTIFIER.ICID:
        meetOwners('related_icid', IDENTIFIER.RELATED_ICID, hashA, hashB);
        meetOwners('icid', kind, hashA, hashB);
        break;
      case IDENTIFIER.SDP_ORIGIN:
        meetUncommon('sdp_origin', kind, hashA, hashB);
        break;
      case IDENTIFIER.BRANCH:
        meetUncommon('via_branch', kind, hashA, hashB);
        break;
      default:
        break;
    }
  }
  // Where nobody names another by its Call-ID, there is nothing to hash.
  if (BY_CALL_ID.some(([, kind]) => index.has(kind))) {
    const own = callIdHashes(d);
    for (const [strategy, kind] of BY_CALL_ID) meetOwners(strategy, kind, own.hashA, own.hashB);
  }
  const legs: Leg[] = [];
  for (const [dialog, rank] of rankOf) {
    const [strategy, score] = SCORES[rank] ?? ['via_branch', 0];
    legs.push({ dialog, strategy, score, isIdentifier: true, gapUs: null });
  }
  return legs.sort((a, b) => b.score - a.score || a.dialog.serial - b.dialog.serial);
}

/** Calls of one hop that follow each other with the same o= line or branch: their sender always sends it. */
function isHabit(owners: readonly Dialog[], identifiers: Identifiers): boolean {
  return owners.some((a, i) =>
    owners.some(
      (b, k) =>
        k > i &&
        identifiers.isSameHop(a.slot, b.slot) &&
        (a.createdUs > b.updatedUs + APART_US || b.createdUs > a.updatedUs + APART_US),
    ),
  );
}

/**
 * Legs guessed: opened by the same method within two seconds and with an address in common, nearest first, at most
 * `limit`; and how many there are.
 */
export function guessedLegs(
  d: Dialog,
  stores: CorrelationStores,
  known: ReadonlySet<Dialog>,
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
    return { dialog, strategy: 'timing_heuristic', score: GUESS_SCORE, isIdentifier: false, gapUs };
  });
  legs.sort((a, b) => (a.gapUs ?? 0) - (b.gapUs ?? 0) || a.dialog.serial - b.dialog.serial);
  legs.length = Math.min(legs.length, limit);
  return { legs, total };
}

/** Legs of one hop, best first, at most `limit`, and how many there are. */
export function correlatedLegs(d: Dialog, stores: CorrelationStores, limit: number): { legs: Leg[]; total: number } {
  const found = identifierLegs(d, stores, MAX_LEGS_COMPARED);
  const known = new Set(found.map((leg) => leg.dialog));
  const guessed = guessedLegs(d, stores, known, GUESS_STEPS, Math.max(0, limit - found.length));
  return { legs: [...found, ...guessed.legs].slice(0, limit), total: found.length + guessed.total };
}
