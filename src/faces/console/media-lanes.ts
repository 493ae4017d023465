/**
 * The media of a call as lanes over one axis of time: a bar for what each stream carried, holds, what this capture dropped
 * itself, and a dashed line for a direction that never came.
 */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import type { CallDocument } from '../../contract/index.ts';
import { carriedCodecs } from '../../core/carried-codecs.ts';
import type { Line } from './quality-data.ts';
import { clock, secondsOf, shown } from './words.ts';

type Props = {
  readonly call: CallDocument;
  readonly lines: readonly Line[];
  /** Ends of the axis, in seconds of the epoch. */
  readonly span: readonly [fromSec: number, toSec: number];
};

type Piece = {
  readonly kind: 'flow' | 'held' | 'dropped' | 'missing';
  readonly from: string;
  readonly to: string;
  readonly text: string;
};
type Lane = { readonly letter: string; readonly way: string; readonly pieces: readonly Piece[] };

/** A word fits into a bar of so much of the width. */
const LEAST_WORDED = 0.08;

export function MediaLanes({ call, lines, span }: Props): ComponentChild {
  const lanes = [...lines.map(laneOf), ...missingOf(call, lines)];
  return h(
    'div',
    { class: 'lanes', role: 'list', 'aria-label': 'Media over time' },
    h('svg', { width: 0, height: 0, 'aria-hidden': true }, h('defs', null, hatching())),
    lanes.map((lane, i) =>
      h(
        'div',
        { key: lane.letter, class: `lane lane-${'abcd'[i % 4] ?? 'a'}`, role: 'listitem', 'aria-label': wordsOf(lane) },
        h('b', null, lane.letter),
        h('span', { class: 'way' }, lane.way),
        h(
          'svg',
          { width: '100%', height: 20, 'aria-hidden': true },
          lane.pieces.map((piece) => bar(piece, span)),
        ),
      ),
    ),
  );
}

function laneOf({ letter, stream }: Line): Lane {
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
    ],
  };
}

/** Where one direction alone ran, the other one, from end to end. */
function missingOf({ diagnosis }: CallDocument, lines: readonly Line[]): Lane[] {
  const only = lines.find(({ stream }) => !lines.some((other) => isReverse(stream, other.stream)));
  if (diagnosis?.one_way_audio !== true || only === undefined) return [];
  const { src, dst, first_seen: from, last_seen: to } = only.stream;
  return [
    {
      letter: '\u2013',
      way: `${shown(dst)} \u2192 ${shown(src)}`,
      pieces: [{ kind: 'missing', from, to, text: 'no RTP' }],
    },
  ];
}

type Way = Pick<Line['stream'], 'src' | 'dst'>;

function isReverse(a: Way, b: Way): boolean {
  return hostOf(a.src) === hostOf(b.dst) && hostOf(a.dst) === hostOf(b.src);
}

function hostOf(socket: string): string {
  return socket.slice(0, socket.lastIndexOf(':'));
}

function bar({ kind, from, to, text }: Piece, [startSec, endSec]: Props['span']): ComponentChild {
  const shareOf = (at: string): number => Math.min(1, Math.max(0, (secondsOf(at) - startSec) / (endSec - startSec)));
  const [left, right] = [shareOf(from), shareOf(to)];
  const percent = (share: number): string => `${(share * 100).toFixed(3)}%`;
  const place = { x: percent(left), width: percent(Math.max(0.002, right - left)) };
  return h(
    'g',
    { class: kind },
    kind === 'missing'
      ? h('line', { x1: percent(left), x2: percent(right), y1: 10, y2: 10 })
      : h('rect', { ...place, y: kind === 'flow' ? 2 : 0, height: kind === 'flow' ? 16 : 20 }),
    right - left < LEAST_WORDED
      ? null
      : h('text', { x: percent((left + right) / 2), y: 14, 'text-anchor': 'middle' }, shown(text)),
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
