/** Names of what a media section offers (RFC 8866 6.6; static types: RFC 3551 6). */

import { STATIC_PAYLOADS } from '../../core/payload-types.ts';
import type { RtpMap, SdpMedia } from './model.ts';

/** The codec of a payload type in this section: its rtpmap, else the static assignment. */
export function codecOf(media: SdpMedia, payloadType: number): RtpMap | null {
  for (const map of media.rtpmaps) if (map.payloadType === payloadType) return map;
  const fixed = STATIC_PAYLOADS.get(payloadType);
  return fixed === undefined ? null : { payloadType, ...fixed };
}

/**
 * One name for each format, in the order of the m= line, telephone-event and CN included. A format that nothing
 * names (a dynamic type without rtpmap, `t38`) stands for itself.
 */
export function codecNames(media: SdpMedia): string[] {
  const isRtp = media.proto.toUpperCase().includes('RTP/');
  return media.formats.map((format) => {
    if (!isRtp || format === '' || format.length > 3) return format;
    const payloadType = Number(format);
    return Number.isInteger(payloadType) ? (codecOf(media, payloadType)?.name ?? format) : format;
  });
}
