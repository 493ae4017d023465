/**
 * One trunk in one direction: what its calls came to by time, what is under way now, whether it can be reached and takes calls,
 * and what else is wrong with it.
 */
import { tally } from '../../core/counters.ts';
import type { TrunkBounds, TrunkTroubleName } from '../../core/trunk-bounds.ts';
import { OTHER_TRUNK } from '../../core/trunks.ts';
import type { Outage } from './reach.ts';
import { Reach } from './reach.ts';
import { RecentCalls } from './recent-calls.ts';
import { RecentFigures } from './recent-figures.ts';
import { TrunkFigures } from './trunk-figures.ts';
import { TrunkSpans } from './trunk-spans.ts';

export const TRUNK_DIRECTIONS = ['in', 'out'] as const;
/** `in`: the call came from the trunk; `out`: it went to it. */
export type TrunkDirection = (typeof TRUNK_DIRECTIONS)[number];

/** Without OPTIONS for so long, the answers to INVITEs say whether a trunk is up; and nobody asks it any more. */
const OPTIONS_COUNT_US = 600e6;
/** INVITEs in a row without any answer after which a trunk is down, or refuses where it answers OPTIONS. */
export const UNANSWERED_INVITES = 10;
/** Registrations fail for so long before that is a trouble: one that is tried again at once is none. */
const REGISTRATIONS_FAIL_US = 60e6;

export type TrunkState = 'up' | 'down' | 'refusing' | 'unknown';

/** `sinceUs` is NaN where nothing says it. `isAsked`: somebody still asks it, so that it could say that it is up again. */
export type StateAt = { readonly state: TrunkState; readonly sinceUs: number; readonly isAsked: boolean };

export type TrunkTrouble = { readonly trouble: TrunkTroubleName; readonly sinceUs: number };

/** Finals are counted by their first digit. */
const FINAL_DIGITS = 7;

/** What all rows of one direction did together: finals by their first digit. */
export type TrunkTotals = { readonly figures: TrunkFigures; readonly finals: Float64Array };

export class TrunkRow {
  readonly id: number;
  /** A name of the configuration, else the address. */
  readonly name: string;
  readonly direction: TrunkDirection;
  readonly isConfigured: boolean;
  readonly spans: TrunkSpans;
  /** By OPTIONS, and by INVITEs. */
  readonly options: Reach;
  readonly invites = new Reach(UNANSWERED_INVITES);
  /** How the last calls went; null where that says nothing of the trunk, or nobody wants to know. */
  readonly calls: RecentCalls | null;
  readonly mos: RecentFigures | null;
  readonly pdd: RecentFigures | null;
  /** Failing registrations in percent, beyond which it is in trouble; and since when they have been. */
  readonly #registrations: TrunkBounds['registrations'];
  readonly #isJudged: boolean;
  #failingUs = Number.NaN;
  #isFailing = false;
  /** Round trip of the OPTIONS that was answered last; NaN without one. */
  roundTripMs = Number.NaN;
  /** Calls that talk now, registrations that hold, and those whose last attempt failed. */
  talking = 0;
  registered = 0;
  failing = 0;
  firstUs = Number.NaN;
  lastUs = Number.NaN;
  /** Finals that decided an attempt, by their first digit: of an attempt that is decided anew, both. They never fall. */
  readonly finals = new Float64Array(FINAL_DIGITS);
  readonly #totals: TrunkTotals;
  /** Something came of it: a call, a registration, an answer to what we sent. Others give way first. */
  isProven = false;
  /** Its figures went to the row of all others. */
  isFolded = false;

  constructor(
    id: number,
    name: string,
    direction: TrunkDirection,
    isConfigured: boolean,
    optionsDown: number,
    bounds: TrunkBounds,
    totals: TrunkTotals = emptyTotals(),
  ) {
    this.#totals = totals;
    this.spans = new TrunkSpans(totals.figures);
    this.id = id;
    this.name = name;
    this.direction = direction;
    this.isConfigured = isConfigured;
    this.options = new Reach(optionsDown);
    const { ner, mos, pdd, registrations } = bounds;
    // Strangers call from addresses without a name: that they are refused is no trouble of theirs.
    this.#isJudged = isConfigured || (direction === 'out' && name !== OTHER_TRUNK);
    this.calls = this.#isJudged && ner !== null ? new RecentCalls(ner) : null;
    this.mos = isConfigured && mos !== null ? new RecentFigures(mos, true) : null;
    this.pdd = isConfigured && pdd !== null ? new RecentFigures(pdd, false) : null;
    this.#registrations = isConfigured ? registrations : null;
  }

