/**
 * Writes HEP 3 packets: what was captured, between whom, and when (HEP 3 revision 37).
 *
 *     'H' 'E' 'P' '3' | total length (2, header included) | chunks
 *     chunk:  vendor 0 (2) | type (2) | length (2, these 6 bytes included) | payload
 *
 * Network order. The payload chunk is the last one, as its length decides whether the packet fits. What all packets of an
 * agent have alike is written once; a packet is a copy of it with its own values at their places.
 */
import * as CHUNK from '../../decode/hep/chunks.ts';

/** Bytes of a text chunk that is sent; identifiers are shorter, and a cut one identifies nothing. @cap */
const MAX_HEP_OUT_TEXT_BYTES = 1_024;

/**
 * Bytes of a HEP packet that is sent: what fits a datagram of IPv4; a collector closes a connection that brings a longer
 * one.
 *
 * @cap
 */
export const MAX_HEP_PACKET_BYTES = 65_507;

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

const ADDRESS_BYTES = { 4: 4, 6: 16 } as const;
const { HEADER_BYTES, CHUNK_HEADER_BYTES } = CHUNK;

/** Where the values of the first chunks lie in a packet: family, protocol, source. */
const PROTOCOL_AT = HEADER_BYTES + 2 * CHUNK_HEADER_BYTES + 1;
const SRC_AT = PROTOCOL_AT + 1 + CHUNK_HEADER_BYTES;
/** The destination follows the source; the others follow both addresses. */
const DST_AFTER_SRC = CHUNK_HEADER_BYTES;
const SRC_PORT_AFTER = CHUNK_HEADER_BYTES;
const DST_PORT_AFTER = SRC_PORT_AFTER + 2 + CHUNK_HEADER_BYTES;
const SECONDS_AFTER = DST_PORT_AFTER + 2 + CHUNK_HEADER_BYTES;
const MICROSECONDS_AFTER = SECONDS_AFTER + 4 + CHUNK_HEADER_BYTES;
const TYPE_AFTER = MICROSECONDS_AFTER + 4 + CHUNK_HEADER_BYTES;
/** These, without the addresses, and what an agent says of itself. */
const FIXED_BYTES = SRC_AT + DST_AFTER_SRC + TYPE_AFTER + 1;
const AGENT_BYTES = 3 * CHUNK_HEADER_BYTES + 4 + 2 * MAX_HEP_OUT_TEXT_BYTES;

