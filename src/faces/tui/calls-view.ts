/**
 * The list of calls, with the filter above it: where everybody begins.
 */

import { SORT_KEYS } from '../../core/call-fields.ts';
import { counted } from '../../core/counted.ts';
import { faults } from '../../core/faults.ts';
import type { CallsQuestion } from '../../explore/question.ts';
import { clockOf } from '../../view/clock.ts';
import type { App, Area, Cursor, View } from './app.ts';
import type { Bell } from './bell.ts';
import { lookOf, shownColumns, textOf } from './call-columns.ts';
import type { CallList } from './call-list.ts';
import type { Cells } from './cells.ts';
import { LOOK } from './cells.ts';
import type { FilterLine } from './filter-line.ts';
import type { Binding } from './keys.ts';
import type { Preview } from './preview.ts';
import { besideList } from './preview.ts';
import { moving, Scroll } from './scroll.ts';
import type { Shown } from './shown.ts';

/** Titles, and the line below the rows. */
const AROUND = 2;

/** Keys of the orders, and which way each runs. */
const ORDERS = [
  ['c', 'created', true],
  ['u', 'updated', true],
  ['d', 'duration', true],
  ['p', 'pdd', true],
  ['m', 'mos', false],
  ['l', 'loss', true],
] as const satisfies readonly (readonly [key: string, by: string, isDescending: boolean])[];

export type CallsParts = {
  readonly list: CallList;
  readonly filter: FilterLine;
  readonly shown: Shown;
  readonly preview: Preview;
  readonly bell: Bell;
  /** Opens a call, alone or with its legs. */
  open(callId: string, hasLegs: boolean): void;
  texts(callIds: readonly string[]): void;
  compare(a: string, b: string): void;
  /** To the home, where the calls were chosen there. */
  back(): void;
  save(callIds: readonly string[]): void;
  quality(callId: string): void;
  hear(callId: string): void;
  /** The newest call that failed, of all that are kept, or why there is none. */
  newestFailure(): Promise<string | { readonly reason: string }>;
};

export class CallsView implements View {
  readonly title = 'Calls';
  readonly bindings: readonly Binding[];
  readonly #app: App;
  readonly #parts: CallsParts;
  readonly #scroll = new Scroll();
  /** Somebody went down into the list: its rows stay where they are. */
  #isStill = false;
  #isPaused = false;
  /** The chosen call stands beside the list where there is room. */
  #hasPreview = true;
  /** The first of two calls that are to be compared. */
  #chosen: string | null = null;

