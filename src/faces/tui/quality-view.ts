/**
 * How a call sounded: of each stream its MOS, loss and jitter as charts over the width of the screen, with the worst window
 * marked. The chosen window can be heard.
 */

import type { AskQuality, AskStream } from '../../contract/index.ts';
import { carriedCodecs } from '../../core/carried-codecs.ts';
import { faults } from '../../core/faults.ts';
import { reportLines } from '../../core/report-text.ts';
import type { TerminalPort } from '../../explore/port.ts';
import { NotHere } from '../../explore/refusal.ts';
import { clockOf } from '../../view/clock.ts';
import { whyMissing } from './answered.ts';
import type { App, Area, Cursor, View } from './app.ts';
import type { Cells } from './cells.ts';
import { LOOK } from './cells.ts';
import type { Binding } from './keys.ts';
import type { BarPosition, Bars, Figure } from './quality-bars.ts';
import { barOf, barsOf, FIGURES, rowOf, spanOf, worstOf } from './quality-bars.ts';
import type { Shown } from './shown.ts';

/** Rows of the first chart, and of the others where there is no room for more; title and worst window stand around them. */
const CHART = 6;
const AROUND = 2;
/** Reports of phones that are shown; the last of these lines tells of the others. */
const REPORTS = 4;
const LEAST = AROUND + CHART + FIGURES.length - 1;
/** Title and value of the axis. */
const TITLE = 6;
const VALUE = 5;
const LEFT = TITLE + VALUE + 1;

type Columns = Bars['streams'][number]['columns'];
export type HeardSpan = { readonly fromSec: number; readonly toSec: number };

export type QualityParts = {
  readonly port: Pick<TerminalPort, 'quality'>;
  readonly shown: Shown;
  /** Plays a part of the call, or ends what plays. */
  hear(span: HeardSpan): void;
  save(): void;
};

export class QualityView implements View {
  readonly title = 'Quality';
  readonly bindings: readonly Binding[];
  readonly #app: App;
  readonly #parts: QualityParts;
  readonly #callId: string;
  #quality: AskQuality | null = null;
  #bars: Bars | null = null;
  #width = 0;
  /** Null until somebody moves: the worst window is chosen. */
  #chosen: BarPosition | null = null;
  #top = 0;
  #trouble = 'reading';
  #hearsSoon = false;

