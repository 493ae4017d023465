/**
 * How a call sounded: of each stream its MOS, loss and jitter as bars, window by window, with the worst one marked. The
 * chosen window can be heard.
 */

import type { AskQuality, AskStream } from '../../contract/index.ts';
import { carriedCodecs } from '../../core/carried-codecs.ts';
import { faults } from '../../core/faults.ts';
import type { TerminalPort } from '../../explore/port.ts';
import { NotHere } from '../../explore/refusal.ts';
import { clockOf } from '../../view/clock.ts';
import { whyMissing } from './answered.ts';
import type { App, Area, Cursor, View } from './app.ts';
import type { Cells } from './cells.ts';
import { LOOK } from './cells.ts';
import type { Binding } from './keys.ts';
import type { BarPosition, Bars } from './quality-bars.ts';
import { barOf, barsOf, FIGURES, worstOf } from './quality-bars.ts';
import type { Shown } from './shown.ts';

/** Title, a row a figure, and the worst window. */
const ROWS = 1 + FIGURES.length + 1;
const LEFT = 8;
/** What the bars go up to. */
const RIGHT = 8;

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
    cells.put(0, y, `${this.#callId}  ${this.#trouble}`, LOOK.bold, width);
    if (bars === null || this.#trouble !== '') return null;
    const fits = Math.max(1, Math.floor((height - 2) / (ROWS + 1)));
    const at = chosen?.stream ?? 0;
    this.#top = Math.max(0, Math.min(Math.max(this.#top, at - fits + 1), at, bars.streams.length - fits));
    for (let i = 0; i < Math.min(fits, bars.streams.length); i++)
      this.#drawStream(cells, bars, this.#top + i, { x: 0, y: y + 1 + i * (ROWS + 1), width, height: ROWS });
    cells.put(0, y + height - 1, this.#said(bars, chosen), LOOK.dim, width);
    return null;
  }

  #drawStream(cells: Cells, bars: Bars, s: number, { y, width }: Area): void {
    const row = bars.streams[s];
    if (row === undefined) return;
    const { stream, columns } = row;
    const chosen = this.#place;
    const figures = [
      ...(stream.host === undefined ? [] : [stream.host]),
      carriedCodecs(stream),
      `${stream.packets} packets`,
      stream.mos === undefined ? 'no MOS' : `MOS ${stream.mos.toFixed(2)}`,
      stream.not_known === undefined ? `${stream.loss_pct.toFixed(1)} % lost` : `loss ${stream.not_known}`,
      `jitter ${stream.jitter_ms.toFixed(1)} ms`,
      ...heldWords(stream),
    ];
    const look = chosen?.stream === s ? LOOK.bold | LOOK.underline : LOOK.bold;
    cells.put(0, y, `${stream.src} -> ${stream.dst}  ${figures.join('  ')}`, look, width);
    for (const [f, figure] of FIGURES.entries()) {
      const at = y + 1 + f;
      cells.put(0, at, figure.title, LOOK.dim, LEFT);
      for (const [c, window] of columns.entries()) {
        const value = window === null ? null : figure.of(window);
        const color = value === null || this.#parts.shown.coloring === 'off' ? LOOK.plain : figure.look(value);
        cells.put(LEFT + c, at, barOf(value, figure, cells.isUtf8), color, 1);
      }
      cells.put(LEFT + columns.length + 1, at, `${figure.to} ${figure.unit}`.trimEnd(), LOOK.dim, RIGHT);
      if (chosen?.stream === s) cells.mark(LEFT + chosen.column, at, 1, LOOK.reverse);
    }
    const worst = worstOf(bars, s);
    if (worst !== null) this.#drawWorst(cells, bars, worst, { x: LEFT, y: y + ROWS - 1, width, height: 1 });
  }

  /** Below the bars: a mark under the worst window, with its figures on the side that has room. */
  #drawWorst(cells: Cells, bars: Bars, worst: BarPosition, { x, y, width }: Area): void {
    const text = `worst: ${this.#figuresOf(bars, worst)}`;
    const at = x + worst.column;
    cells.put(at, y, '^', LOOK.red, 1);
    if (at + 2 + text.length <= width) cells.put(at + 2, y, text, LOOK.plain);
    else cells.put(Math.max(0, at - text.length - 1), y, text, LOOK.plain, at - 1);
  }

  #figuresOf(bars: Bars, { stream, column }: BarPosition): string {
    const window = bars.streams[stream]?.columns[column] ?? null;
    if (window === null) return 'no packets';
    const { time } = clockOf(Date.parse(window.timestamp) * 1000, this.#parts.shown.isUtc);
    const mos = window.mos === undefined ? 'no MOS' : `MOS ${window.mos.toFixed(2)}`;
    return `${time.slice(0, 8)} ${mos}, ${window.loss_pct.toFixed(1)} % lost, jitter ${window.jitter_ms.toFixed(1)} ms`;
  }

  #said(bars: Bars, chosen: BarPosition | null): string {
    const scale = `a column is ${bars.columnSec} s`;
    return chosen === null ? scale : `chosen: ${this.#figuresOf(bars, chosen)}   ${scale}`;
  }

  #fitted(width: number): Bars | null {
    if (this.#quality === null) return null;
    if (this.#bars === null || this.#width !== width) {
      // Columns are others now, and what was chosen lies in another one.
      if (this.#width !== width) this.#chosen = null;
      this.#width = width;
      this.#bars = barsOf(this.#quality, width - LEFT - RIGHT - 1);
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

/** Why no bar stands there: the descriptions let nothing through. */
function heldWords({ spans = [] }: AskStream): string[] {
  const held = spans.filter(({ kind }) => kind === 'held');
  const sec = held.reduce((all, { from, to }) => all + (Date.parse(to) - Date.parse(from)) / 1000, 0);
  return held.length === 0 ? [] : [`on hold ${sec.toFixed(1)} s`];
}
