/** What the rules about session descriptions ask of a message and its call. */

import { STATIC_PAYLOADS } from '../../core/payload-types.ts';
import type { RtpMap, Sdp, SdpMedia } from '../../protocols/sdp/model.ts';
import type { LintCall, LintMessage, LintRule } from './rule.ts';

/** The offer that this message answers on its hop: the SDP of its request, when the message is a response. */
export function offerOf(m: LintMessage, call: LintCall): Sdp | null {
  if (m.isRequest || m.sdp === null) return null;
  return call.requestOf(m)?.sdp ?? null;
}

/** Pairs of offered and answered media that the answer accepts. */
export function accepted(m: LintMessage, call: LintCall): [SdpMedia, SdpMedia][] {
  const offer = offerOf(m, call);
  if (offer === null || m.sdp === null) return [];
  return m.sdp.media.flatMap((answer, i): [SdpMedia, SdpMedia][] => {
    const offered = offer.media[i];
    return offered !== undefined && answer.isActive && offered.isActive ? [[offered, answer]] : [];
  });
}

/** The a=rtpmap of each format that has one; of several the first. */
export function mapsOf(media: SdpMedia): ReadonlyMap<string, RtpMap> {
  const maps = new Map<string, RtpMap>();
  for (const map of media.rtpmaps) if (!maps.has(String(map.payloadType))) maps.set(String(map.payloadType), map);
  return maps;
}

/** Names of the encodings a media description lists, in lower case. */
export function encodings(media: SdpMedia): Set<string> {
  const mapped = mapsOf(media);
  return new Set(
    media.formats.flatMap((format) => {
      const name = mapped.get(format)?.name ?? STATIC_PAYLOADS.get(Number(format))?.name;
      return name === undefined ? [] : [name.toLowerCase()];
    }),
  );
}

export function isRtp(media: SdpMedia): boolean {
  return /(^|\/)RTP\//.test(media.proto);
}

/** The SDP that the sender of `m` sent before it on this hop, in the same dialog. */
export function before(m: LintMessage, call: LintCall): LintMessage | undefined {
  return call.messages.findLast(
    (o) =>
      o.index < m.index && o.sdp !== null && o.src === m.src && o.dst === m.dst && o.sdp.sessionId === m.sdp?.sessionId,
  );
}

export function bodyText(m: LintMessage): string {
  return Buffer.from(m.sip.body).toString('latin1');
}

/** A rule that looks at each media description of an SDP. */
export function eachMedia(test: (media: SdpMedia, i: number) => string | null): LintRule['check'] {
  return (m) => {
    for (const [i, media] of (m.sdp?.media ?? []).entries()) {
      const found = test(media, i);
      if (found !== null) return found;
    }
    return null;
  };
}
