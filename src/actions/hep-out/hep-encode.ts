/**
 * Writes one HEP 3 packet: what was captured, between whom, and when (HEP 3 revision 37).
 *
 *     'H' 'E' 'P' '3' | total length (2, header included) | chunks
 *     chunk:  vendor 0 (2) | type (2) | length (2, these 6 bytes included) | payload
 *
 * Network order. The payload chunk is the last one, as its length decides whether the packet fits.
 */
import { MAX_HEP_OUT_TEXT_BYTES } from '../../core/item-limits.ts';
import { fail, ok, type Result } from '../../core/result.ts';
import * as CHUNK from '../../decode/hep/chunks.ts';

/** The length field has 16 bits. */
const PACKET_BYTES = 65_535;

const FAMILY = { 4: 2, 6: 10 } as const;

/** Protocol types of the payload. */
export const HEP_TYPE = { SIP: 1, RTCP: 5 } as const;

export type HepFacts = {
  readonly ipVersion: 4 | 6;
  /** IP protocol number. */
  readonly proto: number;
  /** Network order, at least as long as an address of the version; IPv4 in the first 4 bytes. */
  readonly src: Uint8Array;
  readonly dst: Uint8Array;
  readonly srcPort: number;
  readonly dstPort: number;
  readonly tsUs: number;
  readonly protocolType: number;
  readonly agentId: number;
  /** Call-ID of the dialog a report belongs to. */
  readonly correlationId?: string;
  readonly nodeName?: string;
  readonly authKey?: string;
};

class Writer {
  readonly bytes: Buffer;
  at: number;

  constructor(length: number) {
    this.bytes = Buffer.allocUnsafe(length);
    this.bytes.write('HEP3', 0, 'latin1');
    this.bytes.writeUInt16BE(length, 4);
    this.at = CHUNK.HEADER_BYTES;
  }

  #header(type: number, length: number): void {
    this.bytes.writeUInt16BE(0, this.at);
    this.bytes.writeUInt16BE(type, this.at + 2);
    this.bytes.writeUInt16BE(length + CHUNK.CHUNK_HEADER_BYTES, this.at + 4);
    this.at += CHUNK.CHUNK_HEADER_BYTES;
  }

  number(type: number, value: number, bytes: 1 | 2 | 4): void {
    this.#header(type, bytes);
    this.at = this.bytes.writeUIntBE(value, this.at, bytes);
  }

  raw(type: number, data: Uint8Array): void {
    this.#header(type, data.length);
    this.bytes.set(data, this.at);
    this.at += data.length;
  }
}

/** One packet with `payload` = [start, end) of `b`; `too_long` when it is beyond `maxBytes` (65,535 at most). */
export function encodeHep3(
  facts: HepFacts,
  b: Uint8Array,
  start = 0,
  end = b.length,
  maxBytes = PACKET_BYTES,
): Result<Buffer, 'too_long'> {
  const addressBytes = facts.ipVersion === 6 ? 16 : 4;
  const texts: [number, Buffer][] = [];
  const note = (type: number, text: string | undefined): void => {
    if (text === undefined || text === '') return;
    const bytes = Buffer.from(text, 'utf8');
    if (bytes.length <= MAX_HEP_OUT_TEXT_BYTES) texts.push([type, bytes]);
  };
  note(CHUNK.CORRELATION, facts.correlationId);
  note(CHUNK.NODE, facts.nodeName);
  note(CHUNK.AUTH_KEY, facts.authKey);
  const textBytes = texts.reduce((sum, [, bytes]) => sum + CHUNK.CHUNK_HEADER_BYTES + bytes.length, 0);
  // Three chunks of 1 byte, two of 2, three of 4, two addresses, the texts, and the payload.
  const fixed = CHUNK.HEADER_BYTES + 10 * CHUNK.CHUNK_HEADER_BYTES + 3 + 2 * 2 + 3 * 4 + 2 * addressBytes;
  const total = fixed + textBytes + CHUNK.CHUNK_HEADER_BYTES + (end - start);
  if (total > Math.min(maxBytes, PACKET_BYTES)) return fail('too_long');
  const w = new Writer(total);
  w.number(CHUNK.FAMILY, FAMILY[facts.ipVersion], 1);
  w.number(CHUNK.PROTOCOL, facts.proto & 0xff, 1);
  w.raw(facts.ipVersion === 6 ? CHUNK.SRC6 : CHUNK.SRC4, facts.src.subarray(0, addressBytes));
  w.raw(facts.ipVersion === 6 ? CHUNK.DST6 : CHUNK.DST4, facts.dst.subarray(0, addressBytes));
  w.number(CHUNK.SRC_PORT, facts.srcPort & 0xffff, 2);
  w.number(CHUNK.DST_PORT, facts.dstPort & 0xffff, 2);
  // HEP cannot write a time before 1970 or after 2106.
  const tsUs = Math.min(Math.max(Math.floor(facts.tsUs), 0), 4_294_967_295_999_999) || 0;
  w.number(CHUNK.SECONDS, Math.floor(tsUs / 1_000_000), 4);
  w.number(CHUNK.MICROSECONDS, tsUs % 1_000_000, 4);
  w.number(CHUNK.TYPE, facts.protocolType & 0xff, 1);
  w.number(CHUNK.AGENT, facts.agentId >>> 0, 4);
  for (const [type, bytes] of texts) w.raw(type, bytes);
  w.raw(CHUNK.PAYLOAD, b.subarray(start, end));
  return ok(w.bytes);
}
