/**
 * The a= lines that calls are understood by (RFC 8866 6; RFC 3605 rtcp, RFC 5761 rtcp-mux, RFC 8839 ICE, RFC 4568
 * crypto, RFC 5576 ssrc). Others are skipped. Attribute names are case-sensitive.
 */

import { encodingName } from './codecs.ts';
import { Field, indexIn, isText, numberAt, wordText } from './fields.ts';
import type { Direction, MediaSection, SdpCandidate, SessionSection } from './model.ts';
import { SDP_NOTE } from './notes.ts';

/** Milliseconds of a packet time that SDP may name. @cap */
const MAX_PTIME_MS = 10_000;

/** Bytes of a crypto suite, and of its key identifier. @cap */
const MAX_SUITE_BYTES = 32;
const MAX_MKI_BYTES = 128;

/** Groups of m= sections that share a socket (RFC 9143). @cap */
const MAX_BUNDLES = 16;

/** Of one m= section: formats and rtpmaps, ICE candidates, crypto lines, sources. @cap */
export const MAX_FORMATS = 64;
export const MAX_CANDIDATES = 32;
const MAX_CRYPTO = 16;
const MAX_SSRCS = 16;

/** Bytes of an address, a host name, an ICE user fragment (RFC 8839 section 5.4). @cap */
export const MAX_ADDRESS_BYTES = 256;

const COLON = 0x3a;
const SLASH = 0x2f;
const LAST_UINT32 = 0xffff_ffff;
const SEMICOLON = 0x3b;
const BAR = 0x7c;

/** Bytes behind each SRTP payload by suite: RFC 4568 6.2, RFC 5669 5, RFC 6188 7, RFC 7714 14; the names of old drafts too. */
const AUTH_BYTES: ReadonlyMap<string, number> = new Map([
  ['AES_CM_128_HMAC_SHA1_80', 10],
  ['AES_CM_128_HMAC_SHA1_32', 4],
  ['F8_128_HMAC_SHA1_80', 10],
  ['SEED_CTR_128_HMAC_SHA1_80', 10],
  ['SEED_128_CCM_80', 10],
  ['SEED_128_GCM_96', 12],
  ['AES_192_CM_HMAC_SHA1_80', 10],
  ['AES_192_CM_HMAC_SHA1_32', 4],
  ['AES_256_CM_HMAC_SHA1_80', 10],
  ['AES_256_CM_HMAC_SHA1_32', 4],
  ['AES_CM_192_HMAC_SHA1_80', 10],
  ['AES_CM_192_HMAC_SHA1_32', 4],
  ['AES_CM_256_HMAC_SHA1_80', 10],
  ['AES_CM_256_HMAC_SHA1_32', 4],
  ['AEAD_AES_128_GCM', 16],
  ['AEAD_AES_256_GCM', 16],
  ['AEAD_AES_128_GCM_8', 8],
  ['AEAD_AES_256_GCM_8', 8],
]);

const field = new Field();

/** Takes the attribute at `start`..`end` into `media`, or into the session before the first m= line. */
export function readAttribute(
  bytes: Buffer,
  start: number,
  end: number,
  session: SessionSection,
  media: MediaSection | null,
): void {
  while (end > start && (bytes[end - 1] ?? 0) <= 32) end--;
  const colon = indexIn(bytes, start, end, COLON);
  const isRead =
    colon === end
      ? readProperty(bytes, start, end, session, media)
      : readValue(bytes, start, colon, end, session, media);
  if (!isRead) session.bad(SDP_NOTE.badAttribute);
}

/** a=<name>: directions and flags. */
function readProperty(
  bytes: Buffer,
  start: number,
  end: number,
  session: SessionSection,
  media: MediaSection | null,
): boolean {
  if (end - start === 11 && media !== null && isText(bytes, start, end, 'bundle-only')) media.isBundleOnly = true;
  if (end - start !== 8) return true;
  const direction = directionAt(bytes, start, end);
  if (direction !== null) (media ?? session).direction = direction;
  else if (media !== null && isText(bytes, start, end, 'rtcp-mux')) media.rtcpMux = true;
  return true;
}

function directionAt(bytes: Buffer, start: number, end: number): Direction | null {
  if (isText(bytes, start, end, 'sendrecv')) return 'sendrecv';
  if (isText(bytes, start, end, 'sendonly')) return 'sendonly';
  if (isText(bytes, start, end, 'recvonly')) return 'recvonly';
  return isText(bytes, start, end, 'inactive') ? 'inactive' : null;
}

