/**
 * Writes HEP 3 packets: what was captured, between whom, and when (HEP 3 revision 37).
 *
 *     'H' 'E' 'P' '3' | total length (2, header included) | chunks
 *     chunk:  vendor 0 (2) | type (2) | length (2, these 6 bytes included) | payload
 *
 * Network order. The payload chunk is the last one, as its length decides whether the packet fits. What all packets of an
 * agent have alike is written once.
 */
import { MAX_HEP_OUT_TEXT_BYTES, MAX_HEP_PACKET_BYTES } from '../../core/item-limits.ts';
import * as CHUNK from '../../decode/hep/chunks.ts';

const FAMILY = { 4: 2, 6: 10 } as const;

/** Protocol types of the payload. */
export const HEP_TYPE = { SIP: 1, RTCP: 5, RTP_REPORT: 34 } as const;

/** Who sends: --hep-id, --hep-node, --hep-send-auth. */
export type HepAgent = { readonly agentId: number; readonly nodeName?: string; readonly authKey?: string };

export type HepFacts = {
  readonly ipVersion: 4 | 6;
  /** IP protocol number. */
  readonly proto: number;
  /** Holder of both addresses at these offsets: network order, IPv4 in 4 bytes. */
  readonly addresses: Uint8Array;
  readonly srcOff: number;
  readonly dstOff: number;
  readonly srcPort: number;
  readonly dstPort: number;
  readonly tsUs: number;
  readonly protocolType: number;
  /** Id of the VLAN, byte with the DSCP and of TCP flags; 0 is left out. */
  readonly vlan: number;
  readonly tos: number;
  readonly tcpFlags: number;
  /** Call-ID of the dialog a report belongs to. */
  readonly correlationId?: string | undefined;
};

/** Family, protocol, type: 1 byte; ports: 2; seconds and microseconds: 4; two addresses, which follow; and the payload. */
const FIXED_BYTES = CHUNK.HEADER_BYTES + 10 * CHUNK.CHUNK_HEADER_BYTES + 3 + 2 * 2 + 2 * 4;

