/**
 * Windows of quality as bars: which column a window belongs to, which cells of the screen are the column's, how high its bar
 * is, and which one sounded worst.
 */
import type { AskQuality } from '../../contract/index.ts';
import { usualStepMs } from '../../core/usual-step.ts';
import type { Look } from './cells.ts';
import { LOOK } from './cells.ts';

type Stream = AskQuality['streams'][number];
type Window = Stream['quality_intervals'][number];

export type Bars = {
  /** Seconds of one window. */
  readonly windowSec: number;
  /** Seconds of one column. */
  readonly columnSec: number;
  /** When the first column begins, in milliseconds since 1970. */
  readonly startMs: number;
  /** Of each stream and column, the worst window in it. */
  readonly streams: readonly { readonly stream: Stream; readonly columns: readonly (Window | null)[] }[];
};

/** Where no two windows say how long one is. */
const USUAL_WINDOW_SEC = 5;

const HEIGHTS = '\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588';
/** For terminals that know ASCII alone. */
const ASCII_HEIGHTS = '_.,-=+*#';

/** The same column is the same time in all streams; more windows than columns share one, and the worst of them shows. */
export function barsOf({ streams }: AskQuality, room: number): Bars {
  const starts = streams.map(({ quality_intervals: windows }) => windows.map(({ timestamp }) => Date.parse(timestamp)));
  const all = starts.flat();
  const startMs = all.reduce((least, ms) => Math.min(least, ms), Number.POSITIVE_INFINITY);
  const endMs = all.reduce((most, ms) => Math.max(most, ms), Number.NEGATIVE_INFINITY);
  const windowMs = Math.max(1_000, Math.round(usualStepMs(starts, USUAL_WINDOW_SEC * 1_000) / 1_000) * 1_000);
  const windows = all.length === 0 ? 0 : Math.floor((endMs - startMs) / windowMs) + 1;
  const shared = Math.max(1, Math.ceil(windows / Math.max(1, room)));
  const columnMs = windowMs * shared;
  const count = Math.ceil(windows / shared);
  return {
    windowSec: windowMs / 1_000,
    columnSec: columnMs / 1_000,
    startMs: Number.isFinite(startMs) ? startMs : 0,
    streams: streams.map((stream, s) => {
      const columns = new Array<Window | null>(count).fill(null);
      for (const [i, window] of stream.quality_intervals.entries()) {
        const c = Math.min(count - 1, Math.floor(((starts[s]?.[i] ?? startMs) - startMs) / columnMs));
        columns[c] = worse(columns[c] ?? null, window);
      }
      return { stream, columns };
    }),
  };
}

/** The lower score; without scores the higher loss, then the higher jitter. */
function worse(a: Window | null, b: Window): Window {
  if (a === null) return b;
  const byScore = (b.mos ?? 5) - (a.mos ?? 5);
  const isWorse =
    byScore !== 0 ? byScore < 0 : b.loss_pct !== a.loss_pct ? b.loss_pct > a.loss_pct : b.jitter_ms > a.jitter_ms;
  return isWorse ? b : a;
}

export type BarPosition = { readonly stream: number; readonly column: number };

/** The worst column of one stream, or of all; null where none has a window. */
export function worstOf({ streams }: Bars, only?: number): BarPosition | null {
  let place: BarPosition | null = null;
  let worst: Window | null = null;
  for (const [stream, { columns }] of streams.entries()) {
    if (only !== undefined && stream !== only) continue;
    for (const [column, window] of columns.entries()) {
      if (window === null || (worst !== null && worse(worst, window) === worst)) continue;
      worst = window;
      place = { stream, column };
    }
  }
  return place;
}

/** The cells of a column: all columns together are as wide as the room. */
export function spanOf(column: number, columns: number, room: number): { readonly x: number; readonly width: number } {
  const x = Math.floor((column * room) / columns);
  return { x, width: Math.max(1, Math.floor(((column + 1) * room) / columns) - x) };
}

/** What a chart shows, and between which values; `limit` is where it begins to be heard. */
export type Figure = {
  readonly title: string;
  readonly from: number;
  readonly to: number;
  readonly limit: number;
  readonly unit: string;
  of(w: Window): number | null;
  look(value: number): Look;
};

const limits =
  (yellow: number, red: number) =>
  (value: number): Look =>
    value >= red ? LOOK.red : value >= yellow ? LOOK.yellow : LOOK.green;

export const FIGURES: readonly Figure[] = [
  {
    title: 'MOS',
    from: 1,
    to: 4.5,
    limit: 3.6,
    unit: '',
    of: ({ mos }) => mos ?? null,
    look: (mos) => (mos < 3.1 ? LOOK.red : mos < 3.6 ? LOOK.yellow : LOOK.green),
  },
  { title: 'lost', from: 0, to: 10, limit: 1, unit: '%', of: ({ loss_pct }) => loss_pct, look: limits(1, 5) },
  { title: 'jitter', from: 0, to: 60, limit: 20, unit: 'ms', of: ({ jitter_ms }) => jitter_ms, look: limits(20, 40) },
];

/** In which of `rows` rows a value stands, from the lowest one on. */
export function rowOf(value: number, { from, to }: Figure, rows: number): number {
  return Math.max(0, Math.min(rows - 1, Math.floor(((value - from) / (to - from)) * rows)));
}

/** The character of a bar in row `row` of `rows`, from the lowest one on; a blank where there is nothing to show. */
export function barOf(
  value: number | null,
  { from, to }: Pick<Figure, 'from' | 'to'>,
  row: number,
  rows: number,
  isUtf8: boolean,
): string {
  if (value === null) return ' ';
  const heights = isUtf8 ? HEIGHTS : ASCII_HEIGHTS;
  const steps = Math.floor(((value - from) / (to - from)) * rows * heights.length) - row * heights.length;
  // The lowest bar shows too: packets came.
  return steps < 0 && row > 0 ? ' ' : heights.charAt(Math.max(0, Math.min(heights.length - 1, steps)));
}
