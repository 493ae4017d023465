/**
 * Requests whose outcome is open. A request is a new one unless all of it was seen before (transaction.ts), and its
 * response finds it by branch, sent-by and method (RFC 3261 section 17.1.3), or by Call-ID, From tag and CSeq where a
 * server answers otherwise.
 */
import type { SourceRecord } from './source-table.ts';
import type { TransactionKeys } from './transaction.ts';

export type Probe = {
  readonly exact: number;
  readonly branch: number;
  readonly message: number;
  /** Source, Call-ID, user and method: what another attempt after a challenge has in common. */
  readonly attempt: number;
  readonly source: SourceRecord;
  readonly tsUs: number;
  readonly method: number;
  readonly hasCredentials: boolean;
  /** Whom it asks for, as sent. */
  readonly user: string;
  /** Keyed hashes of whom it asks for, who asks, where it went, and what its credentials guess from which input. */
  readonly target: number;
  readonly caller: number;
  readonly host: number;
  readonly guess: number;
  readonly input: number;
  /** Passed on by a proxy: it says nothing about its sender. */
  readonly isPassedOn: boolean;
  /** Its sender answers several others. */
  readonly isServer: boolean;
  /** It carries a tool's name, or a pattern no honest client sends. */
  isNamed: boolean;
  /** Mandatory headers are missing or doubled. */
  readonly isBroken: boolean;
  /** The attempt with credentials that this one follows. */
  before: Probe | null;
  /** Status of the challenge it got, 0 while none. */
  challenge: number;
  /** A phone rang: the request was let in, whatever came of it. */
  isRinging: boolean;
  /** A further attempt with credentials followed its challenge: that one decides. */
  isFollowed: boolean;
  isSettled: boolean;
};

/** When a request was seen first, and how often again. */
type Seen = { readonly tsUs: number; repeats: number };

/** Timer B and F (RFC 3261 17.1): as long a request may be sent again. */
const REPEATS_US = 32e6;
/** Timer E sends a request eleven times at most, and a capture may show each frame twice. What is more is another one. */
const LAST_REPEAT = 22;
/** Timer C (RFC 3261 16.6 step 11) is longer than three minutes. */
const WAITING_US = 240e6;
/** One source has this share of the table. */
const SOURCE_SHARE = 8;

/** Probes by a key that several may share: a sender who holds it equal makes one list of them. */
class ProbeIndex {
  readonly #byKey = new Map<number, Probe | Set<Probe>>();

  add(key: number, probe: Probe): void {
    const there = this.#byKey.get(key);
    if (there === undefined) this.#byKey.set(key, probe);
    else if (there instanceof Set) there.add(probe);
    else this.#byKey.set(key, new Set([there, probe]));
  }

  /** The one that waits longest. */
  first(key: number): Probe | undefined {
    const there = this.#byKey.get(key);
    if (!(there instanceof Set)) return there;
    for (const probe of there) return probe;
    return undefined;
  }

  delete(key: number, probe: Probe): void {
    const there = this.#byKey.get(key);
    if (there === probe) this.#byKey.delete(key);
    else if (there instanceof Set && there.delete(probe) && there.size === 0) this.#byKey.delete(key);
  }
}

export class ProbeTable {
  readonly #max: number;
  readonly #seen = new Map<number, Seen>();
  readonly #open = new Set<Probe>();
  /** Those a server works on or a phone rings for: somebody is there, only the outcome is open. */
  readonly #waiting = new Set<Probe>();
  /** Those without a final response. */
  readonly #exact = new ProbeIndex();
  readonly #byBranch = new ProbeIndex();
  readonly #byMessage = new ProbeIndex();
  /** Challenged probes: the next attempt follows them. */
  readonly #challenged = new Map<number, Probe>();
  evicted = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether the request with this key was sent before, as a retransmission or a second frame of the same packet. */
  isRepeat(key: number, tsUs: number): boolean {
    const seen = this.#seen.get(key);
    if (seen !== undefined) return ++seen.repeats <= LAST_REPEAT;
    this.#seen.set(key, { tsUs, repeats: 0 });
    return false;
  }

  /** An unanswered request has this branch. */
  hasBranch(branch: number): boolean {
    return this.#byBranch.first(branch) !== undefined;
  }

  /** The request that a response with these keys answers. */
  find(keys: TransactionKeys): Probe | undefined {
    return this.#exact.first(keys.exact) ?? this.#byBranch.first(keys.branch) ?? this.#byMessage.first(keys.message);
  }

  add(probe: Probe): void {
    if (probe.source.open >= this.#max / SOURCE_SHARE) {
      this.evicted++;
      return;
    }
    probe.source.open++;
    this.#open.add(probe);
    this.#exact.add(probe.exact, probe);
    this.#byBranch.add(probe.branch, probe);
    this.#byMessage.add(probe.message, probe);
    if (this.#open.size > this.#max) this.#shed(this.#open);
  }

  /** A provisional response came: silence until the final one says nothing. */
  keepWaiting(probe: Probe): void {
    if (!this.#open.delete(probe)) return;
    this.#waiting.add(probe);
    if (this.#waiting.size > this.#max) this.#shed(this.#waiting);
  }

  /** Its final response came: another response is not meant for it. */
  noteFinal(probe: Probe): void {
    this.#exact.delete(probe.exact, probe);
    this.#byBranch.delete(probe.branch, probe);
    this.#byMessage.delete(probe.message, probe);
    // Back to where a challenge that is not followed is noticed.
    if (this.#waiting.delete(probe)) this.#open.add(probe);
  }

  /** Notes a challenge, so that the attempt that follows finds this one. */
  challenge(probe: Probe, status: number): void {
    probe.challenge = status;
    this.#challenged.set(probe.attempt, probe);
  }

  /** Takes the challenged attempt that one with credentials follows, if there is one. */
  takeChallenged(attempt: number): Probe | null {
    const probe = this.#challenged.get(attempt);
    if (probe === undefined) return null;
    this.#challenged.delete(attempt);
    probe.isFollowed = true;
    return probe;
  }

  /** Closes probes sent before `untilUs`, oldest first; `gone` gets each that is not settled. */
  expire(untilUs: number, gone: (probe: Probe) => void): void {
    for (const [key, seen] of this.#seen) {
      if (seen.tsUs >= untilUs - REPEATS_US && this.#seen.size <= this.#max) break;
      this.#seen.delete(key);
    }
    for (const probe of this.#waiting) {
      if (probe.tsUs >= untilUs - WAITING_US) break;
      this.#waiting.delete(probe);
      this.#forget(probe);
    }
    for (const probe of this.#open) {
      if (probe.tsUs >= untilUs) return;
      this.#open.delete(probe);
      this.#forget(probe);
      if (!probe.isSettled && !probe.isFollowed) gone(probe);
    }
  }

  #forget(probe: Probe): void {
    probe.source.open--;
    this.noteFinal(probe);
    if (this.#challenged.get(probe.attempt) === probe) this.#challenged.delete(probe.attempt);
  }

  #shed(from: Set<Probe>): void {
    for (const oldest of from) {
      from.delete(oldest);
      this.#forget(oldest);
      if (!oldest.isSettled) this.evicted++;
      return;
    }
  }
}
