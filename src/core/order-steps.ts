/**
 * Sorting that can rest: runs are sorted one by one, then merged, so that a list of any length holds the event loop no
 * longer than one run does.
 */
import type { Steps } from './turns.ts';

/** About a millisecond. */
const RUN = 2048;

/** The numbers 0 to `count` - 1 in the order of `compare`; equals stay in theirs. */
export function* orderSteps(count: number, compare: (a: number, b: number) => number): Steps<Uint32Array> {
  let from = new Uint32Array(count);
  for (let start = 0; start < count; start += RUN) {
    const end = Math.min(start + RUN, count);
    const run: number[] = [];
    for (let i = start; i < end; i++) run.push(i);
    from.set(run.sort(compare), start);
    yield;
  }
  let to = new Uint32Array(count);
  for (let width = RUN; width < count; width *= 2) {
    for (let start = 0; start < count; start += 2 * width) {
      const middle = Math.min(start + width, count);
      yield* mergeSteps(from, to, { start, middle, end: Math.min(middle + width, count) }, compare);
    }
    const merged = to;
    to = from;
    from = merged;
  }
  return from;
}

type Runs = { readonly start: number; readonly middle: number; readonly end: number };

function* mergeSteps(
  from: Uint32Array,
  to: Uint32Array,
  { start, middle, end }: Runs,
  compare: (a: number, b: number) => number,
): Steps<void> {
  let left = start;
  let right = middle;
  for (let i = start; i < end; i++) {
    if (i % RUN === 0) yield;
    const a = from[left] ?? 0;
    const b = from[right] ?? 0;
    const isLeft = left < middle && (right >= end || compare(a, b) <= 0);
    to[i] = isLeft ? a : b;
    if (isLeft) left++;
    else right++;
  }
}
