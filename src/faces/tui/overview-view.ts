/**
 * How the host is doing: figures and charts of a span, the trunks that do worst, codes, troubles, who calls whom. From each mark
 * Enter leads to the calls behind it.
 */
import type { AskOverview } from '../../contract/index.ts';
import { faults } from '../../core/faults.ts';
import type { OverviewFigure } from '../../core/overview-words.ts';
import { OVERVIEW_FIGURES } from '../../core/overview-words.ts';
import { safeText } from '../../core/terminal-text.ts';
import type { TerminalPort } from '../../explore/port.ts';
import { clockOf } from '../../view/clock.ts';
import { cellLength } from '../cli/overview-columns.ts';
import { whyMissing } from './answered.ts';
import type { App, Area, Cursor, View } from './app.ts';
import type { Cells } from './cells.ts';
import { LOOK } from './cells.ts';
import type { Binding } from './keys.ts';
import { FIRST_CHART, placeOf } from './overview-charts.ts';
import { overviewPage } from './overview-page.ts';
import type { Chosen, PageRow } from './overview-rows.ts';
import { msOf } from './overview-rows.ts';
import { saveTable, TABLE_FORMATS } from './save.ts';
import { chooseFile } from './save-choice.ts';
import type { Shown } from './shown.ts';
import { wrapped, wrappedTo } from './wrap.ts';

/** Spans that can be chosen, by their keys. */
const SPANS = [
  { key: '1', minutes: 15, name: '15 min' },
  { key: '2', minutes: 60, name: '1 h' },
  { key: '3', minutes: 360, name: '6 h' },
  { key: '4', minutes: 1_440, name: '24 h' },
] as const;
const USUAL = SPANS[1];
/** How often it is read again, and the part of the time that goes into it at most. */
const REFRESH_MS = 2_000;
const SHARE = 50;
/** Lines below the page that say in whole what stands at the chosen mark. */
const WORDS_MOST = 3;

export type OverviewParts = {
  readonly port: Pick<TerminalPort, 'overview' | 'pulse'>;
  readonly shown: Shown;
  /** Shows the calls of a filter in the list, from where Esc leads back. */
  filter(text: string): void;
  open(callId: string): void;
};

export class OverviewView implements View {
  readonly title = 'Home';
  readonly bindings: readonly Binding[];
  readonly #app: App;
  readonly #parts: OverviewParts;
  #span: (typeof SPANS)[number] = USUAL;
  #by: OverviewFigure = 'asr';
  #overview: AskOverview | null = null;
  #trouble = 'reading';
  #rows: readonly PageRow[] = [];
  /** Null until somebody moves: the worst cell of the failures is chosen. */
  #key: string | null = null;
  #mark = 0;
  /** The chosen time, which stays where the page is read again; null until somebody moves over cells. */
  #atMs: number | null = null;
  #top = 0;
  #pageLines = 1;
  #reading = new AbortController();
  #isReading = false;
  #readMs = Number.NEGATIVE_INFINITY;
  #takesMs = 0;
  /** All files had been read before this was. */
  #wasDone = false;

