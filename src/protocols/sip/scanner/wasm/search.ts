/**
 * Searches bytes sixteen at a time. What a search meets behind `end` is never the answer: it answers `end` then. Memory
 * continues for sixteen bytes behind every message.
 */
import { BACKSLASH, COMMA, GREATER, LESS, QUESTION, QUOTE, SEMICOLON } from './characters.ts';

/** The byte at `p`. */
export function byte(p: i32): i32 {
  return load<u8>(p);
}

/** All bits of each byte that is `wanted`. */
function equalTo(bytes: v128, wanted: i32): v128 {
  return i8x16.eq(bytes, i8x16.splat(<i8>wanted));
}

/** The address that the lowest bit of `mask` stands for, at most `end`. */
function lowest(p: i32, mask: i32, end: i32): i32 {
  return min<i32>(p + ctz<i32>(mask), end);
}

/** A bit for each byte of 13 or less (line ends, NUL, tab) of the 64 at `p`, the first the lowest. */
export function controlBytes(p: i32): u64 {
  return fourMasks(
    i8x16.bitmask(i8x16.le_u(v128.load(p), i8x16.splat(13))),
    i8x16.bitmask(i8x16.le_u(v128.load(p, 16), i8x16.splat(13))),
    i8x16.bitmask(i8x16.le_u(v128.load(p, 32), i8x16.splat(13))),
    i8x16.bitmask(i8x16.le_u(v128.load(p, 48), i8x16.splat(13))),
  );
}

function fourMasks(first: i32, second: i32, third: i32, fourth: i32): u64 {
  return <u64>(<u32>(first | (second << 16))) | ((<u64>(<u32>(third | (fourth << 16)))) << 32);
}

/** First byte of 13 or less at or after `p`, or `end`. */
export function findControl(p: i32, end: i32): i32 {
  for (; p < end; p += 16) {
    const mask = i8x16.bitmask(i8x16.le_u(v128.load(p), i8x16.splat(13)));
    if (mask !== 0) return lowest(p, mask, end);
  }
  return end;
}

/** First byte equal to `wanted` at or after `p`, or `end`. */
export function findByte(p: i32, end: i32, wanted: i32): i32 {
  for (; p < end; p += 16) {
    const mask = i8x16.bitmask(equalTo(v128.load(p), wanted));
    if (mask !== 0) return lowest(p, mask, end);
  }
  return end;
}

/** First comma or double quote at or after `p`, or `end`. */
export function findCommaOrQuote(p: i32, end: i32): i32 {
  for (; p < end; p += 16) {
    const bytes = v128.load(p);
    const comma = equalTo(bytes, COMMA);
    const mask = i8x16.bitmask(v128.or(comma, equalTo(bytes, QUOTE)));
    if (mask !== 0) return lowest(p, mask, end);
  }
  return end;
}

/** First `;`, `,` or double quote at or after `p`, or `end`. */
export function findSeparator(p: i32, end: i32): i32 {
  for (; p < end; p += 16) {
    const bytes = v128.load(p);
    const comma = equalTo(bytes, COMMA);
    const either = v128.or(comma, equalTo(bytes, QUOTE));
    const mask = i8x16.bitmask(v128.or(either, equalTo(bytes, SEMICOLON)));
    if (mask !== 0) return lowest(p, mask, end);
  }
  return end;
}

/** First `<`, `;` or double quote at or after `p`, or `end`: what ends a display name, an address, or opens a string. */
export function findAddressMark(p: i32, end: i32): i32 {
  for (; p < end; p += 16) {
    const bytes = v128.load(p);
    const less = equalTo(bytes, LESS);
    const either = v128.or(less, equalTo(bytes, QUOTE));
    const mask = i8x16.bitmask(v128.or(either, equalTo(bytes, SEMICOLON)));
    if (mask !== 0) return lowest(p, mask, end);
  }
  return end;
}

/** End of a parameter value at `p`: the first `;` or byte of 32 or less, or `end`. */
export function findValueEnd(p: i32, end: i32): i32 {
  for (; p < end; p += 16) {
    const bytes = v128.load(p);
    const blank = i8x16.le_u(bytes, i8x16.splat(32));
    const mask = i8x16.bitmask(v128.or(blank, equalTo(bytes, SEMICOLON)));
    if (mask !== 0) return lowest(p, mask, end);
  }
  return end;
}

/** Whether a byte of 32 or less, `<`, `>` or `?` stands in `p`..`end`. */
export function hasUriMark(p: i32, end: i32): bool {
  for (; p < end; p += 16) {
    const bytes = v128.load(p);
    const blank = i8x16.le_u(bytes, i8x16.splat(32));
    const angle = v128.or(equalTo(bytes, LESS), equalTo(bytes, GREATER));
    const either = v128.or(angle, equalTo(bytes, QUESTION));
    const mask = i8x16.bitmask(v128.or(blank, either));
    if (mask !== 0) return p + ctz<i32>(mask) < end;
  }
  return false;
}

/**
 * First byte that is not of `token` (RFC 3261 25.1: alphanumerics and - . ! % * _ + ` ' ~) at or after `p`, or `end`.
 * A byte's lower half chooses the rows of the ASCII table in which it is a token there, its upper half the row it is in.
 */
export function findTokenEnd(p: i32, end: i32): i32 {
  const rows = i8x16(0, 0, 1, 2, 4, 8, 16, 32, 0, 0, 0, 0, 0, 0, 0, 0);
  const tokens = i8x16(58, 63, 62, 62, 62, 63, 62, 63, 62, 62, 61, 21, 20, 21, 53, 28);
  for (; p < end; p += 16) {
    const bytes = v128.load(p);
    const row = i8x16.swizzle(rows, i8x16.shr_u(bytes, 4));
    const inRows = i8x16.swizzle(tokens, v128.and(bytes, i8x16.splat(15)));
    const mask = i8x16.bitmask(i8x16.eq(v128.and(row, inRows), i8x16.splat(0)));
    if (mask !== 0) return lowest(p, mask, end);
  }
  return end;
}

/** Address behind the quoted string that opens at `p`, or -1 when it never closes. */
export function skipQuoted(p: i32, end: i32): i32 {
  for (p++; p < end; ) {
    const bytes = v128.load(p);
    const quote = equalTo(bytes, QUOTE);
    const mask = i8x16.bitmask(v128.or(quote, equalTo(bytes, BACKSLASH)));
    if (mask === 0) {
      p += 16;
      continue;
    }
    p += ctz<i32>(mask);
    if (p >= end) return -1;
    if (byte(p) === QUOTE) return p + 1;
    // What a backslash stands before is no quote.
    p += 2;
  }
  return -1;
}

/** First byte above 32 at or after `p`, or `end`. */
export function skipBlanks(p: i32, end: i32): i32 {
  while (p < end && byte(p) <= 32) p++;
  return p;
}

/** Address behind the last byte above 32 in `start`..`end`, or `start`. */
export function trimEnd(start: i32, end: i32): i32 {
  while (end > start && byte(end - 1) <= 32) end--;
  return end;
}
