/**
 * Draws the ladder of a call: a lifeline a host, an arrow a message, a bar a stream. A label is cut before its arrow is.
 */
import type { AskLadder, LadderMedia, LadderStep } from '../contract/index.ts';
import { whatIsNotShown } from '../core/not-shown.ts';
import { paint, safeText } from '../core/terminal-text.ts';
import { clockOf } from './clock.ts';

export type LadderStyle = { readonly width: number | null; readonly color: boolean; readonly isUtc: boolean };

/** What stands before a message: the time of day, or the seconds since the first one, and those since the one before. */
export const LADDER_TIMES = ['clock', 'first', 'before'] as const;
export type LadderTime = (typeof LADDER_TIMES)[number];

/** A character, and the cells that a terminal takes for it. */
export type Character = { readonly text: string; readonly width: number };

export type LadderDrawing = Pick<LadderStyle, 'width' | 'isUtc'> & {
  /** `clock` where nobody chose. */
  readonly time?: LadderTime;
  /** Where it is known how wide characters are; else each takes a cell. */
  readonly characters?: (text: string) => readonly Character[];
};

/** Where nobody says how wide the page is. */
const PAGE = 130;
const COLUMN_LEAST = 20;
const COLUMN_MOST = 46;
/** Index, and time since the message before. */
const LEFT = 4 + 2 + 9 + 2;
/** Time of day, or since the first message. */
const TIME = 12;
/** Code units of a label that are looked at, a cell. */
const MOST_UNITS = 16;
/** Code units of a first line; agents send fewer. */
const MOST_LABEL = 256;
/** Characters of an address with its port. */
const MOST_SOCKET = 64;
const NOTES = {
  again: 'again',
  duplicate: 'same packet twice',
  copy: 'another source',
  cut: 'cut by the capture',
  'address-likely': 'address likely, not proven',
  'address-unknown': 'address not known',
} as const;

type Arrow = { readonly from: number; readonly to: number; readonly label: string; readonly shaft: string };

/** A line of the drawing, and which step it shows; null for lifelines, media and what stands above and below. */
export type LadderRow = {
  /** Drawn when it is asked for: a screen shows few lines of many. */
  readonly text: string;
  readonly step: LadderStep | null;
  readonly look: 'head' | 'plain' | 'again';
};

/** Line by line. */
export function* ladderLines(l: AskLadder, style: LadderStyle): Generator<string> {
  for (const { text, look } of ladderRows(l, style)) yield paint(text, COLORS[look], style.color);
}

const COLORS = { head: 'bold', plain: null, again: 'gray' } as const;

export function* ladderRows(l: AskLadder, style: LadderDrawing): Generator<LadderRow> {
  const { time = 'clock', characters = single } = style;
  const left = LEFT + (time === 'before' ? 0 : TIME + 2);
  const room = (style.width ?? PAGE) - left;
  const column = Math.max(COLUMN_LEAST, Math.min(COLUMN_MOST, Math.floor(room / Math.max(1, l.lifelines.length))));
  const clock = clockOf(Date.parse(l.started_at) * 1000, style.isUtc);
  const heads = l.lifelines.map(({ label }) => center(fitted(label, column - 2, characters), column)).join('');
  const zone = clock.zone === 'Z' ? 'UTC' : `UTC${clock.zone}`;
  yield { text: `${`${clock.date} ${zone}`.padEnd(left)}${heads}`.trimEnd(), step: null, look: 'head' };
  for (const sentence of whatIsNotShown(l)) yield note(sentence);
  const half = Math.floor(column / 2);
  const blank = `${' '.repeat(half)}|${' '.repeat(column - half - 1)}`.repeat(l.lifelines.length);
  const draw = (arrow: Arrow): string => drawn(arrow, blank, column, characters);
  const several = l.call_ids.length > 1;
  const shared = sharedLine(l);
  const firstMs = Date.parse(l.steps[0]?.at ?? l.started_at);
  let date = clock.date;
  let bars = 0;
  for (const step of l.steps) {
    for (let m = l.media[bars]; m !== undefined && m.first_seen <= step.at; m = l.media[++bars])
      yield mediaRow(m, left, draw);
    const atMs = Date.parse(step.at);
    const at = clockOf(atMs * 1000, style.isUtc);
    if (time === 'clock' && at.date !== date) yield { text: at.date, step: null, look: 'head' };
    date = at.date;
    const when = { clock: at.time, first: since((atMs - firstMs) / 1000), before: null }[time];
    const leg = several ? legName(l, step.call_id) : '';
    yield {
      get text() {
        return stepLine(step, { when, leg, shared }, draw);
      },
      step,
      look: step.notes.length > 0 ? 'again' : 'plain',
    };
  }
  for (const m of l.media.slice(bars)) yield mediaRow(m, left, draw);
  if (l.not_kept > 0) yield note(`${l.not_kept} more ${l.not_kept === 1 ? 'message was' : 'messages were'} not kept.`);
  if (several) yield* legend(l);
}

/** The line that stands for several hosts; -1 where each has its own. */
export function sharedLine({ lifelines }: AskLadder): number {
  return lifelines.findIndex(({ others }) => others !== undefined);
}

