/**
 * Datagrams with SIP of which the first fragment came and the rest did not (RFC 791): between whom, and as much of the message
 * as the fragment shows.
 */
import type { EndpointKey } from '../core/ip.ts';

/** Such datagrams that are kept, the newest; the others are counted. @cap lost_datagrams_evicted */
const MAX_LOST_DATAGRAMS = 256;

export type LostDatagram = {
  readonly src: EndpointKey;
  readonly dst: EndpointKey;
  /** When its first fragment came. */
  readonly atUs: number;
  /** The file or interface that brought it. */
  readonly source: number;
  /** Of the request, or of the CSeq of a response; '' where the fragment ends before it. */
  readonly method: string;
  /** 0 for a request. */
  readonly status: number;
  /** -1 where the fragment ends before it. */
  readonly cseq: number;
  /** The bytes of it, one a character; '' where the fragment ends before it. */
  readonly callId: string;
};

export class LostDatagrams {
  readonly #newest: LostDatagram[] = [];
  /** Those that gave their place to newer ones. */
  evicted = 0;

  /** The oldest first. */
  get newest(): readonly LostDatagram[] {
    return this.#newest;
  }

  add(lost: LostDatagram): void {
    this.#newest.push(lost);
    if (this.#newest.length <= MAX_LOST_DATAGRAMS) return;
    this.#newest.shift();
    this.evicted++;
  }
}
