/**
 * What both processors' decoders say of one instruction: how long it is and where control goes behind it.
 */

/** Cases of a jump table of a program. @cap */
const MAX_JUMP_CASES = 1024;

/**
 * - next: to the instruction after it
 * - call: comes back to the instruction after it, unless what is called never returns
 * - branch: to the instruction after it or to `target`
 * - jump: to `target`
 * - indirect: to where a register or memory says
 * - return: to the caller
 * - trap: nowhere; it ends the program
 */
export type Flow = 'next' | 'call' | 'branch' | 'jump' | 'indirect' | 'return' | 'trap';

export type Instruction = {
  /** Bytes. */
  readonly length: number;
  readonly flow: Flow;
  /** Of a branch or a jump, counted from the instruction's own first byte; 0 for all others. */
  readonly distance: number;
};

/**
 * Decodes the instruction at `at` of `code`. A string says why it is unknown: what a compiler puts into a
 * function is known, what only a kernel runs is not.
 */
export type Decode = (code: Buffer, at: number) => Instruction | string;

/** An instruction on the way to another, and how the way continues behind it. */
export type Passed = {
  readonly code: Buffer;
  readonly at: number;
  readonly vaddr: number;
  readonly length: number;
  /** A branch that was taken. */
  readonly isTaken: boolean;
};

/** Where a `switch` can go: entries that lie one after the other at `vaddr`. */
export type JumpTable = {
  readonly vaddr: number;
  readonly cases: number;
  /** Bytes of an entry. */
  readonly width: number;
  /** Virtual address that the entry at `at` leads to. */
  target(entries: Buffer, at: number): number;
};

/**
 * How many cases of a jump table the nearest comparison on the way lets through; 0 without one. `guardOf` says whether a
 * branch lets the compared number itself through, `comparedWith` what an instruction compares with; null: neither.
 */
export function caseCount(
  back: readonly Passed[],
  guardOf: (passed: Passed) => boolean | null,
  comparedWith: (passed: Passed) => number | null,
): number {
  let isInclusive: boolean | null = null;
  for (const passed of back) {
    if (isInclusive === null) {
      isInclusive = guardOf(passed);
      continue;
    }
    const n = comparedWith(passed);
    if (n !== null) return n >= 0 && n < MAX_JUMP_CASES ? n + (isInclusive ? 1 : 0) : 0;
  }
  return 0;
}
