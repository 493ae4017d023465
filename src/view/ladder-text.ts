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
type Split = (text: string) => readonly Character[];

export type LadderDrawing = Pick<LadderStyle, 'width' | 'isUtc'> & {
  /** `clock` where nobody chose. */
  readonly time?: LadderTime;
  /** Where it is known how wide characters are; else each takes a cell. */
  readonly characters?: Split;
};

/** Where nobody says how wide the page is. */
const PAGE = 130;
/** A narrower page has short times, and lifelines from one margin to the other. */
const NARROW = 100;
/** Cells before the first lifeline of a narrow page, and after its last one. */
const MARGIN = 4;
/** Cells from one lifeline to the next. */
const COLUMN_MOST = 46;
/** Cells of each part on the left, and blanks after it. */
const WIDE = { index: 4, time: 12, delta: 9, gap: 2, columnLeast: 20 } as const;
const SHORT = { index: 3, time: 12, delta: 7, gap: 1, columnLeast: 14 } as const;
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

/** Where what stands on a page of some width. */
type Page = {
  readonly parts: typeof WIDE | typeof SHORT;
  /** Cells before the lifelines. */
  readonly left: number;
  /** The cells of the lifelines, from there on, and where what goes out of the last one to itself ends. */
  readonly places: readonly number[];
  readonly end: number;
  readonly column: number;
  /** A row of lifelines. */
  readonly blank: string;
};

function pageOf(lifelines: number, width: number, time: LadderTime): Page {
  const isNarrow = width < NARROW;
  const parts = isNarrow ? SHORT : WIDE;
  const left = parts.index + parts.delta + 2 * parts.gap + (time === 'before' ? 0 : parts.time + parts.gap);
  const spaces = isNarrow ? Math.max(1, lifelines - 1) : Math.max(1, lifelines);
  const free = width - left - (isNarrow ? 2 * MARGIN : 0);
  const column = Math.max(parts.columnLeast, Math.min(COLUMN_MOST, Math.floor(free / spaces)));
  const half = Math.floor(column / 2);
  const [before, after] = isNarrow ? [MARGIN, lifelines > 1 ? MARGIN : column] : [half, column - half];
  const places = Array.from({ length: lifelines }, (_, i) => before + i * column);
  const last = places.at(-1) ?? 0;
  const blank = places.reduce((text, place) => `${text.padEnd(place)}|`, '').padEnd(last + after);
  const end = last + (isNarrow && lifelines > 1 ? parts.columnLeast : column);
  return { parts, left, places, end, column, blank };
}

