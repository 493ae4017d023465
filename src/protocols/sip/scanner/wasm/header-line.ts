/**
 * A header line of any form: blanks before the colon, folding, stray line ends (RFC 3261 7.3.1). The usual line does not
 * come here.
 *
 *     Name [blanks] ":" [blanks] value CRLF
 *                   *( blank more-value CRLF )     <- a folded value
 *     CRLF                                         <- end of the headers
 */

import { BARE_CR, BARE_LF, FOLDED, NUL_IN_HEADERS } from '../../note-bits.ts';
import { COLON, CR, LF, SPACE, TAB } from './characters.ts';
import { byte, findControl, findTokenEnd, skipBlanks, trimEnd } from './search.ts';

export const HEADER = 0;
/** The empty line; `next` is the first byte of the body. */
export const BLANK = 1;
/** Not a header; `next` is behind the line. */
export const BAD = 2;
/** The bytes end inside the line. */
export const CUT = 3;

// What the last line consists of.
export let nameEnd: i32 = 0;
export let valueStart: i32 = 0;
export let valueEnd: i32 = 0;
export let next: i32 = 0;
/** Notes of all lines since the caller cleared them. */
export let notes: i32 = 0;

export function clearNotes(): void {
  notes = 0;
}

/** The byte at `p`, -1 at the end. */
function byteAt(p: i32, end: i32): i32 {
  return p < end ? byte(p) : -1;
}

/** Reads the line at `p`. */
export function readHeaderLine(p: i32, end: i32): i32 {
  const lineStart = p;
  nameEnd = findTokenEnd(p, end);
  p = nameEnd;
  let c = byteAt(p, end);
  if (p === lineStart) {
    // Nothing of a name: the end of the headers, or a bad line.
    if (c === CR && byteAt(p + 1, end) === LF) {
      next = p + 2;
      return BLANK;
    }
    if (c === LF) {
      notes |= BARE_LF;
      next = p + 1;
      return BLANK;
    }
  } else {
    // HCOLON = *( SP / HTAB ) ":" SWS
    while (c === SPACE || c === TAB) c = byteAt(++p, end);
  }
  const isHeader = c === COLON && nameEnd > lineStart;
  valueStart = isHeader ? p + 1 : p;
  p = lineEnd(valueStart, end);
  if (p < 0) return CUT;
  next = p;
  if (!isHeader) return BAD;
  valueEnd = p - 1;
  valueStart = skipBlanks(valueStart, valueEnd);
  valueEnd = trimEnd(valueStart, valueEnd);
  return HEADER;
}

/** Address behind the line whose rest begins at `p`, with all that it continues in; -1 when the bytes end before. */
function lineEnd(p: i32, end: i32): i32 {
  let found = 0;
  for (;;) {
    p = findControl(p, end);
    if (p >= end) return -1;
    const c = byte(p);
    if (c === LF) found |= BARE_LF;
    else if (c === CR) {
      if (p + 1 >= end) return -1;
      if (byte(p + 1) !== LF) {
        found |= BARE_CR;
        p++;
        continue;
      }
      p++;
    } else {
      if (c === 0) found |= NUL_IN_HEADERS;
      p++;
      continue;
    }
    // Here `p` is at the LF. A blank at the start of the next line continues this one.
    p++;
    const following = byteAt(p, end);
    if (following !== SPACE && following !== TAB) break;
    found |= FOLDED;
  }
  notes |= found;
  return p;
}
