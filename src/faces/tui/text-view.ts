/**
 * Lines to scroll through: a report, a comparison, the help. Lines that are wider than the screen are folded.
 */
import type { App, Area, Cursor, View } from './app.ts';
import type { Cells } from './cells.ts';
import { LOOK } from './cells.ts';
import type { ShownLine } from './difference.ts';
import type { Binding } from './keys.ts';
import { shownKey } from './keys.ts';
import { moving, TextScroll } from './scroll.ts';
import { wrapped } from './wrap.ts';

export class TextView implements View {
  readonly title: string;
  readonly bindings: readonly Binding[];
  readonly #lines: readonly ShownLine[];
  /** The lines in pieces of this width. */
  #folded: readonly ShownLine[] = [];
  #width = 0;
  readonly #scroll = new TextScroll();

  constructor(app: App, title: string, lines: readonly (string | ShownLine)[]) {
    this.title = title;
    this.#lines = lines.map((line) => (typeof line === 'string' ? { text: line, look: LOOK.plain } : line));
    this.bindings = [
      { keys: ['esc', 'q', 'left'], short: 'Back', help: 'Go back.', run: () => app.pop() },
      ...moving(this.#scroll, () => this.#folded.length),
    ];
  }

  draw(cells: Cells, { y, width, height }: Area): Cursor | null {
    if (this.#width !== width) {
      this.#width = width;
      this.#folded = this.#lines.flatMap(({ text, look }) =>
        [...wrapped(text, width)].map((piece) => ({ text: piece, look })),
      );
    }
    const rows = height - 1;
    this.#scroll.resize(rows, this.#folded.length);
    const { top } = this.#scroll;
    const rest = this.#folded.length - top - rows;
    const more =
      rest > 0 || top > 0
        ? `   lines ${top + 1} to ${Math.min(top + rows, this.#folded.length)} of ${this.#folded.length}`
        : '';
    const used = cells.put(0, y, this.title, LOOK.bold, width);
    cells.put(used, y, more, LOOK.dim, width - used);
    for (const [i, line] of this.#folded.slice(top, top + rows).entries())
      cells.put(0, y + 1 + i, line.text, line.look, width);
    return null;
  }
}

/** What each key does where it is asked, from the tables that dispatch them. */
export function helpLines(
  { title, prompt }: Pick<View, 'title' | 'prompt'>,
  tables: readonly (readonly Binding[])[],
): string[] {
  const ofPrompt = prompt === undefined ? [] : ['', 'While a filter is typed', '', ...keyLines(prompt.bindings)];
  return [`Keys of: ${title}`, '', ...keyLines(tables.flat()), ...ofPrompt];
}

function keyLines(bindings: readonly Binding[]): string[] {
  const rows = bindings.map(({ keys, help, written }) => [written ?? keys.map(shownKey).join(' '), help] as const);
  const wide = Math.max(...rows.map(([keys]) => keys.length));
  return rows.map(([keys, help]) => `${keys.padEnd(wide)}  ${help}`);
}
