/**
 * Calls while they happen: each message of those that a filter chooses, and each dialog when it has ended.
 *
 * A filter is asked anew at every message, since what is known of a call grows. A dialog counts as ended a moment after its
 * last message: what still comes, the last RTP among it, is in the document.
 */
import { CallMessage } from '../analysis/call-messages.ts';
import type { Evidence } from '../analysis/evidence.ts';
import { finish } from '../core/turns.ts';
import type { Observer } from '../ingest/observer.ts';
import type { SipScan } from '../protocols/sip/scanner/scan.ts';
import type { Filter } from '../query/filter.ts';
import { passesSteps } from '../query/passes.ts';
import { Subject } from '../query/subject.ts';
import type { Packet } from '../sources/packet.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { isEnded } from '../store/dialogs/dialog-state.ts';
import { NO_ROW } from '../store/messages/message-rows.ts';

/** Who is told, and as what. */
export type Watching<Document> = {
  readonly evidence: () => Evidence;
  readonly filter: Filter;
  readonly documentOf: (d: Dialog) => Document;
  readonly onMessage: ((d: Dialog, m: CallMessage) => void) | null;
  readonly onEnd: ((document: Document) => void) | null;
};

/** Microseconds after its last message that a dialog is told of. */
const SETTLE_US = 2_000_000;

export class LiveCalls<Document> implements Observer {
  readonly #watching: Watching<Document>;
  /** Dialogs that ended and were not told yet, the oldest first; each has its place in the store. */
  readonly #ending = new Set<Dialog>();
  readonly #told = new WeakSet<Dialog>();

  constructor(watching: Watching<Document>) {
    this.#watching = watching;
  }

  onMessage(_buf: Buffer, _start: number, _end: number, _scan: SipScan, _carrier: Packet, d: Dialog | null): void {
    const { onMessage, evidence } = this.#watching;
    if (onMessage === null || d === null || d.tailRow === NO_ROW || !this.#passes(d)) return;
    onMessage(d, new CallMessage(evidence().stores.log, d.tailRow, d.keptCount - 1));
  }

  onDialogState(d: Dialog): void {
    if (this.#watching.onEnd === null) return;
    // At the end of the line again: what it ends with counts.
    this.#ending.delete(d);
    if (isEnded(d.state)) this.#ending.add(d);
  }

  onDialogGone(d: Dialog): void {
    this.#ending.delete(d);
  }

  onTick(nowUs: number): void {
    for (const d of this.#ending) {
      if (d.updatedUs + SETTLE_US > nowUs) continue;
      const document = this.#lastOf(d);
      if (document !== null) this.#watching.onEnd?.(document);
    }
  }

  /** When the capture has ended: what was not told yet, whatever its state. The reader takes it as fast as it can. */
  *rest(): Generator<Document> {
    for (const d of this.#watching.evidence().stores.dialogs.oldestFirst()) {
      const document = this.#told.has(d) ? null : this.#lastOf(d);
      if (document !== null) yield document;
    }
  }

  /** The document of a dialog that is told of now; null when the filter leaves it out. */
  #lastOf(d: Dialog): Document | null {
    this.#ending.delete(d);
    this.#told.add(d);
    const { onEnd, documentOf } = this.#watching;
    return onEnd !== null && this.#passes(d) ? documentOf(d) : null;
  }

  #passes(d: Dialog): boolean {
    const { filter, evidence } = this.#watching;
    if (filter === null) return true;
    const e = evidence();
    const asking = { e, nowUs: e.capture.nowUs, nameOf: (address: string) => e.rules.names.of(address) };
    return finish(passesSteps(filter, new Subject(d, asking)));
  }
}
