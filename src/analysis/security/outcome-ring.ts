/**
 * What became of the latest requests of one source, with a cap: the memory of every rule about behaviour.
 *
 * A ring begins small, for most sources send little, and grows only while its oldest entry still matters.
 */
const FIRST = 16;
const MAX = 256;
/** No rule looks further back than this. */
export const LONGEST_WINDOW_US = 600 * 1e6;

/** Facts of one outcome. */
export const OUTCOME = {
  /** The request was refused, or nobody answered it. */
  REFUSED: 1,
  /** It carried credentials. */
  CREDENTIALS: 2,
  REGISTER: 4,
  /** Nobody answered, and its destination was never seen to answer anyone: perhaps only one direction is captured. */
  UNKNOWN_PEER: 8,
} as const;

/** What a rule counts in its window. */
export type WindowCount = { refused: number; total: number; targets: number; hosts: number; firstUs: number };

export class OutcomeRing {
  #size = FIRST;
  #ts = new Float64Array(FIRST);
  /** Four integers an outcome: target, host, status code, facts. */
  #words = new Int32Array(FIRST * 4);
  #methods = new Uint8Array(FIRST);
  #next = 0;
  #count = 0;

  /** Adds one. `target` and `host` are keyed hashes, `code` 0 means no answer. */
  add(tsUs: number, target: number, host: number, code: number, facts: number, method: number): void {
    if (this.#count === this.#size) this.#makeRoom(tsUs);
    const at = this.#next;
    this.#ts[at] = tsUs;
    this.#words[4 * at] = target;
    this.#words[4 * at + 1] = host;
    this.#words[4 * at + 2] = code;
    this.#words[4 * at + 3] = facts;
    this.#methods[at] = method;
    this.#next = (at + 1) % this.#size;
    if (this.#count < this.#size) this.#count++;
  }

  /**
   * Counts outcomes not older than `sinceUs` that have all of `wanted` and none of `unwanted` among their facts; what
   * was refused, and how many different targets and hosts the refused ones had.
   */
  count(sinceUs: number, wanted: number, unwanted: number, into: WindowCount): void {
    into.refused = 0;
    into.total = 0;
    into.firstUs = Number.POSITIVE_INFINITY;
    seenTargets.clear();
    seenHosts.clear();
    for (let n = 1; n <= this.#count; n++) {
      const at = (this.#next - n + this.#size) % this.#size;
      const ts = this.#ts[at] ?? 0;
      if (ts < sinceUs) continue;
      const facts = this.#words[4 * at + 3] ?? 0;
      if ((facts & wanted) !== wanted || (facts & unwanted) !== 0) continue;
      into.total++;
      if ((facts & OUTCOME.REFUSED) === 0) continue;
      into.refused++;
      if (ts < into.firstUs) into.firstUs = ts;
      seenTargets.add(this.#words[4 * at] ?? 0);
      seenHosts.add(this.#words[4 * at + 1] ?? 0);
    }
    into.targets = seenTargets.size;
    into.hosts = seenHosts.size;
  }

  /** Calls `each` with method and code of the refused outcomes since a time. */
  forRefused(sinceUs: number, each: (method: number, code: number) => void): void {
    for (let n = 1; n <= this.#count; n++) {
      const at = (this.#next - n + this.#size) % this.#size;
      if ((this.#ts[at] ?? 0) < sinceUs || ((this.#words[4 * at + 3] ?? 0) & OUTCOME.REFUSED) === 0) continue;
      each(this.#methods[at] ?? 0, this.#words[4 * at + 2] ?? 0);
    }
  }

  #makeRoom(nowUs: number): void {
    const oldest = this.#ts[this.#next] ?? 0;
    if (this.#size >= MAX || nowUs - oldest > LONGEST_WINDOW_US) return;
    const from = this.#next;
    const size = this.#size * 2;
    const ts = new Float64Array(size);
    const words = new Int32Array(size * 4);
    const methods = new Uint8Array(size);
    for (let n = 0; n < this.#size; n++) {
      const at = (from + n) % this.#size;
      ts[n] = this.#ts[at] ?? 0;
      words.set(this.#words.subarray(4 * at, 4 * at + 4), 4 * n);
      methods[n] = this.#methods[at] ?? 0;
    }
    this.#next = this.#size;
    this.#ts = ts;
    this.#words = words;
    this.#methods = methods;
    this.#size = size;
  }
}

// One count runs at a time and hands neither out.
const seenTargets = new Set<number>();
const seenHosts = new Set<number>();
