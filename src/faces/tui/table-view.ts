/**
 * A table with a row that is chosen: findings, registrations, attackers, trunks.
 */
import { faults } from '../../core/faults.ts';
import type { WireTable } from '../cli/wire-columns.ts';
import { answerOr } from './answered.ts';
import type { App, Area, Cursor, View } from './app.ts';
import type { Cells, Look } from './cells.ts';
import { LOOK, widthOf } from './cells.ts';
import type { Binding } from './keys.ts';
import { saveTable, TABLE_FORMATS } from './save.ts';
import { chooseFile } from './save-choice.ts';
import { moving, Scroll } from './scroll.ts';
import { wrapped, wrappedTo } from './wrap.ts';

/** Cells of a column without a width, below which the others give way. */
const OPEN_LEAST = 24;
/** Lines below the table that show in whole what is cut of the chosen row. */
const WHOLE_MOST = 5;

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
  readonly look?: Look;
  /** What Enter opens; null where it opens nothing. */
  readonly open: (() => void) | null;
};

export type TableParts = {
  readonly title: string;
  /** What somebody who looks for something else has to know, below the title. */
  readonly note?: string;
  readonly columns: readonly TableColumn[];
  /** Rejects with a refusal. */
  read(): Promise<readonly TableRow[]>;
  /** Where there is no row. */
  readonly empty: string;
  readonly enter: string;
  /** What Enter shows, in a word; calls where it is left out. */
  readonly short?: string;
  /** Where it can be written to a file: its name, and its rows as the wire has them. */
  readonly saved?: { readonly table: WireTable; rows(): Promise<Iterable<object>> };
};

function savingOf(app: App, { saved }: TableParts): Binding[] {
  if (saved === undefined) return [];
  const { table, rows } = saved;
  return [
    {
      keys: ['s', 'f2'],
      short: 'Save',
      help: 'Write the table to a file, as CSV or JSON.',
      run: () =>
        chooseFile(
          app,
          TABLE_FORMATS.map(({ key, form, help }) => ({ key, help, save: () => saveTable(table, form, rows) })),
        ),
    },
  ];
}

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
      ...savingOf(app, parts),
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
    const { note, empty } = this.#parts;
    const notes = note === undefined ? [] : [...wrapped(note, width)];
    cells.put(0, y, this.title, LOOK.bold, width);
    for (const [i, line] of notes.entries()) cells.put(0, y + 1 + i, line, LOOK.yellow, width);
    const titles = y + 1 + notes.length;
    const places = this.#places(width);
    for (const { x, wide, column } of places) {
      const at = column.isRight === true ? Math.max(0, wide - column.title.length) : 0;
      cells.put(x + at, titles, column.title, LOOK.bold, wide - at);
    }
    const whole = this.#wholeOf(places, width);
    const rows = y + height - titles - 1 - whole.length;
    this.#scroll.resize(rows, this.#rows.length);
    for (let i = 0; i < rows; i++)
      this.#drawRow(cells, places, this.#scroll.top + i, { x: 0, y: titles + 1 + i, width, height: 1 });
    for (const [i, line] of whole.entries()) cells.put(0, y + height - whole.length + i, line, LOOK.plain, width);
    if (this.#rows.length === 0) {
      const said = wrapped(this.#isRead ? empty : 'reading', width);
      for (const [i, line] of [...said].entries()) cells.put(0, titles + 1 + i, line, LOOK.dim, width);
    }
    return null;
  }

  #drawRow(cells: Cells, places: readonly PlacedColumn[], at: number, { y, width }: Area): void {
    const row = this.#rows[at];
    if (row === undefined) return;
    for (const { x, wide, column, i } of places) {
      const whole = row.texts[i] ?? '';
      const text = column.isEndKept === true ? whole.slice(-wide) : whole;
      const from = column.isRight === true ? Math.max(0, wide - text.length) : 0;
      cells.put(x + from, y, text, row.look ?? LOOK.plain, wide - from);
    }
    if (at === this.#scroll.at) cells.mark(0, y, width, LOOK.reverse);
  }

  /** What is cut of the chosen row, in whole. */
  #wholeOf(places: readonly PlacedColumn[], width: number): string[] {
    const { texts = [] } = this.#rows[this.#scroll.at] ?? {};
    const cut = places.flatMap(({ wide, column, i }) => {
      const text = (texts[i] ?? '').slice(0, width * WHOLE_MOST);
      return column.isEndKept === true || widthOf(text) <= wide ? [] : [`${column.title}: ${text}`];
    });
    return wrappedTo(cut, width, WHOLE_MOST);
  }

  #places(width: number): PlacedColumn[] {
    const { columns } = this.#parts;
    const open = Math.max(1, columns.filter((column) => column.width === 0).length);
    const spaceOf = (wide: number): number => (wide === 0 ? 0 : wide + 1);
    const restBeside = (cellsOf: (column: TableColumn) => number): number =>
      Math.floor((width + 1 - columns.reduce((sum, column) => sum + spaceOf(cellsOf(column)), 0)) / open) - 1;
    const isNarrow = restBeside((column) => column.width) < OPEN_LEAST;
    const cellsOf = (column: TableColumn): number => (isNarrow ? (column.least ?? column.width) : column.width);
    const rest = Math.max(0, restBeside(cellsOf));
    let x = 0;
    return columns.flatMap((column, i) => {
      const wide = column.width === 0 ? rest : cellsOf(column);
      const place = { x, wide, column, i };
      x += spaceOf(wide);
      return wide === 0 ? [] : [place];
    });
  }
}
