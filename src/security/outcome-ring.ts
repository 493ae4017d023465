/**
 * Keeps what became of the latest requests of one source, with a cap: the memory of every rule about behaviour.
 *
 * The first outcome makes the ring, because most sources send little. It grows only while its oldest entry matters.
 */
import { mixHashes } from '../core/hash.ts';
import * as METHOD from '../core/methods.ts';

/** Outcomes kept of one source, 32 bytes each; the oldest goes. @cap */
const SECURITY_OUTCOMES = 1_024;

const FIRST = 16;
/** No rule looks further back than this. */
export const LONGEST_WINDOW_US = 600 * 1e6;

/** Responses of one user to as many different challenges weigh as one guess: a phone sends its one password to each. */
export const UNPROVEN_WEIGHT = 6;

/** Facts of one outcome. */
export const OUTCOME = {
  /** The request was refused, or nobody answered it. */
  REFUSED: 1,
  /** It carried credentials. */
  CREDENTIALS: 2,
  REGISTER: 4,
  /** Nobody answered, and its destination answered nobody since: it may be down, or one direction is not captured. */
  UNKNOWN_PEER: 8,
  /** It carried the name of a tool, or a pattern that no honest client sends. */
  NAMED: 16,
} as const;

/** One outcome. Users, hosts and credentials are keyed hashes; 0 for a missing one. */
export type Outcome = {
  readonly tsUs: number;
  /** Who was asked for, and who asked (credentials, else From). */
  readonly target: number;
  readonly caller: number;
  readonly host: number;
  readonly guess: number;
  readonly input: number;
  readonly method: number;
  /** Status code, 0 when nobody answered. */
  readonly code: number;
  readonly facts: number;
};

/** What a rule counts in its window. */
export type WindowCount = {
  /** Requests that were refused. */
  refused: number;
  /** Users that were refused: of those asked for or those who asked the more. */
  users: number;
  hosts: number;
  /** Users, and guesses beyond the first of each. */
  evidence: number;
  /** Refused and granted requests, each kind of them once. */
  refusedKinds: number;
  granted: number;
  firstUs: number;
};

export const EMPTY_COUNT: Readonly<WindowCount> = {
  refused: 0,
  users: 0,
  hosts: 0,
  evidence: 0,
  refusedKinds: 0,
  granted: 0,
  firstUs: 0,
};

/** Integers an outcome: target, caller, host, guess, input, and code, method and facts in one. */
const WORDS = 6;
/** Bytes of an outcome in a ring. */
const OUTCOME_BYTES = 8 + 4 * WORDS;

/** Statuses about who asks rather than about whom is asked for. */
const ABOUT_CALLER: ReadonlySet<number> = new Set([401, 403, 407]);

export class OutcomeRing {
  #size = 0;
  #ts = new Float64Array(0);
  #words = new Int32Array(0);
  #next = 0;
  #count = 0;

  get length(): number {
    return this.#count;
  }

