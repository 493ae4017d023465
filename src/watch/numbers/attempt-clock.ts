/**
 * Hops that wait for an answer, in the order in which they began to: each waits as long as all others (64*T1), so that the first
 * in line is due first. A hop stands in line once, also where it was answered meanwhile, or waits for something else.
 */
export class AttemptClock {
  /** A ring of hops, and until when each waited when it came into line; its length is a power of two. */
  #hops = new Int32Array(1_024);
  #dueUs = new Float64Array(1_024);
  #first = 0;
  #size = 0;
  readonly #isInLine: boolean[] = [];

  add(hop: number, dueUs: number): void {
    if (this.#isInLine[hop] === true) return;
    this.#isInLine[hop] = true;
    if (this.#size === this.#hops.length) this.#grow();
    const at = (this.#first + this.#size++) & (this.#hops.length - 1);
    this.#hops[at] = hop;
    this.#dueUs[at] = dueUs;
  }

  /** Takes those out that are due by `nowUs`. `dueUs` says when a hop is due by now: never, where it is infinite. */
  sweep(nowUs: number, dueUs: (hop: number) => number, take: (hop: number) => void): void {
    while (this.#size > 0 && (this.#dueUs[this.#first] ?? 0) <= nowUs) {
      const hop = this.#hops[this.#first] ?? 0;
      this.#first = (this.#first + 1) & (this.#hops.length - 1);
      this.#size--;
      this.#isInLine[hop] = false;
      const due = dueUs(hop);
      if (due <= nowUs) take(hop);
      else if (due !== Number.POSITIVE_INFINITY) this.add(hop, due);
    }
  }

  #grow(): void {
    const { length } = this.#hops;
    const hops = new Int32Array(length * 2);
    const dueUs = new Float64Array(length * 2);
    for (let i = 0; i < length; i++) {
      const at = (this.#first + i) & (length - 1);
      hops[i] = this.#hops[at] ?? 0;
      dueUs[i] = this.#dueUs[at] ?? 0;
    }
    this.#hops = hops;
    this.#dueUs = dueUs;
    this.#first = 0;
  }
}
