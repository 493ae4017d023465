/**
 * Calls while they happen: each message of those that a filter chooses, and each dialog when it has ended.
 *
 * A filter is asked anew at every message, since what is known of a call grows. A dialog counts as ended a moment after its
 * last message: what still comes, the last RTP among it, is in the document.
 */
import { CallMessage } from '../analysis/call-messages.ts';
import type { Evidence } from '../analysis/evidence.ts';
import type { AskMessage, CallDocument } from '../contract/index.ts';
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
import { messageFacts, textOf } from './call-trace.ts';
import { callDocument } from './documents.ts';

export type Watching = {
  readonly filter: Filter;
  readonly showsSecrets: boolean;
  /** `call` is a number that all messages of a call share. */
  readonly onMessage: ((m: AskMessage, call: number) => void) | null;
  readonly onEnd: ((document: CallDocument) => void) | null;
};

/** Microseconds after its last message that a dialog is told of. */
const SETTLE_US = 2_000_000;

export class LiveCalls implements Observer {
  readonly #evidence: () => Evidence;
  readonly #watching: Watching;
  /** Dialogs that ended and were not told yet, the oldest first; each has its place in the store. */
  readonly #ending = new Set<Dialog>();
  readonly #told = new WeakSet<Dialog>();

  constructor(evidence: () => Evidence, watching: Watching) {
    this.#evidence = evidence;
    this.#watching = watching;
  }

  onMessage(_buf: Buffer, _start: number, _end: number, _scan: SipScan, _carrier: Packet, d: Dialog | null): void {
    const { onMessage, showsSecrets } = this.#watching;
    if (onMessage === null || d === null || d.tailRow === NO_ROW || !this.#passes(d)) return;
    const e = this.#evidence();
    const m = new CallMessage(e.stores.log, d.tailRow, d.keptCount - 1);
    onMessage({ ...messageFacts(e, { d, m }), text: textOf(m, showsSecrets) }, d.serial);
  }

  onDialogState(d: Dialog): void {
    if (this.#watching.onEnd === null) return;
    // At the end of the line again: what it ends with counts.
    this.#ending.delete(d);
    if (isEnded(d.state)) this.#ending.add(d);
  }

  onTick(nowUs: number): void {
    for (const d of this.#ending) {
      if (this.#evidence().stores.dialogs.bySlot(d.slot) !== d) this.#ending.delete(d);
      else if (d.updatedUs + SETTLE_US <= nowUs) {
        const document = this.#lastOf(d);
        if (document !== null) this.#watching.onEnd?.(document);
      }
    }
  }

  /** When the capture has ended: what was not told yet, whatever its state. The reader takes it as fast as it can. */
  *rest(): Generator<CallDocument> {
    for (const d of this.#evidence().stores.dialogs.oldestFirst()) {
      const document = this.#told.has(d) ? null : this.#lastOf(d);
      if (document !== null) yield document;
    }
  }

  /** The document of a dialog that is told of now; null when the filter leaves it out. */
  #lastOf(d: Dialog): CallDocument | null {
    this.#ending.delete(d);
    this.#told.add(d);
    return this.#watching.onEnd !== null && this.#passes(d) ? callDocument(this.#evidence(), d) : null;
  }

  #passes(d: Dialog): boolean {
    const { filter } = this.#watching;
    if (filter === null) return true;
    const e = this.#evidence();
    const asking = { e, nowUs: e.capture.nowUs, nameOf: (address: string) => e.rules.names.of(address) };
    return finish(passesSteps(filter, new Subject(d, asking)));
  }
}