  constructor(app: App, parts: OverviewParts) {
    this.#app = app;
    this.#parts = parts;
    const down = (rows: () => number) => () => this.#down(rows());
    this.bindings = [
      { keys: ['esc', 'q'], short: 'Back', help: 'Go back to the list of calls.', run: () => app.pop() },
      {
        keys: ['enter'],
        short: 'Calls',
        help: 'Show the calls behind the mark, or the call.',
        run: () => this.#open(),
      },
      {
        keys: SPANS.map(({ key }) => key),
        written: SPANS.map(({ key }) => key).join(' '),
        help: `Show the last ${SPANS.map(({ name }) => name).join(', ')}.`,
        run: (key) => this.#turnTo(key),
      },
      { keys: ['m'], short: 'Figure', help: 'Colour trunks by ASR, NER, PDD or MOS.', run: () => this.#turnFigure() },
      { keys: ['n'], short: 'Worst', help: 'Go to the worst mark of the row.', run: () => this.#toWorst() },
      {
        keys: ['s', 'f2'],
        short: 'Save',
        help: 'Write the cells as CSV, or all of it as JSON.',
        run: () => this.#save(),
      },
      { keys: ['r', 'f5'], help: 'Read the page again.', run: () => faults.run('face', () => this.read()) },
      { keys: ['right', 'l'], help: 'Go to the next cell.', run: () => this.#aside(1) },
      { keys: ['left'], help: 'Go to the cell before.', run: () => this.#aside(-1) },
      { keys: ['down', 'j'], help: 'Go down a row.', run: down(() => 1) },
      { keys: ['up', 'k'], help: 'Go up a row.', run: down(() => -1) },
      { keys: ['pagedown', 'ctrl-f'], help: 'Go down a page.', run: down(() => this.#pageLines) },
      { keys: ['pageup', 'ctrl-b'], help: 'Go up a page.', run: down(() => -this.#pageLines) },
      { keys: ['home', 'g'], help: 'Go to the first row.', run: down(() => Number.NEGATIVE_INFINITY) },
      { keys: ['end', 'G'], help: 'Go to the last row.', run: down(() => Number.POSITIVE_INFINITY) },
    ];
  }

  async read(): Promise<void> {
    // Nobody waits for the span before any more.
    this.#reading.abort();
    const reading = new AbortController();
    this.#reading = reading;
    this.#isReading = true;
    const startMs = performance.now();
    const isDone = this.#isDone;
    try {
      const found = await this.#parts.port.overview({ minutes: this.#span.minutes, by: this.#by }, reading.signal);
      if (reading !== this.#reading) return;
      this.#overview = found;
      this.#trouble = '';
      this.#wasDone = isDone;
    } catch (error) {
      if (reading !== this.#reading) return;
      // What was shown stays.
      this.#trouble = whyMissing(error);
    } finally {
      if (reading === this.#reading) {
        this.#isReading = false;
        this.#readMs = performance.now();
        this.#takesMs = this.#readMs - startMs;
      }
    }
    this.#app.changed();
  }

  tick(): void {
    const isDue = performance.now() - this.#readMs >= Math.max(REFRESH_MS, this.#takesMs * SHARE);
    if (!this.#isReading && isDue && !this.#wasDone) faults.run('face', () => this.read());
  }

  draw(cells: Cells, { y, width, height }: Area): Cursor | null {
    const top = y + this.#drawTitle(cells, y, width);
    const overview = this.#overview;
    if (overview === null || overview.span === undefined) {
      for (const [i, line] of [...wrapped(this.#nothing, width)].entries())
        cells.put(0, top + i, line, LOOK.dim, width);
      this.#rows = [];
      return null;
    }
    const bottom = y + height - WORDS_MOST;
    const { hasColor, clock } = this.#style;
    this.#rows = overviewPage(overview, width, bottom - top, { hasColor, clock });
    const row = this.#row;
    this.#scrollTo(row, bottom - top);
    let line = top - this.#top;
    for (const each of this.#rows) {
      // A row that does not fit as a whole is left out: half of a sentence is none.
      if (line >= top && line + each.height <= bottom)
        each.draw(cells, { x: 0, y: line, width, height: each.height }, this.#chosenIn(each, row));
      line += each.height;
    }
    const words = this.#trouble === '' ? this.#wordsOf(row) : this.#trouble;
    const lines = wrappedTo([safeText(words)], width, WORDS_MOST);
    const look = this.#trouble === '' ? LOOK.plain : hasColor ? LOOK.red : LOOK.bold;
    for (const [i, text] of lines.entries()) cells.put(0, bottom + i, text, look, width);
    return null;
  }

  get #nothing(): string {
    if (this.#overview === null || this.#trouble !== '') return this.#trouble;
    return this.#overview.is_counting ? 'Nothing was captured yet.' : 'This service does not count calls over time.';
  }

  get #style() {
    const { shown } = this.#parts;
    const clock = (ms: number): string => clockOf(ms * 1000, shown.isUtc).time.slice(0, 5);
    return { hasColor: shown.coloring !== 'off', clock };
  }

  /** How many lines it took. */
  #drawTitle(cells: Cells, y: number, width: number): number {
    const { span, cell_sec } = this.#overview ?? {};
    const keys = SPANS.map(({ key, name }) => `${key} ${name}`);
    const wide = keys.reduce((sum, text) => sum + text.length + 2, 0) - 2;
    const words = span === undefined || cell_sec === undefined ? this.title : this.#spanWords(span, cell_sec);
    cells.put(0, y, words, LOOK.bold, width);
    const isBeside = words.length + 2 + wide <= width;
    let x = isBeside ? width - wide : 0;
    for (const [i, text] of keys.entries()) {
      const look = SPANS[i] === this.#span ? LOOK.reverse : LOOK.plain;
      x += cells.put(x, isBeside ? y : y + 1, text, look) + 2;
    }
    return isBeside ? 1 : 2;
  }

  #spanWords({ from, to }: { readonly from: string; readonly to: string }, cellSec: number): string {
    const { clock } = this.#style;
    const { date, zone } = clockOf(msOf(from) * 1000, this.#parts.shown.isUtc);
    return `Home ${date} ${clock(msOf(from))} to ${clock(msOf(to))}${zone === 'Z' ? ' UTC' : ''}, by ${cellLength(cellSec)}`;
  }

  /** The chosen row: the one that was chosen, or where it is gone the first chart. */
  get #row(): PageRow | null {
    const find = (key: string): PageRow | undefined => this.#rows.find((row) => row.key === key && row.count > 0);
    return (this.#key === null ? undefined : find(this.#key)) ?? find(FIRST_CHART) ?? null;
  }

  #markIn(row: PageRow): number {
    if (row.starts === null) return Math.max(0, Math.min(row.count - 1, this.#mark));
    return this.#atMs === null ? row.worst : placeOf(row.starts, this.#atMs);
  }

  /** Cells of the same time are marked in all charts. */
  #chosenIn(each: PageRow, row: PageRow | null): Chosen {
    if (row === null) return { mark: null, atMs: null };
    const at = this.#markIn(row);
    const isChart = row.starts !== null;
    return { mark: each === row ? at : null, atMs: isChart ? (this.#atMs ?? row.starts[at] ?? null) : null };
  }

  #wordsOf(row: PageRow | null): string {
    return row === null ? '' : row.mark(this.#markIn(row)).words;
  }

  #scrollTo(row: PageRow | null, lines: number): void {
    this.#pageLines = lines;
    const all = this.#rows.reduce((sum, { height }) => sum + height, 0);
    if (row !== null) {
      const before = this.#rows.slice(0, this.#rows.indexOf(row)).reduce((sum, { height }) => sum + height, 0);
      // The first row that can be chosen shows what stands above it.
      const isFirst = this.#rows.find(({ count }) => count > 0) === row;
      if (before < this.#top || isFirst) this.#top = isFirst ? 0 : before;
      if (before + row.height > this.#top + lines) this.#top = before + row.height - lines;
    }
    this.#top = Math.max(0, Math.min(this.#top, all - lines));
  }

  /** Down by so many lines, to a row that has marks. */
  #down(lines: number): void {
    const rows = this.#rows.filter(({ count }) => count > 0);
    const row = this.#row;
    if (row === null) return;
    let at = rows.indexOf(row);
    let left = Math.abs(lines);
    while (left > 0 && rows[at + Math.sign(lines)] !== undefined) {
      at += Math.sign(lines);
      left -= rows[at]?.height ?? 1;
      if (Math.abs(lines) === 1) break;
    }
    this.#choose(rows[at] ?? row, row);
  }

  /** The chosen time stays chosen in all rows of cells. */
  #choose(row: PageRow, before: PageRow): void {
    if (before.starts !== null) this.#atMs ??= before.starts[before.worst] ?? null;
    this.#key = row.key;
    this.#mark = 0;
  }

  #aside(marks: number): void {
    const row = this.#row;
    if (row !== null) this.#to(row, Math.max(0, Math.min(row.count - 1, this.#markIn(row) + marks)));
  }

  #toWorst(): void {
    const row = this.#row;
    if (row !== null) this.#to(row, row.worst);
  }

  #to(row: PageRow, mark: number): void {
    this.#key = row.key;
    if (row.starts === null) this.#mark = mark;
    else this.#atMs = row.starts[mark] ?? null;
  }

  #open(): void {
    const row = this.#row;
    const opens = row?.mark(this.#markIn(row)).opens ?? null;
    if (opens === null) this.#app.say('no filter finds these calls');
    else if ('callId' in opens) this.#parts.open(opens.callId);
    else this.#parts.filter(opens.filter);
  }

  #turnTo(key: string): void {
    this.#span = SPANS.find((span) => span.key === key) ?? this.#span;
    // The cells are others, and what was chosen may lie outside.
    this.#atMs = null;
    faults.run('face', () => this.read());
  }

  #turnFigure(): void {
    const at = OVERVIEW_FIGURES.indexOf(this.#by);
    this.#by = OVERVIEW_FIGURES[(at + 1) % OVERVIEW_FIGURES.length] ?? 'asr';
    faults.run('face', () => this.read());
  }

  #save(): void {
    const overview = this.#overview;
    if (overview === null) return;
    const rows = { csv: overview.span?.cells ?? [], json: [overview] };
    const choices = TABLE_FORMATS.map(({ key, form, help }) => ({
      ...{ key, help },
      save: () => saveTable('overview', form, async () => rows[form]),
    }));
    chooseFile(this.#app, choices);
  }

  /** All files are read. */
  get #isDone(): boolean {
    return this.#parts.port.pulse().progress === 1;
  }
}
