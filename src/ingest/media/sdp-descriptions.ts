/**
 * A parsed description as the timeline and the claims take it: one line a media description, codec sets shared.
 */
import { STATIC_PAYLOADS } from '../../core/payload-types.ts';
import { codecNames } from '../../protocols/sdp/codecs.ts';
import type { Sdp, SdpMedia } from '../../protocols/sdp/model.ts';
import type { CodecFormat, CodecSet, CodecSets } from '../../store/media/codec-set.ts';
import type { SdpDescription, SdpMediaLine, SdpShape } from '../../store/media/sdp-timeline.ts';

export function mediaLines(sdp: Sdp, sets: CodecSets): SdpMediaLine[] {
  return sdp.media.map((m) => {
    const { connection, port } = m.isBundleOnly && m.port === 0 ? (leaderOf(m, sdp) ?? m) : m;
    return {
      type: m.type,
      proto: m.proto,
      address: connection?.address ?? null,
      port,
      mode: m.direction,
      isRtp: m.proto.startsWith('RTP/') || m.proto.includes('/RTP/'),
      codecs: sets.intern(codecKey(m), () => codecSet(m)),
      ...(m.crypto.length > 0 ? { crypto: m.crypto } : {}),
    };
  });
}

/** The section that gives a BUNDLE group its socket: the first of it that has a port (RFC 9143 section 7.2). */
function leaderOf({ mid }: SdpMedia, sdp: Sdp): SdpMedia | undefined {
  const mids = mid === null ? undefined : sdp.bundles.find((group) => group.includes(mid));
  return sdp.media.find((m) => m.mid !== null && m.port !== 0 && mids?.includes(m.mid) === true);
}

export function descriptionOf(lines: readonly SdpMediaLine[]): SdpDescription {
  const main = mainLine(lines);
  return {
    codecs: main?.codecs ?? EMPTY_CODECS,
    mode: main?.mode ?? 'sendrecv',
    address: main?.address ?? null,
    port: main === undefined ? null : main.port,
    hasT38: hasActiveImage(lines),
    media: lines,
  };
}

/** What the description has in common with others of the same text; null when something of it belongs to one call. */
export function shapeOf(media: readonly SdpMedia[], lines: readonly SdpMediaLine[]): SdpShape | null {
  const m = media[0];
  const line = lines[0];
  if (m === undefined || line === undefined || media.length !== 1 || m.type !== 'audio' || m.hasOwnConnection)
    return null;
  const isOwn = m.rtcpPort !== null || m.candidates.length > 0 || m.cryptoSuites.length > 0 || m.ssrcs.length > 0;
  if (isOwn || m.iceUfrag !== null || m.hasFingerprint) return null;
  const { mode, isRtp, codecs, proto } = line;
  return { mode, isRtp, isSrtp: isSecure(m), codecs, mediaType: 'audio', line: 0, proto };
}

/** RTP/SAVP, RTP/SAVPF and UDP/TLS/RTP/SAVPF; keys offered for plain RTP may not be taken. */
export function isSecure(m: SdpMedia): boolean {
  return m.proto.includes('SAVP');
}

/** The line the timeline speaks of: the first active audio, else the first active one. */
function mainLine(lines: readonly SdpMediaLine[]): SdpMediaLine | undefined {
  let active: SdpMediaLine | undefined;
  for (const l of lines) {
    if (l.port === 0) continue;
    if (l.type === 'audio') return l;
    active ??= l;
  }
  return active ?? lines[0];
}

function hasActiveImage(lines: readonly SdpMediaLine[]): boolean {
  for (const l of lines) if (l.type === 'image' && l.port !== 0) return true;
  return false;
}

const EMPTY_CODECS: CodecSet = { names: [], formats: [] };

/** What makes two descriptions offer the same codecs. */
function codecKey(m: SdpMedia): string {
  let key = m.formats.join(' ');
  for (const r of m.rtpmaps) key += `,${r.payloadType}=${r.name}/${r.clockRate}`;
  for (const payloadType of m.fmtp.keys()) if (refusesAnnex(m, payloadType)) key += `,${payloadType}!`;
  return key;
}

/** Codecs with silence suppression of their own, which is on where nobody says otherwise. */
const WITH_ANNEX: ReadonlySet<string> = new Set(['G729', 'G723']);

function refusesAnnex(m: SdpMedia, payloadType: number): boolean {
  return /\bannex[ab]\s*=\s*no\b/i.test(m.fmtp.get(payloadType) ?? '');
}

function codecSet(m: SdpMedia): CodecSet {
  const formats: CodecFormat[] = [];
  const unexplained: number[] = [];
  for (const text of m.formats) {
    if (!/^[0-9]{1,3}$/.test(text)) continue;
    const payloadType = Number(text);
    const map = m.rtpmaps.find((r) => r.payloadType === payloadType);
    const known = map ?? STATIC_PAYLOADS.get(payloadType);
    if (known === undefined) {
      unexplained.push(payloadType);
      continue;
    }
    const { name, clockRate } = known;
    const maySuppress = WITH_ANNEX.has(name) && !refusesAnnex(m, payloadType);
    formats.push({ payloadType, name, clockRate, ...(maySuppress ? { maySuppress } : {}) });
  }
  return { names: codecNames(m), formats, ...(unexplained.length > 0 ? { unexplained } : {}) };
}
