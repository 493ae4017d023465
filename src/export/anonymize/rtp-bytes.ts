/**
 * Takes what was said out of an RTP packet (RFC 3550 §5.1), in place: the payload becomes silence of the same codec and length,
 * header extensions and contributors become zero. Sequence, timestamp, SSRC and payload type stay.
 *
 * Silence of G.711 has two octets, the zeros of either sign. A packet that held sound gets them in turns, one that held a single
 * octet all along keeps it: so that a side that sent digital silence is the one that still does (native/rtp/rtp_sound.h).
 */
const HEADER = 12;
const PCMU = 0;
const PCMA = 8;
const FIRST_DYNAMIC = 96;
/** Octets at both ends of a payload that say whether it is one octet all along. */
const ENDS = 16;

/** What descriptions said of a dynamic payload type. */
export const PAYLOAD_KIND = { UNKNOWN: 0, EVENT: 1, OTHER: 2, BOTH: 3 } as const;

/** Whether [start, end) is an RTP packet whose last `missing` bytes were cut off. */
export function isRtp(b: Uint8Array, start: number, end: number, missing: number): boolean {
  if (end - start < HEADER || (b[start] ?? 0) >> 6 !== 2) return false;
  return headerBytes(b, start, end) <= end - start + missing;
}

/** With contributors and header extension. */
function headerBytes(b: Uint8Array, start: number, end: number): number {
  const first = b[start] ?? 0;
  let size = HEADER + (first & 15) * 4;
  if ((first & 0x10) === 0) return size;
  if (end - start >= size + 4) size += (((b[start + size + 2] ?? 0) << 8) | (b[start + size + 3] ?? 0)) * 4;
  return size + 4;
}

/** `kinds` by payload type: PAYLOAD_KIND. `isCut`: the end of the packet was not captured. */
export function silenceRtp(
  b: Uint8Array,
  start: number,
  end: number,
  isCut: boolean,
  keepsAudio: boolean,
  kinds: Uint8Array,
): void {
  const first = b[start] ?? 0;
  const type = (b[start + 1] ?? 0) & 0x7f;
  const size = headerBytes(b, start, end);
  if (size > HEADER) zeroHeader(b, start, end, (first & 15) * 4, size);
  const at = start + size;
  if (at >= end) return;
  const padding = (first & 0x20) !== 0 && !isCut ? (b[end - 1] ?? 0) : 0;
  if (isEvent(b, at, end - padding, type, kinds)) {
    // The event is a digit of somebody's PIN; its end, volume and duration are timing.
    for (let i = at; i + 3 < end - padding; i += 4) b[i] = 0;
  } else if (!keepsAudio) {
    silence(b, at, end, type);
  } else if (padding > 0 && padding <= end - at) {
    b.fill(0, end - padding, end);
  }
  if (padding > 0) b[end - 1] = padding;
}

/** NaN where the packet is none that swapSilence() can silence. */
export const NOT_PLAIN = Number.NaN;

/**
 * The same for what nearly all packets are: no contributors, extension nor padding, of a codec that is no event. `words` is the
 * memory of `b`, whose packet begins two bytes after one of them. By how much the sum of the packet grew.
 */
export function silencePlainRtp(
  b: Uint8Array,
  words: Uint32Array,
  start: number,
  end: number,
  kinds: Uint8Array,
): number {
  const type = (b[start + 1] ?? 0) & 0x7f;
  const at = start + HEADER;
  if (b[start] !== 0x80 || (start & 3) !== 2 || end - at < 2 * ENDS || isEvent(b, at, end, type, kinds))
    return NOT_PLAIN;
  const isG711 = type === PCMU || type === PCMA;
  if (isG711 && isOneOctet(b, at, end)) return 0;
  const silent = type === PCMU ? 0x7fff_7fff : type === PCMA ? 0x55d5_55d5 : 0;
  const half = silent & 0xffff;
  let before = (b[at] ?? 0) | ((b[at + 1] ?? 0) << 8);
  b[at] = half & 0xff;
  b[at + 1] = half >>> 8;
  const last = (end - 4) >>> 2;
  let i = (at + 2) >>> 2;
  let halves = 1;
  for (; i <= last; i++) {
    const word = words[i] ?? 0;
    before += (word & 0xffff) + (word >>> 16);
    words[i] = silent;
    halves += 2;
  }
  for (let rest = i << 2; rest < end; rest++) {
    before += (b[rest] ?? 0) << ((rest & 1) * 8);
    const octet = (rest & 1) === 0 ? half & 0xff : half >>> 8;
    before -= octet << ((rest & 1) * 8);
    b[rest] = octet;
  }
  // Summed by the lower byte first: the other order is the same sum turned round (RFC 1071 §2).
  const grown = (halves * half - before) % 0xffff;
  const folded = grown < 0 ? grown + 0xffff : grown;
  return ((folded & 0xff) << 8) | (folded >>> 8);
}

function zeroHeader(b: Uint8Array, start: number, end: number, contributors: number, size: number): void {
  const at = start + HEADER;
  b.fill(0, at, Math.min(end, at + contributors));
  // What the profile of the extension is, and how long, stays.
  if (start + size > at + contributors + 4)
    b.fill(0, Math.min(end, at + contributors + 4), Math.min(end, start + size));
}

function isEvent(b: Uint8Array, at: number, end: number, type: number, kinds: Uint8Array): boolean {
  const length = end - at;
  if (type < FIRST_DYNAMIC || length < 4 || length > 64 || (length & 3) !== 0) return false;
  const kind = kinds[type];
  if (kind === PAYLOAD_KIND.OTHER) return false;
  if (kind === PAYLOAD_KIND.EVENT) return true;
  // | event 8 | end 1 | reserved 1 | volume 6 | duration 16 |   RFC 4733 §2.3
  return length === 4 && (b[at] ?? 0) < 16 && ((b[at + 1] ?? 0) & 0x40) === 0;
}

function silence(b: Uint8Array, at: number, end: number, type: number): void {
  const isG711 = type === PCMU || type === PCMA;
  if (isG711 && isOneOctet(b, at, end)) b.fill(b[at] ?? 0, at, end);
  else if (!isG711) b.fill(0, at, end);
  else {
    const plus = type === PCMU ? 0xff : 0xd5;
    let i = at;
    for (; i + 1 < end; i += 2) {
      b[i] = plus;
      b[i + 1] = plus ^ 0x80;
    }
    if (i < end) b[i] = plus;
  }
}

function isOneOctet(b: Uint8Array, at: number, end: number): boolean {
  const octet = b[at];
  if (end - at < ENDS || b[at + 1] !== octet) return false;
  for (let i = 1; i < ENDS; i++) if (b[at + i] !== octet || b[end - 1 - i] !== octet) return false;
  return b[end - 1] === octet;
}
