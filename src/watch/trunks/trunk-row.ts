/**
 * One trunk in one direction: what its calls came to by time, what is under way now, and whether it can be reached.
 */
import type { Outage } from './reach.ts';
import { Reach } from './reach.ts';
import { TrunkSpans } from './trunk-spans.ts';

export const TRUNK_DIRECTIONS = ['in', 'out'] as const;
/** `in`: the call came from the trunk; `out`: it went to it. */
export type TrunkDirection = (typeof TRUNK_DIRECTIONS)[number];

/** Without OPTIONS for so long, the answers to INVITEs say whether a trunk is up. */
const OPTIONS_COUNT_US = 600e6;
/** INVITEs in a row without any answer after which a trunk is down. */
const UNANSWERED_INVITES = 10;

export type TrunkState = 'up' | 'down' | 'unknown';

export class TrunkRow {
  readonly id: number;
  /** A name of the configuration, else the address. */
  readonly name: string;
  readonly direction: TrunkDirection;
  readonly isConfigured: boolean;
  readonly spans = new TrunkSpans();
  /** By OPTIONS, and by INVITEs. */
  readonly options: Reach;
  readonly invites = new Reach(UNANSWERED_INVITES);
  /** Round trip of the OPTIONS that was answered last; NaN without one. */
  roundTripMs = Number.NaN;
  /** Calls that talk now, registrations that hold, and those whose last attempt failed. */
  talking = 0;
  registered = 0;
  failing = 0;
  firstUs = Number.NaN;
  lastUs = Number.NaN;
  /** Finals that decided an attempt, by their first digit: of an attempt that is decided anew, both. They never fall. */
  readonly finals = new Float64Array(7);
  /** Something came of it: a call, a registration, an answer to what we sent. Others give way first. */
  isProven = false;
  /** Its figures went to the row of all others. */
  isFolded = false;

  constructor(id: number, name: string, direction: TrunkDirection, isConfigured: boolean, optionsDown: number) {
    this.id = id;
    this.name = name;
    this.direction = direction;
    this.isConfigured = isConfigured;
    this.options = new Reach(optionsDown);
  }

  seen(tsUs: number): void {
    if (!(this.firstUs <= tsUs)) this.firstUs = tsUs;
    if (!(this.lastUs >= tsUs)) this.lastUs = tsUs;
  }

  /** Its OPTIONS where it has any, else its INVITEs. */
  #reach(nowUs: number): Reach {
    return this.options.askedUs >= nowUs - OPTIONS_COUNT_US ? this.options : this.invites;
  }

  /** `sinceUs` is NaN where nothing says it. */
  stateAt(nowUs: number): { readonly state: TrunkState; readonly sinceUs: number } {
    const reach = this.#reach(nowUs);
    if (reach.isDown(nowUs)) return { state: 'down', sinceUs: reach.downUs };
    return { state: Number.isNaN(reach.upUs) ? 'unknown' : 'up', sinceUs: reach.upUs };
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
