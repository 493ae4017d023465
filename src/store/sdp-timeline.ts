/**
 * Offers and answers of a dialog in order, and what each changed (RFC 3264, RFC 6337).
 */

import type { EndpointKey } from '../core/ip.ts';
import { endpointKeyAddress } from '../core/ip.ts';
import type { CodecSet } from './codec-set.ts';

export type MediaMode = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';
export type SdpEvent = 'hold' | 'resume' | 'codec_change' | 'media_anchor_change' | 't38_switch' | 'transfer';

/** One media description that RTP may follow: what diagnosis compares with what was sent. */
export type SdpMediaLine = {
  readonly type: string;
  readonly address: string | null;
  readonly port: number;
  readonly mode: MediaMode;
  readonly isRtp: boolean;
  readonly codecs: CodecSet;
};

export type SdpEntry = {
  /** Moves when a better source delivers the same message. */
  tsUs: number;
  /** May be known only when the other side has described. */
  isOffer: boolean;
  /** 0: the side that opened the dialog, 1: the other. */
  readonly side: number;
  readonly codecs: CodecSet;
  readonly mode: MediaMode;
  readonly address: string | null;
  readonly port: number | null;
  readonly event: SdpEvent | null;
  /** Of a re-INVITE or UPDATE that was refused: the media stays as it was (RFC 3261 section 14.1). */
  isRefused: boolean;
  readonly hasT38: boolean;
  /** Socket that sent the message: tells the hops apart on which one exchange is seen. */
  readonly sender: EndpointKey;
  /** The message went to an address that is not private. */
  readonly toPublicPeer: boolean;
  readonly media: readonly SdpMediaLine[];
};

/** One transaction that carried SDP: decides what a body in its response, ACK or PRACK is. */
export type SdpTransaction = {
  readonly cseq: number;
  readonly method: number;
  /** The side that sent the request: both may count alike. */
  readonly requester: number;
  /** Entries before it. */
  readonly firstEntry: number;
  /** Of a re-INVITE or another request inside the dialog. */
  readonly isInDialog: boolean;
  /** The request carried an offer. */
  requestHadSdp: boolean;
  /** An offer stands in the response and waits for its answer in ACK or PRACK. */
  responseOffered: boolean;
  /** Who sent its first offer and its first answer; null while there is none. */
  offerSender: EndpointKey | null;
  answerSender: EndpointKey | null;
  /** Hashes of the bodies seen in requests and responses, 0 none: a repeat is not a new exchange. */
  firstBody: number;
  secondBody: number;
  moreBodies: number[] | null;
  /** The transaction before it. */
  older: SdpTransaction | null;
};

function isHeld(mode: MediaMode, address: string | null): boolean {
  // RFC 3264 section 8.4 keeps the older way: c=0.0.0.0.
  return mode === 'sendonly' || mode === 'inactive' || address === '0.0.0.0' || address === '::';
}

/** Codecs that carry no speech of their own. */
function primaryCodec(set: CodecSet): string | undefined {
  return set.names.find((n) => n !== 'telephone-event' && n !== 'CN')?.toLowerCase();
}

/**
 * What a side said last: as this sender sent it, else this sender's host, else anyone. A proxy with a relay sends the
 * same description with other addresses, which is no change of the call.
 */
export function lastOfSide(entries: readonly SdpEntry[], side: number, sender: EndpointKey): SdpEntry | null {
  let sameHost: SdpEntry | null = null;
  let any: SdpEntry | null = null;
  for (let i = entries.length - 1; i >= 0; i--) {
    const e = entries[i];
    if (e === undefined || e.side !== side || e.isRefused) continue;
    if (e.sender === sender) return e;
    any ??= e;
    if (sameHost === null && endpointKeyAddress(e.sender) === endpointKeyAddress(sender)) sameHost = e;
  }
  return sameHost ?? any;
}

/** What `now` changed against the same side's last description; null when it is nothing that has a name. */
export function sdpEvent(last: SdpEntry, now: SdpEntry, isTransferring: boolean): SdpEvent | null {
  if (now.hasT38 && !last.hasT38) return 't38_switch';
  const wasHeld = isHeld(last.mode, last.address);
  const nowHeld = isHeld(now.mode, now.address);
  if (nowHeld && !wasHeld) return 'hold';
  if (wasHeld && !nowHeld) return 'resume';
  const moved = now.address !== last.address || now.port !== last.port;
  if (moved && now.port !== null && last.port !== null) return isTransferring ? 'transfer' : 'media_anchor_change';
  const before = primaryCodec(last.codecs);
  const after = primaryCodec(now.codecs);
  return before !== undefined && after !== undefined && before !== after ? 'codec_change' : null;
}
