/**
 * Video that nothing answers. It is a fact of the call and no fault: a camera may be off, or a screen be shown.
 */
import type { EndpointKey } from '../../core/ip.ts';
import { endpointKeyHost, endpointKeyText } from '../../core/ip.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { Stream } from '../../store/media/stream.ts';

/** Sentences about the video of a call. @cap */
const MEDIA_NOTES = 8;

/** Fewer packets are no video that somebody sees. */
const MIN_PACKETS = 10;

export type PlayedStream = { readonly stream: Stream; readonly packets: number; readonly codec: string | null };

/** Those whose host gets no video of the same m= line; none where a stream may be missing or be of another section. */
export function oneWayVideo<T extends PlayedStream>(d: Dialog, streams: readonly T[]): T[] {
  if ((d.marks & MARK.MEDIA_EVICTED) !== 0 || streams.some(({ stream }) => stream.claim?.mediaType === '')) return [];
  const video = streams.filter(({ stream }) => stream.claim?.mediaType === 'video');
  return video.filter(({ stream, packets }) => {
    if (packets < MIN_PACKETS) return false;
    const line = stream.claim?.line;
    return !video.some((other) => other.stream.claim?.line === line && isTo(other.stream, stream));
  });
}

/** `other` comes to where `stream` comes from. */
function isTo(other: Stream, stream: Stream): boolean {
  const isOneHost = endpointKeyHost(stream.srcKey) === endpointKeyHost(stream.dstKey);
  const place = (key: EndpointKey): EndpointKey => (isOneHost ? key : endpointKeyHost(key));
  return place(other.dstKey) === place(stream.srcKey);
}

/** One sentence a stream, with what was agreed. */
export function oneWayVideoNotes(d: Dialog, streams: readonly PlayedStream[]): string[] {
  return oneWayVideo(d, streams)
    .slice(0, MEDIA_NOTES)
    .map(({ stream, packets, codec }) => {
      const way = `${endpointKeyText(stream.srcKey)} sent ${packets} packets${codec === null ? '' : ` of ${codec}`}`;
      const agreed = isBothWays(d, stream.claim?.line ?? 0, stream.openedUs)
        ? 'Both sides agreed to both ways'
        : 'The descriptions agree to one way';
      return `Video ran one way: ${way} to ${endpointKeyText(stream.dstKey)}, and no video came back. ${agreed}.`;
    });
}

/** What both sides said last of the line before `atUs`, else first after it, allows both ways. */
function isBothWays(d: Dialog, line: number, atUs: number): boolean {
  return [0, 1].every((side) => {
    const said = (d.sdp ?? []).filter((e) => e.side === side && !e.isRefused && e.media[line] !== undefined);
    const entry = said.findLast((e) => e.tsUs <= atUs) ?? said[0];
    return entry?.media[line]?.mode === 'sendrecv';
  });
}
