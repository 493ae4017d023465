/**
 * Decides who may use the last rows of a dialog: its parties. Anybody who knows a Call-ID can send in it, and would use them
 * all up.
 *
 * The parties are the two ends of the opening message, and every host that a party sends a request to. So proxies and all
 * legs with the same Call-ID are parties; a stranger who sends to them is not. calltap reads the parties from the kept rows
 * when a dialog has many of them.
 */

import { sourcePrefix } from '../../core/ip.ts';
import { dropOldest } from '../../core/maps.ts';
import type { Packet } from '../../sources/packet.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { DialogRoom } from '../../store/dialogs/dialog-room.ts';
import type { MessageLog } from '../../store/messages/message-log.ts';
import { NO_ROW, ROW } from '../../store/messages/message-rows.ts';

/** Parties known of one dialog. @cap */
const MAX_DIALOG_PARTIES = 16;

/**
 * Dialogs whose parties are remembered, some 300 bytes each.
 *
 * @cap memory 1 MiB: dialogs of many messages whose parties are remembered
 */
export const DIALOGS_WITH_PARTIES = 1_024;

export class DialogParties {
  readonly #log: MessageLog;
  readonly #room: DialogRoom;
  /** Prefixes of the parties, by serial number of the dialog; of more dialogs they are read again. */
  readonly #known = new Map<number, number[]>();

  constructor(log: MessageLog, room: DialogRoom) {
    this.#log = log;
    this.#room = room;
  }

  /** Whether a party sends this message. */
  hasSent(d: Dialog, c: Packet, isRequest: boolean): boolean {
    const parties = this.#known.get(d.serial) ?? this.#read(d);
    const isParty = parties.includes(sourcePrefix(c.addresses, c.srcOff, c.ipVersion));
    if (isParty && isRequest) add(parties, sourcePrefix(c.addresses, c.dstOff, c.ipVersion));
    return isParty;
  }

  #read(d: Dialog): number[] {
    const log = this.#log;
    const parties = [this.#room.opener(d.slot), this.#room.peer(d.slot)];
    let origins = 0;
    for (let row = d.headRow; row !== NO_ROW && log.has(row); row = log.next(row)) {
      const { bytes, srcOff, dstOff } = log.endpoints(row);
      const flags = log.flags(row);
      const version = (flags & ROW.IPV6) === 0 ? 4 : 6;
      const src = sourcePrefix(bytes, srcOff, version);
      // A mirror may tell other addresses than the wire: what it tells first is the opening message too.
      const isOpening = origins !== 0 && (origins & (1 << log.origin(row))) === 0;
      origins |= 1 << log.origin(row);
      if (isOpening) add(parties, src);
      if (isOpening || ((flags & ROW.REQUEST) !== 0 && parties.includes(src)))
        add(parties, sourcePrefix(bytes, dstOff, version));
    }
    if (this.#known.size >= DIALOGS_WITH_PARTIES) dropOldest(this.#known);
    this.#known.set(d.serial, parties);
    return parties;
  }
}

function add(parties: number[], prefix: number): void {
  if (parties.length < MAX_DIALOG_PARTIES && !parties.includes(prefix)) parties.push(prefix);
}
