/**
 * Puts the fragments of a datagram together (RFC 791 §3.2, RFC 8200 §4.5), rewrites it and cuts it again at the same places. What
 * it grew by goes to its last fragment.
 */
import type { Answer } from './token.ts';
import { Token } from './token.ts';
import type { Fragment, FragmentTaker, Services } from './walk.ts';
import { Walk } from './walk.ts';

/** Datagrams in fragments that wait for the rest, their bytes, and fragments of one. @cap */
const MAX_DATAGRAMS = 1_024;
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_FRAGMENTS = 64;
const MAX_DATAGRAM_BYTES = 0xffff;

type Part = {
  readonly from: number;
  readonly to: number;
  readonly isMore: boolean;
  readonly bytes: Buffer;
  readonly token: Token;
};

class Datagram {
  readonly parts: Part[] = [];
  bytes = 0;

  /** The length of the whole; -1 while something is missing. */
  get length(): number {
    const last = this.parts.find(({ isMore }) => !isMore);
    if (last === undefined) return -1;
    let reached = 0;
    for (const { from, to } of [...this.parts].sort((a, b) => a.from - b.from)) {
      if (from > reached) return -1;
      reached = Math.max(reached, to);
    }
    return reached === last.to ? reached : -1;
  }
}

export class Fragments implements FragmentTaker {
  /** The one begun first is the first. */
  readonly #datagrams = new Map<string, Datagram>();
  #bytes = 0;
  #walk: Walk | null = null;

  /** Null for one that fits no datagram. */
  take(key: string, payload: Uint8Array, fragment: Fragment, services: Services): Token | null {
    const to = fragment.offset + payload.length;
    if (to > MAX_DATAGRAM_BYTES || (fragment.isMore && (payload.length === 0 || payload.length % 8 !== 0))) return null;
    const datagram = this.#datagrams.get(key) ?? new Datagram();
    if (datagram.parts.length === MAX_FRAGMENTS) {
      this.#giveUp(key, datagram);
      return null;
    }
    this.#datagrams.set(key, datagram);
    const token = new Token(() => this.#giveUp(key, datagram));
    datagram.parts.push({
      ...{ from: fragment.offset, to, isMore: fragment.isMore, token },
      bytes: Buffer.from(payload),
    });
    datagram.bytes += payload.length;
    this.#bytes += payload.length;
    const { length } = datagram;
    if (length >= 0) {
      this.#forget(key, datagram);
      this.#finish(datagram, length, fragment, services);
    }
    for (const [oldest, waiting] of this.#datagrams) {
      if (this.#datagrams.size <= MAX_DATAGRAMS && this.#bytes <= MAX_BYTES) break;
      this.#giveUp(oldest, waiting);
    }
    return token;
  }

  /** The datagram is whole. */
  #finish({ parts }: Datagram, length: number, fragment: Fragment, services: Services): void {
    this.#walk ??= new Walk(services);
    const w = this.#walk;
    const { addresses, carrier, protocol, tsUs } = fragment;
    const start = addresses.length;
    const whole = Buffer.alloc(start + length);
    addresses.copy(whole);
    // What came first is what counts.
    for (const { from, bytes } of [...parts].reverse()) bytes.copy(whole, start + from);
    w.begin(whole, 0, whole.length, whole.length, tsUs);
    const { size, grown: addressesGrown } = carrier;
    const inside = { src: 0, dst: size, size, grown: addressesGrown };
    const grown = services.steps.carried(w, protocol, start, start + length, 0, inside);
    if (!Number.isFinite(grown) || length + grown > MAX_DATAGRAM_BYTES) {
      const reason = Number.isNaN(grown) ? w.reason : 'fragment';
      for (const { token } of parts) token.answer = () => ({ reason });
      return;
    }
    const now = Buffer.from(w.b.subarray(start, start + length + grown));
    for (const { from, to, isMore, token } of parts) {
      const answer = cutAgain(now, from, to, isMore);
      token.answer = () => answer;
    }
  }

  #giveUp(key: string, datagram: Datagram): void {
    if (this.#datagrams.get(key) === datagram) this.#forget(key, datagram);
    for (const { token } of datagram.parts) token.answer ??= () => ({ reason: 'fragment' });
  }

  #forget(key: string, datagram: Datagram): void {
    this.#datagrams.delete(key);
    this.#bytes -= datagram.bytes;
  }
}

/** The piece of what the datagram is now; one that shrank away has none. */
function cutAgain(now: Buffer, from: number, to: number, isMore: boolean): Answer {
  if (from >= now.length) return { reason: 'fragment' };
  const isLast = !isMore || to >= now.length;
  return { bytes: now.subarray(from, isLast ? now.length : to), sequence: 0, isLast };
}
