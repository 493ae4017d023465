/**
 * Whether a message was seen before: sent again, the same packet twice, or the same message from another source.
 */

import { tally } from '../../core/counters.ts';
import { ORIGINS } from '../../core/words.ts';
import type { Packet } from '../../sources/packet.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { BY_QUALITY } from '../../store/dialogs/source-marks.ts';
import { fingerprint } from '../../store/messages/fingerprint.ts';
import type { MessageLog } from '../../store/messages/message-log.ts';
import { NO_ROW, ROW } from '../../store/messages/message-rows.ts';
import { DUPLICATE_FRAME_US } from '../seen-twice.ts';
import type { DialogTimes } from './dialog-times.ts';

/** What is known of the message in hand. One object is used again for each. */
export type Sighting = {
  toTagHash: number;
  /** Its source has not sent it before. */
  isFirstOfSource: boolean;
  /** It is a 401 or 407 that refuses credentials, or a copy of one. */
  isRefusal: boolean;
  /** It moves neither the state nor the times of the call. */
  isOfOtherFork: boolean;
  /** When a worse source had sent it first; NaN when none had. */
  worseUs: number;
};

export class Repeats {
  readonly #log: MessageLog;
  readonly #times: DialogTimes;
  /** Transmissions of the message being looked up, by source. */
  readonly #bySource = new Float64Array(ORIGINS.length);

  constructor(log: MessageLog, times: DialogTimes) {
    this.#log = log;
    this.#times = times;
  }

  /**
   * 0 for a new message, else the ROW flag that says which kind of repeat it is: counted source by source, so that the
   * order in which sources deliver decides nothing.
   */
  look(d: Dialog, c: Packet, out: Sighting): number {
    const log = this.#log;
    const bySource = this.#bySource;
    bySource.fill(0);
    let lastSame = NO_ROW;
    let firstOther = NO_ROW;
    for (let row = d.headRow; row !== NO_ROW && log.has(row); row = log.next(row)) {
      if (log.messageHash(row) !== fingerprint.a) continue;
      const origin = log.origin(row);
      const flags = log.flags(row);
      if ((flags & ROW.REQUEST) === 0 && (flags & ROW.REFUSAL) !== 0) out.isRefusal = true;
      if ((flags & ROW.DUPLICATE) === 0) tally(bySource, origin);
      if (origin !== c.origin) {
        if (firstOther === NO_ROW) firstOther = row;
      } else if (log.hashesEqual(row, fingerprint.a, fingerprint.b)) lastSame = row;
    }
    const isWorse = firstOther !== NO_ROW && BY_QUALITY.indexOf(log.origin(firstOther)) > BY_QUALITY.indexOf(c.origin);
    out.worseUs = isWorse ? log.tsUs(firstOther) : Number.NaN;
    out.isFirstOfSource = lastSame === NO_ROW;
    const own = bySource[c.origin] ?? 0;
    if (firstOther !== NO_ROW) this.#times.pair(d, c, fingerprint.a, own === 0);
    if (lastSame !== NO_ROW) {
      const gapUs = Math.abs(c.tsUs - log.tsUs(lastSame));
      const isSameId = c.clock !== null || log.ipId(lastSame) === c.ipId;
      if (gapUs < DUPLICATE_FRAME_US && isSameId) return ROW.DUPLICATE;
    }
    for (let origin = 0; origin < bySource.length; origin++)
      if (origin !== c.origin && own < (bySource[origin] ?? 0)) return ROW.COPY;
    return lastSame === NO_ROW ? 0 : ROW.RETRANSMISSION;
  }
}
