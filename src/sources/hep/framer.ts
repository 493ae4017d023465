/**
 * Cuts a TCP byte stream into HEP packets by their length field, and finds the next packet after bytes that are not HEP.
 *
 * HEP 3, section 2: "HEP3" | total length (2, header included) | chunks. The length is at most 65,535, so that is
 * all a stream ever keeps. How a packet is recognised is the caller's: hep3Length() of decode/hep/hep.ts.
 */

/** Length of the packet at `start`; 0 when more bytes are needed, -1 when none begins there. */
export type LengthAt = (b: Uint8Array, start: number, end: number) => number;

const HEADER_BYTES = 6;
const NO_BYTES: Buffer = Buffer.alloc(0);

export class HepFramer {
  readonly #lengthAt: LengthAt;
  readonly #onPacket: (b: Buffer, start: number, end: number) => void;
  /** The beginning of a packet whose rest is to come: fewer bytes than a header, or a buffer of its length. */
  #held: Buffer = NO_BYTES;
  #heldBytes = 0;
  #isLost = false;
  /** Times the stream was out of step, and bytes passed over to get back. */
  resyncs = 0;
  skippedBytes = 0;
  /** Bytes passed over since the last packet. */
  skippedInARow = 0;

  /** The bytes handed to `onPacket` are valid until it returns. */
  constructor(lengthAt: LengthAt, onPacket: (b: Buffer, start: number, end: number) => void) {
    this.#lengthAt = lengthAt;
    this.#onPacket = onPacket;
  }

  /** Bytes of an unfinished packet that are kept. */
  get pendingBytes(): number {
    return this.#heldBytes;
  }

  push(chunk: Buffer): void {
    let data = chunk;
    let at = 0;
    if (this.#heldBytes >= HEADER_BYTES) {
      const take = Math.min(this.#held.length - this.#heldBytes, chunk.length);
      chunk.copy(this.#held, this.#heldBytes, 0, take);
      this.#heldBytes += take;
      if (this.#heldBytes < this.#held.length) return;
      const packet = this.#held;
      this.#hold(NO_BYTES, 0);
      this.#deliver(packet, 0, packet.length);
      at = take;
    } else if (this.#heldBytes > 0) {
      // A header that was cut: rare, and no more than a chunk to copy.
      data = Buffer.concat([this.#held.subarray(0, this.#heldBytes), chunk]);
      this.#hold(NO_BYTES, 0);
    }
    this.#cut(data, at);
  }

  #cut(data: Buffer, from: number): void {
    let at = from;
    while (at < data.length) {
      const length = this.#lengthAt(data, at, data.length);
      if (length < 0) {
        const next = this.#nextMagic(data, at + 1);
        this.#skip(next - at);
        at = next;
      } else if (length === 0 || length > data.length - at) {
        // Of a packet whose length is known, a buffer of that length; the field holds 65,535 at most.
        const held = Buffer.allocUnsafe(length === 0 ? HEADER_BYTES : length);
        data.copy(held, 0, at);
        this.#hold(held, data.length - at);
        return;
      } else {
        this.#deliver(data, at, at + length);
        at += length;
      }
    }
  }

  #hold(b: Buffer, bytes: number): void {
    this.#held = b;
    this.#heldBytes = bytes;
  }

  #deliver(b: Buffer, start: number, end: number): void {
    this.#isLost = false;
    this.skippedInARow = 0;
    this.#onPacket(b, start, end);
  }

  #skip(bytes: number): void {
    if (!this.#isLost) this.resyncs++;
    this.#isLost = true;
    this.skippedBytes += bytes;
    this.skippedInARow += bytes;
  }

  /** Where the next packet may begin: its first byte, for what follows may be still to come. */
  #nextMagic(data: Buffer, from: number): number {
    for (let at = from; at < data.length; at++) {
      const first = data[at];
      // "HEP3", or "EEP3" in its old name.
      if (first !== 0x48 && first !== 0x45) continue;
      if (at + 1 < data.length && data[at + 1] !== 0x45) continue;
      if (at + 2 < data.length && data[at + 2] !== 0x50) continue;
      if (at + 3 < data.length && data[at + 3] !== 0x33) continue;
      return at;
    }
    return data.length;
  }
}
