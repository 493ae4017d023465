/**
 * Lines to scroll through: a report, figures of quality, the help.
 */
import type { App, Area, Cursor, View } from './app.ts';
import type { Cells } from './cells.ts';
import { LOOK } from './cells.ts';
import type { ShownLine } from './difference.ts';
import type { Binding } from './keys.ts';
import { shownKey } from './keys.ts';
import { moving, Scroll } from './scroll.ts';

export class TextView implements View {
  readonly title: string;
  readonly bindings: readonly Binding[];
  readonly #lines: readonly ShownLine[];
  readonly #scroll = new Scroll();

  constructor(app: App, title: string, lines: readonly (string | ShownLine)[]) {
    this.title = title;
    this.#lines = lines.map((line) => (typeof line === 'string' ? { text: line, look: LOOK.plain } : line));
    this.bindings = [
      { keys: ['esc', 'q', 'left'], short: 'Back', help: 'Go back.', run: () => app.pop() },
      ...moving(this.#scroll, () => this.#lines.length),
    ];
  }

  draw(cells: Cells, { y, width, height }: Area): Cursor | null {
    cells.put(0, y, this.title, LOOK.bold, width);
    this.#scroll.resize(height - 1, this.#lines.length);
    for (let i = 0; i < height - 1; i++) {
      const line = this.#lines[this.#scroll.top + i];
      if (line === undefined) break;
      cells.put(0, y + 1 + i, line.text, line.look, width);
      if (this.#scroll.top + i === this.#scroll.at) cells.mark(0, y + 1 + i, width, LOOK.underline);
    }
    return null;
  }
}

/** What each key does where it is asked, from the tables that dispatch them. */
export function helpLines(title: string, tables: readonly (readonly Binding[])[]): string[] {
  const rows = tables.flat().map(({ keys, help, written }) => [written ?? keys.map(shownKey).join(' '), help] as const);
  const wide = Math.max(...rows.map(([keys]) => keys.length));
  return [title, '', ...rows.map(([keys, help]) => `${keys.padEnd(wide)}  ${help}`)];
}
