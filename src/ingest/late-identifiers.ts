/**
 * Reads again, from the kept messages, what ties calls together: for questions about calls that nothing indexed as they
 * came.
 */
import { asBuffer } from '../core/byte-text.ts';
import { SCAN, scanSip } from '../protocols/sip/scanner/scan.ts';
import { emptyPacket } from '../sources/packet.ts';
import { CallIdentifiers } from '../store/dialogs/call-identifiers.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { DialogStore } from '../store/dialogs/dialog-store.ts';
import type { MessageLog } from '../store/messages/message-log.ts';
import { NO_ROW, ROW } from '../store/messages/message-rows.ts';

/** Messages of a call that are read again: those that set it up. @cap */
const MAX_LINKED_MESSAGES = 8;

export class LateIdentifiers {
  readonly #dialogs: DialogStore;
  readonly #log: MessageLog;
  readonly #callIdHeaders: readonly string[];
  #made: { readonly identifiers: CallIdentifiers; readonly records: number } | null = null;

  constructor(dialogs: DialogStore, log: MessageLog, callIdHeaders: readonly string[]) {
    this.#dialogs = dialogs;
    this.#log = log;
    this.#callIdHeaders = callIdHeaders;
  }

  /** The same again while no more records came than these. */
  after(records: number): CallIdentifiers {
    if (this.#made?.records !== records) {
      const identifiers = new CallIdentifiers(this.#callIdHeaders);
      for (const d of this.#dialogs.oldestFirst()) this.#read(d, identifiers);
      this.#made = { identifiers, records };
    }
    return this.#made.identifiers;
  }

  #read(d: Dialog, into: CallIdentifiers): void {
    const log = this.#log;
    let row = d.headRow;
    for (let i = 0; i < MAX_LINKED_MESSAGES && row !== NO_ROW && log.has(row); i++, row = log.next(row)) {
      const bytes = asBuffer(log.bytes(row));
      const scan = scanSip(bytes, 0, bytes.length);
      if (scan.code !== SCAN.OK) continue;
      const { bytes: addresses, ...ends } = log.endpoints(row);
      const ipVersion = (log.flags(row) & ROW.IPV6) === 0 ? 4 : 6;
      const carrier = { ...emptyPacket(addresses), ...ends, ipVersion, tsUs: log.tsUs(row) };
      into.onMessage(d, bytes, scan, carrier, i === 0);
    }
  }
}