export class HepEncoder {
  /** What all packets have alike, up to the chunks that some have. */
  readonly #heads: Readonly<Record<4 | 6, Buffer>>;
  #into: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(agent: HepAgent) {
    this.#heads = { 4: this.#head(4, agent), 6: this.#head(6, agent) };
  }

  /** Bytes of the packet with a payload of that length; 0 when no collector takes so long a one. */
  length({ ipVersion, correlationId, vlan, tos, tcpFlags }: HepFacts, payloadBytes: number): number {
    const text = textBytes(correlationId);
    const total =
      this.#heads[ipVersion].length +
      (text > 0 ? CHUNK_HEADER_BYTES + text : 0) +
      (vlan > 0 ? CHUNK_HEADER_BYTES + 2 : 0) +
      (tos > 0 ? CHUNK_HEADER_BYTES + 1 : 0) +
      (tcpFlags > 0 ? CHUNK_HEADER_BYTES + 1 : 0) +
      CHUNK_HEADER_BYTES +
      payloadBytes;
    return total > MAX_HEP_PACKET_BYTES ? 0 : total;
  }

  /** Writes the packet of `length` bytes with `payload` = [start, end) of `b` at `at`, where `into` has room for it. */
  write(into: Buffer, at: number, length: number, facts: HepFacts, b: Uint8Array, start: number, end: number): void {
    const { addresses, srcOff, dstOff, ipVersion, correlationId } = facts;
    const head = this.#heads[ipVersion];
    const addressBytes = ADDRESS_BYTES[ipVersion];
    const dst = DST_AFTER_SRC + addressBytes;
    const ports = at + SRC_AT + dst + addressBytes;
    into.set(head, at);
    into.writeUInt16BE(length, at + 4);
    into[at + PROTOCOL_AT] = facts.proto;
    for (let i = 0; i < addressBytes; i++) {
      into[at + SRC_AT + i] = addresses[srcOff + i] ?? 0;
      into[at + SRC_AT + dst + i] = addresses[dstOff + i] ?? 0;
    }
    into.writeUInt16BE(facts.srcPort & 0xffff, ports + SRC_PORT_AFTER);
    into.writeUInt16BE(facts.dstPort & 0xffff, ports + DST_PORT_AFTER);
    // HEP cannot write a time before 1970 or after 2106.
    const tsUs = Math.min(Math.max(Math.floor(facts.tsUs), 0), 4_294_967_295_999_999) || 0;
    const seconds = Math.floor(tsUs / 1_000_000);
    into.writeUInt32BE(seconds, ports + SECONDS_AFTER);
    into.writeUInt32BE(tsUs - seconds * 1_000_000, ports + MICROSECONDS_AFTER);
    into[ports + TYPE_AFTER] = facts.protocolType;
    this.#into = into;
    this.#at = at + head.length;
    const text = textBytes(correlationId);
    if (text > 0) this.#text(CHUNK.CORRELATION, correlationId ?? '', text);
    if (facts.vlan > 0) this.#number(CHUNK.VLAN, facts.vlan & 0xffff, 2);
    if (facts.tos > 0) this.#number(CHUNK.TOS, facts.tos & 0xff, 1);
    if (facts.tcpFlags > 0) this.#number(CHUNK.TCP_FLAGS, facts.tcpFlags & 0xff, 1);
    this.#header(CHUNK.PAYLOAD, end - start);
    into.set(b.subarray(start, end), this.#at);
  }

  #head(ipVersion: 4 | 6, { agentId, nodeName, authKey }: HepAgent): Buffer {
    this.#into = Buffer.alloc(FIXED_BYTES + 2 * ADDRESS_BYTES[6] + AGENT_BYTES);
    this.#at = this.#into.writeUInt32BE(0x48455033) + 2;
    this.#number(CHUNK.FAMILY, FAMILY[ipVersion], 1);
    this.#number(CHUNK.PROTOCOL, 0, 1);
    for (const type of ipVersion === 6 ? [CHUNK.SRC6, CHUNK.DST6] : [CHUNK.SRC4, CHUNK.DST4]) {
      this.#header(type, ADDRESS_BYTES[ipVersion]);
      this.#at += ADDRESS_BYTES[ipVersion];
    }
    this.#number(CHUNK.SRC_PORT, 0, 2);
    this.#number(CHUNK.DST_PORT, 0, 2);
    this.#number(CHUNK.SECONDS, 0, 4);
    this.#number(CHUNK.MICROSECONDS, 0, 4);
    this.#number(CHUNK.TYPE, 0, 1);
    this.#number(CHUNK.AGENT, agentId >>> 0, 4);
    for (const [type, text] of [[CHUNK.NODE, nodeName] as const, [CHUNK.AUTH_KEY, authKey] as const]) {
      const bytes = textBytes(text);
      if (bytes > 0) this.#text(type, text ?? '', bytes);
    }
    return this.#into.subarray(0, this.#at);
  }

  #header(type: number, length: number): void {
    const into = this.#into;
    into.writeUInt32BE(type, this.#at);
    into.writeUInt16BE(length + CHUNK_HEADER_BYTES, this.#at + 4);
    this.#at += CHUNK_HEADER_BYTES;
  }

  #number(type: number, value: number, bytes: 1 | 2 | 4): void {
    this.#header(type, bytes);
    if (bytes === 4) this.#at = this.#into.writeUInt32BE(value, this.#at);
    else this.#at = bytes === 2 ? this.#into.writeUInt16BE(value, this.#at) : this.#into.writeUInt8(value, this.#at);
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