  noteFinal(code: number): void {
    const digit = Math.floor(code / 100);
    tally(this.finals, digit);
    tally(this.#totals.finals, digit);
  }

  seen(tsUs: number): void {
    if (!(this.firstUs <= tsUs)) this.firstUs = tsUs;
    if (!(this.lastUs >= tsUs)) this.lastUs = tsUs;
  }

  /** It answered OPTIONS. Where it did not until now, INVITEs of that time say nothing of how it does. */
  answeredOptions(tsUs: number): void {
    const { options } = this;
    const isNews = options.isDown(tsUs) || !(options.answeredUs >= tsUs - OPTIONS_COUNT_US);
    options.answered(tsUs);
    if (isNews) this.invites.forget();
  }

  /** Its OPTIONS where it has any, else its INVITEs. What was down when it was asked last is down until something answers. */
  #reach(nowUs: number): Reach {
    const { options, invites } = this;
    if (options.askedUs >= nowUs - OPTIONS_COUNT_US) return options;
    const isLeftDown = options.isDown(nowUs) && !(invites.answeredUs > options.askedUs);
    return isLeftDown && !invites.isDown(nowUs) ? options : invites;
  }

  stateAt(nowUs: number): StateAt {
    const reach = this.#reach(nowUs);
    const isAsked = reach.askedUs >= nowUs - OPTIONS_COUNT_US;
    if (reach.isDown(nowUs)) return { state: 'down', sinceUs: reach.downUs, isAsked };
    const sinceUs = this.#refusesSince(nowUs);
    if (!Number.isNaN(sinceUs)) return { state: 'refusing', sinceUs, isAsked };
    if (Number.isNaN(reach.upUs)) return { state: 'unknown', sinceUs: Number.NaN, isAsked };
    const { takenUs = Number.NaN } = this.calls ?? {};
    return { state: 'up', sinceUs: takenUs > reach.upUs ? takenUs : reach.upUs, isAsked };
  }

  /** It answers OPTIONS, but no INVITE; or it refuses most calls. NaN where it takes them. */
  #refusesSince(nowUs: number): number {
    if (this.calls?.isRefusing === true) return this.calls.sinceUs;
    return this.#isJudged && this.invites.isDown(nowUs) ? this.invites.downUs : Number.NaN;
  }

  /** What is wrong now, the worst first. */
  troublesAt(nowUs: number): TrunkTrouble[] {
    const found: TrunkTrouble[] = [];
    const add = (trouble: TrunkTroubleName, sinceUs: number): void => {
      found.push({ trouble, sinceUs });
    };
    const { state, sinceUs } = this.stateAt(nowUs);
    if (state === 'down' || state === 'refusing') add(state, sinceUs);
    if (this.mos?.isBad === true) add('poor-audio', this.mos.sinceUs);
    if (this.pdd?.isBad === true) add('slow', this.pdd.sinceUs);
    if (this.#isFailing) add('registrations-failing', this.#failingUs);
    return found;
  }

  /** Time continues: figures of long ago say nothing, and registrations may fail for too long. */
  age(nowUs: number): void {
    this.mos?.age(nowUs);
    this.pdd?.age(nowUs);
    const bound = this.#registrations;
    if (bound === null) return;
    const pct = (100 * this.failing) / Math.max(1, this.registered + this.failing);
    if (this.#isFailing) {
      this.#isFailing = this.failing > 0 && pct >= bound.good;
      if (!this.#isFailing) this.#failingUs = Number.NaN;
      return;
    }
    if (this.failing === 0 || pct < bound.bad) this.#failingUs = Number.NaN;
    else if (Number.isNaN(this.#failingUs)) this.#failingUs = nowUs;
    this.#isFailing = nowUs - this.#failingUs >= REGISTRATIONS_FAIL_US;
  }

  get outages(): number {
    return this.options.outages + this.invites.outages;
  }

  /** The outage that ended last. */
  get lastOutage(): Outage | null {
    const [a, b] = [this.options.lastOutage, this.invites.lastOutage];
    return a === null || (b !== null && b.toUs > a.toUs) ? b : a;
  }

  /** Adds what another row counted, which from now on is counted here. */
  fold(other: TrunkRow): void {
    other.isFolded = true;
    this.spans.merge(other.spans);
    this.talking += other.talking;
    this.registered += other.registered;
    this.failing += other.failing;
    for (const [i, n] of other.finals.entries()) this.finals[i] = (this.finals[i] ?? 0) + n;
    if (!Number.isNaN(other.firstUs)) {
      this.seen(other.firstUs);
      this.seen(other.lastUs);
    }
  }
}

export function emptyTotals(): TrunkTotals {
  return { figures: new TrunkFigures(), finals: new Float64Array(FINAL_DIGITS) };
}
