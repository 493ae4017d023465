/**
 * Looks at each started program by itself, soon and once more. It looks at the whole host only if a program maps a file that
 * nobody has looked into: a host that starts fifty commands a second costs no fifty looks at all of it.
 */

/** Started programs that wait for a look; beyond them the whole host is looked at. @cap */
const MAX_TLS_STARTED = 4_096;

/** Processes are looked at for so long before other work gets a turn. */
const TURN_MS = 10;
/** A started program has loaded its libraries soon, or when it is done with its own start. */
const AFTER_MS: readonly number[] = [50, 500];

export type StartedParts = {
  /** Programs started so far, and the processes of those from a number on; null when some are not remembered. */
  readonly execs: () => number;
  readonly started: (from: number) => readonly number[] | null;
  /** Whether the process maps a file that a look at the host would tell more of. */
  readonly hasNews: (pid: number) => boolean;
};

/** Processes that wait for their look, in its order; each once. */
class Waiting {
  readonly #dueMs = new Map<number, number>();

  get size(): number {
    return this.#dueMs.size;
  }

  add(pid: number, dueMs: number): void {
    // Who starts another program waits from then on.
    this.#dueMs.delete(pid);
    this.#dueMs.set(pid, dueMs);
  }

  *take(nowMs: number): Generator<number> {
    for (const [pid, dueMs] of this.#dueMs) {
      if (dueMs > nowMs) return;
      this.#dueMs.delete(pid);
      yield pid;
    }
  }
}

export class StartedPrograms {
  readonly #parts: StartedParts;
  readonly #waiting = AFTER_MS.map(() => new Waiting());
  /** When all are looked at, because not every start is known: for each delay. */
  readonly #allAtMs = AFTER_MS.map(() => Number.POSITIVE_INFINITY);
  #execs: number;

  constructor(parts: StartedParts) {
    this.#parts = parts;
    this.#execs = parts.execs();
  }

  /** Whether the host must be looked at now. */
  needScan(nowMs: number): boolean {
    this.#note(nowMs);
    let isNeeded = false;
    // Who is left is looked at next time.
    const endMs = performance.now() + TURN_MS;
    for (const [i, waiting] of this.#waiting.entries()) {
      if ((this.#allAtMs[i] ?? 0) <= nowMs) {
        this.#allAtMs[i] = Number.POSITIVE_INFINITY;
        isNeeded = true;
      }
      for (const pid of waiting.take(nowMs)) {
        isNeeded ||= this.#parts.hasNews(pid);
        if (performance.now() > endMs) break;
      }
    }
    return isNeeded;
  }

  #note(nowMs: number): void {
    const from = this.#execs;
    this.#execs = this.#parts.execs();
    if (this.#execs === from) return;
    const pids = this.#parts.started(from);
    for (const [i, after] of AFTER_MS.entries()) {
      const waiting = this.#waiting[i];
      if (waiting === undefined || pids === null || waiting.size + pids.length > MAX_TLS_STARTED)
        this.#allAtMs[i] = Math.min(this.#allAtMs[i] ?? 0, nowMs + after);
      else for (const pid of pids) waiting.add(pid, nowMs + after);
    }
  }
}
