/**
 * Two sources behind one socket that share an SSRC: they look like one stream. The native table counts packets of the second
 * one as `others`: each follows the one before it, off the sequence of the first, with timestamps of another clock.
 */
import type { StreamSnapshot } from '../protocols/rtp/stream-snapshot.ts';
import { packetMs } from '../protocols/rtp/stream-snapshot.ts';
import { streamFormat } from '../store/media/codec-format.ts';
import type { Stream } from '../store/media/stream.ts';

/** From so many seconds on they are no accident. */
const LEAST_SEC = 3;
/** What is no audio of its own: RFC 4733, 3389, 2198, 5109, 8627 and 4588. It may have numbers of its own. */
const ASIDE = new Set(['telephone-event', 'cn', 'red', 'ulpfec', 'parityfec', 'flexfec', 'flexfec-03', 'rtx']);
/** Packet time where the timestamps did not tell it (RFC 3551 section 4.2). */
export const DEFAULT_PACKET_MS = 20;
/** So much of it is too little to be a second source. */
const MOST_ASIDE = 0.05;

/** What a receiver makes of both has no score. */
export function isMixed(stream: Stream, s: StreamSnapshot, clockRate: number | null): boolean {
  return s.others > 0 && s.others * mixedPacketMs(s, clockRate) >= LEAST_SEC * 1000 && isAllAudio(stream, s);
}

/** Arrivals do not tell it of two. */
function mixedPacketMs(s: StreamSnapshot, clockRate: number | null): number {
  return s.tsStep > 0 ? packetMs(s, clockRate) : DEFAULT_PACKET_MS;
}

export type Carried = {
  readonly packets: number;
  readonly payloadTypes: readonly { readonly payloadType: number; readonly packets: number }[];
};

export function isAllAudio(stream: Stream, { payloadTypes, packets }: Carried): boolean {
  let audio = 0;
  for (const { payloadType, packets: of } of payloadTypes) {
    const name = streamFormat(stream, payloadType)?.name.toLowerCase();
    if (name !== undefined && !ASIDE.has(name)) audio += of;
  }
  return audio >= packets * (1 - MOST_ASIDE);
}
