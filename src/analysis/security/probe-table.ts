/**
 * Requests whose outcome is open, keyed by Call-ID, CSeq and method, so that a retransmission is no second request and
 * a proxy that passes a request on is not taken for its sender (RFC 3261 section 17, 16.6: both numbers stay).
 */
import type { EndpointKey } from '../../core/ip.ts';
import type { SourceRecord } from './source-table.ts';

export type Probe = {
  readonly key: number;
  /** Keyed hash of the Call-ID. */
  readonly call: number;
  readonly source: SourceRecord;
  readonly tsUs: number;
  readonly method: number;
  readonly hasCredentials: boolean;
  /** Whom it asks for, as sent. */
  readonly user: string;
  /** Where it went. */
  readonly host: EndpointKey;
  /** Its destination had answered someone by then. */
  readonly isPeerKnown: boolean;
  /** The refused attempt with credentials that this one follows. */
  before: Probe | null;
  /** Status of the challenge it got, 0 while none. */
  challenge: number;
  /** A phone rang: the request was let in, whatever came of it. */
  isRinging: boolean;
  /** A further attempt of the same call followed its challenge: that one decides. */
  isFollowed: boolean;
  isSettled: boolean;
};

/** Timer B and F (RFC 3261 17.1): as long a request may be sent again. */
const REPEATS_US = 32e6;
/** Timer C (RFC 3261 16.6 step 11) is longer than three minutes. */
const RINGING_US = 240e6;

/** Key of a transaction; exact as a double. */
export function probeKey(callHash: number, cseq: number, method: number): number {
  return (callHash >>> 0) * 1_048_576 + ((Math.imul(cseq, 16) + method) & 0xfffff);
}

export class ProbeTable {
  readonly #max: number;
  readonly #open = new Map<number, Probe>();
  /** Keys of probes that are no longer open, with their times: a late retransmission is no new request. */
  readonly #past = new Map<number, number>();
  /** Those that ring: somebody is there, only whether the call is taken is open. */
  readonly #ringing = new Map<number, Probe>();
  /** Challenged probes by Call-ID: the next attempt follows them. */
  readonly #challenged = new Map<number, Probe>();
  evicted = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#open.size;
  }

  find(key: number): Probe | undefined {
    return this.#open.get(key) ?? this.#ringing.get(key);
  }

  /** A provisional response came: silence until the final one says nothing. */
  keepRinging(probe: Probe): void {
    probe.isRinging = true;
    if (!this.#open.delete(probe.key)) return;
    this.#ringing.set(probe.key, probe);
    if (this.#ringing.size <= this.#max) return;
    for (const key of this.#ringing.keys()) {
      this.#ringing.delete(key);
      this.evicted++;
      return;
    }
  }

  /** The request was seen before, whether its outcome is still open or not. */
  isKnown(key: number): boolean {
    return this.#open.has(key) || this.#ringing.has(key) || this.#past.has(key);
  }

  add(probe: Probe): void {
    this.#open.set(probe.key, probe);
    if (this.#open.size <= this.#max) return;
    for (const [key, oldest] of this.#open) {
      this.#open.delete(key);
      this.#forgetChallenge(oldest);
      if (!oldest.isSettled) this.evicted++;
      break;
    }
  }

  /** Notes a challenge, so that the attempt that follows finds this one. */
  challenge(probe: Probe, status: number): void {
    probe.challenge = status;
    this.#challenged.set(probe.call, probe);
  }

  /** Takes the challenged attempt of a call by the same source, if there is one. */
  takeChallenged(call: number, source: SourceRecord): Probe | null {
    const probe = this.#challenged.get(call);
    if (probe === undefined || probe.source !== source) return null;
    this.#challenged.delete(call);
    probe.isFollowed = true;
    return probe;
  }

  /** Closes probes sent before `untilUs`, oldest first; `gone` is told of each that is not settled. */
  expire(untilUs: number, gone: (probe: Probe) => void): void {
    for (const [key, tsUs] of this.#past) {
      if (tsUs >= untilUs - REPEATS_US && this.#past.size <= this.#max) break;
      this.#past.delete(key);
    }
    for (const [key, probe] of this.#ringing) {
      if (probe.tsUs >= untilUs - RINGING_US) break;
      this.#ringing.delete(key);
    }
    for (const [key, probe] of this.#open) {
      if (probe.tsUs >= untilUs) return;
      this.#open.delete(key);
      this.#past.set(key, probe.tsUs);
      this.#forgetChallenge(probe);
      if (!probe.isSettled && !probe.isFollowed) gone(probe);
    }
  }

  #forgetChallenge(probe: Probe): void {
    if (this.#challenged.get(probe.call) === probe) this.#challenged.delete(probe.call);
  }
}
