/** What search.ts does, for processors without SSE4.1 or its like: a byte at a time. */

import { BACKSLASH, COMMA, GREATER, LESS, QUESTION, QUOTE, SEMICOLON } from './characters.ts';

/** A bit for each ASCII character that is of `token` (RFC 3261 25.1): those below 64, and the others. */
const TOKENS_LOW: u64 = 0x03ff6ca200000000;
const TOKENS_HIGH: u64 = 0x47ffffff87fffffe;

export function controlBytes(p: i32): u64 {
  let mask: u64 = 0;
  for (let i = 0; i < 64; i++) if (load<u8>(p + i) <= 13) mask |= (<u64>1) << i;
  return mask;
}

export function findControl(p: i32, end: i32): i32 {
  for (; p < end; p++) if (load<u8>(p) <= 13) return p;
  return end;
}

export function findByte(p: i32, end: i32, wanted: i32): i32 {
  for (; p < end; p++) if (load<u8>(p) === wanted) return p;
  return end;
}

export function findCommaOrQuote(p: i32, end: i32): i32 {
  for (; p < end; p++) {
    const c: i32 = load<u8>(p);
    if (c === COMMA || c === QUOTE) return p;
  }
  return end;
}

export function findSeparator(p: i32, end: i32): i32 {
  for (; p < end; p++) {
    const c: i32 = load<u8>(p);
    if (c === COMMA || c === QUOTE || c === SEMICOLON) return p;
  }
  return end;
}

export function findAddressMark(p: i32, end: i32): i32 {
  for (; p < end; p++) {
    const c: i32 = load<u8>(p);
    if (c === LESS || c === QUOTE || c === SEMICOLON) return p;
  }
  return end;
}

export function findValueEnd(p: i32, end: i32): i32 {
  for (; p < end; p++) {
    const c: i32 = load<u8>(p);
    if (c <= 32 || c === SEMICOLON) return p;
  }
  return end;
}

export function hasUriMark(p: i32, end: i32): bool {
  for (; p < end; p++) {
    const c: i32 = load<u8>(p);
    if (c <= 32 || c === LESS || c === GREATER || c === QUESTION) return true;
  }
  return false;
}

export function findTokenEnd(p: i32, end: i32): i32 {
  for (; p < end; p++) {
    const c: i32 = load<u8>(p);
    if (c > 127 || (((c < 64 ? TOKENS_LOW : TOKENS_HIGH) >> (c & 63)) & 1) === 0) return p;
  }
  return end;
}

export function skipQuoted(p: i32, end: i32): i32 {
  for (p++; p < end; p++) {
    const c: i32 = load<u8>(p);
    if (c === QUOTE) return p + 1;
    // What a backslash stands before is no quote.
    if (c === BACKSLASH) p++;
  }
  return -1;
}
