/**
 * One raw message, folded to its part of the screen, which scrolls over it.
 */
import type { AskMessage } from '../../contract/index.ts';
import type { Area } from './app.ts';
import type { Cells } from './cells.ts';
import { charactersIn, LOOK } from './cells.ts';

const STEP = 10;
const INSET = '  ';

/** Of the two ends, with a blank after it; '' without one. */
export type EndNames = { readonly src: string; readonly dst: string };

export class MessagePane {
  /** Lines above the first that is shown. */
  #top = 0;
  #text = '';
  #width = 0;
  #rows = STEP;
  /** Those that were shown so far, and where the next ones come from: a message may be 128 KiB in one line. */
  readonly #lines: string[] = [];
  #more: Iterator<string> | null = null;

  /** Another message is shown from its beginning. */
  reset(): void {
    this.#top = 0;
  }

  scroll(way: 1 | -1, lines = STEP): void {
    this.#top = Math.max(0, this.#top + way * lines);
  }

  scrollPage(way: 1 | -1): void {
    this.scroll(way, this.#rows);
  }

  draw(cells: Cells, { x, y, width, height }: Area, message: AskMessage | null, names: EndNames): void {
    if (message === null) return;
    cells.put(
      x,
      y,
      `${names.src}${message.src} -> ${names.dst}${message.dst}  ${message.transport} ${message.origin}`,
      LOOK.bold,
      width,
    );
    const rows = height - 1;
    this.#rows = rows;
    this.#fold(message, width, this.#top + rows);
    this.#top = Math.max(0, Math.min(this.#top, this.#lines.length - rows));
    for (const [i, line] of this.#lines.slice(this.#top, this.#top + rows).entries())
      cells.put(x, y + 1 + i, line, LOOK.plain, width);
  }

  /** Folds so many lines of it, if there are so many. */
  #fold(message: AskMessage, width: number, lines: number): void {
    if (this.#text !== message.text || this.#width !== width) {
      this.#text = message.text;
      this.#width = width;
      this.#lines.length = 0;
      this.#more = pieces(linesOf(message), width);
    }
    while (this.#more !== null && this.#lines.length < lines) {
      const next = this.#more.next();
      if (next.done === true) this.#more = null;
      else this.#lines.push(next.value);
    }
  }
}

function* pieces(lines: readonly string[], width: number): Generator<string> {
  for (const line of lines) yield* folded(line, width);
}

export function linesOf({ text }: AskMessage): string[] {
  return text.replace(/(\r?\n)+$/, '').split(/\r?\n/);
}

/** A line in pieces of the width; what continues is set in. Each character is looked at once. */
export function* folded(line: string, width: number): Generator<string> {
  let piece = '';
  let used = 0;
  let characters = 0;
  for (const character of charactersIn(line)) {
    // One that is wider than the screen has a piece to itself.
    if (characters > 0 && used + character.width > width) {
      yield piece;
      piece = INSET;
      used = INSET.length;
      characters = 0;
    }
    piece += character.text;
    used += character.width;
    characters++;
  }
  yield piece;
}
