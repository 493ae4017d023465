/**
 * The loop of the terminal: a stack of screens, keys to the topmost, frames when something changed. It waits for nothing:
 * answers come when they come. A frame is drawn at most ten times a second, after a key sooner.
 */
import { faults } from '../../core/faults.ts';
import type { Look } from './cells.ts';
import { Cells, LOOK, widthOf } from './cells.ts';
import type { Binding } from './keys.ts';
import { bindingOf, shownKey } from './keys.ts';
import type { Screen } from './tty.ts';
import { wrappedTo } from './wrap.ts';

const FRAME_MS = 100;
/** Whoever presses a key waits for the answer, which may take a moment to come. */
const KEY_FRAME_MS = 25;
const ANSWER_MS = 300;
const MESSAGE_MS = 5_000;
/** Lines of the screen that a message may cover. */
const MESSAGE_LINES = 6;

/** A part of the screen. */
export type Area = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
export type Cursor = { readonly x: number; readonly y: number };

export interface View {
  /** For the help. */
  readonly title: string;
  readonly bindings: readonly Binding[];
  /** Draws itself; a cursor is where text is typed. */
  draw(cells: Cells, area: Area): Cursor | null;
  /** A line that is typed into, and its keys: while it is open the footer names those. */
  readonly prompt?: { readonly isOpen: boolean; readonly bindings: readonly Binding[] };
  /** Takes a key before the bindings do, as a line that is typed into does. */
  take?(key: string): boolean;
  /** Reads again what it shows. */
  read?(): Promise<void>;
  /** Once a second, where it is the topmost one. */
  tick?(): void;
}

/** Draws the line above all views. */
export type Strip = (cells: Cells, area: Area) => void;

export class App {
  readonly #screen: () => Screen;
  readonly #strip: Strip;
  readonly #views: View[] = [];
  readonly #global: readonly Binding[];
  #cells: Cells | null = null;
  #timer: NodeJS.Timeout | null = null;
  #clock: NodeJS.Timeout | null = null;
  #drawnMs = Number.NEGATIVE_INFINITY;
  /** When a key came last. */
  #keyMs = Number.NEGATIVE_INFINITY;
  /** When the next frame is drawn, while one is to come. */
  #dueMs = 0;
  #message: { readonly text: string; readonly look: Look; readonly untilMs: number } | null = null;
  #choice: { readonly text: string; readonly acts: ReadonlyMap<string, () => void> } | null = null;
  #quit: () => void = () => undefined;

  /** `screen` is there once run() was called. */
  constructor(screen: () => Screen, strip: Strip, global: (app: App) => readonly Binding[]) {
    this.#screen = screen;
    this.#strip = strip;
    this.#global = global(this);
  }

  /** Shows the first view until quit(). */
  run(first: View): Promise<void> {
    this.#views.push(first);
    this.#clock = faults.every(1_000, 'tick', () => {
      this.top.tick?.();
      this.changed();
    });
    this.changed();
    return new Promise((resolve) => {
      this.#quit = () => {
        if (this.#clock !== null) clearInterval(this.#clock);
        if (this.#timer !== null) clearTimeout(this.#timer);
        resolve();
      };
    });
  }

  quit(): void {
    this.#quit();
  }

  get top(): View {
    return this.#views.at(-1) as View;
  }

  /** Bindings of the topmost view, and those of all. */
  get tables(): readonly (readonly Binding[])[] {
    return [this.top.bindings, this.#global];
  }

  push(view: View): void {
    this.#views.push(view);
    this.changed();
  }

  /** Back to the view below; the first one stays. */
  pop(): void {
    if (this.#views.length > 1) this.#views.pop();
    this.changed();
  }

  /** Back to the first view. */
  home(): void {
    this.#views.length = 1;
    this.changed();
  }

  /** One line over the footer, for some seconds. */
  say(text: string, look: Look = LOOK.plain): void {
    this.#message = { text, look, untilMs: performance.now() + MESSAGE_MS };
    this.changed();
  }

  /** Asks for one key; any other one leaves it. */
  choose(text: string, acts: ReadonlyMap<string, () => void>): void {
    this.#choice = { text, acts };
    this.changed();
  }

  onKey(key: string): void {
    this.#keyMs = performance.now();
    this.#message = null;
    const choice = this.#choice;
    this.#choice = null;
    faults.run('key', () => {
      if (choice !== null) choice.acts.get(key)?.();
      else if (this.top.take?.(key) !== true) bindingOf(this.tables, key)?.run(key);
    });
    this.changed();
  }

  onResize(): void {
    this.#cells = null;
    this.changed();
  }

  /** Something is to be drawn anew. */
  changed(): void {
    this.#drawWithin(performance.now() - this.#keyMs < ANSWER_MS ? KEY_FRAME_MS : FRAME_MS);
  }

  /** Draws so long after the last frame, or sooner where that is due already. */
  #drawWithin(ms: number): void {
    const atMs = this.#drawnMs + ms;
    if (this.#timer !== null && this.#dueMs <= atMs) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#dueMs = atMs;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        faults.run('face', () => this.draw());
      },
      Math.max(0, atMs - performance.now()),
    );
  }

  draw(): void {
    this.#drawnMs = performance.now();
    const screen = this.#screen();
    const { width, height } = screen;
    if (width < 20 || height < 5) {
      screen.write('\u001b[H\u001b[2J');
      this.#cells = null;
      return;
    }
    this.#cells ??= new Cells(width, height, screen.hasColor, screen.isUtf8);
    const cells = this.#cells;
    cells.clear();
    this.#strip(cells, { x: 0, y: 0, width, height: 1 });
    const cursor = this.top.draw(cells, { x: 0, y: 1, width, height: height - 2 });
    this.#drawLast(cells, height - 1);
    screen.write(cells.frame(cursor));
  }

  /** A message, or what keys do here. */
  #drawLast(cells: Cells, y: number): void {
    if (this.#choice !== null) {
      drawOver(cells, y, this.#choice.text, LOOK.bold);
      return;
    }
    const message = this.#message;
    if (message !== null && performance.now() < message.untilMs) {
      drawOver(cells, y, message.text, message.look);
      return;
    }
    let x = 0;
    const { prompt } = this.top;
    const bindings = prompt?.isOpen === true ? prompt.bindings : this.tables.flat();
    for (const { keys, short } of bindings) {
      if (short === undefined) continue;
      const key = shownKey(keys[0] ?? '');
      if (x + widthOf(key) + widthOf(short) + 1 > cells.width) break;
      x += cells.put(x, y, key, LOOK.reverse);
      x += cells.put(x, y, ` ${short}`) + 2;
    }
  }
}

/** A text whose last line stands at `y`. */
function drawOver(cells: Cells, y: number, text: string, look: Look): void {
  const lines = wrappedTo([text], cells.width, Math.min(MESSAGE_LINES, y));
  for (const [i, line] of lines.entries()) {
    const at = y - lines.length + 1 + i;
    cells.put(0, at, ' '.repeat(cells.width));
    cells.put(0, at, line, look);
  }
}
