/**
 * Finds between which sockets the media of dialogs ran, and when: what belongs to a call in a capture beside its messages.
 *
 * It keeps pairs of sockets, because a server may have one socket for all its calls. A pair belongs to the dialog from its
 * begin until 32 s after its end, or until another dialog has its own media there.
 */
import { type EndpointKey, endpointKeyAddress, endpointKeyPort, endpointKeyWithPort } from '../core/ip.ts';
import type { MediaFlow } from '../sources/file/frame-selection.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { CLAIM_LINGER_US } from '../store/media/endpoint-index.ts';
import type { Stores } from '../store/stores.ts';

/**
 * Pairs of sockets whose media is written in a second pass, and sockets of one dialog that are paired with each other.
 *
 * @cap
 */
const MAX_SELECTED_PAIRS = 262_144;
const MAX_PAIRED_SOCKETS = 64;

type MediaStores = Pick<Stores, 'dialogs' | 'streams' | 'stun'>;

/** Two sockets, and since when a dialog has something there. */
type Pair = { readonly a: EndpointKey; readonly b: EndpointKey; readonly fromUs: number };

/** A pair of a dialog that was chosen. */
type Use = Pair & {
  readonly dialog: Dialog;
  toUs: number;
  /** Who has media there after this time has taken the sockets over. */
  readonly keptUs: number;
  /** Media may have RTCP one port higher. */
  readonly isMedia: boolean;
};

/** The flows of all media of the dialogs; `skipped` counts the pairs beyond a cap. */
export function mediaFlows(
  dialogs: Iterable<Dialog>,
  stores: MediaStores,
): { readonly flows: MediaFlow[]; readonly skipped: number } {
  const uses = new Map<string, Use[]>();
  let pairs = 0;
  let skipped = 0;
  for (const dialog of dialogs) {
    skipped += unpaired(dialog);
    for (const use of usesOf(dialog, stores)) {
      if (pairs++ < MAX_SELECTED_PAIRS) push(uses, keyOf(use.a, use.b), use);
      else skipped++;
    }
  }
  if (uses.size > 0) endWhereOthersBegin(uses, stores);
  return { flows: [...uses.values()].flatMap((list) => merged(list).flatMap(flowsOf)), skipped };
}

function* usesOf(dialog: Dialog, stores: MediaStores): Generator<Use> {
  const { arrivalLagUs } = dialog;
  // Frames have the time of the capture; a mirrored dialog has that of its sender.
  const fromUs = dialog.createdUs + arrivalLagUs;
  const endUs = dialog.endedUs + arrivalLagUs;
  const isOver = !Number.isNaN(endUs);
  const toUs = isOver ? endUs + CLAIM_LINGER_US : Number.POSITIVE_INFINITY;
  const keptUs = isOver ? endUs : dialog.updatedUs + arrivalLagUs;
  const sockets = new Set<EndpointKey>();
  for (const pair of pairsOf(dialog, stores)) {
    sockets.add(pair.a).add(pair.b);
    yield { ...pair, fromUs: Math.min(fromUs, pair.fromUs), dialog, toUs, keptUs, isMedia: true };
  }
  if (stores.stun.flows === 0) return;
  for (const { key } of dialog.claims) sockets.add(key);
  for (const a of sockets)
    for (const { client, server } of stores.stun.flowsOfHost(endpointKeyAddress(a)))
      if (client === a) yield { a, b: server, fromUs, dialog, toUs, keptUs, isMedia: false };
}

/** Where streams of the dialog ran, and each two of the sockets that it named. */
function* pairsOf(dialog: Dialog, { streams }: MediaStores): Generator<Pair> {
  for (const { srcKey, dstKey, openedUs } of streams.ownedBy(dialog)) yield { a: srcKey, b: dstKey, fromUs: openedUs };
  const claims = claimsOf(dialog);
  for (const [i, one] of claims.entries())
    for (const other of claims.slice(0, i))
      yield { a: one.key, b: other.key, fromUs: Math.min(one.fromUs, other.fromUs) };
}

/** Its newest claims, each socket once. */
function claimsOf(dialog: Dialog): { readonly key: EndpointKey; readonly fromUs: number }[] {
  const since = new Map<EndpointKey, number>();
  for (const { key, fromUs } of dialog.claims) if (!since.has(key)) since.set(key, fromUs);
  return [...since].slice(-MAX_PAIRED_SOCKETS).map(([key, fromUs]) => ({ key, fromUs }));
}

/** Sockets that are paired with none. */
function unpaired(dialog: Dialog): number {
  return dialog.claimedCount <= MAX_PAIRED_SOCKETS
    ? 0
    : Math.max(0, new Set(dialog.claimedKeys).size - MAX_PAIRED_SOCKETS);
}

/** A pair is no more the dialog's once another dialog has media there, after the last that is known of the first. */
function endWhereOthersBegin(uses: ReadonlyMap<string, Use[]>, stores: MediaStores): void {
  const known = new Set<EndpointKey>();
  for (const list of uses.values()) for (const { a, b } of list) known.add(a).add(b);
  for (const dialog of stores.dialogs.oldestFirst()) {
    if (!mayUse(dialog, known)) continue;
    for (const { a, b, fromUs } of pairsOf(dialog, stores))
      for (const use of uses.get(keyOf(a, b)) ?? [])
        if (use.dialog !== dialog && fromUs > use.keptUs && fromUs < use.toUs) use.toUs = fromUs;
  }
}

/** Of a stream that a dialog owns it named one end. */
function mayUse(dialog: Dialog, known: ReadonlySet<EndpointKey>): boolean {
  return dialog.claimedKeys.some((key) => known.has(key));
}

/** Uses of one pair whose times meet become one. */
function merged(uses: readonly Use[]): Use[] {
  const found: Use[] = [];
  for (const use of uses.toSorted((x, y) => x.fromUs - y.fromUs)) {
    const last = found.at(-1);
    if (last === undefined || use.fromUs > last.toUs) found.push({ ...use });
    else
      found[found.length - 1] = { ...last, toUs: Math.max(last.toUs, use.toUs), isMedia: last.isMedia || use.isMedia };
  }
  return found;
}

/** The pair itself, and RTCP where it has a port of its own at one end or at both (RFC 3550 section 11, RFC 5761). */
function flowsOf({ a, b, fromUs, toUs, isMedia }: Use): MediaFlow[] {
  const flow = (one: EndpointKey, other: EndpointKey, isControl: boolean): MediaFlow => ({
    ...{ a: one, b: other, fromUs, toUs, isControl },
  });
  const flows = [flow(a, b, false)];
  const [nextA, nextB] = [nextPort(a), nextPort(b)];
  if (!isMedia || nextA === null || nextB === null) return flows;
  return [...flows, flow(nextA, nextB, true), flow(nextA, b, true), flow(a, nextB, true)];
}

function nextPort(key: EndpointKey): EndpointKey | null {
  const port = endpointKeyPort(key);
  return port === 65_535 ? null : endpointKeyWithPort(key, port + 1);
}

/** The same for both ways. */
function keyOf(a: EndpointKey, b: EndpointKey): string {
  const [x, y] = [String(a), String(b)];
  return x < y ? `${x} ${y}` : `${y} ${x}`;
}

function push(uses: Map<string, Use[]>, key: string, use: Use): void {
  const list = uses.get(key);
  if (list === undefined) uses.set(key, [use]);
  else list.push(use);
}
