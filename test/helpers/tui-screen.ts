/** A screen of the terminal without a terminal: what a view draws, and keys that go through the tables. */
import type { TestContext } from 'node:test';
import type { View } from '../../src/faces/tui/app.ts';
import { App } from '../../src/faces/tui/app.ts';
import { Cells } from '../../src/faces/tui/cells.ts';

export type TestScreen = {
  readonly app: App;
  /** What went to the terminal so far, with its sequences. */
  written(): string;
  /** The whole screen, with the line above the views and the one below them. */
  lines(): string[];
  /** Keys by their names, as in `Binding`. */
  press(...keys: string[]): void;
  type(text: string): void;
};

export function testScreen(t: TestContext, [width, height]: readonly [number, number]): TestScreen & { show(view: View): void } {
  let written = '';
  const screen = {
    ...{ width, height, hasColor: false, isUtf8: true },
    write: (text: string) => void (written += text),
    close: () => undefined,
  };
  const app = new App(
    () => screen,
    () => undefined,
    () => [],
  );
  t.after(() => app.quit());
  return {
    app,
    written: () => written,
    show: (view) => void app.run(view),
    lines() {
      const cells = new Cells(width, height, false);
      app.drawOn(cells);
      return Array.from({ length: height }, (_, y) => cells.line(y));
    },
    press: (...keys) => keys.forEach((key) => app.onKey(key)),
    type: (text) => [...text].forEach((key) => app.onKey(key === ' ' ? 'space' : key)),
  };
}
