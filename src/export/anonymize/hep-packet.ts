/**
 * HEP packets (versions 1 to 3), rewritten: addresses, payload and correlation replaced, the key of the sender taken out. What
 * carries anything but SIP, RTP or RTCP is left out: reports in JSON name their calls in too many ways.
 */
import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import * as CHUNK from '../../decode/hep/chunks.ts';
import type { Walk } from './walk.ts';

const HEADER = 6;
const SIP = 1;
const LEGACY_SIZES = new Map([
  [2, 16],
  [10, 40],
]);
/** Bytes that a compressed payload may unpack to. @cap */
const MAX_UNPACKED_BYTES = 256 * 1024;

/** Chunks that hold numbers alone. */
const KEPT = new Set<number>([
  ...[CHUNK.FAMILY, CHUNK.PROTOCOL, CHUNK.SRC_PORT, CHUNK.DST_PORT, CHUNK.SECONDS, CHUNK.MICROSECONDS],
  ...[CHUNK.TYPE, CHUNK.AGENT, CHUNK.VLAN, CHUNK.TCP_FLAGS, CHUNK.TOS],
]);

export function isHep(b: Buffer, at: number, end: number): boolean {
  if (end - at < 8) return false;
  const word = b.toString('latin1', at, at + 4);
  if (word === 'HEP3' || word === 'EEP3') return true;
  const version = b[at] ?? 0;
  return (version === 1 || version === 2) && LEGACY_SIZES.get(b[at + 2] ?? 0) === b[at + 1];
}

export function rewriteHep(w: Walk, at: number, end: number): number {
  if ((w.b[at] ?? 0) < 3) return rewriteLegacy(w, at, end);
  const total = w.be16(at + 4);
  if (total > end - at) return w.leave('cut_short');
  const packet = Buffer.from(w.b.subarray(at, at + total));
  const parts = chunksOf(packet);
  const cleaned = parts === null ? null : cleanChunks(w, parts);
  if (cleaned === null) return w.leave(parts === null ? 'malformed' : 'content');
  const out = Buffer.concat([packet.subarray(0, HEADER), ...cleaned]);
  if (out.length > 0xffff) return w.leave('too_long');
  out.writeUInt16BE(out.length, 4);
  return w.replace(at, end, out);
}

type Chunk = { readonly vendor: number; readonly type: number; readonly whole: Buffer; readonly value: Buffer };

/** Null where their lengths do not hold. */
function chunksOf(packet: Buffer): Chunk[] | null {
  const chunks: Chunk[] = [];
  for (let at = HEADER; at < packet.length; ) {
    if (packet.length - at < CHUNK.CHUNK_HEADER_BYTES) return null;
    const length = packet.readUInt16BE(at + 4);
    if (length < CHUNK.CHUNK_HEADER_BYTES || length > packet.length - at) return null;
    const whole = packet.subarray(at, at + length);
    const value = whole.subarray(CHUNK.CHUNK_HEADER_BYTES);
    chunks.push({ vendor: packet.readUInt16BE(at), type: packet.readUInt16BE(at + 2), whole, value });
    at += length;
  }
  return chunks;
}

/** Null where the payload is nothing that can be replaced. */
function cleanChunks(w: Walk, chunks: readonly Chunk[]): Buffer[] | null {
  const { addresses, anonymizer } = w.services;
  const kind = chunks.find(({ type, vendor }) => vendor === 0 && type === CHUNK.TYPE)?.value[0] ?? -1;
  const out: Buffer[] = [];
  for (const { vendor, type, whole, value } of chunks) {
    if (vendor !== 0) continue;
    if (type === CHUNK.PAYLOAD || type === CHUNK.COMPRESSED) {
      const plain = type === CHUNK.PAYLOAD ? value : unpacked(value);
      const cleaned = plain === null ? null : cleanPayload(w, kind, plain);
      if (cleaned === null) return null;
      out.push(chunk(CHUNK.PAYLOAD, cleaned));
    } else if (type === CHUNK.SRC4 || type === CHUNK.DST4) {
      if (value.length !== 4) continue;
      addresses.ip4(value, 0);
      out.push(whole);
    } else if (type === CHUNK.SRC6 || type === CHUNK.DST6) {
      if (value.length !== 16) continue;
      addresses.ip6(value, 0);
      out.push(whole);
    } else if (type === CHUNK.CORRELATION) out.push(chunk(type, anonymizer.text(Buffer.from(value))));
    else if (type === CHUNK.NODE) out.push(chunk(type, anonymizer.text(Buffer.from(value))));
    else if (KEPT.has(type) && value.length <= 4) out.push(whole);
  }
  return out;
}

function cleanPayload(w: Walk, kind: number, payload: Buffer): Buffer | null {
  const { contents } = w.services;
  if (kind === SIP) return contents.sip(payload);
  const copy = Buffer.from(payload);
  return contents.media(copy, 0, copy.length, 0) ? copy : null;
}

function chunk(type: number, value: Buffer): Buffer {
  const header = Buffer.alloc(CHUNK.CHUNK_HEADER_BYTES);
  header.writeUInt16BE(type, 2);
  header.writeUInt16BE(header.length + value.length, 4);
  return Buffer.concat([header, value]);
}

function unpacked(value: Buffer): Buffer | null {
  for (const unpack of [gunzipSync, inflateSync, inflateRawSync]) {
    try {
      return unpack(value, { maxOutputLength: MAX_UNPACKED_BYTES });
    } catch {
      // It may be of another form.
    }
  }
  return null;
}

/** | version | length | family | protocol | ports | addresses | time, in version 2 | SIP |. */
function rewriteLegacy(w: Walk, at: number, end: number): number {
  const { b, services } = w;
  const size = b[at + 1] ?? 0;
  const payload = at + size + (b[at] === 2 ? 12 : 0);
  if (payload >= end) return w.leave('cut_short');
  const replace = size === 16 ? services.addresses.ip4 : services.addresses.ip6;
  for (const address of [at + 8, at + 8 + (size - 8) / 2]) replace.call(services.addresses, b, address);
  // Its time may be two bytes shorter: the message says where it begins.
  const start = b[at] === 2 && isLetter(b[payload - 2]) && isLetter(b[payload - 1]) ? payload - 2 : payload;
  return w.replace(start, end, services.contents.sip(Buffer.from(b.subarray(start, end))));
}

function isLetter(c = 0): boolean {
  return c >= 0x41 && c <= 0x5a;
}
