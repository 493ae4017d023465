/** What a HEP packet of any version says; addresses and numbers as read, only the time judged. */
import { isPlausible } from './time.ts';

export type HepFailure = 'not_hep' | 'short_header' | 'bad_length' | 'truncated' | 'bad_chunk_length';

const ZEROS = new Uint8Array(32);

/** Reusable. Offsets are into `bytes` for the payload, and into `addresses` for the addresses. */
export class HepPacket {
  /** 4 or 6 by the address chunks present; 0 without any. */
  ipVersion: 0 | 4 | 6 = 0;
  /** IP protocol number, 0 when the packet does not say. */
  proto = 0;
  /** Holder of both addresses, network order, IPv4 in 4 bytes. */
  addresses: Uint8Array = ZEROS;
  srcAt = 0;
  dstAt = 0;
  srcPort = 0;
  dstPort = 0;
  /** Microseconds since the epoch; NaN when the packet does not say, or says what cannot be. */
  tsUs = Number.NaN;
  /** The time it says that cannot be; NaN without one. */
  refusedUs = Number.NaN;
  /** Capture agent, 0 when the packet does not say. */
  agentId = 0;
  /** 1 SIP, 5 RTCP as JSON, 100 log line and so on; -1 when the packet does not say. */
  protocolType = -1;
  /** The payload is [start, end) of `bytes`: the datagram itself. Empty in a keep-alive. */
  bytes: Uint8Array = ZEROS;
  start = 0;
  end = 0;
  /** The payload is to be inflated. */
  isCompressed = false;
  /** NUL bytes behind the payload, which end a text and belong to a binary body that continues. */
  droppedBytes = 0;
  /** The authentication key; null without one. */
  authKey: Uint8Array | null = null;
  correlationAt = -1;
  correlationEnd = -1;
  #datagram: Uint8Array = ZEROS;

  /** Nothing is known yet of the datagram at `start` of `b`. */
  begin(b: Uint8Array, start: number): void {
    this.#datagram = b;
    this.bytes = b;
    this.start = start;
    this.end = start;
    this.proto = 0;
    this.srcPort = 0;
    this.dstPort = 0;
    this.tsUs = Number.NaN;
    this.refusedUs = Number.NaN;
    this.agentId = 0;
    this.protocolType = -1;
    this.isCompressed = false;
    this.droppedBytes = 0;
    this.authKey = null;
    this.correlationAt = -1;
  }

  /** It says this time, and came at the other. */
  takeTime(us: number, arrivedUs: number): void {
    if (isPlausible(us, arrivedUs)) this.tsUs = us;
    else this.refusedUs = us;
  }

  /** Some senders count the string's terminator. */
  dropTerminator(): void {
    const { end } = this;
    while (this.end > this.start && this.bytes[this.end - 1] === 0) this.end--;
    this.droppedBytes = end - this.end;
  }

  /** The Call-ID that a report belongs to; null when the packet does not say. */
  get correlationId(): string | null {
    if (this.correlationAt < 0) return null;
    const { buffer, byteOffset } = this.#datagram;
    const length = this.correlationEnd - this.correlationAt;
    return Buffer.from(buffer, byteOffset + this.correlationAt, length)
      .toString('utf8')
      .replace(/\0+$/, '');
  }

  /** Addresses of `size` bytes stay where they are, unless one is missing (-1): it is all zeros then. */
  placeAddresses(srcAt: number, dstAt: number, size: number): void {
    const b = this.#datagram;
    if (srcAt >= 0 && dstAt >= 0) {
      this.addresses = b;
      this.srcAt = srcAt;
      this.dstAt = dstAt;
      return;
    }
    this.addresses = new Uint8Array(32);
    this.srcAt = 0;
    this.dstAt = 16;
    if (srcAt >= 0) this.addresses.set(b.subarray(srcAt, srcAt + size), 0);
    if (dstAt >= 0) this.addresses.set(b.subarray(dstAt, dstAt + size), 16);
  }
}
