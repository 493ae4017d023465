/** What other parts of a capture tell about media that a call lacks: its other legs, and the tap that brought the rest. */

import { endpointKeyPort } from '../../core/ip.ts';
import { MAX_LINKED_LEGS, MAX_LINKED_MESSAGES, MAX_LINKED_STREAMS } from '../../core/item-limits.ts';
import { emptyPacket } from '../../sources/packet.ts';
import { CallIdentifiers } from '../../store/dialogs/call-identifiers.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { Stream } from '../../store/media/stream.ts';
import { ROW } from '../../store/messages/message-rows.ts';
import type { Identifiers, Stores, Streams } from '../../store/stores.ts';
import { messagesOf } from '../call-messages.ts';
import type { CorrelationStores, Leg } from '../correlation.ts';
import { identifierLegs, isTransfer } from '../correlation.ts';

const LATER_US = 1_000_000;

/** Ties calls together for what a single one lacks. */
export class LinkedLegs {
  readonly #stores: Stores;
  readonly #callIdHeaders: readonly string[];
  readonly #records: () => number;
  /** Made of the messages that are kept, where nothing indexed them as they came; of so many records. */
  #late: { readonly identifiers: Identifiers; readonly records: number } | null = null;

  constructor(stores: Stores, callIdHeaders: readonly string[], records: () => number) {
    this.#stores = stores;
    this.#callIdHeaders = callIdHeaders;
    this.#records = records;
  }

  /** Call-ID of a leg that an identifier ties to the call, straight or through others, and that has media; or null. */
  withMedia(d: Dialog): string | null {
    const { streams } = this.#stores;
    const stores = this.ties();
    const legs = new Set([d]);
    for (const leg of legs) {
      if (leg !== d && hasMediaDuring(streams, leg, d)) return leg.callId;
      for (const tied of identifierLegs(leg, stores, MAX_LINKED_LEGS))
        if (legs.size < MAX_LINKED_LEGS && isSameCall(leg, tied)) legs.add(tied.dialog);
    }
    return null;
  }

  /** What ties calls, also where nothing indexed it. */
  ties(): CorrelationStores {
    const { dialogs, identifiers } = this.#stores;
    return { dialogs, identifiers: identifiers ?? this.#readAgain() };
  }

  #readAgain(): Identifiers {
    const records = this.#records();
    if (this.#late?.records === records) return this.#late.identifiers;
    const identifiers = identifiersOf(this.#stores, this.#callIdHeaders);
    this.#late = { identifiers, records };
    return identifiers;
  }
}

function identifiersOf({ dialogs, log }: Stores, callIdHeaders: readonly string[]): Identifiers {
  const identifiers = new CallIdentifiers(callIdHeaders);
  for (const d of dialogs.oldestFirst())
    for (const m of messagesOf(d, log).slice(0, MAX_LINKED_MESSAGES)) {
      const text = m.read();
      if (text === null) continue;
      const { bytes: addresses, ...ends } = log.endpoints(m.row);
      const ipVersion = (log.flags(m.row) & ROW.IPV6) === 0 ? 4 : 6;
      const carrier = { ...emptyPacket(addresses), ...ends, ipVersion, tsUs: m.tsUs };
      identifiers.onMessage(d, text.bytes, text.scan, carrier, m.index === 0);
    }
  return identifiers;
}

/** An o= line alone proves it only where the media ports are the same too. */
function isSameCall(d: Dialog, tied: Leg): boolean {
  if (isTransfer(tied)) return false;
  if (!tied.isByOrigin) return true;
  const ports = new Set(d.claimedKeys.map(endpointKeyPort));
  return tied.dialog.claimedKeys.some((key) => ports.has(endpointKeyPort(key)));
}

function hasMediaDuring(streams: Streams, leg: Dialog, d: Dialog): boolean {
  return streams
    .ownedBy(leg)
    .some((s) => mayBeAudio(s) && !(s.openedUs > d.endedUs) && streams.lastSeenUs(s) >= d.createdUs);
}

/** It is audio, or of a section that is open. */
function mayBeAudio({ claim }: Stream): boolean {
  return claim?.mediaType === 'audio' || claim?.mediaType === '';
}

/** The stream came from another file than the call's signaling, and nothing of that file came later. */
export function isTapOver(streams: Streams, d: Dialog, stream: Stream, atUs: number): boolean {
  const source = stream.frame?.source;
  if (source === undefined || d.frame === null || d.frame.source === source) return false;
  let left = MAX_LINKED_STREAMS;
  for (const s of streams.fromNewest()) {
    if (left-- === 0) return false;
    if (s.frame?.source === source && streams.lastSeenUs(s) > atUs + LATER_US) return false;
  }
  return true;
}
