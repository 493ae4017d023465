/**
 * Bytes that may be a SIP message, from whatever source, to the dialog tracker; losses by reason.
 */

import { tally } from '../core/counters.ts';
import { TRANSPORT } from '../core/words.ts';
import { BODY_SHORT, NO_CALL_ID, TRUNCATED_HEADERS } from '../protocols/sip/note-bits.ts';
import { SCAN, SCAN_REASONS, type ScanCode, type SipScan, scanSip } from '../protocols/sip/scanner/scan.ts';
import type { Packet } from '../sources/packet.ts';
import { CutDatagrams } from './cut-datagrams.ts';
import type { DialogTracker } from './dialogs/dialog-tracker.ts';
import type { ReportTracker } from './media/report-tracker.ts';
import type { Observer } from './observer.ts';
import { observersOf } from './observer.ts';

/** What is meant to be SIP says so within these bytes. */
const NAMED_WITHIN = 8192;
const ENDS_EARLY = TRUNCATED_HEADERS | BODY_SHORT;

export class SipIngest {
  readonly #tracker: DialogTracker;
  readonly #reports: Pick<ReportTracker, 'onMessage'> | null;
  readonly #readers: readonly Required<Pick<Observer, 'onMessage'>>[];
  readonly #watchers: readonly Required<Pick<Observer, 'onUnreadable'>>[];
  /** Messages that did not scan, by reason (SCAN_REASONS). */
  readonly refused = new Float64Array(SCAN_REASONS.length);
  readonly cut = new CutDatagrams();

  /** `reports`: null where nobody asks what phones report. */
  constructor(
    tracker: DialogTracker,
    observers: readonly Observer[] = [],
    reports: Pick<ReportTracker, 'onMessage'> | null = null,
  ) {
    this.#tracker = tracker;
    this.#reports = reports;
    this.#readers = observersOf(observers, 'onMessage');
    this.#watchers = observersOf(observers, 'onUnreadable');
  }

  /** SIP that could not be read, and is lost or kept in part: not what turned out to be no SIP at all, nor what a capture cut. */
  get malformed(): number {
    return (
      (this.refused[SCAN.INCOMPLETE] ?? 0) +
      (this.refused[SCAN.TOO_LONG] ?? 0) +
      (this.refused[SCAN.TOO_MANY_HEADERS] ?? 0) +
      this.cut.fronts +
      this.cut.rests
    );
  }

  /** A datagram, or a message that a stream framed. */
  onBytes(buf: Buffer, start: number, end: number, carrier: Packet): void {
    this.onScanned(buf, scanSip(buf, start, end), carrier, start, end);
  }

  /** The message at buf[start..end) that was read ahead. */
  onScanned(buf: Buffer, scan: SipScan, carrier: Packet, start: number, end: number): void {
    const { code } = scan;
    if (code !== SCAN.OK) {
      this.#refuse(buf, code, carrier, start, end);
      return;
    }
    if ((scan.notes & ENDS_EARLY) !== 0 && !carrier.isSnapped && carrier.transport === TRANSPORT.UDP)
      this.cut.onFront(carrier, scan.notes);
    const messageEnd = Math.max(scan.messageEnd, scan.startLineEnd);
    const dialog = this.#tracker.onMessage(buf, scan.messageStart, messageEnd, scan, carrier, scan.callIdHash);
    this.#reports?.onMessage(buf, scan, carrier, dialog);
    for (const reader of this.#readers) reader.onMessage(buf, scan.messageStart, messageEnd, scan, carrier, dialog);
  }

  /** One reason each. */
  #refuse(buf: Buffer, code: ScanCode, carrier: Packet, start: number, end: number): void {
    const isRest = code === SCAN.NOT_SIP && carrier.transport === TRANSPORT.UDP && this.cut.isRest(carrier);
    const isNamed = code !== SCAN.NOT_SIP || namesSip(buf, start, end);
    if (!isRest && (isNamed || !isDescription(buf, start, end))) tally(this.refused, code);
    if (code === SCAN.INCOMPLETE && !carrier.isSnapped) this.cut.onFront(carrier, NO_CALL_ID);
    // What the capture cut says nothing of its sender, and text of another protocol is no SIP that is broken.
    if (this.#watchers.length === 0 || carrier.isSnapped || !isNamed || code === SCAN.EMPTY) return;
    for (const watcher of this.#watchers) watcher.onUnreadable(carrier);
  }
}

/** Whether lines of a description stand there: of text without SIP, the native classifier hands over only this. */
function isDescription(buf: Buffer, start: number, end: number): boolean {
  return /^[a-z]=/m.test(buf.toString('latin1', start, Math.min(end, start + NAMED_WITHIN)));
}

/** Whether a URI or the version of SIP stands in the first bytes. */
function namesSip(buf: Buffer, start: number, end: number): boolean {
  return /\bsips?[:/]/i.test(buf.toString('latin1', start, Math.min(end, start + NAMED_WITHIN)));
}
