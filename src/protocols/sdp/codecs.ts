/** Names of what a media section offers (RFC 8866 6.6; static types: RFC 3551 6). */

import { STATIC_PAYLOADS } from '../../core/payload-types.ts';
import type { RtpMap, SdpMedia } from './model.ts';

/**
 * How encoding names of RTP payload formats are written.
 *
 * Names are case-insensitive (RFC 8866 section 6.6), and peers write `pcma` and `OPUS`. Documents show one spelling, that
 * of the registry of RTP payload format media types (IANA, RFC 4855), so that a filter and a count find all of them.
 */
const REGISTERED = `
  AMR AMR-WB amr-wb+ BV16 BV32 clearmode CN DVI4 EVRC EVRC0 EVRC1 EVRCB EVRCB0 EVRCWB EVRCNW EVS G711-0 G719 G722 G7221
  G723 G726-16 G726-24 G726-32 G726-40 G728 G729 G7291 G729D G729E GSM GSM-EFR GSM-HR-08 iLBC L8 L16 L20 L24 LPC
  MELP2400 MP4A-LATM MPA mpeg4-generic opus parityfec flexfec PCMA PCMA-WB PCMU PCMU-WB QCELP RED rtx SMV speex
  t140 t140c telephone-event TETRA_ACELP tone ulpfec VDVI VMR-WB vorbis
  AV1 CelB H261 H263 H263-1998 H263-2000 H264 H264-SVC H265 H266 JPEG jpeg2000 MP2T MP4V-ES MPV nv raw VP8 VP9
`;

const SPELLING: ReadonlyMap<string, string> = new Map(
  REGISTERED.trim()
    .split(/\s+/)
    .map((name) => [name.toLowerCase(), name]),
);

/** The registry's spelling of an encoding name; a name that is not there as it was written. */
export function encodingName(written: string): string {
  return SPELLING.get(written.toLowerCase()) ?? written;
}

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
