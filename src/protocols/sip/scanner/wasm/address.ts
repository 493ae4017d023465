/** Finds the parameters of one From or To value, and one of them by name; see the layer's address.ts for the grammar. */

import { BAD_NAME_ADDR, EMPTY_PARAMETER, UNBALANCED_QUOTE } from '../../note-bits.ts';
import { EQUALS, GREATER, LESS, QUOTE, SEMICOLON } from './characters.ts';
import { byte, findAddressMark, findByte, findValueEnd, skipBlanks, skipQuoted, trimEnd } from './search.ts';
import { anyCase } from './word.ts';

/** What the last address or parameter list was found to lack. */
export let notes: i32 = 0;

/**
 * First `;` of the header parameters of the address at `start`..`end`, or `end`. An opening quote that never closes counts
 * as a plain character.
 */
export function findParams(start: i32, end: i32): i32 {
  notes = 0;
  let p = findAddressMark(start, end);
  let quotesCount = true;
  while (p < end && byte(p) === QUOTE) {
    const behind = quotesCount ? skipQuoted(p, end) : -1;
    if (behind < 0 && quotesCount) {
      quotesCount = false;
      notes |= UNBALANCED_QUOTE;
    }
    p = findAddressMark(behind < 0 ? p + 1 : behind, end);
  }
  if (p >= end || byte(p) !== LESS) return p;
  const close = findByte(p + 1, end, GREATER);
  if (close >= end) notes |= BAD_NAME_ADDR;
  const uriStart = skipBlanks(p + 1, close);
  if (uriStart !== p + 1 || trimEnd(uriStart, close) !== close) notes |= BAD_NAME_ADDR;
  return findByte(close, end, SEMICOLON);
}

/** The value that findParam() found, without its quotes; empty for a parameter without one. */
export let valueStart: i32 = 0;
export let valueEnd: i32 = 0;

/** End of a parameter's name at `p`: the first `=`, `;` or byte of 32 or less. */
function findNameEnd(p: i32, end: i32): i32 {
  for (; p < end; p++) {
    const c = byte(p);
    if (c <= 32 || c === SEMICOLON || c === EQUALS) break;
  }
  return p;
}

/** Looks for the parameter `name` (small letters, `length` of them, at most 8) in the `;`-list at `p`..`end`; true when it is there. */
export function findParam(p: i32, end: i32, name: u64, length: i32): bool {
  notes = 0;
  while (p < end) {
    // At a semicolon.
    const nameStart = skipBlanks(p + 1, end);
    const nameEnd = findNameEnd(nameStart, end);
    p = skipBlanks(nameEnd, end);
    valueStart = p;
    valueEnd = p;
    if (p < end && byte(p) === EQUALS) {
      p = skipBlanks(p + 1, end);
      valueStart = p;
      const behind = p < end && byte(p) === QUOTE ? skipQuoted(p, end) : 0;
      if (behind > 0) {
        valueStart++;
        valueEnd = behind - 1;
        p = behind;
      } else {
        if (behind < 0) notes |= UNBALANCED_QUOTE;
        p = findValueEnd(p, end);
        valueEnd = p;
      }
    } else if (nameEnd === nameStart) notes |= EMPTY_PARAMETER;
    p = findByte(p, end, SEMICOLON);
    if (nameEnd - nameStart === length && anyCase(nameStart, length) === name) return true;
  }
  return false;
}
