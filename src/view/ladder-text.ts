/**
 * Draws the ladder of a call: a lifeline a host, an arrow a message, a bar a stream. A label is cut before its arrow is.
 */
import type { AskLadder, LadderMedia, LadderStep } from '../contract/index.ts';
import { fit, paint, safeText } from '../core/terminal-text.ts';
import { clockOf } from './clock.ts';

export type LadderStyle = { readonly width: number | null; readonly color: boolean; readonly isUtc: boolean };

/** Where nobody says how wide the page is. */
const PAGE = 130;
const COLUMN_LEAST = 20;
const COLUMN_MOST = 46;
/** Index, time of day, and time since the message before. */
const LEFT = 4 + 2 + 12 + 2 + 9 + 2;
const NOTES = {
  again: 'again',
  duplicate: 'same packet twice',
  copy: 'another source',
  cut: 'cut by the capture',
  'address-likely': 'address likely, not proven',
  'address-unknown': 'address not known',
} as const;

type Arrow = { readonly from: number; readonly to: number; readonly label: string; readonly shaft: string };

/** A line of the drawing, and which step it shows; null for lifelines, media and what stands below. */
export type LadderRow = {
  readonly text: string;
  readonly step: LadderStep | null;
  readonly look: 'head' | 'plain' | 'again';
};

/** Line by line. */
export function* ladderLines(l: AskLadder, style: LadderStyle): Generator<string> {
  for (const { text, look } of ladderRows(l, style)) yield paint(text, COLORS[look], style.color);
}

const COLORS = { head: 'bold', plain: null, again: 'gray' } as const;

export function* ladderRows(l: AskLadder, style: Pick<LadderStyle, 'width' | 'isUtc'>): Generator<LadderRow> {
  const room = (style.width ?? PAGE) - LEFT;
  const column = Math.max(COLUMN_LEAST, Math.min(COLUMN_MOST, Math.floor(room / Math.max(1, l.lifelines.length))));
  const clock = clockOf(Date.parse(l.started_at) * 1000, style.isUtc);
  const heads = l.lifelines.map(({ label }) => center(fit(safeText(label), column - 2), column)).join('');
  const zone = clock.zone === 'Z' ? 'UTC' : `UTC${clock.zone}`;
  yield { text: `${`${clock.date} ${zone}`.padEnd(LEFT)}${heads}`.trimEnd(), step: null, look: 'head' };
  const draw = (arrow: Arrow): string => drawn(arrow, l.lifelines.length, column);
  const several = l.call_ids.length > 1;
  const media = l.media.slice();
  for (const step of l.steps) {
    while (media[0] !== undefined && media[0].first_seen <= step.at) yield* mediaRow(media.shift(), draw);
    const text = stepLine(step, several ? l.call_ids.indexOf(step.call_id) : -1, draw, style);
    yield { text, step, look: step.notes.length > 0 ? 'again' : 'plain' };
  }
  for (const m of media) yield* mediaRow(m, draw);
  if (l.not_kept > 0) yield note(`${l.not_kept} more ${l.not_kept === 1 ? 'message was' : 'messages were'} not kept.`);
  if (several) yield* legend(l.call_ids);
}

function note(text: string): LadderRow {
  return { text, step: null, look: 'plain' };
}

/** `leg`: which of several calls the message belongs to; -1 with one call. */
function stepLine(
  step: LadderStep,
  leg: number,
  draw: (arrow: Arrow) => string,
  style: Pick<LadderStyle, 'isUtc'>,
): string {
  const { time } = clockOf(Date.parse(step.at) * 1000, style.isUtc);
  const label = labelOf(step);
  const index = leg < 0 ? String(step.index) : `${legName(leg)}${step.index}`;
  const left = `${index.padStart(4)}  ${time.padEnd(12)}  ${`+${step.delta_sec.toFixed(3)}`.padStart(9)}  `;
  const notes = step.notes.map((note) => NOTES[note]);
  return `${left}${draw({ from: step.from, to: step.to, label, shaft: '-' })}${notes.length === 0 ? '' : `  (${notes.join(', ')})`}`.trimEnd();
}

function* mediaRow(m: LadderMedia | undefined, draw: (arrow: Arrow) => string): Generator<LadderRow> {
  if (m === undefined) return;
  const figures = ['RTP', m.codec ?? '', `${m.loss_pct.toFixed(1)} %`];
  if (m.mos !== undefined) figures.push(`MOS ${m.mos.toFixed(2)}`);
  const label = figures.filter((figure) => figure !== '').join(' ');
  yield note(`${' '.repeat(LEFT)}${draw({ from: m.from, to: m.to, label, shaft: '=' })}`.trimEnd());
}

/** "(SDP)" stands before the target, which is cut first. */
export function labelOf({ summary, has_sdp }: LadderStep): string {
  if (!has_sdp) return summary;
  const request = /^([A-Z]+) (.*)$/s.exec(summary);
  return request === null ? `${summary} (SDP)` : `${request[1]} (SDP) ${request[2]}`;
}

/** Letters for calls: A to Z, then numbers. */
function legName(leg: number): string {
  return leg < 26 ? String.fromCharCode(65 + leg) : `${leg}:`;
}

function* legend(callIds: readonly string[]): Generator<LadderRow> {
  yield note('');
  for (const [i, id] of callIds.entries()) yield note(`${legName(i)}  ${safeText(id)}`);
}

/** One row of lifelines with an arrow across some of them. */
function drawn({ from, to, label, shaft }: Arrow, lifelines: number, column: number): string {
  const half = Math.floor(column / 2);
  const row = `${`${' '.repeat(half)}|${' '.repeat(column - half - 1)}`.repeat(lifelines)}`.split('');
  const left = Math.min(from, to) * column + half;
  const span = Math.max(1, Math.abs(to - from)) * column - 1;
  // The head, and a piece of the shaft at either end, stay whatever the label is.
  const shown = fit(` ${safeText(label)} `, span - 4);
  const fill = span - 1 - shown.length;
  const before = Math.floor(fill / 2);
  const line = `${shaft.repeat(before)}${shown}${shaft.repeat(fill - before)}`;
  const arrow = from === to ? `${line}o` : to > from ? `${line}>` : `<${line}`;
  for (let i = 0; i < arrow.length; i++) row[left + 1 + i] = arrow[i] ?? ' ';
  return row.join('');
}

function center(text: string, width: number): string {
  const left = Math.max(0, Math.floor((width - text.length) / 2));
  return ' '.repeat(left) + text + ' '.repeat(Math.max(0, width - text.length - left));
}
