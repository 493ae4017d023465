/**
 * The media of the page as lanes over one axis of time: what each stream carried, holds, what the capture dropped itself, and a
 * dashed line for a direction that never came.
 */
import type { CallDocument } from '../../contract/index.ts';
import { carriedCodecs } from '../../core/carried-codecs.ts';
import { clockAt, clockOf } from '../../view/clock.ts';
import type { Markup } from './markup.ts';
import { cut, html } from './markup.ts';
import { lacksWay } from './missing-way.ts';
import type { StreamLine, StreamLines } from './page-streams.ts';
import { percent, secondsOf } from './parts.ts';

/** Segments, holds and own drops of one lane, and of these that are written out below it. @cap */
const PAGE_LANE_PIECES = 100;
const PAGE_LANE_WORDS = 12;

type Piece = {
  readonly kind: 'flow' | 'held' | 'dropped' | 'missing';
  readonly from: string;
  readonly to: string;
  readonly text: string;
};
type Lane = { readonly letter: string; readonly look: string; readonly way: string; readonly pieces: readonly Piece[] };

/** A word fits into a bar of so much of the width. */
const LEAST_WORDED = 0.16;

const SPAN_WORDS = { held: 'on hold', dropped: 'dropped by this capture' } as const;

export function lanes(document: CallDocument, lines: StreamLines, isUtc: boolean): Markup {
  const all = [...lines.drawn.map(laneOf), ...missingOf(document, lines.drawn)];
  return html`<div class="lanes" role="list" aria-label="Media over time">${all.map((lane) => laneMarkup(lane, lines, isUtc))}</div>
${timeAxis(lines, isUtc)}`;
}

/** The times of the ends and of the middle. */
export function timeAxis({ fromSec, toSec }: StreamLines, isUtc: boolean): Markup {
  const at = (sec: number): string => clockOf(sec * 1_000_000, isUtc).time.slice(0, 8);
  return html`<p class="axis" aria-hidden="true">${[fromSec, (fromSec + toSec) / 2, toSec].map((sec) => html`<span>${at(sec)}</span>`)}</p>`;
}

function laneOf({ letter, stream }: StreamLine, i: number): Lane {
  const { segments = [], spans = [], first_seen: from, last_seen: to } = stream;
  const flow = segments.length > 0 ? segments : [{ ...stream, from, to }];
  const pieces = [
    ...flow.map((piece): Piece => {
      const { codec, payload_type } = piece;
      return { kind: 'flow', from: piece.from, to: piece.to, text: carriedCodecs({ codec, payload_type }) };
    }),
    ...spans.map((one): Piece => {
      const kind = one.kind === 'held' ? 'held' : 'dropped';
      return { kind, from: one.from, to: one.to, text: SPAN_WORDS[kind] };
    }),
  ];
  return { letter, look: `q${i % 4}`, way: `${stream.src} \u2192 ${stream.dst}`, pieces };
}

/** Where one direction alone ran, the other one, from end to end. */
function missingOf({ diagnosis }: CallDocument, drawn: readonly StreamLine[]): Lane[] {
  const own = drawn.filter(({ leg }) => leg === 0).map(({ stream }) => stream);
  const only = diagnosis.one_way_audio ? lacksWay(own) : undefined;
  if (only === undefined) return [];
  const { src, dst, first_seen: from, last_seen: to } = only;
  const piece: Piece = { kind: 'missing', from, to, text: 'no RTP' };
  return [{ letter: '\u2013', look: 'none', way: `${dst} \u2192 ${src}`, pieces: [piece] }];
}

function laneMarkup({ letter, look, way, pieces }: Lane, lines: StreamLines, isUtc: boolean): Markup {
  const drawn = pieces.slice(0, PAGE_LANE_PIECES);
  const words = drawn.length > 1 ? wordsOf(pieces, isUtc) : '';
  return html`<div class="lane ${look}" role="listitem"><b>${letter}</b><span class="way">${cut(way, 120)}</span>
<svg class="fluid" height="24" aria-hidden="true">${drawn.map((piece) => bar(piece, lines, isUtc))}</svg>
${words === '' ? [] : [html`<p class="dim">${words}</p>`]}</div>`;
}

/** What a lane of several pieces shows, for who does not see it, or prints it. */
function wordsOf(pieces: readonly Piece[], isUtc: boolean): string {
  const named = pieces.slice(0, PAGE_LANE_WORDS).map((piece) => pieceText(piece, isUtc));
  const more = pieces.length - named.length;
  return `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

function pieceText({ text, from, to }: Piece, isUtc: boolean): string {
  return `${cut(text, 60)} ${clockAt(from, isUtc).time} to ${clockAt(to, isUtc).time}`;
}

function bar(piece: Piece, { fromSec, toSec }: StreamLines, isUtc: boolean): Markup {
  const { kind, from, to, text } = piece;
  const shareOf = (at: string): number => Math.min(1, Math.max(0, (secondsOf(at) - fromSec) / (toSec - fromSec)));
  const [left, right] = [shareOf(from), shareOf(to)];
  const width = Math.max(0.003, right - left);
  const [y, height] = kind === 'flow' ? [4, 16] : [1, 22];
  const shape =
    kind === 'missing'
      ? html`<line x1="${percent(left)}" x2="${percent(right)}" y1="12" y2="12"/>`
      : html`<rect x="${percent(left)}" width="${percent(width)}" y="${y}" height="${height}"/>`;
  const word =
    right - left < LEAST_WORDED
      ? []
      : [
          html`<text x="${percent((left + right) / 2)}" y="16" text-anchor="middle">${cut(text, Math.floor((right - left) * 40))}</text>`,
        ];
  return html`<g class="${kind}"><title>${pieceText(piece, isUtc)}</title>${shape}${word}</g>`;
}
