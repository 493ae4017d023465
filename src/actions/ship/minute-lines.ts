/**
 * The rows of trunks by minute, as sums and as bins, so that a store adds up what many agents counted.
 *
 * A figure may come late: its minute is sent again, and replaces itself. A row of addresses that gave way to others was
 * counted in the row of all others: what was sent of it becomes zero.
 *
 * Each row says the state of the trunk when the row is made, so that the row with the greatest version says it of now. Where
 * that changes, the newest minute of the trunk is sent at once, also when it is not over. A trunk with a name says it once an hour
 * anyway, so that a hub, which looks at one day, lists it also where nothing comes or goes.
 */
import type { LogBins } from '../../core/log-bins.ts';
import { asCaptured } from '../../store/clock-steps.ts';
import { isAnswer, isEffective } from '../../store/dialogs/call-outcome.ts';
import type { Capture } from '../../store/stores.ts';
import { TrunkFigures } from '../../watch/trunks/trunk-figures.ts';
import type { TrunkRow, TrunkState } from '../../watch/trunks/trunk-row.ts';
import type { TrunkSpans } from '../../watch/trunks/trunk-spans.ts';
import { minuteOf, TRUNK_MINUTES } from '../../watch/trunks/trunk-spans.ts';
import type { TrunkStore } from '../../watch/trunks/trunk-store.ts';
import type { Shipper } from './key.ts';
import { dateTimeText, microsText, whole } from './key.ts';

const MINUTE_US = 60e6;
/** So long after the last row of a named trunk the next one is due. */
const SILENT_MINUTES = 60;

type Now = Pick<Capture, 'nowUs' | 'clockSteps'>;

/** Whether a trunk is up, since when as the clock of its host showed it, and how many outages ended. */
type Reached = { readonly state: TrunkState; readonly sinceUs: number; readonly outages: number };

/** Of a trunk that nothing was told of, or that gave way. */
const NOTHING_REACHED: Reached = { state: 'unknown', sinceUs: Number.NaN, outages: 0 };

export class MinuteLines {
  readonly #store: TrunkStore;
  /** Minutes that were sent of each row. */
  readonly #sent = new Map<TrunkRow, Set<number>>();
  readonly #told = new WeakMap<TrunkRow, Reached>();
  /** The newest minute that was sent of each row. */
  readonly #newest = new WeakMap<TrunkRow, number>();

  constructor(store: TrunkStore) {
    this.#store = store;
    store.noteChanges();
  }

  /**
   * Rows of the minutes that changed and are over, and of the newest minute of a trunk that went up or down; with `isLast` also of
   * the minute under way.
   */
  *changed(now: Now, isLast: boolean, shipper: Shipper, nextVersion: () => number): Generator<string> {
    const current = minuteOf(now.nowUs);
    for (const [row, minutes] of this.#sent) {
      if (!row.isFolded) continue;
      for (const minute of minutes)
        yield minuteLine(row, minute, new TrunkFigures(), NOTHING_REACHED, shipper, nextVersion());
      this.#sent.delete(row);
    }
    for (const row of this.#store.rows) {
      const { changed, minutes } = row.spans;
      const reached = reachedAt(row, now);
      const before = this.#told.get(row) ?? NOTHING_REACHED;
      const isSilent =
        row.isConfigured &&
        changed?.size === 0 &&
        Number.isFinite(current) &&
        !(current - (this.#newest.get(row) ?? Number.NEGATIVE_INFINITY) < SILENT_MINUTES);
      const newest = isSilent ? current : isSame(reached, before) ? null : newestMinute(row.spans, current);
      this.#told.set(row, reached);
      if (newest !== null) changed?.add(newest);
      for (const minute of changed ?? []) {
        const figures = minutes.get(minute);
        const isOver = !(minute >= current) || isLast;
        if (figures !== undefined && !isOver && minute !== newest) continue;
        // What is under way is sent again when it is over.
        if (isOver || figures === undefined) changed?.delete(minute);
        // Older ones are parts of an hour: they were sent when they were minutes.
        if (figures === undefined && minute !== newest) continue;
        this.#note(row, minute, current);
        yield minuteLine(row, minute, figures ?? new TrunkFigures(), reached, shipper, nextVersion());
      }
    }
  }

  #note(row: TrunkRow, minute: number, current: number): void {
    this.#newest.set(row, Math.max(minute, this.#newest.get(row) ?? minute));
    let minutes = this.#sent.get(row);
    if (minutes === undefined) {
      minutes = new Set();
      this.#sent.set(row, minutes);
    }
    minutes.add(minute);
    if (minutes.size <= TRUNK_MINUTES) return;
    for (const old of minutes) if (old < current - TRUNK_MINUTES) minutes.delete(old);
  }
}

function reachedAt(row: TrunkRow, { nowUs, clockSteps }: Now): Reached {
  const { state, sinceUs } = row.stateAt(nowUs);
  return { state, sinceUs: asCaptured(clockSteps, sinceUs), outages: row.outages };
}

function isSame(a: Reached, b: Reached): boolean {
  return a.state === b.state && Object.is(a.sinceUs, b.sinceUs) && a.outages === b.outages;
}

/** The newest that has figures and is not ahead of time; else that of this time, which has none. */
function newestMinute({ minutes }: TrunkSpans, current: number): number {
  let newest = Number.NEGATIVE_INFINITY;
  for (const minute of minutes.keys()) if (minute <= current) newest = Math.max(newest, minute);
  return newest === Number.NEGATIVE_INFINITY ? current : newest;
}

function minuteLine(
  row: TrunkRow,
  minute: number,
  f: TrunkFigures,
  { state, sinceUs, outages }: Reached,
  shipper: Shipper,
  version: number,
): string {
  const codes = [...f.codes];
  const calls = (is: (code: number) => boolean): number =>
    codes.reduce((sum, [code, n]) => (is(code) ? sum + n : sum), 0);
  return JSON.stringify({
    ...shipper,
    minute: dateTimeText(minute * MINUTE_US),
    trunk: row.name,
    direction: row.direction,
    version,
    state,
    since: microsText(sinceUs),
    outages,
    attempts: f.attempts,
    answered: calls(isAnswer),
    effective: calls(isEffective),
    codes: Object.fromEntries(codes),
    talks: f.talks,
    talk_sec: f.talkSec,
    most_talking: f.mostTalking,
    retransmissions: f.retransmits,
    expected: whole(f.expected),
    // Packets that came twice make up for lost ones, and for more than these.
    lost: whole(f.lost),
    options_asked: f.optionsAsked,
    options_answered: f.optionsAnswered,
    round_trip_ms: f.roundTripMs,
    registrations_failed: f.registrationsFailed,
    ...binColumns('pdd', f.pddMs),
    ...binColumns('mos', f.mos),
  });
}

/** Bins by their key (core/log-bins.ts). */
function binColumns(name: string, counted: LogBins | null): Record<string, unknown> {
  return {
    [`${name}_count`]: counted?.count ?? 0,
    [`${name}_sum`]: counted?.sum ?? 0,
    [`${name}_zero`]: counted?.zeros ?? 0,
    [`${name}_bins`]: Object.fromEntries(counted?.bins ?? []),
  };
}
