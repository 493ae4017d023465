/**
 * OPTIONS between a trunk and us: whether they are answered, and how fast. Any answer counts, also a refusal.
 */
import { mixHashes } from '../../core/hash.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import type { TrunkRow } from '../../store/trunks/trunk-row.ts';
import { minuteOf } from '../../store/trunks/trunk-spans.ts';

/** Requests of a trunk whose answer is waited for. */
const WAITING = 8;

type Ping = { readonly transaction: number; readonly tsUs: number };

export class TrunkPings {
  readonly #waiting = new WeakMap<TrunkRow, Ping[]>();

  onMessage(row: TrunkRow, scan: SipScan, tsUs: number): void {
    row.seen(tsUs);
    const transaction = mixHashes(scan.callIdHash, scan.cseq);
    const waiting = this.#waitingOf(row);
    const at = waiting.findIndex((ping) => ping.transaction === transaction);
    const minute = minuteOf(tsUs);
    if (scan.isRequest) {
      // The same once more is a retransmission.
      if (at >= 0) return;
      if (waiting.length >= WAITING) waiting.shift();
      waiting.push({ transaction, tsUs });
      row.options.asked(tsUs);
      row.spans.add(minute, (f) => {
        f.optionsAsked++;
      });
      return;
    }
    row.options.answered(tsUs);
    if (row.direction === 'out') row.isProven = true;
    const [ping] = at < 0 ? [] : waiting.splice(at, 1);
    if (ping === undefined || scan.status < 200) return;
    const ms = Math.max(0, tsUs - ping.tsUs) / 1000;
    row.roundTripMs = ms;
    row.spans.add(minute, (f) => {
      f.optionsAnswered++;
      f.roundTripMs += ms;
    });
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
