/**
 * The clock of one HEP sender: how far it is ahead of ours, by messages that came by HEP and past our own capture too.
 *
 * The offset is the median of the newest pairs, so that a pair of two different transmissions does not move it and a drift
 * is followed. Pairs in a row that agree with each other and not with it are a step.
 *
 * While no pair is known, and stamps lie far from ours, the sender replays a capture, or its clock is off and nothing
 * of it comes past: such stamps make a time of their own, in which nothing is judged by the clock on the wall.
 */

/** Stamps farther from their arrival than this are of another time. */
export const OTHER_TIME_US = 60_000_000;
/** Stamps of one time lie this close to its newest: captures of one day are one. */
export const ONE_TIME_US = 86_400_000_000;

const PAIRS = 15;
/** Then the median is taken after each so many pairs. */
const MEDIAN_EVERY = 5;
/** A pair is off by less than this: what is more was another transmission (RFC 3261 T1), or a step. */
const AGREES_US = 1_000_000;
const STEP_PAIRS = 3;
/** What is applied follows when it is off by this. */
const FOLLOWS_US = 20_000;
/** For so long the stamps of a sender ran as our clock did, within these bounds: its time continues between them. */
const LIVE_AFTER_US = 10_000_000;
const LIVE_WITHIN_US = 2_000_000;

/** Who sends, and which of its agents. */
export type HepSenderName = { readonly address: string; readonly agentId: number };

/** What was subtracted from stamps, by the number that their rows keep. */
export type Applied = { readonly id: number; readonly clock: HepClock; readonly aheadUs: number };

/** A row whose copy was off, and the message it is of. */
export type SuspectRow = { readonly row: number; readonly hash: number };

export type PairJudgement = 'agrees' | 'suspect' | 'stepped';

export class HepClock {
  readonly sender: HepSenderName;
  /** How far it is ahead of our clock, as it is applied; NaN while no pair is known. */
  offsetUs = Number.NaN;
  /** Its newest stamp. */
  newestUs: number;
  /** No sender has it any more: it stands still. */
  isDropped = false;
  /** Stamps of it. */
  stamps = 1;
  /** What was subtracted from its newest stamp. */
  applied: Applied | null = null;
  /** Rows of the suspects, the newest last. */
  suspectRows: readonly SuspectRow[] = [];
  #pairs: number[] | null = null;
  #count = 0;
  #suspects: number[] | null = null;
  /** Since when, by our clock, its stamps have been ahead of their arrival by so much. */
  #aheadUs: number;
  #sinceUs: number;
  #arrivedUs: number;

  constructor(sender: HepSenderName, stampUs: number, arrivedUs: number) {
    this.sender = sender;
    this.newestUs = stampUs;
    this.#aheadUs = stampUs - arrivedUs;
    this.#sinceUs = arrivedUs;
    this.#arrivedUs = arrivedUs;
  }

  get isKnown(): boolean {
    return !Number.isNaN(this.offsetUs);
  }

  /** Its newest stamps are of another time than ours. */
  get isOther(): boolean {
    return !this.isKnown && Math.abs(this.#aheadUs) > OTHER_TIME_US;
  }

  /** Times by it cannot be held against ours. */
  get isForeign(): boolean {
    return this.isKnown || this.isOther;
  }

  /** One more stamp of it. */
  onStamp(stampUs: number, arrivedUs: number): void {
    this.stamps++;
    if (stampUs > this.newestUs) this.newestUs = stampUs;
    this.#arrivedUs = arrivedUs;
    const aheadUs = stampUs - arrivedUs;
    if (Math.abs(aheadUs - this.#aheadUs) <= LIVE_WITHIN_US) return;
    this.#aheadUs = aheadUs;
    this.#sinceUs = arrivedUs;
  }

  /** Whether a message with this stamp is one of another time than ours. */
  isOtherTime(stampUs: number, arrivedUs: number): boolean {
    return !this.isKnown && Math.abs(stampUs - arrivedUs) > OTHER_TIME_US;
  }

  /** A stamp by our clock, as far as that is known: what came cannot be of much later. */
  timeOf(stampUs: number, arrivedUs: number): number {
    if (!this.isKnown) return stampUs;
    const tsUs = stampUs - this.offsetUs;
    return tsUs - arrivedUs > OTHER_TIME_US ? arrivedUs : tsUs;
  }

  /**
   * Its time when ours is `ourUs`. Like the time of a file it is the newest stamp; it continues between stamps where they
   * have run as our clock does.
   */
  nowUs(ourUs: number): number {
    if (this.isKnown) return ourUs + this.offsetUs;
    if (!this.isOther) return ourUs;
    const isLive = this.#arrivedUs - this.#sinceUs >= LIVE_AFTER_US;
    return isLive && !this.isDropped ? Math.max(this.newestUs, ourUs + this.#aheadUs) : this.newestUs;
  }

  /** A message was stamped so much ahead of its copy in our own capture. */
  onPair(aheadUs: number): PairJudgement {
    if (this.isKnown && Math.abs(aheadUs - this.offsetUs) > AGREES_US) return this.#suspect(aheadUs);
    this.#suspects = null;
    this.suspectRows = [];
    this.#pairs ??= [];
    this.#pairs[this.#count++ % PAIRS] = aheadUs;
    if (this.#count > PAIRS && this.#count % MEDIAN_EVERY !== 0) return 'agrees';
    const offsetUs = median(this.#pairs);
    if (!(Math.abs(offsetUs - this.offsetUs) <= FOLLOWS_US)) this.offsetUs = offsetUs;
    return 'agrees';
  }

  #suspect(aheadUs: number): PairJudgement {
    const before = this.#suspects ?? [];
    const isAlike = before.every((us) => Math.abs(us - aheadUs) <= AGREES_US / 2);
    const suspects = isAlike ? [...before, aheadUs] : [aheadUs];
    if (!isAlike) this.suspectRows = [];
    this.#suspects = suspects;
    if (suspects.length < STEP_PAIRS) return 'suspect';
    this.#suspects = null;
    this.#pairs = suspects;
    this.#count = suspects.length;
    this.offsetUs = median(suspects);
    return 'stepped';
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