export class HepEncoder {
  /** Chunks that are the same in each packet. */
  readonly #own: Buffer;
  #into: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor({ agentId, nodeName, authKey }: HepAgent) {
    this.#into = Buffer.alloc(3 * CHUNK.CHUNK_HEADER_BYTES + 4 + 2 * MAX_HEP_OUT_TEXT_BYTES);
    this.#number(CHUNK.AGENT, agentId >>> 0, 4);
    for (const [type, text] of [[CHUNK.NODE, nodeName] as const, [CHUNK.AUTH_KEY, authKey] as const]) {
      const bytes = textBytes(text);
      if (bytes > 0) this.#text(type, text ?? '', bytes);
    }
    this.#own = Buffer.from(this.#into.subarray(0, this.#at));
  }

  /** Bytes of the packet with a payload of that length; 0 when no collector takes so long a one. */
  length({ ipVersion, correlationId, vlan, tos, tcpFlags }: HepFacts, payloadBytes: number): number {
    const text = textBytes(correlationId);
    const total =
      FIXED_BYTES +
      (ipVersion === 6 ? 32 : 8) +
      this.#own.length +
      (text > 0 ? CHUNK.CHUNK_HEADER_BYTES + text : 0) +
      (vlan > 0 ? CHUNK.CHUNK_HEADER_BYTES + 2 : 0) +
      (tos > 0 ? CHUNK.CHUNK_HEADER_BYTES + 1 : 0) +
      (tcpFlags > 0 ? CHUNK.CHUNK_HEADER_BYTES + 1 : 0) +
      payloadBytes;
    return total > MAX_HEP_PACKET_BYTES ? 0 : total;
  }

  /** Writes the packet of `length` bytes with `payload` = [start, end) of `b` at `at`, where `into` has room for it. */
  write(into: Buffer, at: number, length: number, facts: HepFacts, b: Uint8Array, start: number, end: number): void {
    const { addresses, srcOff, dstOff, ipVersion, correlationId } = facts;
    const addressBytes = ipVersion === 6 ? 16 : 4;
    this.#into = into;
    this.#at = at + CHUNK.HEADER_BYTES;
    into.writeUInt32BE(0x48455033, at);
    into.writeUInt16BE(length, at + 4);
    this.#number(CHUNK.FAMILY, FAMILY[ipVersion], 1);
    this.#number(CHUNK.PROTOCOL, facts.proto & 0xff, 1);
    this.#raw(ipVersion === 6 ? CHUNK.SRC6 : CHUNK.SRC4, addresses, srcOff, srcOff + addressBytes);
    this.#raw(ipVersion === 6 ? CHUNK.DST6 : CHUNK.DST4, addresses, dstOff, dstOff + addressBytes);
    this.#number(CHUNK.SRC_PORT, facts.srcPort & 0xffff, 2);
    this.#number(CHUNK.DST_PORT, facts.dstPort & 0xffff, 2);
    // HEP cannot write a time before 1970 or after 2106.
    const tsUs = Math.min(Math.max(Math.floor(facts.tsUs), 0), 4_294_967_295_999_999) || 0;
    this.#number(CHUNK.SECONDS, Math.floor(tsUs / 1_000_000), 4);
    this.#number(CHUNK.MICROSECONDS, tsUs % 1_000_000, 4);
    this.#number(CHUNK.TYPE, facts.protocolType & 0xff, 1);
    into.set(this.#own, this.#at);
    this.#at += this.#own.length;
    const text = textBytes(correlationId);
    if (text > 0) this.#text(CHUNK.CORRELATION, correlationId ?? '', text);
    if (facts.vlan > 0) this.#number(CHUNK.VLAN, facts.vlan & 0xffff, 2);
    if (facts.tos > 0) this.#number(CHUNK.TOS, facts.tos & 0xff, 1);
    if (facts.tcpFlags > 0) this.#number(CHUNK.TCP_FLAGS, facts.tcpFlags & 0xff, 1);
    this.#raw(CHUNK.PAYLOAD, b, start, end);
  }

  #header(type: number, length: number): void {
    const into = this.#into;
    into.writeUInt32BE(type, this.#at);
    into.writeUInt16BE(length + CHUNK.CHUNK_HEADER_BYTES, this.#at + 4);
    this.#at += CHUNK.CHUNK_HEADER_BYTES;
  }

  #number(type: number, value: number, bytes: 1 | 2 | 4): void {
    this.#header(type, bytes);
    if (bytes === 4) this.#at = this.#into.writeUInt32BE(value, this.#at);
    else this.#at = bytes === 2 ? this.#into.writeUInt16BE(value, this.#at) : this.#into.writeUInt8(value, this.#at);
  }

  #raw(type: number, data: Uint8Array, start: number, end: number): void {
    this.#header(type, end - start);
    this.#into.set(data.subarray(start, end), this.#at);
    this.#at += end - start;
  }

  #text(type: number, text: string, bytes: number): void {
    this.#header(type, bytes);
    this.#at += this.#into.write(text, this.#at, 'utf8');
  }
}

/** Bytes of a text chunk's payload; 0 for one that is left out: empty, or longer than an identifier. */
function textBytes(text: string | undefined): number {
  if (text === undefined || text === '' || text.length > MAX_HEP_OUT_TEXT_BYTES) return 0;
  const bytes = Buffer.byteLength(text, 'utf8');
  return bytes > MAX_HEP_OUT_TEXT_BYTES ? 0 : bytes;
}

/** A packet of its own in new memory; null when no collector takes so long a one. */
export function encodeHep3(agent: HepAgent, facts: HepFacts, b: Uint8Array, start = 0, end = b.length): Buffer | null {
  const encoder = new HepEncoder(agent);
  const length = encoder.length(facts, end - start);
  if (length === 0) return null;
  const packet = Buffer.alloc(length);
  encoder.write(packet, 0, length, facts, b, start, end);
  return packet;
}
