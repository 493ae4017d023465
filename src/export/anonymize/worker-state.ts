/** What the thread that anonymizes shares with the one that started it: whether it has ended, and what it counted. */
import { REPLACED, type ReplacedCounts } from './counts.ts';
import type { FrameCounts } from './frame-anonymizer.ts';
import { LEFT_OUT_REASONS } from './token.ts';

const REPLACED_KINDS = Object.keys(REPLACED) as (keyof ReplacedCounts)[];
const RUNNING = 0;
const ENDED = 1;
const FAILED = 2;
const STATE = 0;
const FRAMES = 1;
const FIRST = 2;
const SIZE = FIRST + REPLACED_KINDS.length + LEFT_OUT_REASONS.length;
/** A disk that is slow gets this long to take the rest. */
const END_MS = 60_000;

export class WorkerState {
  readonly shared: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #counts: BigInt64Array;

  constructor(shared = new SharedArrayBuffer(8 * SIZE)) {
    this.shared = shared;
    this.#words = new Int32Array(shared, 0, 2);
    this.#counts = new BigInt64Array(shared);
  }

  count(replaced: ReplacedCounts, frames: FrameCounts): void {
    this.#set(FRAMES, frames.frames);
    for (const [i, kind] of REPLACED_KINDS.entries()) this.#set(FIRST + i, replaced[kind]);
    const after = FIRST + REPLACED_KINDS.length;
    for (const [i, reason] of LEFT_OUT_REASONS.entries()) this.#set(after + i, frames.leftOut[reason]);
  }

  end(): void {
    if (this.#words[STATE] === RUNNING) Atomics.store(this.#words, STATE, ENDED);
    // The second word says that nothing more comes.
    Atomics.store(this.#words, 1, 1);
    Atomics.notify(this.#words, 1);
  }

  fail(error: unknown): void {
    void error;
    Atomics.store(this.#words, STATE, FAILED);
  }

  /** Waits until the worker has ended. False where it did not, or failed. */
  wait(): boolean {
    Atomics.wait(this.#words, 1, 0, END_MS);
    return this.#words[STATE] === ENDED;
  }

  get hasFailed(): boolean {
    return Atomics.load(this.#words, STATE) === FAILED;
  }

  get frames(): number {
    return this.#get(FRAMES);
  }

  replaced(): [keyof ReplacedCounts, number][] {
    return REPLACED_KINDS.map((kind, i) => [kind, this.#get(FIRST + i)]);
  }

  leftOut(): [string, number][] {
    return LEFT_OUT_REASONS.map((reason, i) => [reason, this.#get(FIRST + REPLACED_KINDS.length + i)]);
  }

  #set(i: number, value: number): void {
    Atomics.store(this.#counts, i, BigInt(value));
  }

  #get(i: number): number {
    return Number(Atomics.load(this.#counts, i));
  }
}
