/**
 * Pairs the times of two observers of the same events. It makes as many pairs as there can be, and takes the pairing with
 * the least time between partners.
 */

/**
 * Both lists are sorted. Partners are at most `withinUs` apart and keep their order. Returns for each `a` the index of
 * its partner in `b`, or -1. Takes |a| times |b| steps.
 */
export function pairInTime(a: readonly number[], b: readonly number[], withinUs: number): Int32Array {
  const partner = new Int32Array(a.length).fill(-1);
  const width = b.length + 1;
  // Best from (i, j) to the ends: pairs, and the time between partners.
  const pairs = new Int32Array((a.length + 1) * width);
  const apart = new Float64Array((a.length + 1) * width);
  const step = new Uint8Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      const gap = Math.abs((a[i] ?? 0) - (b[j] ?? 0));
      let best = at + width;
      let move = SKIP_A;
      if (isBetter(pairs, apart, at + 1, best)) {
        best = at + 1;
        move = SKIP_B;
      }
      let count = pairs[best] ?? 0;
      let total = apart[best] ?? 0;
      const withPair = at + width + 1;
      const paired = (pairs[withPair] ?? 0) + 1;
      const pairedTotal = (apart[withPair] ?? 0) + gap;
      if (gap <= withinUs && (paired > count || (paired === count && pairedTotal <= total))) {
        count = paired;
        total = pairedTotal;
        move = PAIR;
      }
      pairs[at] = count;
      apart[at] = total;
      step[at] = move;
    }
  }
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const move = step[i * width + j];
    if (move === PAIR) partner[i] = j;
    if (move !== SKIP_B) i++;
    if (move !== SKIP_A) j++;
  }
  return partner;
}

const SKIP_A = 0;
const SKIP_B = 1;
const PAIR = 2;

function isBetter(pairs: Int32Array, apart: Float64Array, x: number, y: number): boolean {
  const px = pairs[x] ?? 0;
  const py = pairs[y] ?? 0;
  return px > py || (px === py && (apart[x] ?? 0) < (apart[y] ?? 0));
}