  constructor(app: App, parts: CallsParts) {
    this.#app = app;
    this.#parts = parts;
    const { list } = parts;
    const toEnds = { first: () => this.#first(), last: () => this.#last() };
    this.bindings = [
      {
        keys: ['enter', 'f5'],
        short: 'Show',
        help: 'Show the ladder and the messages of the call.',
        run: () => this.#open(),
      },
      {
        keys: ['/', 'f3'],
        short: 'Filter',
        help: 'Type a filter; the list follows it.',
        run: () => parts.filter.open(),
      },
      {
        keys: ['i'],
        short: 'Calls only',
        help: 'Show calls alone, or registrations, OPTIONS and all others too.',
        run: () => app.say(parts.filter.turnCallsOnly()),
      },
      {
        keys: ['e'],
        short: 'Failure',
        help: 'Show the newest call that failed.',
        run: () => faults.run('face', () => this.#newestFailure()),
      },
      {
        keys: ['x', 'f4'],
        help: 'Show the call with its other legs.',
        run: () => this.#onCall((callId) => parts.open(callId, true)),
      },
      {
        keys: ['t', 'f6'],
        help: 'Show the text of all messages of the call.',
        run: () => this.#onCall((callId) => parts.texts([callId])),
      },
      { keys: ['v'], help: 'Show how the call sounded, window by window.', run: () => this.#onCall(parts.quality) },
      { keys: ['a'], help: 'Play the call, or end what plays.', run: () => this.#onCall(parts.hear) },
      { keys: ['space'], help: 'Choose a call; with a second one both are compared.', run: () => this.#choose() },
      {
        keys: ['s', 'f2'],
        short: 'Save',
        help: 'Write the call, or the whole list, to a file.',
        run: () => parts.save(this.#chosenIds()),
      },
      { keys: ['o'], short: 'Order', help: 'Sort by a figure that is asked for.', run: () => this.#order() },
      { keys: ['>'], help: 'Sort by the next figure.', run: () => this.#sort() },
      { keys: ['z'], help: 'Turn the order round.', run: () => this.#turn() },
      {
        keys: ['w'],
        help: 'Show when calls began as time of day, or as day and minute.',
        run: () => {
          parts.shown.hasDates = !parts.shown.hasDates;
        },
      },
      {
        keys: ['b'],
        help: 'Show the call beside the list, or the list alone, on 160 columns and more.',
        run: () => {
          this.#hasPreview = !this.#hasPreview;
        },
      },
      {
        keys: ['B'],
        help: 'Ring the bell of the terminal when a new call passes the filter, or be quiet.',
        run: () => faults.run('face', () => this.#turnBell()),
      },
      { keys: ['esc'], help: 'Go back to the home, from calls that were chosen there.', run: () => parts.back() },
      { keys: ['p'], short: 'Pause', help: 'Let the list stand still, or go on.', run: () => this.#pause() },
      ...moving(this.#scroll, () => list.rows.length, toEnds).map((binding) => ({
        ...binding,
        run: (key: string) => {
          binding.run(key);
          this.#moved();
        },
      })),
    ];
  }

  get prompt(): FilterLine {
    return this.#parts.filter;
  }

  take(key: string): boolean {
    return this.#parts.filter.take(key);
  }

  tick(): void {
    if (!this.#isPaused) faults.run('face', () => this.#parts.list.refresh(this.#isStill));
  }

  draw(cells: Cells, { y, width, height }: Area): Cursor | null {
    const { list, filter, shown } = this.#parts;
    const cursor = filter.draw(cells, { x: 0, y, width, height: filter.height });
    const titles = y + filter.height;
    shown.hasNames ||= list.rows.some((row) => row.src_name !== undefined || row.dst_name !== undefined);
    shown.hasHosts ||= list.rows.some(({ host }) => host !== undefined);
    const beside = this.#hasPreview ? besideList(width) : { list: width, call: 0 };
    const columns = shownColumns(beside.list, shown);
    let x = 0;
    for (const { column, width: wide } of columns) {
      cells.put(x, titles, column.title, LOOK.bold, wide);
      x += wide + 1;
    }
    const rows = height - filter.height - AROUND;
    this.#scroll.resize(rows, list.rows.length);
    for (let i = 0; i < rows; i++)
      this.#drawRow(cells, columns, this.#scroll.top + i, { x: 0, y: titles + 1 + i, width: beside.list, height: 1 });
    if (beside.call > 0) {
      const area = { x: beside.list, y: titles, width: beside.call, height: rows + 1 };
      this.#parts.preview.draw(cells, area, list.rows[this.#scroll.at], shown);
    }
    if (list.rows.length === 0 && !list.isLoading)
      for (const [i, { text }] of list.hiddenBy.entries()) cells.put(0, titles + 2 + i, text);
    cells.put(0, y + height - 1, this.#position(), LOOK.dim);
    return cursor;
  }

  #drawRow(cells: Cells, columns: ReturnType<typeof shownColumns>, i: number, { y, width: all }: Area): void {
    const call = this.#parts.list.rows[i];
    if (call === undefined) return;
    const { shown } = this.#parts;
    let x = 0;
    for (const { column, width } of columns) {
      const text = textOf(column, call, shown);
      const at = column.isRight === true ? Math.max(0, width - text.length) : 0;
      cells.put(x + at, y, text, shown.coloring === 'off' ? LOOK.plain : lookOf(column, call), width - at);
      x += width + 1;
    }
    if (call.call_id === this.#chosen) cells.mark(0, y, all, LOOK.bold | LOOK.underline);
    if (i === this.#scroll.at) cells.mark(0, y, all, LOOK.reverse);
  }

  #position(): string {
    const { list, shown } = this.#parts;
    if (list.trouble !== '') return list.trouble;
    const call = list.rows[this.#scroll.at];
    if (call === undefined) return list.isLoading ? 'reading' : 'no dialogs';
    const { date, zone } = clockOf(Date.parse(call.created_at) * 1000, shown.isUtc);
    const { by, isDescending } = list.question.sort;
    const first = by === 'created' ? ', newest first' : ', greatest first';
    const parts = [
      shown.hasHosts
        ? `${counted(list.total, 'dialog')}, a row per host`
        : `${list.first + this.#scroll.at + 1} of ${list.isTotalLeast ? 'at least ' : ''}${list.total}`,
      `${date} ${zone === 'Z' ? 'UTC' : `UTC${zone}`}`,
      `by ${by}${isDescending ? first : ''}`,
    ];
    if (call.kept_in === 'history') parts.push('from the files');
    if (this.#isPaused) parts.push('paused');
    if (this.#parts.bell.isOn) parts.push('bell');
    const whichever = list.question.filter === null ? '' : ', whether they match or not';
    if (list.isOld) parts.push('much has changed (g reads the list again)');
    else if (list.news > 0) parts.push(`${list.news} new${whichever} (g reads the list again)`);
    return parts.join('   ');
  }

  /** The filter was accepted, or another order chosen. */
  async ask(question: CallsQuestion): Promise<void> {
    this.#isStill = false;
    this.#scroll.to(0, 1);
    await this.#parts.list.read(question);
  }

  #moved(): void {
    this.#isStill = this.#scroll.at > 0;
    const more = this.#parts.list.more(this.#scroll.at).then((before) => {
      if (before > 0) this.#scroll.shift(before);
    });
    faults.run('face', () => more);
  }

  #first(): void {
    this.#scroll.to(0, 1);
    faults.run('face', () => this.#parts.list.read());
  }

  #last(): void {
    const { list } = this.#parts;
    const read = list.read(list.question, true).then(() => this.#scroll.to(list.rows.length - 1, list.rows.length));
    faults.run('face', () => read);
  }

  #open(): void {
    this.#onCall((callId) => this.#parts.open(callId, false));
  }

  /** The row, where there is one. */
  #chosenIds(): string[] {
    const call = this.#parts.list.rows[this.#scroll.at];
    return call === undefined ? [] : [call.call_id];
  }

  #onCall(act: (callId: string) => void): void {
    const call = this.#parts.list.rows[this.#scroll.at];
    if (call !== undefined) act(call.call_id);
  }

  async #newestFailure(): Promise<void> {
    const callId = await this.#parts.newestFailure();
    if (typeof callId !== 'string') this.#app.say(callId.reason);
    else this.#parts.open(callId, false);
  }

  async #turnBell(): Promise<void> {
    const { bell, list } = this.#parts;
    if (bell.isOn) {
      bell.end();
      return this.#app.say('the bell is off');
    }
    await bell.begin(list.question.filter);
    this.#app.say(bell.isOn ? 'the bell rings when a new call passes the filter; B ends it' : 'nobody answers now');
  }

  #choose(): void {
    const call = this.#parts.list.rows[this.#scroll.at];
    if (call === undefined) return;
    const first = this.#chosen;
    this.#chosen = first === null ? call.call_id : null;
    if (first === null) this.#app.say('chosen; Space on another call compares them');
    else if (first !== call.call_id) this.#parts.compare(first, call.call_id);
  }

  #sort(): void {
    const { filter, sort } = this.#parts.list.question;
    const by = SORT_KEYS[(SORT_KEYS.indexOf(sort.by) + 1) % SORT_KEYS.length] ?? 'created';
    faults.run('face', () => this.ask({ filter, sort: { by, isDescending: sort.isDescending } }));
  }

  /** The worst stands on top; of times the newest. */
  #order(): void {
    const acts = ORDERS.map(([key, by, isDescending]) => {
      const act = (): void =>
        faults.run('face', () => this.ask({ ...this.#parts.list.question, sort: { by, isDescending } }));
      return [key, act] as const;
    });
    this.#app.choose(`Sort by: ${ORDERS.map(([key, by]) => `${key} ${by}`).join('  ')}`, new Map(acts));
  }

  #turn(): void {
    const { filter, sort } = this.#parts.list.question;
    faults.run('face', () => this.ask({ filter, sort: { by: sort.by, isDescending: !sort.isDescending } }));
  }

  #pause(): void {
    this.#isPaused = !this.#isPaused;
  }
}
