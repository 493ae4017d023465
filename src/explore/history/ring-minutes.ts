/**
 * Minutes of the host that the indexes of a ring keep, for the overview: those of earlier runs, and those of this run that left the
 * memory. A minute is counted once for each run that had it: the last line about it holds.
 */
import type { Steps } from '../../core/turns.ts';
import type { MinutesRead, PastMinutes } from '../../view/overview-past.ts';
import type { HostFigures } from '../../watch/overview/host-figures.ts';
import { readMinute } from '../../watch/overview/minute-lines.ts';
import { minuteOf } from '../../watch/trunks/trunk-spans.ts';
import type { Ring, RingFile } from './ring.ts';

/** Bytes of minutes of the indexes of a ring that are kept for the next overview. @cap option 17 MiB: with `-O` and `--split` */
const HISTORY_MINUTE_BYTES = 16 * 1024 * 1024;

const MINUTE_US = 60e6;
/** So long after it was over, and a little more, a minute is told of again. */
const TOLD_AFTER = 125;

type Minutes = ReadonlyMap<number, HostFigures>;
type Kept = { readonly end: number; readonly minutes: Minutes; readonly bytes: number };

export class RingMinutes implements PastMinutes {
  readonly #ring: Ring;
  /** Of this run; empty of one that writes no ring. */
  readonly #boot: string;
  /** Those used last come last. */
  readonly #kept = new Map<RingFile, Kept>();
  #bytes = 0;

  constructor(ring: Ring, boot: string) {
    this.#ring = ring;
    this.#boot = boot;
  }

  get newestUs(): number {
    return this.#ring.endsUs;
  }

  /** Where the oldest file begins that has minutes. */
  *fromSteps(): Steps<number> {
    let from = Number.POSITIVE_INFINITY;
    for (const { index } of yield* this.#ring.filesSteps()) {
      const { fromUs } = index.footer?.frames ?? { fromUs: Number.POSITIVE_INFINITY };
      if (fromUs > 0 && index.hasMinutes) from = Math.min(from, minuteOf(fromUs));
    }
    return from;
  }

  *readSteps(spans: readonly { readonly from: number; readonly to: number }[]): Steps<MinutesRead> {
    const byBoot = new Map<string, Map<number, HostFigures>>();
    const files = [...(yield* this.#ring.filesSteps())].filter(({ index }) => index.hasMinutes);
    // What is told later holds.
    files.sort((a, b) => lastUs(a) - lastUs(b));
    for (const file of files) {
      const { fromUs = 0 } = file.index.footer?.frames ?? {};
      const [from, to] = [minuteOf(fromUs), lastUs(file) / MINUTE_US];
      if (!spans.some((span) => from < span.to + TOLD_AFTER && to >= span.from)) continue;
      const { boot } = file.index.head;
      const known = byBoot.get(boot) ?? new Map<number, HostFigures>();
      byBoot.set(boot, known);
      for (const [minute, figures] of this.#minutesOf(file)) known.set(minute, figures);
      yield;
    }
    // Boots sort by time.
    const boots = [...byBoot].sort(([a], [b]) => (a < b ? -1 : 1));
    return (minute, isOwnToo) =>
      boots.flatMap(([boot, minutes]) => (boot === this.#boot && !isOwnToo ? [] : (minutes.get(minute) ?? [])));
  }

  #minutesOf(file: RingFile): Minutes {
    const { index } = file;
    const known = this.#kept.get(file);
    this.#kept.delete(file);
    this.#bytes -= known?.bytes ?? 0;
    const kept = known?.end === index.end ? known : read(file);
    this.#kept.set(file, kept);
    this.#bytes += kept.bytes;
    for (const [other, { bytes }] of this.#kept) {
      if (this.#bytes <= HISTORY_MINUTE_BYTES || other === file) break;
      this.#kept.delete(other);
      this.#bytes -= bytes;
    }
    return kept.minutes;
  }
}

function read({ index }: RingFile): Kept {
  const minutes = new Map<number, HostFigures>();
  for (const line of index.minutes()) {
    const found = readMinute(line);
    if (found !== null) minutes.set(found.minute, found.figures);
  }
  const bytes = [...minutes.values()].reduce((sum, figures) => sum + figures.bytes, 0);
  return { end: index.end, minutes, bytes };
}

/** When the last frame of a file came; of one that is being written, which is the newest, nobody knows. */
function lastUs({ index }: RingFile): number {
  return index.footer?.frames.toUs ?? Number.POSITIVE_INFINITY;
}
