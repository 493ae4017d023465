/**
 * A place in a list, and which part of the list is on the screen.
 */
import type { Binding } from './keys.ts';

export class Scroll {
  at = 0;
  top = 0;
  /** Lines that were drawn last. */
  height = 1;

  /** Moves to a row; the window follows. */
  to(row: number, count: number): void {
    this.at = Math.max(0, Math.min(count - 1, row));
    if (this.at < this.top) this.top = this.at;
    if (this.at >= this.top + this.height) this.top = this.at - this.height + 1;
    this.top = Math.max(0, Math.min(this.top, Math.max(0, count - this.height)));
  }

  /** The window has so many lines now. */
  resize(height: number, count: number): void {
    this.height = Math.max(1, height);
    this.to(this.at, count);
  }

  /** Rows came in front of the first one: what is shown stays where it is. */
  shift(rows: number): void {
    this.at += rows;
    this.top += rows;
  }
}

/** A text has no chosen line: each key moves the text itself. */
export class TextScroll extends Scroll {
  override to(row: number, count: number): void {
    this.at = Math.max(0, Math.min(count - this.height, row));
    this.top = this.at;
  }
}

/** The keys that move, of vi and of a keyboard with arrows. */
export function moving(scroll: Scroll, count: () => number, toEnds?: { first(): void; last(): void }): Binding[] {
  const by = (rows: () => number) => () => scroll.to(scroll.at + rows(), count());
  return [
    { keys: ['down', 'j'], help: 'Go down.', run: by(() => 1) },
    { keys: ['up', 'k'], help: 'Go up.', run: by(() => -1) },
    { keys: ['pagedown', 'ctrl-f'], help: 'Go down a page.', run: by(() => scroll.height) },
    { keys: ['pageup', 'ctrl-b'], help: 'Go up a page.', run: by(() => -scroll.height) },
    { keys: ['ctrl-d'], help: 'Go down half a page.', run: by(() => scroll.height >> 1) },
    { keys: ['ctrl-u'], help: 'Go up half a page.', run: by(() => -(scroll.height >> 1)) },
    { keys: ['home', 'g'], help: 'Go to the first row.', run: toEnds?.first ?? (() => scroll.to(0, count())) },
    { keys: ['end', 'G'], help: 'Go to the last row.', run: toEnds?.last ?? (() => scroll.to(count() - 1, count())) },
  ];
}
