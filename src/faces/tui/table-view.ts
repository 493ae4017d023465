/**
 * A table with a row that is chosen: findings, registrations, attackers, trunks.
 */
import { faults } from '../../core/faults.ts';
import { answerOr } from './answered.ts';
import type { App, Area, Cursor, View } from './app.ts';
import type { Cells } from './cells.ts';
import { LOOK } from './cells.ts';
import type { Binding } from './keys.ts';
import { moving, Scroll } from './scroll.ts';

/** Cells of a column without a width, below which the others give way. */
const OPEN_LEAST = 24;

export type TableColumn = {
  readonly title: string;
  /** 0: as wide as there is room. */
  readonly width: number;
  /** Where there is little room; 0: not there. */
  readonly least?: number;
  readonly isRight?: true;
  /** Of a text that is cut the end stays: of a date and a time the time. */
  readonly isEndKept?: true;
};
type PlacedColumn = { readonly x: number; readonly wide: number; readonly column: TableColumn; readonly i: number };
export type TableRow = {
  readonly texts: readonly string[];
  /** What Enter opens; null where it opens nothing. */
  readonly open: (() => void) | null;
};

export type TableParts = {
  readonly title: string;
  readonly columns: readonly TableColumn[];
  /** Rejects with a refusal. */
  read(): Promise<readonly TableRow[]>;
  /** Where there is no row. */
  readonly empty: string;
  readonly enter: string;
  /** What Enter shows, in a word; calls where it is left out. */
  readonly short?: string;
};

export class TableView implements View {
  readonly title: string;
  readonly bindings: readonly Binding[];
  readonly #app: App;
  readonly #parts: TableParts;
  readonly #scroll = new Scroll();
  #rows: readonly TableRow[] = [];
  #isRead = false;

  constructor(app: App, parts: TableParts) {
    this.#app = app;
    this.#parts = parts;
    this.title = parts.title;
    this.bindings = [
      { keys: ['esc', 'q', 'left'], short: 'Back', help: 'Go back.', run: () => app.pop() },
      {
        keys: ['enter'],
        short: parts.short ?? 'Calls',
        help: parts.enter,
        run: () => this.#rows[this.#scroll.at]?.open?.(),
      },
      {
        keys: ['r', 'f5'],
        short: 'Read again',
        help: 'Read the table again.',
        run: () => faults.run('face', () => this.read()),
      },
      ...moving(this.#scroll, () => this.#rows.length),
    ];
    faults.run('face', () => this.read());
  }

  async read(): Promise<void> {
    const rows = await answerOr(
      () => this.#parts.read(),
      (why) => this.#app.say(why, LOOK.red),
    );
    if (rows === null) return;
    this.#rows = rows;
    this.#isRead = true;
    this.#app.changed();
  }

  draw(cells: Cells, { y, width, height }: Area): Cursor | null {
    cells.put(0, y, this.title, LOOK.bold, width);
    const places = this.#places(width);
    for (const { x, wide, column } of places) {
      const at = column.isRight === true ? Math.max(0, wide - column.title.length) : 0;
      cells.put(x + at, y + 1, column.title, LOOK.bold, wide - at);
    }
    const rows = height - 2;
    this.#scroll.resize(rows, this.#rows.length);
    for (let i = 0; i < rows; i++) {
      const row = this.#rows[this.#scroll.top + i];
      if (row === undefined) break;
      for (const { x, wide, column, i: c } of places) {
        const whole = row.texts[c] ?? '';
        const text = column.isEndKept === true ? whole.slice(-wide) : whole;
        const at = column.isRight === true ? Math.max(0, wide - text.length) : 0;
        cells.put(x + at, y + 2 + i, text, LOOK.plain, wide - at);
      }
      if (this.#scroll.top + i === this.#scroll.at) cells.mark(0, y + 2 + i, width, LOOK.reverse);
    }
    if (this.#rows.length === 0) cells.put(0, y + 2, this.#isRead ? this.#parts.empty : 'reading', LOOK.dim, width);
    return null;
  }

  #places(width: number): PlacedColumn[] {
    const { columns } = this.#parts;
    const open = Math.max(1, columns.filter((column) => column.width === 0).length);
    const spaceOf = (wide: number): number => (wide === 0 ? 0 : wide + 1);
    const restBeside = (widthOf: (column: TableColumn) => number): number =>
      Math.floor((width + 1 - columns.reduce((sum, column) => sum + spaceOf(widthOf(column)), 0)) / open) - 1;
    const isNarrow = restBeside((column) => column.width) < OPEN_LEAST;
    const widthOf = (column: TableColumn): number => (isNarrow ? (column.least ?? column.width) : column.width);
    const rest = Math.max(0, restBeside(widthOf));
    let x = 0;
    return columns.flatMap((column, i) => {
      const wide = column.width === 0 ? rest : widthOf(column);
      const place = { x, wide, column, i };
      x += spaceOf(wide);
      return wide === 0 ? [] : [place];
    });
  }
}
