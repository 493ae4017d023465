/**
 * How many handshakes of TLS may begin: so many a second of all senders, and of one.
 *
 * A handshake costs whoever begins it almost nothing, and us a signature on the main thread. Places that are free may all
 * be taken at once, as agents do when this program has started again.
 */
import { HEP_TCP_CONNECTIONS, MAX_HEP_SOURCE_CONNECTIONS } from './connections.ts';

/** Handshakes of TLS a second from one source of HEP; each of its places has one at once. @cap */
export const MAX_HEP_SOURCE_HANDSHAKES_PER_SECOND = 4;

/**
 * Handshakes of TLS a second from all senders of HEP together; one takes 1 ms of the main thread, with RSA 4096 5 ms.
 *
 * @cap hep_tcp_handshakes_over_rate
 */
export const HEP_TLS_HANDSHAKES_PER_SECOND = 100;

/** Holds `most`, and fills by so many a second. */
class Bucket {
  readonly #most: number;
  readonly #perSecond: number;
  #left: number;
  #atMs: number;

  constructor(most: number, perSecond: number, nowMs: number) {
    this.#most = most;
    this.#perSecond = perSecond;
    this.#left = most;
    this.#atMs = nowMs;
  }

  left(nowMs: number): number {
    this.#left = Math.min(this.#most, this.#left + (Math.max(0, nowMs - this.#atMs) * this.#perSecond) / 1000);
    this.#atMs = nowMs;
    return this.#left;
  }

  take(): void {
    this.#left--;
  }
}

export class HandshakeRate {
  readonly #all: Bucket;
  readonly #sources = new Map<string, Bucket>();

  constructor(nowMs: number) {
    this.#all = new Bucket(HEP_TCP_CONNECTIONS, HEP_TLS_HANDSHAKES_PER_SECOND, nowMs);
  }

  /** Whether one more may begin; `source` as sourceOf() has it. */
  take(source: string, nowMs: number): boolean {
    const own = this.#ownOf(source, nowMs);
    if (own.left(nowMs) < 1 || this.#all.left(nowMs) < 1) return false;
    own.take();
    this.#all.take();
    return true;
  }

  #ownOf(source: string, nowMs: number): Bucket {
    const known = this.#sources.get(source);
    if (known !== undefined) return known;
    // Nothing is lost with one that is full again. As many as there are places are left by less than one a second each.
    if (this.#sources.size >= HEP_TCP_CONNECTIONS)
      for (const [name, bucket] of this.#sources)
        if (bucket.left(nowMs) >= MAX_HEP_SOURCE_CONNECTIONS) this.#sources.delete(name);
    if (this.#sources.size >= HEP_TCP_CONNECTIONS) this.#sources.clear();
    const bucket = new Bucket(MAX_HEP_SOURCE_CONNECTIONS, MAX_HEP_SOURCE_HANDSHAKES_PER_SECOND, nowMs);
    this.#sources.set(source, bucket);
    return bucket;
  }
}