  /** Bytes beyond those of the first outcomes. */
  get grownBytes(): number {
    return Math.max(0, this.#size - FIRST) * OUTCOME_BYTES;
  }

  /** Keeps the newest of the first size. */
  shrink(): void {
    if (this.#size > FIRST) this.#resize(FIRST);
  }

  add(o: Outcome): void {
    if (this.#count === this.#size) this.#makeRoom(o.tsUs);
    const at = this.#next;
    const word = WORDS * at;
    this.#ts[at] = o.tsUs;
    this.#words[word] = o.target;
    this.#words[word + 1] = o.caller;
    this.#words[word + 2] = o.host;
    this.#words[word + 3] = o.guess;
    this.#words[word + 4] = o.input;
    this.#words[word + 5] = (o.code << 16) | (o.method << 8) | o.facts;
    this.#next = (at + 1) % this.#size;
    if (this.#count < this.#size) this.#count++;
  }

  /**
   * Counts outcomes not older than `sinceUs` that have all of `wanted` and none of `unwanted` among their facts.
   *
   * What is granted may be bought to hide what is refused. So a REGISTER counts once a user, a call each time (somebody
   * took it), and anything else once a user and only against refusals of its own method.
   */
  count(sinceUs: number, wanted: number, unwanted: number, into: WindowCount): void {
    clearCount();
    into.refused = 0;
    into.granted = 0;
    into.firstUs = Number.POSITIVE_INFINITY;
    for (let n = 1; n <= this.#count; n++) {
      const at = (this.#next - n + this.#size) % this.#size;
      const ts = this.#ts[at] ?? 0;
      if (ts < sinceUs) continue;
      const word = WORDS * at;
      const last = this.#words[word + 5] ?? 0;
      if ((last & wanted) !== wanted || (last & unwanted) !== 0) continue;
      const method = (last >>> 8) & 0xff;
      const target = this.#words[word] ?? 0;
      const host = this.#words[word + 2] ?? 0;
      const guess = this.#words[word + 3] ?? 0;
      const kind = mixHashes(mixHashes(target, host), method);
      if ((last & OUTCOME.REFUSED) === 0) {
        if (method === METHOD.INVITE) into.granted++;
        else if (!grantedKinds.has(kind)) {
          grantedKinds.add(kind);
          grantedByMethod[method] = (grantedByMethod[method] ?? 0) + 1;
        }
        continue;
      }
      into.refused++;
      if (ts < into.firstUs) into.firstUs = ts;
      refusedByMethod[method] = 1;
      targets.add(target);
      hosts.add(host);
      refusedKinds.add(mixHashes(kind, guess));
      const caller = this.#words[word + 1] ?? 0;
      if (caller !== 0 && (guess !== 0 || ABOUT_CALLER.has(last >>> 16))) callers.add(caller);
      if (guess !== 0) addGuess(guess, this.#words[word + 4] ?? 0);
    }
    for (let m = 0; m < grantedByMethod.length; m++)
      if (m === METHOD.REGISTER || refusedByMethod[m] === 1) into.granted += grantedByMethod[m] ?? 0;
    into.users = Math.max(targets.size, callers.size);
    into.hosts = hosts.size;
    into.refusedKinds = refusedKinds.size;
    // The first guess of a user is counted with the user.
    into.evidence = into.users + proven + Math.floor((guesses.size - proven) / UNPROVEN_WEIGHT);
  }

  /** Calls `each` with method and code of the refused outcomes since a time. */
  forRefused(sinceUs: number, each: (method: number, code: number) => void): void {
    for (let n = 1; n <= this.#count; n++) {
      const at = (this.#next - n + this.#size) % this.#size;
      const last = this.#words[WORDS * at + 5] ?? 0;
      if ((this.#ts[at] ?? 0) < sinceUs || (last & OUTCOME.REFUSED) === 0) continue;
      each((last >>> 8) & 0xff, last >>> 16);
    }
  }

  #makeRoom(nowUs: number): void {
    const oldest = this.#ts[this.#next] ?? 0;
    if (this.#size >= SECURITY_OUTCOMES || (this.#size > 0 && nowUs - oldest > LONGEST_WINDOW_US)) return;
    this.#resize(Math.max(FIRST, this.#size * 2));
  }

  /** Moves the newest outcomes that have room to the begin of a ring of another size. */
  #resize(size: number): void {
    const kept = Math.min(this.#count, size);
    const ts = new Float64Array(size);
    const words = new Int32Array(size * WORDS);
    for (let n = 0; n < kept; n++) {
      const at = (this.#next - kept + n + this.#size) % this.#size;
      ts[n] = this.#ts[at] ?? 0;
      words.set(this.#words.subarray(WORDS * at, WORDS * at + WORDS), WORDS * n);
    }
    this.#next = kept % size;
    this.#count = kept;
    this.#ts = ts;
    this.#words = words;
    this.#size = size;
  }
}

// One count runs at a time and hands none of these out.
const targets = new Set<number>();
const callers = new Set<number>();
const hosts = new Set<number>();
const refusedKinds = new Set<number>();
const grantedKinds = new Set<number>();
const grantedByMethod = new Uint32Array(256);
const refusedByMethod = new Uint8Array(256);
const guesses = new Set<number>();
/** The first guess by its input; 0 once another one proved that there are several passwords. */
const byInput = new Map<number, number>();
let proven = 0;

function clearCount(): void {
  for (const set of [targets, callers, hosts, refusedKinds, grantedKinds, guesses]) set.clear();
  grantedByMethod.fill(0);
  refusedByMethod.fill(0);
  byInput.clear();
  proven = 0;
}

function addGuess(guess: number, input: number): void {
  if (guesses.has(guess)) return;
  guesses.add(guess);
  const first = byInput.get(input);
  if (first === undefined) byInput.set(input, guess);
  else {
    proven += first === 0 ? 1 : 2;
    byInput.set(input, 0);
  }
}
