/**
 * The media of a call as lanes over one axis of time: a bar for what each stream carried, holds, pauses, what this capture
 * dropped itself, and a dashed line for a direction that never came.
 */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { carriedCodecs } from '../../core/carried-codecs.ts';
import type { MissingMedia } from './missing-media.ts';
import type { Line } from './quality-data.ts';
import { clock, secondsOf, shown } from './words.ts';

type Props = {
  readonly lines: readonly Line[];
  readonly missing: readonly MissingMedia[];
  /** Ends of the axis, in seconds of the epoch. */
  readonly span: readonly [fromSec: number, toSec: number];
};

type Piece = {
  readonly kind: 'flow' | 'held' | 'paused' | 'dropped' | 'missing';
  readonly from: string;
  readonly to: string;
  readonly text: string;
};
type Lane = { readonly letter: string; readonly way: string; readonly pieces: readonly Piece[] };

/** A word fits into a bar of so much of the width. */
const LEAST_WORDED = 0.08;
const LEAST_PAUSE_SEC = 0.5;

export function MediaLanes({ lines, missing, span }: Props): ComponentChild {
  const lanes = [...lines.map(laneOf), ...missing.map(missingLane)];
  return h(
    'div',
    { class: 'lanes', role: 'list', 'aria-label': 'Media over time' },
    h('svg', { width: 0, height: 0, 'aria-hidden': true }, h('defs', null, hatching())),
    lanes.map((lane, i) =>
      h(
        'div',
        { key: i, class: `lane lane-${'abcd'[i % 4] ?? 'a'}`, role: 'listitem', 'aria-label': wordsOf(lane) },
        h('b', null, lane.letter),
        h('span', { class: 'way' }, lane.way),
        h(
          'svg',
          { width: '100%', height: 20, 'aria-hidden': true },
          lane.pieces.map((piece) => bar(piece, span, lane.pieces)),
        ),
      ),
    ),
  );
}

function laneOf(line: Line): Lane {
  const { letter, stream } = line;
  const { segments = [], spans = [], first_seen: from, last_seen: to } = stream;
  const flow = segments.length > 0 ? segments : [{ ...stream, from, to }];
  return {
    letter,
    way: `${shown(stream.src)} \u2192 ${shown(stream.dst)}`,
    pieces: [
      ...flow.map(
        (piece): Piece => ({
          kind: 'flow',
          from: piece.from,
          to: piece.to,
          text: carriedCodecs({ codec: piece.codec, payload_type: piece.payload_type }),
        }),
      ),
      ...spans.map((one): Piece => ({ ...one, text: one.kind === 'held' ? 'on hold' : 'dropped by this capture' })),
      ...pausesOf(line),
    ],
  };
}

function missingLane({ src, dst, from, to }: MissingMedia): Lane {
  const piece = { kind: 'missing', from, to, text: 'no RTP' } as const;
  return { letter: '\u2013', way: `${shown(src)} \u2192 ${shown(dst)}`, pieces: [piece] };
}

/** Where whole windows lack between others, and no hold says why. */
function pausesOf({ windows, stream: { spans = [] } }: Line): Piece[] {
  const isHeld = (sec: number): boolean => spans.some(({ from, to }) => secondsOf(from) <= sec && sec <= secondsOf(to));
  return windows.flatMap(({ toSec }, i): Piece[] => {
    const next = windows[i + 1]?.fromSec ?? toSec;
    if (next - toSec < LEAST_PAUSE_SEC || isHeld((next + toSec) / 2)) return [];
    return [{ kind: 'paused', from: timeOf(toSec), to: timeOf(next), text: 'pause' }];
  });
}

function timeOf(sec: number): string {
  return new Date(sec * 1000).toISOString();
}

/** The longest part of a flow over which no hold, pause or drop is drawn: its word stands there. */
function freeOf({ kind, from, to }: Piece, all: readonly Piece[]): readonly [from: number, to: number] {
  const end = secondsOf(to);
  let [at, best]: [number, readonly [number, number]] = [secondsOf(from), [0, 0]];
  if (kind !== 'flow') return [at, end];
  const over = all.filter((piece) => piece.kind !== 'flow').sort((a, b) => (a.from < b.from ? -1 : 1));
  for (const [next, after] of [
    ...over.map((p) => [secondsOf(p.from), secondsOf(p.to)] as const),
    [end, end] as const,
  ]) {
    if (Math.min(next, end) - at > best[1] - best[0]) best = [at, Math.min(next, end)];
    at = Math.max(at, after);
  }
  return best;
}

function bar(piece: Piece, [startSec, endSec]: Props['span'], all: readonly Piece[]): ComponentChild {
  const { kind, from, to, text } = piece;
  const shareOf = (sec: number): number => Math.min(1, Math.max(0, (sec - startSec) / (endSec - startSec)));
  const [left, right] = [shareOf(secondsOf(from)), shareOf(secondsOf(to))];
  const [wordLeft = 0, wordRight = 0] = freeOf(piece, all).map(shareOf);
  const percent = (share: number): string => `${(share * 100).toFixed(3)}%`;
  const place = { x: percent(left), width: percent(Math.max(0.002, right - left)) };
  return h(
    'g',
    { class: kind },
    kind === 'missing'
      ? h('line', { x1: percent(left), x2: percent(right), y1: 10, y2: 10 })
      : h('rect', { ...place, y: kind === 'flow' ? 2 : 0, height: kind === 'flow' ? 16 : 20 }),
    wordRight - wordLeft < LEAST_WORDED
      ? null
      : h('text', { x: percent((wordLeft + wordRight) / 2), y: 14, 'text-anchor': 'middle' }, shown(text)),
    h('title', null, `${shown(text)}, ${timesOf(from, to)}`),
  );
}

function timesOf(from: string, to: string): string {
  return `${clock(from, 3)} to ${clock(to, 3)}`;
}

/** What a lane shows, for who does not see it. */
function wordsOf({ letter, way, pieces }: Lane): string {
  return `${letter}, ${way}: ${pieces.map(({ text, from, to }) => `${shown(text)} ${timesOf(from, to)}`).join('; ')}`;
}

function hatching(): ComponentChild {
  return h(
    'pattern',
    { id: 'hatching', width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
    h('line', { x1: 0, y1: 0, x2: 0, y2: 6 }),
  );
}
