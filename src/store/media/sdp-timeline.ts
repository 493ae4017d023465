/**
 * Offers and answers of a dialog in order, and what each changed (RFC 3264, RFC 6337).
 */

import type { EndpointKey } from '../../core/ip.ts';
import type { SdpCrypto } from '../../protocols/sdp/model.ts';
import type { CodecSet } from './codec-set.ts';

export type MediaMode = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';
export type SdpEvent = 'hold' | 'resume' | 'codec_change' | 'media_anchor_change' | 't38_switch' | 'transfer';

/** One media description that RTP may follow: what diagnosis compares with what was sent. */
export type SdpMediaLine = {
  readonly type: string;
  /** As written: RTP/AVP, udptl, TCP/BFCP. */
  readonly proto: string;
  readonly address: string | null;
  readonly port: number;
  readonly mode: MediaMode;
  readonly isRtp: boolean;
  readonly codecs: CodecSet;
  /** Lines of a=crypto; absent where it is missing. */
  readonly crypto?: readonly SdpCrypto[];
};

/** What a description says. */
export type SdpDescription = {
  readonly codecs: CodecSet;
  readonly mode: MediaMode;
  readonly address: string | null;
  readonly port: number | null;
  readonly hasT38: boolean;
  readonly media: readonly SdpMediaLine[];
};

/** Who said it when, and what it came to. */
export type SdpOccasion = {
  /** Moves when a better source delivers the same message. */
  readonly tsUs: number;
  /** May be known only when the other side has described. */
  readonly isOffer: boolean;
  /** 0: the side that opened the dialog, 1: the other. */
  readonly side: number;
  /** Socket that sent the message: tells the hops apart on which one exchange is seen. */
  readonly sender: EndpointKey;
  /** The message went to an address that is not private. */
  readonly toPublicPeer: boolean;
  readonly event: SdpEvent | null;
  /** Of a re-INVITE or UPDATE that was refused: the media stays as it was (RFC 3261 section 14.1). */
  readonly isRefused: boolean;
};

export type SdpEntry = SdpDescription & SdpOccasion;

/** What may run at an endpoint that somebody claimed. */
export type ClaimedMedia = {
  readonly codecs: CodecSet;
  /** Media type of the m= line: audio, video... '' where sections of several types may run there. */
  readonly mediaType: string;
  /** The media is encrypted (RFC 3711, whoever gave the keys). */
  readonly isSrtp: boolean;
  /** Which m= line names it, counted from 0: all descriptions of a call keep their order (RFC 3264 section 8). */
  readonly line: number;
  /** All sections whose media may run there, where that is more than one (claimed-sections.ts). */
  readonly sections?: readonly ClaimedMedia[];
  /** No SDP named the endpoint: it is the socket after a relayed or mapped address, or ICE chose it. */
  readonly derived?: 'relay' | 'mapped' | 'ice';
};

/** What all audio lines with the same text have in common. */
export type SdpShape = ClaimedMedia & {
  readonly mode: MediaMode;
  readonly isRtp: boolean;
  readonly proto: string;
};

/** RFC 3264 section 8.4 keeps the older way of a hold: c=0.0.0.0. */
export function isNowhere(address: string | null): boolean {
  return address === null || address === '0.0.0.0' || address === '::';
}

function isHeld(mode: MediaMode, address: string | null): boolean {
  return mode === 'sendonly' || mode === 'inactive' || (address !== null && isNowhere(address));
}

/** Codecs that carry no speech of their own. */
function primaryCodec(set: CodecSet): string | undefined {
  return set.names.find((n) => n !== 'telephone-event' && n !== 'CN')?.toLowerCase();
}

/** What `now` changed against the same side's last description; null when it is nothing that has a name. */
export function sdpEvent(last: SdpDescription, now: SdpDescription, isTransferring: boolean): SdpEvent | null {
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
