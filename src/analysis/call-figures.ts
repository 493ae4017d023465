/**
 * Finds the worst figure of the streams of a call. A figure has the digits that are shown, so that no column, filter or order
 * differs in what nobody sees.
 */
import { rounded } from '../core/rounded.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { Stream } from '../store/media/stream.ts';
import type { QualityContext } from '../store/stores.ts';
import type { Evidence } from './evidence.ts';
import { streamJitterMs, streamLossPct, streamMos } from './stream-quality.ts';

/** Null where a call has none. */
type CallFigure = (e: Evidence, d: Dialog) => number | null;

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

export const worstMos = worst(streamMos, (a, b) => a < b);

/** As of most calls the counters alone say it: nothing to excuse, and no stream has to become an object. */
export function worstLossPct(e: Evidence, d: Dialog): number | null {
  const pct = e.stores.streams.worstLossPct(d);
  return pct === null || pct === 0 ? pct : worstStreamLoss(e, d);
}

export const worstJitterMs = worst(streamJitterMs, (a, b) => a > b);
