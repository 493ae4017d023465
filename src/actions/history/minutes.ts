/**
 * The minutes of the host for the index beside the files of -O: what the overview has of each minute, as sums and bins, so that
 * minutes add up to longer spans as those in memory do.
 *
 * A minute is told of when it is over, and again while late figures of the last ones may have come: the last line of a minute
 * holds.
 */
import { OVERVIEW_MINUTES } from '../../core/overview-words.ts';
import type { Capture } from '../../store/stores.ts';
import type { CallsOverTime } from '../../watch/overview/calls-over-time.ts';
import { minuteLine } from '../../watch/overview/minute-lines.ts';
import { minuteOf } from '../../watch/trunks/trunk-spans.ts';

/** So many minutes after it was over a minute is told of again: calls of it have ended, and were heard. */
const AGAIN = [1, 5, 30, 120] as const;

export class MinutesOfHost {
  readonly #calls: CallsOverTime;
  /** The newest minute that was told of; NaN before the first. */
  #told = Number.NaN;
  #isLast = false;

  constructor(calls: CallsOverTime) {
    this.#calls = calls;
  }

  /** The next lines are the last ones: those of all minutes that may have changed, and of the minute under way. */
  end(): void {
    this.#isLast = true;
  }

  /** Lines of the minutes that are over since the last call, and of those that may have changed since. */
  lines({ nowUs }: Pick<Capture, 'nowUs'>): string[] {
    const current = minuteOf(nowUs);
    if (!Number.isFinite(current) || (current === this.#told && !this.#isLast)) return [];
    const cells = this.#calls.levels[0];
    // Files are read faster than time goes: hours may have come since the last call.
    const from = Number.isNaN(this.#told) || this.#told > current ? Number.NEGATIVE_INFINITY : this.#told;
    const due = new Set<number>();
    for (let minute = Math.max(from, current - OVERVIEW_MINUTES); minute < current; minute++) {
      due.add(minute);
      for (const later of AGAIN) due.add(minute - later);
    }
    if (this.#isLast) for (let minute = current - (AGAIN.at(-1) ?? 0); minute <= current; minute++) due.add(minute);
    this.#told = current;
    this.#isLast = false;
    return [...due]
      .sort((a, b) => a - b)
      .flatMap((minute) => {
        const figures = cells?.at(minute) ?? null;
        return figures === null ? [] : minuteLine(minute, figures);
      });
  }
}
