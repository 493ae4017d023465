/**
 * Long work, cut into slices: of all of it together one slice runs in a turn of the event loop, so that ten walks over a
 * store, or ten documents of large dialogs, hold it no longer than one does.
 */

import type { LoopWork } from './loop-turns.ts';
import { loopTurns } from './loop-turns.ts';
import { Places } from './places.ts';

/** Walks over a store under way for lists of the API; one more is answered with 503. @cap */
const MAX_WALKS = 64;

/** Documents of one dialog made at a time, and requests that wait for one; one more is answered with 503. @cap */
export const MAX_DOCUMENTS = 2;
export const MAX_DOCUMENTS_WAITING = 128;

/**
 * Work that can rest: a generator that yields wherever it may be interrupted, a millisecond apart or less. Turns takes its
 * steps in slices; who holds nobody up takes them all at once.
 */
export type Steps<T> = Generator<void, T, void>;

/** All steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** For who waits whatever happens. */
export const isNeverGone = (): boolean => false;

/** Milliseconds of one slice. */
const SLICE_MS = 2;
/** Others had work when a turn took longer than this beside the slice; who gives way then rests so long. */
const OTHERS_MS = 1;
const GIVEN_MS = 6;

export class Turns {
  readonly #nowMs: () => number;
  readonly #givesWay: boolean;
  readonly #waiting: (() => void)[] = [];
  readonly #documents = new Places(MAX_DOCUMENTS, MAX_DOCUMENTS_WAITING);
  #isScheduled = false;
  #walks = 0;

  /** With `givesWay` others have most of a busy loop; an idle one is used whole. */
  constructor(nowMs: () => number, givesWay = false) {
    this.#nowMs = nowMs;
    this.#givesWay = givesWay;
  }

  get nowMs(): number {
    return this.#nowMs();
  }

  /** Walks under way and at rest. */
  get walks(): number {
    return this.#walks;
  }

  /** Runs a walk, or answers null when too many are under way. */
  async walk<T>(run: (slice: Slice) => Promise<T>): Promise<T | null> {
    if (this.#walks >= MAX_WALKS) return null;
    this.#walks++;
    try {
      return await run(this.slice('list'));
    } finally {
      this.#walks--;
    }
  }

  /** The time of something that begins now; what is one at a time is never refused. */
  slice(work: LoopWork): Slice {
    return new Slice(work, this.#nowMs, SLICE_MS, () => this.#rest());
  }

  /** What is made while somebody takes it, with a rest wherever a slice is over. */
  async *pieces<T>(made: Iterable<T>): AsyncGenerator<T> {
    const slice = this.slice('answer');
    for (const piece of made) {
      yield piece;
      if (slice.isOver) await slice.rest();
    }
  }

  /** The slice of a turn that begins later: what starts at the same moment shares none. */
  async begin(work: LoopWork): Promise<Slice> {
    await this.#rest();
    return this.slice(work);
  }

  /** All steps, in slices of turns that begin later, for who waits whatever happens. */
  async whole<T>(work: LoopWork, steps: Steps<T>): Promise<T> {
    const slice = await this.begin(work);
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) {
        slice.note();
        return step.value;
      }
      if (slice.isOver) await slice.rest();
    }
  }

  /**
   * Makes a document whose work may hold much memory: a few at a time, others wait. Null when too many wait, or when
   * nobody waits for this one any more as its turn comes.
   */
  document<T>(isGone: () => boolean, steps: () => Steps<T>): Promise<{ readonly document: T } | null> {
    return this.#documents.run(isGone, async () => {
      // Many short ones must not follow each other in one turn.
      const slice = await this.begin('answer');
      return slice.finish(steps(), isGone);
    });
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    const sinceMs = this.#nowMs();
    setImmediate(() => {
      if (this.#givesWay && this.#nowMs() - sinceMs > OTHERS_MS) setTimeout(() => this.#next(), GIVEN_MS);
      else this.#next();
    });
  }

  #next(): void {
    this.#isScheduled = false;
    this.#waiting.shift()?.();
    this.#schedule();
  }
}

/** The time one piece of work has in this turn. */
export class Slice {
  readonly #work: LoopWork;
  readonly #nowMs: () => number;
  readonly #ms: number;
  readonly #rest: () => Promise<void>;
  #endMs: number;

  constructor(work: LoopWork, nowMs: () => number, ms: number, rest: () => Promise<void>) {
    this.#work = work;
    this.#nowMs = nowMs;
    this.#ms = ms;
    this.#rest = rest;
    this.#endMs = nowMs() + ms;
  }

  get isOver(): boolean {
    return this.#nowMs() > this.#endMs;
  }

  /** Says how long it has run in this turn. */
  note(): void {
    loopTurns.note(this.#work, this.#nowMs() - this.#endMs + this.#ms);
  }

  /** Waits for the next turn. */
  async rest(): Promise<void> {
    this.note();
    await this.#rest();
    this.#endMs = this.#nowMs() + this.#ms;
  }

  /** Takes all steps, and a rest wherever one ends behind the slice; null when nobody waits for the end any more. */
  async finish<T>(steps: Steps<T>, isGone: () => boolean = isNeverGone): Promise<{ readonly document: T } | null> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) {
        this.note();
        return { document: step.value };
      }
      if (!this.isOver) continue;
      await this.rest();
      if (isGone()) return null;
    }
  }
}
