/**
 * Whether the streams of a call say at once that no direction is missing: of most calls, so that lists are sorted by MOS without
 * judging each call. What is true here has neither `no-media` nor `one-way-audio` (diagnose.ts, one-way.ts); what is false may have.
 */
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { Evidence } from '../evidence.ts';
import { lastChangeUs } from './one-way.ts';
import { wasAnswered } from './stop.ts';
import { Ways } from './ways.ts';

/** Streams are compared with each other. */
const FEW_STREAMS = 4;

export function lacksNoDirection({ stores, capture, rules }: Evidence, d: Dialog): boolean {
  if (!wasAnswered(d)) return true;
  const { streams } = stores;
  // Who shares sockets with another call may have its media there.
  if (d.sharesWith !== null || Number.isNaN(d.answerUs) || !streams.ownsAtMost(d, FEW_STREAMS)) return false;
  const own = streams.ownedBy(d);
  if (own.length === 0) return !capture.capturesRtp;
  const changedUs = lastChangeUs(d);
  const sinceUs = (changedUs > d.answerUs ? changedUs : d.answerUs) + rules.thresholds.lateMediaMs * 1000;
  const ways = new Ways(own.map((stream) => ({ stream })));
  return own.every(
    (stream) =>
      stream.claim?.mediaType === 'audio' &&
      ways.isAnswered(stream) &&
      streams.peek(stream, (s) => s.packets > 0 && !(s.firstUs > d.endedUs) && s.lastUs >= sinceUs) === true,
  );
}
