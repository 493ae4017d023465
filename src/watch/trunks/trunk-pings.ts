/**
 * OPTIONS between a trunk and us: whether they are answered, and how fast. Any answer counts, also a refusal.
 */
import { mixHashes } from '../../core/hash.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import type { TrunkRow } from './trunk-row.ts';
import { minuteOf } from './trunk-spans.ts';

/** Requests of a trunk that are known when they, or their answers, come again. */
const WAITING = 8;

type Ping = { readonly transaction: number; readonly tsUs: number; isAnswered: boolean };

export class TrunkPings {
  readonly #waiting = new WeakMap<TrunkRow, Ping[]>();

  /** The round trip in milliseconds where this is the answer; NaN otherwise. */
  onMessage(row: TrunkRow, scan: SipScan, tsUs: number): number {
    row.seen(tsUs);
    const transaction = mixHashes(scan.callIdHash, scan.cseq);
    const waiting = this.#waitingOf(row);
    const ping = waiting.find((one) => one.transaction === transaction);
    const minute = minuteOf(tsUs);
    if (scan.isRequest) {
      // The same once more is a retransmission, also when its answer was on the way.
      if (ping !== undefined) return Number.NaN;
      if (waiting.length >= WAITING)
        waiting.splice(
          Math.max(
            0,
            waiting.findIndex((one) => one.isAnswered),
          ),
          1,
        );
      waiting.push({ transaction, tsUs, isAnswered: false });
      row.options.asked(tsUs);
      row.spans.add(minute, (f) => {
        f.optionsAsked++;
      });
      return Number.NaN;
    }
    row.answeredOptions(tsUs);
    if (row.direction === 'out') row.isProven = true;
    if (ping === undefined || ping.isAnswered || scan.status < 200) return Number.NaN;
    ping.isAnswered = true;
    const ms = Math.max(0, tsUs - ping.tsUs) / 1000;
    row.roundTripMs = ms;
    row.spans.add(minute, (f) => {
      f.optionsAnswered++;
      f.roundTripMs += ms;
    });
    return ms;
  }

  #waitingOf(row: TrunkRow): Ping[] {
    let waiting = this.#waiting.get(row);
    if (waiting === undefined) {
      waiting = [];
      this.#waiting.set(row, waiting);
    }
    return waiting;
  }
}
