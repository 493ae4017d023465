/** Cells of an overview: what the memory of this run counted, and what was kept elsewhere of minutes that it does not have. */
import type { Steps } from '../core/turns.ts';
import type { Cells } from '../watch/cells.ts';
import { HostFigures } from '../watch/overview/host-figures.ts';

/** The figures of a minute, by the runs that counted it, the newest last; those of this run too where they are asked for. */
export type MinutesRead = (minute: number, isOwnToo: boolean) => readonly HostFigures[];

/** Minutes that this run has no longer, or never had: a ring of files keeps them. */
export type PastMinutes = {
  /** When the newest call was that is kept; NaN without any. */
  readonly newestUs: number;
  /** The first minute that is kept; infinite without any. */
  fromSteps(): Steps<number>;
  /** Minutes of some spans. */
  readSteps(spans: readonly { readonly from: number; readonly to: number }[]): Steps<MinutesRead>;
};

/** Cells of one length. */
export type Level = {
  readonly minutes: number;
  /** Cells that begin before it were given up; -Infinity while none was. */
  readonly keptFrom: number;
  /** Where the first one is that anything is known of. */
  readonly begins: number;
  at(start: number): HostFigures | null;
};

export function inMemory(cells: Cells<HostFigures>): Level {
  const { minutes, keptFrom, oldest } = cells;
  return { minutes, keptFrom, begins: Math.max(keptFrom, oldest), at: (start) => cells.at(start) };
}

/** `from`: the first minute of the past. */
export function withPast({ minutes, keptFrom, begins, at }: Level, from: number, past: MinutesRead | null): Level {
  const reach = (other: number): number => (from < Number.POSITIVE_INFINITY ? Math.min(from, other) : other);
  return {
    ...{ minutes, keptFrom: reach(keptFrom), begins: reach(begins) },
    at(start) {
      const here = at(start);
      const isOwnToo = start < keptFrom;
      const parts: HostFigures[] = [];
      let last: HostFigures | null = null;
      for (let minute = start; past !== null && minute < start + minutes; minute++)
        for (const one of past(minute, isOwnToo)) {
          parts.push(one);
          last = one;
        }
      if (last === null) return here;
      const sum = new HostFigures();
      for (const one of here === null ? parts : [...parts, here]) sum.merge(one);
      sum.talking = (here ?? last).talking;
      return sum;
    },
  };
}
