/**
 * Makes dialogs again from the messages that a store of many hosts kept, for what only dialogs tell: which identifiers tie
 * calls together. The same code reads them as on the host that saw them.
 */

import { parseIpv4, parseIpv6, socketOf } from '../core/ip.ts';
import type { Steps } from '../core/turns.ts';
import { TRANSPORTS } from '../core/words.ts';
import { SCAN, scanSip } from '../protocols/sip/scanner/scan.ts';
import { emptyPacket } from '../sources/packet.ts';
import { CallIdentifiers } from '../store/dialogs/call-identifiers.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { DialogStore } from '../store/dialogs/dialog-store.ts';
import { ExpiryQueue } from '../store/dialogs/expiry-queue.ts';
import { EndpointIndex } from '../store/media/endpoint-index.ts';
import { MessageLog } from '../store/messages/message-log.ts';
import { DialogTracker } from './dialogs/dialog-tracker.ts';
import { HepClocks } from './hep-clocks.ts';
import { SdpTracker } from './media/sdp-tracker.ts';

/** Bytes of messages out of the store that are read again for a call and its legs. @cap */
const HUB_RECALLED_BYTES = 32 * 1024 * 1024;

/** `src` and `dst` as `<address>:<port>`; `transport` one of TRANSPORTS. */
export type RecalledMessage = {
  readonly atUs: number;
  readonly src: string;
  readonly dst: string;
  readonly transport: string;
  readonly text: string;
};

export class RecalledDialogs {
  readonly dialogs: DialogStore;
  readonly identifiers: CallIdentifiers;
  readonly log: MessageLog;
  readonly #tracker: DialogTracker;

  /** `most`: dialogs. `callIdHeaders`: further headers that carry the Call-ID of another leg. */
  constructor(most: number, callIdHeaders: readonly string[]) {
    this.identifiers = new CallIdentifiers(callIdHeaders);
    this.log = new MessageLog(HUB_RECALLED_BYTES, { bySlot: (slot) => this.dialogs.bySlot(slot) });
    this.dialogs = new DialogStore(most, (d) => {
      this.identifiers.onDialogGone(d);
      sdp.onDialogGone(d);
    });
    const sdp = new SdpTracker(new EndpointIndex(this.dialogs), () => undefined);
    this.#tracker = new DialogTracker({
      dialogs: this.dialogs,
      log: this.log,
      sdp,
      expiries: new ExpiryQueue<Dialog>(),
      identifiers: this.identifiers,
      clocks: new HepClocks(),
      digest: () => undefined,
      onChange: () => undefined,
    });
  }

  /** Messages in the order in which they came. */
  *addAll(messages: Iterable<{ readonly atUs: number; readonly row: Omit<RecalledMessage, 'atUs'> }>): Steps<void> {
    for (const { row, atUs } of messages) {
      this.add({ ...row, atUs });
      yield;
    }
  }

  /** The next message of the order in which they came; what is no SIP is left out. */
  add({ atUs, text, transport, ...ends }: RecalledMessage): void {
    const bytes = Buffer.from(text);
    const scan = scanSip(bytes, 0, bytes.length);
    if (scan.code !== SCAN.OK) return;
    const [src, dst] = [socketOf(ends.src), socketOf(ends.dst)];
    const carrier = emptyPacket(new Uint8Array(32));
    carrier.ipVersion = writeAddress(carrier.addresses, 0, src.host);
    writeAddress(carrier.addresses, 16, dst.host);
    carrier.srcPort = src.port;
    carrier.dstPort = dst.port;
    carrier.tsUs = atUs;
    carrier.arrivedUs = atUs;
    carrier.transport = Math.max(
      0,
      TRANSPORTS.findIndex((name) => name === transport),
    );
    this.#tracker.onMessage(bytes, scan.messageStart, bytes.length, scan, carrier, scan.callIdHash);
  }
}

/** The version; 0 where it is no address. */
function writeAddress(to: Uint8Array, at: number, text: string): number {
  const four = parseIpv4(text);
  if (four >= 0) {
    new DataView(to.buffer).setUint32(at, four);
    return 4;
  }
  const six = parseIpv6(text);
  if (six === null) return 0;
  to.set(six, at);
  return 6;
}