export function* ladderRows(l: AskLadder, style: LadderDrawing): Generator<LadderRow> {
  const { time = 'clock', characters = single } = style;
  const page = pageOf(l.lifelines.length, style.width ?? PAGE, time);
  const { left } = page;
  const clock = clockOf(Date.parse(l.started_at) * 1000, style.isUtc);
  const zone = clock.zone === 'Z' ? 'UTC' : `UTC${clock.zone}`;
  const day = `${clock.date} ${zone}`.padEnd(left);
  yield { text: `${day}${heads(l, page, day.length - left, characters)}`.trimEnd(), step: null, look: 'head' };
  for (const sentence of whatIsNotShown(l)) yield note(sentence);
  const draw = (arrow: Arrow): string => drawn(arrow, page, characters);
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
    const when = { clock: at.time, first: since((atMs - firstMs) / 1000, page.parts.time), before: null }[time];
    const leg = several ? legName(l, step.call_id) : '';
    yield {
      get text() {
        return stepLine(step, { when, leg, shared, parts: page.parts }, draw);
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

/** To the millisecond where there is room. */
function since(sec: number, room: number): string {
  const whole = String(Math.trunc(sec)).length;
  return `+${sec.toFixed(Math.max(0, Math.min(3, room - whole - 2)))}`;
}

/**
 * Each host above its lifeline, or as near to it as long labels let it be; cut where there is no room for all of them. The date
 * before them reaches `taken` cells into their room.
 */
function heads(l: AskLadder, { places, column, blank }: Page, taken: number, characters: Split): string {
  const first = taken === 0 ? 0 : taken + 1;
  const widthsFrom = (labels: readonly (readonly Character[])[], i: number): number =>
    labels.slice(i).reduce((sum, label) => sum + widthOf(label) + 1, -1);
  const isRoom = (labels: readonly (readonly Character[])[]): boolean => widthsFrom(labels, 0) <= blank.length - first;
  const cells = column - 2;
  const whole = l.lifelines.map((_, i) => headOf(l, i, cells, characters));
  const short = isRoom(whole) ? whole : l.lifelines.map((_, i) => headOf(l, i, 0, characters));
  const shown = isRoom(short) ? short : short.map((label) => endOf(label, cells));
  let text = ' '.repeat(first - taken);
  let at = first;
  for (const [i, label] of shown.entries()) {
    const wide = widthOf(label);
    const middle = (places[i] ?? 0) - Math.floor(column / 2) + Math.floor((column - wide) / 2);
    const blanks = Math.max(i === 0 ? 0 : 1, Math.min(middle, blank.length - widthsFrom(shown, i)) - at);
    text += ' '.repeat(blanks) + textOf(label);
    at += blanks + wide;
  }
  return text;
}

/** A label; where it needs more than `cells`, its port or its address is left out, unless that tells it from another one. */
function headOf({ lifelines }: AskLadder, i: number, cells: number, characters: Split): readonly Character[] {
  const { label = '', address = '', name } = lifelines[i] ?? {};
  const whole = fitted(label, PAGE, characters);
  const isAlone = lifelines.every((line, other) => other === i || line.address !== address);
  return widthOf(whole) <= cells || !isAlone || address === '' ? whole : fitted(name ?? address, PAGE, characters);
}

/** Of hosts of a network the end tells which one it is. */
function endOf(label: readonly Character[], cells: number): readonly Character[] {
  let from = label.length;
  for (let used = 1; from > 0; from--) {
    used += label[from - 1]?.width ?? 0;
    if (used > cells) break;
  }
  return widthOf(label) <= cells ? label : [{ text: '\u2026', width: 1 }, ...label.slice(from)];
}

type StepPlace = {
  /** Null leaves that column out. */
  readonly when: string | null;
  /** The letter of the call that the message belongs to, where there are several. */
  readonly leg: string;
  readonly shared: number;
  readonly parts: Page['parts'];
};

function stepLine(step: LadderStep, { when, leg, shared, parts }: StepPlace, draw: (arrow: Arrow) => string): string {
  const index = `${leg}${step.index}`;
  const gap = ' '.repeat(parts.gap);
  const time = when === null ? '' : `${when.padStart(parts.time)}${gap}`;
  const left = `${index.padStart(parts.index)}${gap}${time}${since(step.delta_sec, parts.delta).padStart(parts.delta)}${gap}`;
  const said = step.notes.map((note) => NOTES[note]);
  const isNarrow = parts === SHORT;
  // There is no room beside the lifelines of a narrow page.
  const label = isNarrow && said.length > 0 ? `(${said.join(', ')}) ${labelOf(step)}` : labelOf(step);
  const notes = [...(isNarrow ? [] : said), ...sharedEnds(step, shared)];
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

/** A row of lifelines with an arrow across some of them. */
function drawn({ from, to, label, shaft }: Arrow, { places, end: beyond, blank }: Page, characters: Split): string {
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  const left = (places[low] ?? 0) + 1;
  const end = places[low === high ? low + 1 : high] ?? beyond;
  const span = end - left;
  // The head, and a piece of the shaft at either end, stay whatever the label is.
  const shown = fitted(` ${label} `, span - 4, characters);
  const fill = span - 1 - widthOf(shown);
  const before = Math.floor(fill / 2);
  const line = `${shaft.repeat(before)}${textOf(shown)}${shaft.repeat(fill - before)}`;
  const arrow = from === to ? `${line}o` : to > from ? `${line}>` : `<${line}`;
  return `${blank.slice(0, left)}${arrow}${blank.slice(end)}`;
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
function fitted(text: string, cells: number, split: Split): readonly Character[] {
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