/** a=<name>:<value>; false when the value cannot be read. */
function readValue(
  bytes: Buffer,
  start: number,
  colon: number,
  end: number,
  session: SessionSection,
  media: MediaSection | null,
): boolean {
  const p = colon + 1;
  const name = start;
  switch (colon - start) {
    case 3:
      if (media !== null && isText(bytes, name, colon, 'mid')) media.mid = bytes.toString('latin1', p, end);
      return true;
    case 4:
      if (media === null) return true;
      if (isText(bytes, name, colon, 'fmtp')) return readFmtp(bytes, p, end, media);
      if (isText(bytes, name, colon, 'rtcp')) return readRtcp(bytes, p, end, media);
      if (isText(bytes, name, colon, 'ssrc')) return readSsrc(bytes, p, end, session, media);
      return true;
    case 5:
      if (isText(bytes, name, colon, 'ptime')) return readPtime(bytes, p, end, media);
      if (isText(bytes, name, colon, 'group')) readGroup(bytes, p, end, session);
      return true;
    case 6:
      if (media === null) return true;
      if (isText(bytes, name, colon, 'rtpmap')) return readRtpmap(bytes, p, end, session, media);
      if (isText(bytes, name, colon, 'crypto')) return readCrypto(bytes, p, end, session, media);
      return true;
    case 8:
      if (media !== null && isText(bytes, name, colon, 'maxptime')) {
        const value = numberAt(bytes, p, end, MAX_PTIME_MS);
        if (value < 0) return false;
        media.maxPtimeMs = value;
      }
      return true;
    case 9:
      if (isText(bytes, name, colon, 'ice-ufrag'))
        (media ?? session).iceUfrag = bytes.toString('latin1', p, Math.min(end, p + MAX_ADDRESS_BYTES));
      else if (media !== null && isText(bytes, name, colon, 'candidate')) {
        return readCandidate(bytes, p, end, session, media);
      }
      return true;
    case 11:
      if (isText(bytes, name, colon, 'fingerprint')) (media ?? session).hasFingerprint = true;
      return true;
    default:
      return true;
  }
}

/** rtpmap:<payload type> <encoding name>/<clock rate>[/<channels>] */
function readRtpmap(bytes: Buffer, p: number, end: number, session: SessionSection, media: MediaSection): boolean {
  if (!field.next(bytes, p, end)) return false;
  const payloadType = numberAt(bytes, field.start, field.end, 127);
  if (payloadType < 0 || !field.next(bytes, field.end, end)) return false;
  if (media.rtpmaps.length >= MAX_FORMATS) {
    session.notes |= SDP_NOTE.cappedFormats;
    return true;
  }
  const nameEnd = indexIn(bytes, field.start, field.end, SLASH);
  if (nameEnd === field.start) return false;
  const rateEnd = indexIn(bytes, nameEnd + 1, field.end, SLASH);
  const clockRate = numberAt(bytes, nameEnd + 1, rateEnd, LAST_UINT32);
  // `rtpmap:31 LPC` without a rate is in RFC 4475: the name still counts.
  const channels = rateEnd < field.end ? numberAt(bytes, rateEnd + 1, field.end, 255) : 1;
  media.rtpmaps.push({
    payloadType,
    name: encodingName(wordText(bytes, field.start, nameEnd)),
    clockRate: Math.max(clockRate, 0),
    channels: channels > 0 ? channels : 1,
  });
  return clockRate > 0 && channels > 0;
}

/** fmtp:<format> <parameters> */
function readFmtp(bytes: Buffer, p: number, end: number, media: MediaSection): boolean {
  if (!field.next(bytes, p, end)) return false;
  const payloadType = numberAt(bytes, field.start, field.end, 127);
  if (payloadType < 0) return true;
  const text = field.next(bytes, field.end, end) ? bytes.toString('latin1', field.start, end) : '';
  media.setFmtp(payloadType, text);
  return true;
}

/** rtcp:<port> [IN IP4 <address>] */
function readRtcp(bytes: Buffer, p: number, end: number, media: MediaSection): boolean {
  if (!field.next(bytes, p, end)) return false;
  const port = numberAt(bytes, field.start, field.end, 65_535);
  if (port < 0) return false;
  media.rtcpPort = port;
  if (!field.next(bytes, field.end, end)) return true;
  if (!field.next(bytes, field.end, end) || !field.next(bytes, field.end, end)) return false;
  media.rtcpAddress = bytes.toString('latin1', field.start, Math.min(field.end, field.start + MAX_ADDRESS_BYTES));
  return true;
}

/** ssrc:<id> <attribute>...: one source has several lines. */
function readSsrc(bytes: Buffer, p: number, end: number, session: SessionSection, media: MediaSection): boolean {
  if (!field.next(bytes, p, end)) return false;
  const ssrc = numberAt(bytes, field.start, field.end, LAST_UINT32);
  if (ssrc < 0) return false;
  if (media.ssrcs.includes(ssrc)) return true;
  if (media.ssrcs.length >= MAX_SSRCS) session.notes |= SDP_NOTE.cappedAttributes;
  else media.ssrcs = [...media.ssrcs, ssrc];
  return true;
}

