/**
 * Where the control bytes of a message stand (13 or less: line ends, NUL, tab), as one bit a byte. Written a stretch ahead
 * of the reader, so that finding the end of a line is one step whatever its length.
 */

import { INPUT_BYTES } from '../scan-layout.ts';

/** Bytes marked at a time. */
const STRETCH = 256;
/** A word of marks that is read at any byte has at least as many in front. */
const IN_SIGHT = 57;

/** Room for the marks of a whole input and what is read behind them. */
const marks: i32 = <i32>memory.data(INPUT_BYTES / 8 + STRETCH, 16);
let origin: i32 = 0;
/** Up to where marks are written. */
let marked: i32 = 0;

/** Begins with the message at `start`. */
export function beginMarks(start: i32): void {
  origin = start;
  marked = start;
}

function mark(): void {
  let to = marks + ((marked - origin) >>> 3);
  const stop = marked + STRETCH;
  for (let p = marked; p < stop; p += 32, to += 4) {
    const low = i8x16.bitmask(i8x16.le_u(v128.load(p), i8x16.splat(13)));
    const high = i8x16.bitmask(i8x16.le_u(v128.load(p, 16), i8x16.splat(13)));
    store<i32>(to, low | (high << 16));
  }
  marked = stop;
}

/** First control byte at or behind `p`, or `end`. `p` lies behind the start line. */
export function findControl(p: i32, end: i32): i32 {
  for (; p < end; p += IN_SIGHT) {
    while (marked < p + 64) mark();
    const at = p - origin;
    const bits = load<u64>(marks + (at >>> 3)) >> (at & 7);
    if (bits !== 0) return min<i32>(p + <i32>ctz<u64>(bits), end);
  }
  return end;
}
