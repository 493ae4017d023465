/** Windows of streams as series over one time axis: a value holds for its window, and where no window is, there is no line. */
import type { AskStream } from '../../contract/index.ts';
import { usualStepMs } from '../../core/usual-step.ts';
import { secondsOf } from './words.ts';

export type Window = {
  readonly fromSec: number;
  readonly toSec: number;
  readonly mos: number | null;
  readonly lossPct: number;
  readonly jitterMs: number;
  readonly packets: number;
};

export type Line = { readonly letter: string; readonly stream: AskStream; readonly windows: readonly Window[] };

/** Streams beyond are listed, not drawn. */
export const DRAWN = 8;
const USUAL_SEC = 5;

export function linesOf(streams: readonly AskStream[]): Line[] {
  const oldest = [...streams].sort((a, b) => (a.first_seen < b.first_seen ? -1 : 1));
  return oldest.map((stream, i) => ({ letter: letterOf(i), stream, windows: windowsOf(stream) }));
}

function letterOf(i: number): string {
  return i < 26 ? String.fromCharCode(65 + i) : `S${i + 1}`;
}

function windowsOf({ quality_intervals: all, last_seen }: AskStream): Window[] {
  const starts = all.map(({ timestamp }) => secondsOf(timestamp));
  const length = usualStepMs([starts.map((sec) => sec * 1_000)], USUAL_SEC * 1_000) / 1_000;
  const end = secondsOf(last_seen);
  return all.map((window, i) => {
    const fromSec = starts[i] ?? 0;
    const next = starts[i + 1];
    const endSec = fromSec + length;
    return {
      fromSec,
      toSec: next === undefined ? Math.max(fromSec + 0.1, Math.min(end, endSec)) : Math.min(next, endSec),
      mos: window.mos ?? null,
      lossPct: window.loss_pct,
      jitterMs: window.jitter_ms,
      packets: window.packets,
    };
  });
}

/** One line as two columns: times and values, null where a gap begins. */
export function columnsOf(
  windows: readonly Window[],
  read: (window: Window) => number | null,
): [number[], (number | null)[]] {
  const xs: number[] = [];
  const ys: (number | null)[] = [];
  for (const [i, window] of windows.entries()) {
    xs.push(window.fromSec);
    ys.push(read(window));
    const next = windows[i + 1];
    const isGap = next === undefined || next.fromSec > window.toSec + 0.01;
    if (!isGap) continue;
    xs.push(window.toSec);
    ys.push(read(window));
    if (next === undefined) continue;
    // Between the end of this one and the next there is nothing.
    xs.push(window.toSec + 0.001);
    ys.push(null);
  }
  return [xs, ys];
}

export type Worst = { readonly line: Line; readonly window: Window };

/** The window that sounds worst: the lowest score, else the most loss. */
export function worstOf(lines: readonly Line[]): Worst | null {
  let worst: Worst | null = null;
  const badness = ({ mos, lossPct }: Window): number => (mos === null ? lossPct / 100 : 10 - mos);
  for (const line of lines)
    for (const window of line.windows)
      if (worst === null || badness(window) > badness(worst.window)) worst = { line, window };
  return worst;
}

/** Why windows of a line have no score; '' where all have one. */
export function unscoredWhy({ stream, windows }: Line): string {
  const without = windows.filter(({ mos }) => mos === null).length;
  if (windows.length === 0) return 'it is too short for a window';
  if (without === 0) return '';
  if (stream.not_known !== undefined) return `loss is ${stream.not_known}`;
  if (stream.mos === undefined) return `no score is known for ${stream.codec ?? 'a codec without a name'}`;
  return `${without} of ${windows.length} windows have too few packets for a score`;
}
