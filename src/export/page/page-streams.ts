/** The streams of a page by their letters, with their windows as so many points as are drawn. */
import type { AskStream, QualityInterval } from '../../contract/index.ts';
import { usualStepMs } from '../../core/usual-step.ts';
import { secondsOf } from './parts.ts';

/** Streams that have a lane and lines in the pictures, and points of each line. @cap */
const PAGE_STREAMS = 8;
const PAGE_POINTS = 600;

const USUAL_MS = 5_000;

export type Point = {
  readonly fromSec: number;
  readonly toSec: number;
  readonly mos: number | null;
  readonly lossPct: number;
  readonly jitterMs: number;
};

export type StreamLine = {
  readonly letter: string;
  /** The place of its call in the ladder. */
  readonly leg: number;
  readonly stream: AskStream;
  readonly points: readonly Point[];
  /** Windows that a point stands for; the worst figures of them are drawn. */
  readonly merged: number;
};

export type StreamLines = {
  readonly all: readonly StreamLine[];
  /** Those that are drawn. */
  readonly drawn: readonly StreamLine[];
  /** Ends of the axis of time. */
  readonly fromSec: number;
  readonly toSec: number;
};

/** The streams of the call itself come before those of its legs, the oldest before. */
export function linesOf(streams: readonly (readonly AskStream[])[]): StreamLines {
  const inOrder = streams.flatMap((list, leg) =>
    list.toSorted((a, b) => (a.first_seen < b.first_seen ? -1 : 1)).map((stream) => ({ leg, stream })),
  );
  const all = inOrder.map(({ leg, stream }, i): StreamLine => {
    const { points, merged } = i < PAGE_STREAMS ? pointsOf(stream) : { points: [], merged: 1 };
    return { letter: letterOf(i), leg, stream, points, merged };
  });
  const drawn = all.slice(0, PAGE_STREAMS);
  let [fromSec, toSec] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { stream } of drawn) {
    fromSec = Math.min(fromSec, secondsOf(stream.first_seen));
    toSec = Math.max(toSec, secondsOf(stream.last_seen));
  }
  return { all, drawn, fromSec, toSec: Math.max(toSec, fromSec + 1) };
}

/** Letters of streams are small: those of legs are large. */
function letterOf(i: number): string {
  return i < 26 ? String.fromCharCode(97 + i) : `s${i + 1}`;
}

function pointsOf({ quality_intervals: all, last_seen }: AskStream): Pick<StreamLine, 'points' | 'merged'> {
  const starts = all.map(({ timestamp }) => secondsOf(timestamp));
  const lengthSec = usualStepMs([starts.map((sec) => sec * 1_000)], USUAL_MS) / 1_000;
  const endSec = secondsOf(last_seen);
  const merged = Math.max(1, Math.ceil(all.length / PAGE_POINTS));
  const points: Point[] = [];
  for (let i = 0; i < all.length; i += merged) {
    const part = all.slice(i, i + merged);
    const fromSec = starts[i] ?? 0;
    const lastSec = (starts[i + part.length - 1] ?? fromSec) + lengthSec;
    const next = starts[i + part.length];
    const toSec = next === undefined ? Math.max(fromSec + 0.1, Math.min(endSec, lastSec)) : Math.min(next, lastSec);
    points.push({ fromSec, toSec, ...worstOf(part) });
  }
  return { points, merged };
}

function worstOf(windows: readonly QualityInterval[]): Pick<Point, 'mos' | 'lossPct' | 'jitterMs'> {
  let mos: number | null = null;
  let [lossPct, jitterMs] = [0, 0];
  for (const window of windows) {
    if (window.mos !== undefined) mos = Math.min(mos ?? 5, window.mos);
    lossPct = Math.max(lossPct, window.loss_pct);
    jitterMs = Math.max(jitterMs, window.jitter_ms);
  }
  return { mos, lossPct, jitterMs };
}
