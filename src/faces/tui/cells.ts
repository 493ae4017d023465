/**
 * The screen as cells: what a frame draws goes here, and what differs from the frame before goes to the terminal, in one
 * write. No text reaches the terminal another way, so none of it can hold a control character.
 */
import stringWidth from 'string-width';
import { safeText } from '../../core/terminal-text.ts';
import type { Character } from '../../view/ladder-text.ts';

/** How a cell looks: one colour, and marks that are added to it. */
export const LOOK = {
  plain: 0,
  red: 1,
  green: 2,
  yellow: 3,
  blue: 4,
  magenta: 5,
  cyan: 6,
  bold: 8,
  dim: 16,
  reverse: 32,
  underline: 64,
} as const;
export type Look = number;

const COLOR = 7;
/** SGR parameters of the marks (ECMA-48 section 8.3.117). */
const MARKS = [
  [LOOK.bold, '1'],
  [LOOK.dim, '2'],
  [LOOK.reverse, '7'],
  [LOOK.underline, '4'],
] as const;

const ESC = '\u001b[';
/** A frame is shown whole or not at all, where the terminal knows synchronized output; else this says nothing to it. */
const BEGIN = `${ESC}?2026h`;
const END = `${ESC}0m${ESC}?2026l`;
/** Code units of a character with its marks; a longer one, or one of more than two cells, is shown as a dot. */
const MARKED = 16;
const DOT = '\u00b7';
/** The right half of a wide character. */
const TAIL = '';
const BLANK = ' ';
/** What a terminal has of a cell that was never drawn, or that something else wrote to. */
const UNKNOWN = '\u0000';
const ASCII = /^[ -~]*$/;
const segmenter = new Intl.Segmenter();
/** Code units that it has at a time. */
const PART = 1_024;

/** Cells that a text takes. */
export function widthOf(text: string): number {
  return ASCII.test(text) ? text.length : stringWidth(text);
}

/** As much of a text as fits into so many cells, with an ellipsis where something was cut. */
export function fitCells(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width <= 0) return '';
  if (ASCII.test(text)) return `${text.slice(0, width - 1)}\u2026`;
  let kept = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    const character = characterOf(segment);
    if (used + character.width > width - 1) break;
    kept += character.text;
    used += character.width;
  }
  return `${kept}\u2026`;
}

const IN_ASCII: Readonly<Record<string, string>> = {
  '\u2026': '~',
  '\u00b7': '.',
  '\u2190': '<',
  '\u2191': '^',
  '\u2192': '>',
  '\u2193': 'v',
};

/** For who knows ASCII alone; as wide as before. */
function asciiOf(text: string): string {
  if (ASCII.test(text)) return text;
  return charactersOf(text)
    .map((character) =>
      ASCII.test(character.text) ? character.text : (IN_ASCII[character.text] ?? '?'.repeat(character.width)),
    )
    .join('');
}

/** What a text is made of, as it is drawn. */
export function charactersOf(text: string): Character[] {
  return [...charactersIn(text)];
}

/** One by one. The segmenter takes a time that grows with the square of a text of marks: it has a part of it at a time. */
export function* charactersIn(text: string): Generator<Character> {
  for (let from = 0; from < text.length; ) {
    const part = text.slice(from, from + PART);
    const isLast = from + PART >= text.length;
    if (ASCII.test(part)) {
      // A mark may follow.
      const whole = isLast ? part : part.slice(0, -1);
      for (const character of whole) yield { text: character, width: 1 };
      from += whole.length;
      continue;
    }
    // What comes after the part may belong to its end.
    const sure = isLast ? part.length : part.length - MARKED;
    let end = 0;
    for (const { segment, index } of segmenter.segment(part)) {
      if (index > 0 && index + segment.length > sure) break;
      yield characterOf(segment);
      end = index + segment.length;
    }
    from += end;
  }
}

function characterOf(segment: string): Character {
  const width = stringWidth(segment);
  return width > 2 || segment.length > MARKED ? { text: DOT, width: 1 } : { text: segment, width };
}

export class Cells {
  readonly width: number;
  readonly height: number;
  readonly #hasColor: boolean;
  /** False of a terminal that knows ASCII alone. */
  readonly isUtf8: boolean;
  readonly #texts: string[];
  readonly #looks: Uint8Array;
  readonly #shownTexts: string[];
  readonly #shownLooks: Uint8Array;

