/**
 * Computes how much of a stream's loss this capture may have made itself: what is missing while it dropped packets of the
 * interface that brought the stream. Nobody knows whether the wire lost these packets too, so no finding and no score rests
 * on them.
 *
 * A span of drops excuses at most as many packets as were dropped in it, and no more than the stream sends in that time.
 * What is missing beyond is loss. Nobody knows whose packets were dropped, so each stream may be excused for all of them.
 */

import type { Impairment } from '../protocols/rtp/emodel.ts';
import { openWindow } from '../protocols/rtp/open-window.ts';
import type { Score, StreamScore, WindowCounts } from '../protocols/rtp/quality.ts';
import { scoreWindow } from '../protocols/rtp/quality.ts';
import type { StreamSnapshot } from '../protocols/rtp/stream-snapshot.ts';
import { packetMs } from '../protocols/rtp/stream-snapshot.ts';
import type { StreamWindow } from '../protocols/rtp/stream-window.ts';
import { recounted } from '../protocols/rtp/stream-window.ts';
import type { DropSpan } from '../store/media/drop-spans.ts';

export type OwnDrops = {
  /** Packets of the stream that are missing and that the capture may have dropped. */
  readonly lost: number;
  /** The windows without those packets, in their order; the window itself where none is missing so. */
  readonly known: readonly StreamWindow[];
};

/** A gap is spread over windows by packet times that are estimates: it may lie so far beside the drops. */
const BESIDE_US = 200_000;
/** Who sends a packet a packet time sends hardly more in any span; video and bursts come at a multiple of their mean rate. */
const STEADY = 1.1;
const BURST = 2;
/** Packets at the edges of a span, whatever its length. */
const EDGE_PACKETS = 3;
/** A score that changes by less does not rest on what is left out. */
const NOTICED_MOS = 0.05;

/** A piece of the stream's time, and what is missing in it. */
type Piece = { readonly fromUs: number; readonly toUs: number; readonly expected: number; lost: number; own: number };

/**
 * `lost` of the stream are to be explained; `windows` are those that closed, oldest first: the last ones of the stream;
 * `spans` those of its interface.
 */
export function ownDrops(
  s: StreamSnapshot,
  lost: number,
  windows: readonly StreamWindow[],
  spans: readonly DropSpan[],
  clockRate: number | null,
): OwnDrops {
  if (spans.length === 0 || lost === 0) return { lost: 0, known: windows };
  const pieces = piecesOf(s, windows);
  const untold = untoldOf(s, lost, pieces);
  const perUs = mostPerUs(s.tsStep > 0 ? packetMs(s, clockRate) : 0, pieces);
  let own = 0;
  let first = 0;
  for (let i = firstAfter(spans, s.firstUs - BESIDE_US); i < spans.length; i++) {
    const span = spans[i];
    if (span === undefined || span.fromUs - BESIDE_US > s.lastUs) break;
    while ((pieces[first]?.toUs ?? Number.POSITIVE_INFINITY) < span.fromUs - BESIDE_US) first++;
    let left = Math.min(span.packets, Math.ceil((span.toUs - span.fromUs) * perUs) + EDGE_PACKETS);
    for (let at = first; (pieces[at]?.fromUs ?? Number.POSITIVE_INFINITY) <= span.toUs + BESIDE_US; at++)
      left -= excuse(pieces[at] ?? untold, left);
    excuse(untold, left);
  }
  for (const piece of pieces) own += piece.own;
  own += untold.own;
  // Late packets may have filled a gap since its window closed.
  return { lost: Math.min(own, lost), known: windows.map((w, i) => without(w, pieces[i]?.own ?? 0)) };
}

/** The score of what is known, or null where it would rest on what the capture dropped itself. */
export function scoreWithout(
  { lost }: OwnDrops,
  score: StreamScore | null,
  asCounted: () => StreamScore | null,
): StreamScore | null {
  if (lost === 0 || score === null) return score;
  const counted = asCounted();
  return counted !== null && Math.abs(score.mos - counted.mos) < NOTICED_MOS ? score : null;
}

function pieceOf({ startUs, lengthUs, expected, lost }: StreamWindow): Piece {
  return { fromUs: startUs, toUs: startUs + lengthUs, expected, lost, own: 0 };
}

/** The same of one window; `known` is the window itself where nothing is left out. */
export function windowScoreWithout(
  known: WindowCounts,
  window: WindowCounts,
  codec: Impairment | null,
  floor: number,
  delayMs: number,
): Score | null {
  const score = scoreWindow(known, codec, floor, delayMs);
  if (known === window || score === null || score.verdict === 'not_scorable') return score;
  const asCounted = scoreWindow(window, codec, floor, delayMs);
  const isSame = asCounted !== null && 'mos' in asCounted && Math.abs(score.mos - asCounted.mos) < NOTICED_MOS;
  return isSame ? score : null;
}

/** The windows, and the one that is open where it is not among them. */
function piecesOf(s: StreamSnapshot, windows: readonly StreamWindow[]): Piece[] {
  const pieces = windows.map(pieceOf);
  const open = openWindow(s);
  const lastUs = pieces.at(-1)?.fromUs ?? Number.NEGATIVE_INFINITY;
  if (open !== null && lastUs <= open.startUs - 1) pieces.push(pieceOf(open));
  return pieces;
}

/** What was lost in windows that are not kept, or that nobody was told of. */
function untoldOf(s: StreamSnapshot, lost: number, pieces: readonly Piece[]): Piece {
  const left = pieces.reduce((n, piece) => n - piece.lost, lost);
  return { fromUs: s.firstUs, toUs: s.lastUs, expected: 0, lost: Math.max(0, left), own: 0 };
}

/** What the stream sends at most; `ms` is its packet time, 0 unknown. */
function mostPerUs(ms: number, pieces: readonly Piece[]): number {
  const steady = ms > 0 ? STEADY / (ms * 1000) : 0;
  let seen = 0;
  for (const { fromUs, toUs, expected } of pieces) if (toUs > fromUs) seen = Math.max(seen, expected / (toUs - fromUs));
  return seen <= steady ? steady : seen * BURST;
}

/** The first span that ends at this time or later. */
function firstAfter(spans: readonly DropSpan[], us: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.toUs ?? us) < us) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Takes so many of the piece's lost packets, and says how many there were. */
function excuse(piece: Piece, most: number): number {
  const taken = Math.min(most, piece.lost - piece.own);
  piece.own += taken;
  return taken;
}

function without(w: StreamWindow, own: number): StreamWindow {
  if (own === 0) return w;
  const lost = w.lost - own;
  const { startUs, expected, lossRuns } = w;
  return recounted(w, { startUs, expected: expected - own, lost, lossRuns: Math.min(lossRuns, lost) });
}
