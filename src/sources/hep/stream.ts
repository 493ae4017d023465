/** Reads the bytes of one connection as HEP packets, and says of one that does not begin so what it is. */

import { HepFramer, type LengthAt } from './framer.ts';

/** A TLS handshake record of any version (RFC 8446 section 5.1). */
const TLS_HANDSHAKE = 22;
const TLS_MAJOR = 3;

/**
 * What a connection brings instead of HEP: TLS to a plain port, plain bytes to one of TLS, a handshake that fails, one
 * without a certificate of our CAs, or another protocol.
 */
export type HepStranger = 'tls' | 'plain' | 'handshake' | 'uncertified' | 'other';

/** The bytes of one connection: cut into packets, with what they are when they do not begin with one. */
export class HepStream {
  readonly #framer: HepFramer;
  /** Bytes so far, up to 2, and the first of them. */
  #received = 0;
  #first = -1;
  /** A packet came, or something else in front of any. */
  #isJudged = false;
  isOverRate = false;

  constructor(lengthAt: LengthAt, onPacket: (b: Buffer, start: number, end: number) => void) {
    this.#framer = new HepFramer(lengthAt, (b, start, end) => {
      this.#isJudged = true;
      onPacket(b, start, end);
    });
  }

  get pendingBytes(): number {
    return this.#framer.pendingBytes;
  }

  get skippedInARow(): number {
    return this.#framer.skippedInARow;
  }

  /** Reads on. Says once what it is when it does not begin with HEP; noise in front of a packet is only stepped over. */
  push(chunk: Buffer, counts: { resyncs: number; skippedBytes: number }): HepStranger | null {
    if (this.#isTls(chunk)) return 'tls';
    const framer = this.#framer;
    const { resyncs, skippedBytes } = framer;
    framer.push(chunk);
    counts.resyncs += framer.resyncs - resyncs;
    counts.skippedBytes += framer.skippedBytes - skippedBytes;
    if (this.#isJudged || framer.resyncs === 0) return null;
    this.#isJudged = true;
    return 'other';
  }

  /** Whether the first two bytes of the stream, which may come one by one, begin a handshake. */
  #isTls(chunk: Buffer): boolean {
    const isWithin = this.#received < 2;
    const first = this.#received === 1 ? this.#first : (chunk[0] ?? -1);
    const second = this.#received === 1 ? chunk[0] : chunk[1];
    this.#first = first;
    this.#received = Math.min(2, this.#received + chunk.length);
    return isWithin && first === TLS_HANDSHAKE && second === TLS_MAJOR;
  }
}
