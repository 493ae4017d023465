/** A terminal without a terminal: it takes the frames that the screens write, and has what a person would see. */
import type { TestContext } from 'node:test';
import type { TerminalPort } from '../../src/explore/port.ts';
import { questionOf } from '../../src/explore/question.ts';
import type { View } from '../../src/faces/tui/app.ts';
import { App } from '../../src/faces/tui/app.ts';
import { charactersOf } from '../../src/faces/tui/cells.ts';
import { openInteractive } from '../../src/faces/tui/interactive.ts';
import type { Screen, TtyEvents } from '../../src/faces/tui/tty.ts';
import { until } from './patience.ts';

export type Size = readonly [width: number, height: number];

/** A place, or a mode (ECMA-48), or text. */
const SEQUENCE = /\u001b\[(?:(\d+);(\d+)H|[?\d;]*[a-zA-Z])|\u0007|[^\u001b\u0007]+/g;

export class FakeTerminal implements Screen {
  readonly width: number;
  readonly height: number;
  readonly hasColor = false;
  readonly isUtf8 = true;
  bells = 0;
  readonly #cells: string[][];

  constructor([width, height]: Size) {
    this.width = width;
    this.height = height;
    this.#cells = Array.from({ length: height }, () => new Array<string>(width).fill(' '));
  }

  write(text: string): void {
    let [x, y] = [0, 0];
    for (const [piece, row, column] of text.matchAll(SEQUENCE)) {
      if (row !== undefined) [x, y] = [Number(column) - 1, Number(row) - 1];
      else if (piece === '\u0007') this.bells++;
      else if (!piece.startsWith('\u001b'))
        for (const { text: character, width } of charactersOf(piece)) {
          const line = this.#cells[y];
          if (line !== undefined) line[x] = character;
          if (line !== undefined && width === 2) line[x + 1] = '';
          x += width;
        }
    }
  }

  close(): void {}

  lines(): string[] {
    return this.#cells.map((line) => line.join('').trimEnd());
  }
}

/** One view alone, which is drawn when it is looked at. */
export function testScreen(t: TestContext, size: Size) {
  const terminal = new FakeTerminal(size);
  const app = new App(
    () => terminal,
    () => undefined,
    () => [],
  );
  t.after(() => app.quit());
  return {
    app,
    show: (view: View): void => void app.run(view),
    press: (...keys: string[]): void => {
      for (const key of keys) app.onKey(key);
    },
    lines(): string[] {
      app.draw();
      return terminal.lines();
    },
  };
}

/** All screens over a capture. */
export class TestTerminal {
  readonly #terminal: FakeTerminal;
  #events: TtyEvents | null = null;

  constructor(t: TestContext, port: TerminalPort, size: Size, filter = '') {
    this.#terminal = new FakeTerminal(size);
    const { filter: parsed } = questionOf(filter, '', true);
    const options = {
      question: { filter: parsed, sort: { by: 'created', isDescending: true } },
      ...{ filterText: filter, isCallsOnly: false, isUtc: true, showsSecrets: false, source: 'test' },
    };
    const screens = openInteractive(port, options, (events) => {
      this.#events = events;
      return this.#terminal;
    });
    t.after(() => screens.close());
  }

  get bells(): number {
    return this.#terminal.bells;
  }

  lines(): string[] {
    return this.#terminal.lines();
  }

  /** Keys by their names, as in `Binding`. */
  press(...keys: string[]): void {
    for (const key of keys) this.#events?.onKey(key);
  }

  type(text: string): void {
    this.press(...[...text].map((key) => (key === ' ' ? 'space' : key)));
  }

  /** The screen once it shows this. */
  shows(what: RegExp): Promise<string[]> {
    return until(
      () => (what.test(this.lines().join('\n')) ? this.lines() : null),
      () => `the screen never showed ${what}:\n${this.lines().join('\n')}`,
      5,
    );
  }
}
