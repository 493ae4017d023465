/**
 * The figures of a call: one function each, for the column, the filter, the order of a list, the documents and the rows of
 * the store. They have the digits that are shown, so that no two of these differ in what nobody sees.
 */
import { rounded, spanSec } from '../core/rounded.ts';
import { callTiming, postDialDelayMs } from '../store/dialogs/call-timing.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { Stream } from '../store/media/stream.ts';
import type { QualityContext } from '../store/stores.ts';
import type { Evidence } from './evidence.ts';
import { streamJitterMs, streamLossPct, streamMos } from './stream-quality.ts';

/** Null where a call has none. */
export type CallFigure = (e: Evidence, d: Dialog) => number | null;

const DIGITS = 4;

/** Of the streams of a dialog that have the figure, the lowest or the highest one. */
function worst(
  of: (stream: Stream, c: QualityContext) => number | null,
  isWorse: (a: number, b: number) => boolean,
): CallFigure {
  return ({ stores, capture }, d) => {
    let found: number | null = null;
    for (const stream of stores.streams.ownedBy(d)) {
      const figure = of(stream, capture.quality);
      if (figure !== null && (found === null || isWorse(figure, found))) found = figure;
    }
    return found === null ? null : rounded(found, DIGITS);
  };
}

const worstStreamLoss = worst(streamLossPct, (a, b) => a > b);

export const CALL_FIGURES = {
  mos: worst(streamMos, (a, b) => a < b),
  /** As of most calls the counters alone say it: nothing to excuse, and no stream has to become an object. */
  loss: (e, d) => {
    const pct = e.stores.streams.worstLossPct(d);
    return pct === null || pct === 0 ? pct : worstStreamLoss(e, d);
  },
  jitter: worst(streamJitterMs, (a, b) => a > b),
  pdd: (_, d) => postDialDelayMs(d),
  setup: (_, d) => callTiming(d).setupMs,
  /** In seconds. */
  duration: (_, d) => spanSec(d.createdUs, d.updatedUs),
} satisfies Readonly<Record<string, CallFigure>>;
