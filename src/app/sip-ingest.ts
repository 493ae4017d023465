/**
 * Bytes that may be a SIP message, from whatever source, to the dialog tracker; losses by reason.
 */

import { tally } from '../core/tally.ts';
import { hasFault } from '../sip/notes.ts';
import { SCAN, SCAN_REASONS, SipScan, scanSip } from '../sip/scan.ts';
import type { DialogTracker } from '../store/dialog-tracker.ts';
import type { Carrier } from '../store/fingerprint.ts';

export class SipIngest {
  readonly #tracker: DialogTracker;
  readonly #scan = new SipScan();
  /** Messages that did not scan, by reason (SCAN_REASONS). */
  readonly refused = new Float64Array(SCAN_REASONS.length);
  /** Messages that were kept although they break the grammar. */
  faulty = 0;
  /** Messages whose headers the capture cut. */
  cut = 0;

  constructor(tracker: DialogTracker) {
    this.#tracker = tracker;
  }

  /** SIP that could not be read and is lost: not what turned out to be no SIP at all. */
  get malformed(): number {
    return (
      (this.refused[SCAN.INCOMPLETE] ?? 0) +
      (this.refused[SCAN.TOO_LONG] ?? 0) +
      (this.refused[SCAN.TOO_MANY_HEADERS] ?? 0)
    );
  }

  /** A datagram, or a message that a stream framed. */
  onBytes(buf: Buffer, start: number, end: number, carrier: Carrier): void {
    const scan = this.#scan;
    const code = scanSip(buf, start, end, scan);
    if (code !== SCAN.OK) {
      tally(this.refused, code);
      return;
    }
    if (hasFault(scan.notes)) this.faulty++;
    this.#tracker.onMessage(buf, scan.messageStart, Math.max(scan.messageEnd, scan.startLineEnd), scan, carrier);
  }
}