/** The ends of a step that share a line with others. */
export function sharedEnds(step: LadderStep, shared: number): string[] {
  return [
    ...(step.from === shared ? [`from ${safeText(step.src.slice(0, MOST_SOCKET))}`] : []),
    ...(step.to === shared ? [`to ${safeText(step.dst.slice(0, MOST_SOCKET))}`] : []),
  ];
}

function note(text: string): LadderRow {
  return { text, step: null, look: 'plain' };
}

function since(sec: number): string {
  return `+${sec.toFixed(3)}`;
}

type StepPlace = {
  /** Null leaves that column out. */
  readonly when: string | null;
  /** The letter of the call that the message belongs to, where there are several. */
  readonly leg: string;
  readonly shared: number;
};

function stepLine(step: LadderStep, { when, leg, shared }: StepPlace, draw: (arrow: Arrow) => string): string {
  const label = labelOf(step);
  const index = `${leg}${step.index}`;
  const time = when === null ? '' : `${when.padStart(TIME)}  `;
  const left = `${index.padStart(4)}  ${time}${since(step.delta_sec).padStart(9)}  `;
  const notes = [...step.notes.map((note) => NOTES[note]), ...sharedEnds(step, shared)];
  return `${left}${draw({ from: step.from, to: step.to, label, shaft: '-' })}${notes.length === 0 ? '' : `  (${notes.join(', ')})`}`.trimEnd();
}

function mediaRow(m: LadderMedia, left: number, draw: (arrow: Arrow) => string): LadderRow {
  const loss = m.not_known === undefined ? `${m.loss_pct.toFixed(1)} %` : 'loss not known';
  const figures = ['RTP', m.type ?? '', m.codec ?? '', loss];
  if (m.mos !== undefined) figures.push(`MOS ${m.mos.toFixed(2)}`);
  if (m.one_way === true) figures.push('one way');
  const label = figures.filter((figure) => figure !== '').join(' ');
  return {
    get text() {
      return `${' '.repeat(left)}${draw({ from: m.from, to: m.to, label, shaft: '=' })}`.trimEnd();
    },
    step: null,
    look: 'plain',
  };
}

/** "(SDP)" stands before the target, which is cut first. */
export function labelOf({ summary: whole, has_sdp }: LadderStep): string {
  const summary = whole.slice(0, MOST_LABEL);
  if (!has_sdp) return summary;
  const request = /^([A-Z]+) (.*)$/s.exec(summary);
  return request === null ? `${summary} (SDP)` : `${request[1]} (SDP) ${request[2]}`;
}

/** Letters for calls: A to Z, then numbers. */
/** `B`; `B?` for a leg that no identifier ties to the first. */
export function legName({ call_ids, probable_legs = [] }: AskLadder, callId: string): string {
  const leg = call_ids.indexOf(callId);
  const name = leg < 26 ? String.fromCharCode(65 + leg) : `${leg}:`;
  return probable_legs.some(({ call_id }) => call_id === callId) ? `${name}?` : name;
}

function* legend(l: AskLadder): Generator<LadderRow> {
  yield note('');
  for (const callId of l.call_ids) {
    const guess = l.probable_legs?.find(({ call_id }) => call_id === callId);
    const why = guess === undefined ? '' : `  probably another leg (${guess.score} of 100): ${guess.reason}`;
    yield note(`${legName(l, callId).padEnd(2)} ${safeText(callId + why)}`);
  }
}

/** `blank`, a row of lifelines, with an arrow across some of them. */
function drawn(
  { from, to, label, shaft }: Arrow,
  blank: string,
  column: number,
  characters: (text: string) => readonly Character[],
): string {
  const left = Math.min(from, to) * column + Math.floor(column / 2) + 1;
  const span = Math.max(1, Math.abs(to - from)) * column - 1;
  // The head, and a piece of the shaft at either end, stay whatever the label is.
  const shown = fitted(` ${label} `, span - 4, characters);
  const fill = span - 1 - widthOf(shown);
  const before = Math.floor(fill / 2);
  const line = `${shaft.repeat(before)}${textOf(shown)}${shaft.repeat(fill - before)}`;
  const arrow = from === to ? `${line}o` : to > from ? `${line}>` : `<${line}`;
  return `${blank.slice(0, left)}${arrow}${blank.slice(left + span)}`;
}

function center(text: readonly Character[], width: number): string {
  const room = Math.max(0, width - widthOf(text));
  const left = Math.floor(room / 2);
  return ' '.repeat(left) + textOf(text) + ' '.repeat(room - left);
}

function textOf(characters: readonly Character[]): string {
  return characters.map(({ text }) => text).join('');
}

function single(text: string): Character[] {
  return Array.from(text, (character) => ({ text: character, width: 1 }));
}

function widthOf(characters: readonly Character[]): number {
  return characters.reduce((sum, { width }) => sum + width, 0);
}

/** What may be shown of a text in so many cells, with an ellipsis where something was cut. */
function fitted(text: string, cells: number, split: (text: string) => readonly Character[]): readonly Character[] {
  const all = split(safeText(text.slice(0, cells * MOST_UNITS))).filter(({ width }) => width > 0);
  if (widthOf(all) <= cells && text.length <= cells * MOST_UNITS) return all;
  const kept: Character[] = [];
  let used = 0;
  for (const character of all) {
    if (used + character.width > cells - 1) break;
    kept.push(character);
    used += character.width;
  }
  return [...kept, { text: '\u2026', width: 1 }];
}
