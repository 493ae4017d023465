/**
 * Errors that nobody expected, caught where they happen: one tick, key or row fails, not the program.
 *
 * Whoever is called by a timer, an event or a promise that nobody awaits runs its work here. What reaches the process all
 * the same ends it (app/last-resort.ts).
 */

/** Where work is caught. */
export const FAULT_PLACES = ['route', 'tick', 'key', 'row', 'hook', 'face', 'link', 'file'] as const;
export type FaultPlace = (typeof FAULT_PLACES)[number];

/** A place says one line in so many milliseconds. */
const SAY_MS = 60_000;
const SAID_LINES = 4;

export class Faults {
  /** Told what happened: a line, and where in the program. */
  say: ((line: string) => void) | null = null;
  readonly #counts = new Map<FaultPlace, number>(FAULT_PLACES.map((place) => [place, 0]));
  readonly #saidMs = new Map<FaultPlace, number>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get counts(): ReadonlyMap<FaultPlace, number> {
    return this.#counts;
  }

  /** Runs work that nobody awaits; its error, or the rejection of its promise, is counted and said. */
  run(place: FaultPlace, work: () => unknown): void {
    try {
      const made = work();
      if (made instanceof Promise) made.catch((error: unknown) => this.note(place, error));
    } catch (error) {
      this.note(place, error);
    }
  }

  /** Runs work again and again; an error ends one round. */
  every(ms: number, place: FaultPlace, work: () => unknown): NodeJS.Timeout {
    return setInterval(() => this.run(place, work), ms);
  }

  /** Counts it, and says it at most once a minute for each place. */
  note(place: FaultPlace, error: unknown): void {
    this.#counts.set(place, (this.#counts.get(place) ?? 0) + 1);
    const nowMs = this.#nowMs();
    if (nowMs - (this.#saidMs.get(place) ?? Number.NEGATIVE_INFINITY) < SAY_MS) return;
    this.#saidMs.set(place, nowMs);
    this.say?.(`fault in a ${place}, which is left out; please report it: ${textOf(error)}`);
  }
}

/** What it is, and the first places of its stack. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const lines = (error.stack ?? error.message).split('\n').map((line) => line.trim());
  return lines.slice(0, SAID_LINES).join(' ');
}

/** Those of this process. */
export const faults = new Faults(() => performance.now());