  constructor(width: number, height: number, hasColor: boolean, isUtf8 = true) {
    this.width = width;
    this.height = height;
    this.#hasColor = hasColor;
    this.isUtf8 = isUtf8;
    const cells = width * height;
    this.#texts = new Array<string>(cells).fill(BLANK);
    this.#looks = new Uint8Array(cells);
    this.#shownTexts = new Array<string>(cells).fill(UNKNOWN);
    this.#shownLooks = new Uint8Array(cells);
  }

  /** Everything is blank. */
  clear(): void {
    this.#texts.fill(BLANK);
    this.#looks.fill(LOOK.plain);
  }

  /** The terminal shows something else by now: the next frame is drawn whole. */
  forget(): void {
    this.#shownTexts.fill(UNKNOWN);
  }

  /** Writes captured text or ours from (x, y), at most `most` cells of it; how many it took. */
  put(x: number, y: number, text: string, look: Look = LOOK.plain, most = this.width): number {
    const room = Math.min(most, this.width - x);
    if (y < 0 || y >= this.height || x < 0 || room <= 0) return 0;
    // What lies beyond is never shown, however long it is.
    const safe = fitCells(safeText(text.slice(0, (room + 1) * MARKED)), room);
    const shown = this.isUtf8 ? safe : asciiOf(safe);
    const at = y * this.width + x;
    if (ASCII.test(shown)) {
      for (let i = 0; i < shown.length; i++) this.#set(at + i, shown.charAt(i), look);
      return shown.length;
    }
    let used = 0;
    for (const { segment } of segmenter.segment(shown)) {
      const { text: character, width } = characterOf(segment);
      // A mark without a character to stand on takes none.
      if (width === 0 || used + width > room) continue;
      this.#set(at + used, character, look);
      if (width === 2) this.#set(at + used + 1, TAIL, look);
      used += width;
    }
    return used;
  }

  /** Adds marks, or a colour where there is none, to a part of a line. */
  mark(x: number, y: number, width: number, look: Look): void {
    if (y < 0 || y >= this.height) return;
    const end = Math.min(this.width, x + width);
    for (let i = Math.max(0, x); i < end; i++) {
      const at = y * this.width + i;
      const before = this.#looks[at] ?? 0;
      this.#looks[at] = (before & COLOR) === 0 ? before | look : before | (look & ~COLOR);
    }
  }

  /** The characters of a line, for tests. */
  line(y: number): string {
    return this.#texts
      .slice(y * this.width, (y + 1) * this.width)
      .join('')
      .trimEnd();
  }

  lookAt(x: number, y: number): Look {
    return this.#looks[y * this.width + x] ?? 0;
  }

  /** What makes the terminal show this frame; '' where it does. The cursor is left at `cursor`, and hidden without one. */
  frame(cursor: { readonly x: number; readonly y: number } | null): string {
    let out = '';
    let look = -1;
    for (let y = 0; y < this.height; y++) {
      let next = -1;
      for (let x = 0; x < this.width; x++) {
        const at = y * this.width + x;
        const text = this.#texts[at] ?? BLANK;
        if (text === this.#shownTexts[at] && this.#looks[at] === this.#shownLooks[at]) continue;
        this.#shownTexts[at] = text;
        this.#shownLooks[at] = this.#looks[at] ?? 0;
        if (text === TAIL) continue;
        if (next !== x) out += `${ESC}${y + 1};${x + 1}H`;
        if (look !== this.#looks[at]) {
          look = this.#looks[at] ?? 0;
          out += this.#sgr(look);
        }
        out += text;
        // Terminals differ in how wide they show what is not ASCII: the cell after it is placed again.
        next = ASCII.test(text) ? x + 1 : -1;
      }
    }
    const place = cursor === null ? `${ESC}?25l` : `${ESC}${cursor.y + 1};${cursor.x + 1}H${ESC}?25h`;
    return out === '' ? place : `${BEGIN}${ESC}?25l${out}${END}${place}`;
  }

  #set(at: number, text: string, look: Look): void {
    // Half of a wide character is none: what is left of it is blank.
    if (this.#texts[at] === TAIL && text !== TAIL) this.#texts[at - 1] = BLANK;
    if (this.#texts[at + 1] === TAIL && (at + 1) % this.width !== 0) this.#texts[at + 1] = BLANK;
    this.#texts[at] = text;
    this.#looks[at] = look;
  }

  #sgr(look: Look): string {
    const color = look & COLOR;
    const marks = MARKS.flatMap(([mark, code]) => ((look & mark) !== 0 ? [code] : []));
    return `${ESC}${['0', ...marks, ...(this.#hasColor && color !== 0 ? [String(30 + color)] : [])].join(';')}m`;
  }
}