  constructor(app: App, callId: string, parts: QualityParts) {
    this.#app = app;
    this.#parts = parts;
    this.#callId = callId;
    this.bindings = [
      { keys: ['esc', 'q'], short: 'Back', help: 'Go back.', run: () => app.pop() },
      { keys: ['a'], short: 'Hear', help: 'Play the chosen window, or end what plays.', run: () => this.#hear() },
      { keys: ['s', 'f2'], short: 'Save', help: 'Write the call to a file.', run: () => parts.save() },
      { keys: ['right', 'l'], short: 'Later', help: 'Choose the next window.', run: () => this.#move(0, 1) },
      { keys: ['left', 'h'], short: 'Earlier', help: 'Choose the window before.', run: () => this.#move(0, -1) },
      { keys: ['down', 'j'], short: 'Stream', help: 'Choose the next stream.', run: () => this.#move(1, 0) },
      { keys: ['up', 'k'], help: 'Choose the stream before.', run: () => this.#move(-1, 0) },
      {
        keys: ['n'],
        short: 'Worst',
        help: 'Choose the worst window of the stream.',
        run: () => this.#toWorst(),
      },
    ];
    faults.run('face', () => this.read());
  }

  async read(): Promise<void> {
    try {
      this.#quality = await this.#parts.port.quality(this.#callId);
      this.#trouble = this.#quality.streams.length === 0 ? 'no RTP stream belongs to this call' : '';
    } catch (error) {
      const why = whyMissing(error);
      if (!(error instanceof NotHere)) return this.#app.say(why, LOOK.red);
      this.#quality = null;
      this.#trouble = why;
    }
    this.#bars = null;
    if (this.#hearsSoon) this.#hear();
    this.#app.changed();
  }

  draw(cells: Cells, { y, width, height }: Area): Cursor | null {
    const bars = this.#fitted(width);
    const chosen = this.#place;
    const scale = bars === null ? '' : this.#scaleOf(bars);
    cells.put(0, y, `${this.#callId}  ${this.#trouble || scale}`, LOOK.bold, width);
    const reports = this.#reports();
    if (bars === null || this.#trouble !== '') {
      for (const [i, line] of reports.entries()) cells.put(0, y + 2 + i, line, LOOK.plain, width);
      return null;
    }
    const room = height - 2 - reports.length;
    for (const [i, line] of reports.entries()) cells.put(0, y + 1 + room + i, line, LOOK.plain, width);
    const fits = Math.max(1, Math.min(bars.streams.length, Math.floor(room / LEAST)));
    const share = Math.floor(room / fits);
    const at = chosen?.stream ?? 0;
    this.#top = Math.max(0, Math.min(Math.max(this.#top, at - fits + 1), at, bars.streams.length - fits));
    for (let i = 0; i < fits; i++)
      this.#drawStream(cells, bars, this.#top + i, { x: 0, y: y + 1 + i * share, width, height: share });
    cells.put(0, y + height - 1, chosen === null ? '' : `chosen: ${this.#figuresOf(bars, chosen)}`, LOOK.dim, width);
    return null;
  }

  /** What phones and agents say of it. */
  #reports(): string[] {
    const lines = reportLines(this.#quality?.phone_reports ?? []).map((line) => `reported: ${line}`);
    const beyond = lines.length - REPORTS;
    return beyond <= 0 ? lines : [...lines.slice(0, REPORTS - 1), `reported: ${beyond + 1} more; the report has them`];
  }

  #drawStream(cells: Cells, bars: Bars, s: number, { y, width, height }: Area): void {
    const row = bars.streams[s];
    if (row === undefined) return;
    const { stream, columns } = row;
    const chosen = this.#place;
    const figures = [
      stream.mos === undefined ? 'no MOS' : `MOS ${stream.mos.toFixed(2)}`,
      stream.not_known === undefined ? `${stream.loss_pct.toFixed(1)} % lost` : `loss ${stream.not_known}`,
      `jitter ${stream.jitter_ms.toFixed(1)} ms`,
      carriedCodecs(stream),
      `${stream.packets} packets`,
      ...(stream.host === undefined ? [] : [stream.host]),
      ...heldWords(stream),
    ];
    const look = chosen?.stream === s ? LOOK.bold | LOOK.underline : LOOK.bold;
    cells.put(0, y, `${stream.src} -> ${stream.dst}  ${figures.join('  ')}`, look, width);
    let top = y + 1;
    for (const [figure, rows] of chartsOf(height)) {
      this.#drawChart(cells, columns, figure, { x: LEFT, y: top, width: width - LEFT, height: rows });
      if (chosen?.stream === s) {
        const x = LEFT + middleOf(chosen.column, columns.length, width - LEFT);
        for (let i = 0; i < rows; i++) cells.mark(x, top + i, 1, LOOK.reverse);
      }
      top += rows;
    }
    const worst = worstOf(bars, s);
    if (worst !== null) this.#drawWorst(cells, bars, worst, { x: LEFT, y: top, width: width - LEFT, height: 1 });
  }

  /** Values stand on the left: the highest, the lowest, and where it begins to be heard. */
  #drawChart(cells: Cells, columns: Columns, figure: Figure, { x, y, width, height }: Area): void {
    const isPlain = this.#parts.shown.coloring === 'off';
    const labels = new Map([
      [0, height > 2 ? `${figure.from}` : ''],
      [rowOf(figure.limit, figure, height), height > 2 ? `${figure.limit}` : ''],
      [height - 1, `${figure.to}${figure.unit}`],
    ]);
    for (let row = 0; row < height; row++) {
      const at = y + height - 1 - row;
      const title = row === height - 1 ? figure.title : '';
      const label = `${title.padEnd(TITLE)}${(labels.get(row) ?? '').padStart(VALUE)}|`;
      cells.put(x - LEFT, at, label, LOOK.dim, LEFT);
      for (const [c, window] of columns.entries()) {
        const value = window === null ? null : figure.of(window);
        const span = spanOf(c, columns.length, width);
        const look = value === null || isPlain ? LOOK.plain : figure.look(value);
        cells.put(x + span.x, at, barOf(value, figure, row, height, cells.isUtf8).repeat(span.width), look, span.width);
      }
    }
  }

  /** Below the charts: a mark under the worst window, with its figures on the side that has room. */
  #drawWorst(cells: Cells, bars: Bars, worst: BarPosition, { x, y, width }: Area): void {
    const figures = this.#figuresOf(bars, worst);
    const columns = bars.streams[worst.stream]?.columns.length ?? 1;
    const at = x + middleOf(worst.column, columns, width);
    cells.put(at, y, '^', LOOK.red, 1);
    const right = x + width - at - 2;
    const text = [`worst: ${figures}`, figures].find(({ length }) => length <= Math.max(right, at - 1)) ?? figures;
    if (text.length <= right) cells.put(at + 2, y, text, LOOK.plain);
    else cells.put(Math.max(0, at - text.length - 1), y, text, LOOK.plain, at - 1);
  }

  #figuresOf(bars: Bars, { stream, column }: BarPosition): string {
    const window = bars.streams[stream]?.columns[column] ?? null;
    if (window === null) return 'no packets';
    const { time } = clockOf(Date.parse(window.timestamp) * 1000, this.#parts.shown.isUtc);
    const mos = window.mos === undefined ? 'no MOS' : `MOS ${window.mos.toFixed(2)}`;
    return `${time.slice(0, 8)} ${mos}, ${window.loss_pct.toFixed(1)} % lost, jitter ${window.jitter_ms.toFixed(1)} ms`;
  }

  #scaleOf({ startMs, columnSec, streams }: Bars): string {
    const time = (ms: number): string => clockOf(ms * 1000, this.#parts.shown.isUtc).time.slice(0, 8);
    const columns = streams[0]?.columns.length ?? 0;
    return `${time(startMs)} to ${time(startMs + columns * columnSec * 1000)}, a column is ${columnSec} s`;
  }

  #fitted(width: number): Bars | null {
    if (this.#quality === null) return null;
    if (this.#bars === null || this.#width !== width) {
      // Columns are others now, and what was chosen lies in another one.
      if (this.#width !== width) this.#chosen = null;
      this.#width = width;
      this.#bars = barsOf(this.#quality, width - LEFT);
    }
    return this.#bars;
  }

  get #place(): BarPosition | null {
    return this.#chosen ?? (this.#bars === null ? null : worstOf(this.#bars));
  }

  #move(streams: number, columns: number): void {
    const [bars, place] = [this.#bars, this.#place];
    if (bars === null || place === null) return;
    const stream = Math.max(0, Math.min(bars.streams.length - 1, place.stream + streams));
    const most = (bars.streams[stream]?.columns.length ?? 1) - 1;
    this.#chosen = { stream, column: Math.max(0, Math.min(most, place.column + columns)) };
  }

  #toWorst(): void {
    if (this.#bars !== null) this.#chosen = worstOf(this.#bars, this.#place?.stream);
  }

  #hear(): void {
    const quality = this.#quality;
    // Whoever types faster than it is read hears it then.
    this.#hearsSoon = quality === null;
    if (quality === null) return;
    const bars = this.#bars ?? barsOf(quality, Number.POSITIVE_INFINITY);
    const place = this.#chosen ?? worstOf(bars);
    if (place === null) return;
    const window = bars.streams[place.stream]?.columns[place.column] ?? null;
    if (window === null) {
      this.#app.say('no packet came in this window');
      return;
    }
    // Spans count from the first packet of the call.
    const firstMs = quality.streams.reduce(
      (least, s) => Math.min(least, Date.parse(s.first_seen)),
      Number.POSITIVE_INFINITY,
    );
    const fromSec = Math.max(0, (Date.parse(window.timestamp) - firstMs) / 1000);
    this.#parts.hear({ fromSec, toSec: fromSec + bars.windowSec });
  }
}

/** The rows of each figure, of those that a stream has: the first one has most. */
function* chartsOf(share: number): Generator<readonly [figure: Figure, rows: number]> {
  const others = FIGURES.length - 1;
  const spare = Math.max(0, Math.floor((share - LEAST - 1) / others));
  const first = Math.max(1, Math.min(CHART, share - AROUND - others));
  for (const [f, figure] of FIGURES.entries()) yield [figure, f === 0 ? first : 1 + Math.min(CHART - 1, spare)];
}

function middleOf(column: number, columns: number, room: number): number {
  const { x, width } = spanOf(column, columns, room);
  return x + Math.floor((width - 1) / 2);
}

/** Why no bar stands there: the descriptions let nothing through. */
function heldWords({ spans = [] }: AskStream): string[] {
  const held = spans.filter(({ kind }) => kind === 'held');
  const sec = held.reduce((all, { from, to }) => all + (Date.parse(to) - Date.parse(from)) / 1000, 0);
  return held.length === 0 ? [] : [`on hold ${sec.toFixed(1)} s`];
}
