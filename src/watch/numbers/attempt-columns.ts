/** What is known of each hop beside src/watch/trunks/hops.ts, where its attempts are settled: by the number of the hop. */

export const ATTEMPT = {
  /** It waits for a final response, or for credentials. */
  OPEN: 1,
  REGISTER: 2,
  /** A response of any kind came, and a provisional one to the round that is under way. */
  RESPONDED: 4,
  PROVISIONAL: 8,
  /** Progress was shown: how long it took stands in a histogram. */
  SHOWN: 16,
  /** The final response of the round demands credentials. */
  CHALLENGED: 32,
  /** A BYE came, and what became of it is not known yet. */
  BYE: 64,
  /** A post-dial delay stands in a histogram. */
  RUNG: 128,
  /** It was settled as answered: what ends later is this attempt. */
  ANSWERED: 256,
} as const;

const DOUBLES = 3;
const WORDS = 8;
const AT = { dueUs: 0, byeUs: 1, rungUs: 2 } as const;
/** Places of whole numbers in a record. A name would have to be looked up each time. */
export const WORD = { facts: 0, code: 1, byeCseq: 2, byeFrom: 3, device: 4, country: 5, pair: 6, serial: 7 } as const;
type Word = (typeof WORD)[keyof typeof WORD];

export class AttemptColumns {
  #f64 = new Float64Array(DOUBLES * 1_024);
  #i32 = new Int32Array(WORDS * 1_024);

  /** Gives the hop a new attempt. */
  open(hop: number, facts: number): void {
    while ((hop + 1) * WORDS > this.#i32.length) this.#grow();
    this.#i32.fill(0, hop * WORDS, (hop + 1) * WORDS);
    this.#f64.fill(Number.NaN, hop * DOUBLES, (hop + 1) * DOUBLES);
    this.setDueUs(hop, Number.POSITIVE_INFINITY);
    this.set(hop, WORD.facts, facts);
  }

  get(hop: number, word: Word): number {
    return this.#i32[hop * WORDS + word] ?? 0;
  }

  set(hop: number, word: Word, value: number): void {
    this.#i32[hop * WORDS + word] = value;
  }

  has(hop: number, fact: number): boolean {
    return (this.get(hop, WORD.facts) & fact) !== 0;
  }

  mark(hop: number, fact: number, value: boolean): void {
    const facts = this.get(hop, WORD.facts);
    this.set(hop, WORD.facts, value ? facts | fact : facts & ~fact);
  }

  /** Infinite where the hop waits for nothing. */
  dueUs(hop: number): number {
    return this.#f64[hop * DOUBLES + AT.dueUs] ?? Number.POSITIVE_INFINITY;
  }
  setDueUs(hop: number, us: number): void {
    this.#f64[hop * DOUBLES + AT.dueUs] = us;
  }

  byeUs(hop: number): number {
    return this.#f64[hop * DOUBLES + AT.byeUs] ?? Number.NaN;
  }
  setByeUs(hop: number, us: number): void {
    this.#f64[hop * DOUBLES + AT.byeUs] = us;
  }

  /** The first 18x of the round that is under way; NaN without one. */
  rungUs(hop: number): number {
    return this.#f64[hop * DOUBLES + AT.rungUs] ?? Number.NaN;
  }
  setRungUs(hop: number, us: number): void {
    this.#f64[hop * DOUBLES + AT.rungUs] = us;
  }

  #grow(): void {
    const f64 = new Float64Array(this.#f64.length * 2);
    f64.set(this.#f64);
    this.#f64 = f64;
    const i32 = new Int32Array(this.#i32.length * 2);
    i32.set(this.#i32);
    this.#i32 = i32;
  }
}