/** ptime:<milliseconds>; a fraction, as old senders wrote, is cut off. At session level it has no defined meaning. */
function readPtime(bytes: Buffer, p: number, end: number, media: MediaSection | null): boolean {
  const value = numberAt(bytes, p, indexIn(bytes, p, end, 0x2e), MAX_PTIME_MS);
  if (value <= 0) return false;
  if (media !== null) media.ptimeMs = value;
  return true;
}

/** group:BUNDLE <mid>... */
function readGroup(bytes: Buffer, p: number, end: number, session: SessionSection): void {
  if (!field.next(bytes, p, end) || !isText(bytes, field.start, field.end, 'BUNDLE')) return;
  const mids: string[] = [];
  while (mids.length < MAX_FORMATS && field.next(bytes, field.end, end)) {
    mids.push(wordText(bytes, field.start, field.end));
  }
  if (session.bundles.length >= MAX_BUNDLES) session.notes |= SDP_NOTE.cappedAttributes;
  else session.bundles = [...session.bundles, mids];
}

/**
 * crypto:<tag> <suite> inline:<key>[|<lifetime>][|<MKI>:<length>][;...] [<session parameter>...]: the suite and lengths are
 * all that leaves this function.
 */
function readCrypto(bytes: Buffer, p: number, end: number, session: SessionSection, media: MediaSection): boolean {
  if (!field.next(bytes, p, end)) return false;
  const tag = numberAt(bytes, field.start, field.end, LAST_UINT32);
  if (!field.next(bytes, field.end, end)) return false;
  // A line without a suite has the key in its place; a suite is a short word (RFC 4568 9.1).
  if (!isSuite(bytes, field.start, field.end)) return false;
  if (media.cryptoSuites.length >= MAX_CRYPTO) {
    session.notes |= SDP_NOTE.cappedAttributes;
    return true;
  }
  const suite = bytes.toString('latin1', field.start, field.end);
  let mkiBytes = 0;
  if (field.next(bytes, field.end, end)) mkiBytes = mkiLength(bytes, field.start, field.end);
  let authBytes = AUTH_BYTES.get(suite.toUpperCase()) ?? null;
  while (field.next(bytes, field.end, end))
    if (isText(bytes, field.start, field.end, 'UNAUTHENTICATED_SRTP')) authBytes = 0;
  media.cryptoSuites = [...media.cryptoSuites, suite];
  media.crypto = [...media.crypto, { tag, authBytes, mkiBytes }];
  return true;
}

/** Length of the MKI that the first key of the parameters names; 0 without one. All keys of a line have the same length. */
function mkiLength(bytes: Buffer, start: number, end: number): number {
  const stop = indexIn(bytes, start, end, SEMICOLON);
  for (let bar = indexIn(bytes, start, stop, BAR); bar < stop; bar = indexIn(bytes, bar + 1, stop, BAR)) {
    const part = indexIn(bytes, bar + 1, stop, BAR);
    const colon = indexIn(bytes, bar + 1, part, COLON);
    if (colon < part) return Math.max(0, numberAt(bytes, colon + 1, part, MAX_MKI_BYTES));
  }
  return 0;
}

/** Letters, digits and underscores, and shorter than any key. */
function isSuite(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > MAX_SUITE_BYTES) return false;
  for (let p = start; p < end; p++) {
    const c = bytes[p] ?? 0;
    const lower = c | 0x20;
    if (!(lower >= 0x61 && lower <= 0x7a) && !(c >= 0x30 && c <= 0x39) && c !== 0x5f) return false;
  }
  return true;
}

/** candidate:<foundation> <component> <transport> <priority> <address> <port> typ <type> ... */
function readCandidate(bytes: Buffer, p: number, end: number, session: SessionSection, media: MediaSection): boolean {
  if (media.candidates.length >= MAX_CANDIDATES) {
    session.notes |= SDP_NOTE.cappedCandidates;
    return true;
  }
  const candidate = candidateAt(bytes, p, end);
  if (candidate === null) return false;
  media.candidates = [...media.candidates, candidate];
  return true;
}

function candidateAt(bytes: Buffer, p: number, end: number): SdpCandidate | null {
  if (!field.next(bytes, p, end) || !field.next(bytes, field.end, end)) return null;
  const component = numberAt(bytes, field.start, field.end, 256);
  if (component < 0 || !field.next(bytes, field.end, end)) return null;
  const transport = wordText(bytes, field.start, field.end).toLowerCase();
  if (!field.next(bytes, field.end, end) || !field.next(bytes, field.end, end)) return null;
  const address = bytes.toString('latin1', field.start, Math.min(field.end, field.start + MAX_ADDRESS_BYTES));
  if (!field.next(bytes, field.end, end)) return null;
  const port = numberAt(bytes, field.start, field.end, 65_535);
  if (port < 0 || !field.next(bytes, field.end, end) || !isText(bytes, field.start, field.end, 'typ')) return null;
  if (!field.next(bytes, field.end, end)) return null;
  return { address, port, component, type: wordText(bytes, field.start, field.end), transport };
}
