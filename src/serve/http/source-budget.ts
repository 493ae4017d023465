/** What one source address may still be answered: never more than its budget in any second, by exact times. */

/** Requests of one source address that are answered in one second. @cap */
export const API_REQUESTS_PER_SECOND = 100;

/**
 * Milliseconds of the second in which requests are counted: 50 more, since a client reads the clock later than the service, and a burst of answers is
 * read more slowly than single ones. By its clock, too, no second holds more.
 *
 * @cap
 */
export const API_RATE_WINDOW_MS = 1_050;

/**
 * Source addresses with a budget of their own (of 1 KiB, 5 MiB in all); the rest share one.
 *
 * @cap memory 1 MiB: addresses whose request rate is known
 */
const API_RATE_SOURCES = 5_000;

/** This many times its budget refused, and refusing a source one request at a time would itself be the load. */
const FLOOD_FACTOR = 10;

/** A request that was admitted; call it when its answer is out, or will never be. Idempotent. */
export type Admitted = { answered(): void };

/** `over` is refused and may ask again; `flooding` is refused and its connections are not read any further. */
export type Verdict = Admitted | 'over' | 'flooding';

/**
 * The answers of one second: those that went out, by their times, and those that are still being made. A request counts
 * from its admission until a second after its answer, so that answers which took long do not meet those of the next second.
 */
class Source {
  /** A ring of at most `max` times, in order. */
  readonly #sentMs: number[] = [];
  #first = 0;
  #sent = 0;
  #open = 0;
  #refused = 0;
  #refusedSinceMs = Number.NEGATIVE_INFINITY;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  admit(nowMs: number): boolean {
    this.#forget(nowMs);
    if (this.#open + this.#sent >= this.#max) return false;
    this.#open++;
    return true;
  }

  answered(nowMs: number): void {
    this.#open--;
    this.#sentMs[(this.#first + this.#sent) % this.#max] = nowMs;
    this.#sent++;
  }

  /** Refusals so far in the second that began with the first of them. */
  refuse(nowMs: number): number {
    if (nowMs - this.#refusedSinceMs >= API_RATE_WINDOW_MS) {
      this.#refusedSinceMs = nowMs;
      this.#refused = 0;
    }
    return ++this.#refused;
  }

  isFlooding(nowMs: number): boolean {
    return nowMs - this.#refusedSinceMs < API_RATE_WINDOW_MS && this.#refused > this.#max * FLOOD_FACTOR;
  }

  /** Nothing of it counts any more. */
  isOver(nowMs: number): boolean {
    this.#forget(nowMs);
    return this.#open + this.#sent === 0 && nowMs - this.#refusedSinceMs >= API_RATE_WINDOW_MS;
  }

  #forget(nowMs: number): void {
    while (this.#sent > 0 && nowMs - (this.#sentMs[this.#first] ?? 0) >= API_RATE_WINDOW_MS) {
      this.#first = (this.#first + 1) % this.#max;
      this.#sent--;
    }
  }
}

export class SourceBudget {
  /** Requests of addresses beyond those that have a budget of their own; they share one. */
  crowded = 0;
  readonly #max: number;
  readonly #maxSources: number;
  readonly #nowMs: () => number;
  /** Those that asked longest ago first. */
  readonly #sources = new Map<string, Source>();
  readonly #crowd: Source;

  constructor(
    max: number = API_REQUESTS_PER_SECOND,
    maxSources: number = API_RATE_SOURCES,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#max = max;
    this.#maxSources = maxSources;
    this.#nowMs = nowMs;
    this.#crowd = new Source(max);
  }

  /** Takes one request of this address. Constant time but for answers that stopped counting. */
  take(address: string): Verdict {
    const nowMs = this.#nowMs();
    const source = this.#sourceOf(address, nowMs);
    if (source.admit(nowMs)) {
      let isOpen = true;
      return {
        answered: () => {
          if (isOpen) source.answered(this.#nowMs());
          isOpen = false;
        },
      };
    }
    source.refuse(nowMs);
    return source !== this.#crowd && source.isFlooding(nowMs) ? 'flooding' : 'over';
  }

  /** For a connection that has not asked yet. */
  isFlooding(address: string): boolean {
    return this.#sources.get(address)?.isFlooding(this.#nowMs()) === true;
  }

  /** Addresses with a budget of their own at this moment. */
  get sources(): number {
    return this.#sources.size;
  }

  /** No budget in use is forgotten for a newcomer: whoever owns many addresses would restart his own that way. */
  #sourceOf(address: string, nowMs: number): Source {
    let source = this.#sources.get(address);
    if (source === undefined) {
      this.#makeRoom(nowMs);
      if (this.#sources.size >= this.#maxSources) {
        this.crowded++;
        return this.#crowd;
      }
      source = new Source(this.#max);
    } else this.#sources.delete(address);
    this.#sources.set(address, source);
    return source;
  }

  /** Looks at two for each new one, so that memory follows the load down again; one in use goes to the end. */
  #makeRoom(nowMs: number): void {
    let left = 2;
    for (const [address, source] of this.#sources) {
      if (left-- === 0) return;
      this.#sources.delete(address);
      if (!source.isOver(nowMs)) this.#sources.set(address, source);
    }
  }
}
