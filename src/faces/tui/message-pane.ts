/**
 * One raw message, folded to its part of the screen, which scrolls over it.
 */
import type { AskMessage } from '../../contract/index.ts';
import type { Area } from './app.ts';
import type { Cells } from './cells.ts';
import { LOOK, widthOf } from './cells.ts';

const STEP = 10;

/** Of the two ends, with a blank after it; '' without one. */
export type EndNames = { readonly src: string; readonly dst: string };

export class MessagePane {
  /** Lines above the first that is shown. */
  #top = 0;
  #text = '';
  #width = 0;
  #lines: readonly string[] = [];

  /** Another message is shown from its beginning. */
  reset(): void {
    this.#top = 0;
  }

  scroll(way: 1 | -1): void {
    this.#top = Math.max(0, this.#top + way * STEP);
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
    this.#fold(message, width);
    const rows = height - 1;
    this.#top = Math.max(0, Math.min(this.#top, this.#lines.length - rows));
    for (const [i, line] of this.#lines.slice(this.#top, this.#top + rows).entries())
      cells.put(x, y + 1 + i, line, LOOK.plain, width);
  }

  /** A message may be 60 kB in one line: it is folded when it is another one, or the width is. */
  #fold(message: AskMessage, width: number): void {
    if (this.#text === message.text && this.#width === width) return;
    this.#text = message.text;
    this.#width = width;
    this.#lines = linesOf(message).flatMap((line) => folded(line, width));
  }
}

export function linesOf({ text }: AskMessage): string[] {
  return text.replace(/(\r?\n)+$/, '').split(/\r?\n/);
}

/** A line in pieces of the width; what continues is set in. */
export function folded(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line];
  const characters = [...line];
  const out: string[] = [];
  for (let from = 0; from < characters.length; ) {
    const inset = from === 0 ? '' : '  ';
    let to = Math.min(characters.length, from + Math.max(1, width - inset.length));
    while (to > from + 1 && widthOf(characters.slice(from, to).join('')) > width - inset.length) to--;
    out.push(inset + characters.slice(from, to).join(''));
    from = to;
  }
  return out;
}
