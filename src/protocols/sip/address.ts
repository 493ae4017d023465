/**
 * Finds the parts of one From, To or Contact value in the bytes, without allocation (RFC 3261 20.10, 25.1).
 *
 *     [ display-name ] "<" addr-spec ">" *( ";" param )
 *     addr-spec *( ";" param )            <- without < > every parameter belongs to the header
 */

import { findByte, wordsOf } from '../../core/byte-search.ts';
import { asBuffer, cutEnd, rawText, TextRange } from '../../core/byte-text.ts';
import { MAX_NAME_BYTES } from '../../core/limits.ts';
import { NOTE } from './notes.ts';
import { CUT, decodeText, percentDecode, unfold } from './text.ts';

const LF = 10;
const SPACE = 32;
const QUOTE = 34;
const PERCENT = 37;
const COLON = 58;
const SEMICOLON = 59;
const LESS = 60;
const EQUALS = 61;
const GREATER = 62;
const BACKSLASH = 92;

/** Reusable result: offsets, -1 when absent. */
class AddressSpan {
  uriStart = -1;
  uriEnd = -1;
  /** Display name with its quotes, trimmed. */
  nameStart = -1;
  nameEnd = -1;
  /** At the first `;` of the header parameters, or at the end of the value. */
  paramsStart = -1;
  notes = 0;
}

/** Offset behind the quoted string that opens at `p`, or -1 when it never closes. */
export function skipQuoted(buf: Uint8Array, p: number, end: number): number {
  for (p++; p < end; p++) {
    const c = buf[p];
    if (c === QUOTE) return p + 1;
    if (c === BACKSLASH) p++;
  }
  return -1;
}

/**
 * Splits the value at `start`..`end` into `out`; `words` is `wordsOf(buf)`. An opening quote that never closes counts
 * as a plain character.
 */
function locateAddress(buf: Uint8Array, words: DataView, start: number, end: number, out: AddressSpan): void {
  out.notes = 0;
  out.nameStart = -1;
  out.nameEnd = -1;
  let p = start;
  let quotesCount = true;
  while (p < end) {
    const c = buf[p] ?? 0;
    if (c > LESS) {
      p++;
      continue;
    }
    if (c === LESS || c === SEMICOLON) break;
    if (c === QUOTE && quotesCount) {
      const behind = skipQuoted(buf, p, end);
      if (behind < 0) {
        quotesCount = false;
        out.notes |= NOTE.unbalancedQuote;
        p++;
      } else p = behind;
    } else p++;
  }
  if (p < end && buf[p] === LESS) {
    let nameEnd = p;
    while (nameEnd > start && (buf[nameEnd - 1] ?? 0) <= SPACE) nameEnd--;
    if (nameEnd > start) {
      out.nameStart = start;
      out.nameEnd = nameEnd;
    }
    const close = findByte(buf, words, p + 1, end, GREATER);
    let uriStart = p + 1;
    let uriEnd = close;
    if (close >= end) out.notes |= NOTE.badNameAddr;
    while (uriStart < uriEnd && (buf[uriStart] ?? 0) <= SPACE) uriStart++;
    while (uriEnd > uriStart && (buf[uriEnd - 1] ?? 0) <= SPACE) uriEnd--;
    if (uriStart !== p + 1 || uriEnd !== close) out.notes |= NOTE.badNameAddr;
    out.uriStart = uriStart;
    out.uriEnd = uriEnd;
    p = close;
    while (p < end && buf[p] !== SEMICOLON) p++;
    out.paramsStart = p;
    return;
  }
  let uriEnd = p;
  while (uriEnd > start && (buf[uriEnd - 1] ?? 0) <= SPACE) uriEnd--;
  out.uriStart = start;
  out.uriEnd = uriEnd;
  out.paramsStart = p;
}

function isValueByte(c: number): boolean {
  return c > SPACE && c !== SEMICOLON;
}

/** Reusable result of `findParam`: the value without its quotes, empty for a parameter without one. */
class ParamSpan {
  start = -1;
  end = -1;
  notes = 0;
}

/**
 * Looks for the parameter `name` (lower-case bytes) in the `;`-list at `p`..`end`; true when it is there.
 * Parameters behind it are not looked at.
 */
export function findParam(buf: Uint8Array, p: number, end: number, name: Uint8Array, out: ParamSpan): boolean {
  out.start = -1;
  out.end = -1;
  out.notes = 0;
  const length = name.length;
  while (p < end) {
    // At a semicolon.
    p++;
    while (p < end && (buf[p] ?? 0) <= SPACE) p++;
    const nameStart = p;
    while (p < end && isValueByte(buf[p] ?? 0) && buf[p] !== EQUALS) p++;
    const nameEnd = p;
    while (p < end && (buf[p] ?? 0) <= SPACE) p++;
    let valueStart = p;
    let valueEnd = p;
    if (p < end && buf[p] === EQUALS) {
      p++;
      while (p < end && (buf[p] ?? 0) <= SPACE) p++;
      valueStart = p;
      const behind = p < end && buf[p] === QUOTE ? skipQuoted(buf, p, end) : 0;
      if (behind > 0) {
        valueStart++;
        valueEnd = behind - 1;
        p = behind;
        while (p < end && buf[p] !== SEMICOLON) p++;
      } else {
        if (behind < 0) out.notes |= NOTE.unbalancedQuote;
        while (p < end && isValueByte(buf[p] ?? 0)) p++;
        valueEnd = p;
        while (p < end && buf[p] !== SEMICOLON) p++;
      }
    } else {
      if (nameEnd === nameStart) out.notes |= NOTE.emptyParameter;
      while (p < end && buf[p] !== SEMICOLON) p++;
    }
    if (nameEnd - nameStart === length) {
      let i = 0;
      while (i < length && ((buf[nameStart + i] ?? 0) | 0x20) === name[i]) i++;
      if (i === length) {
        out.start = valueStart;
        out.end = valueEnd;
        return true;
      }
    }
  }
  return false;
}

const EXPIRES = new TextEncoder().encode('expires');
const span = new AddressSpan();
const param = new ParamSpan();

const SIP = Buffer.from('sip');
const SIPS = Buffer.from('sips');
const TEL = Buffer.from('tel');

/** Whether `name` (lower-case letters) stands at `start`..`end` in any case. */
function isScheme(buf: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i++) {
    const c = buf[start + i] ?? 0;
    if ((c | 0x20) !== name[i] || c < 0x41) return false;
  }
  return true;
}

/** Who a From, To or Contact value names; reusable. */
export class Party {
  /** User part of the URI, %-decoded for display; '' when there is none, where it stands when its bytes are its text. */
  user: string | TextRange = '';
  /** Display name with quotes and escapes undone; null when there is none. */
  display: string | null = null;
  /** One of them was too long and is cut. */
  isCut = false;
  readonly #range = new TextRange();

  /** Takes the value at `start`..`end`; nobody is named where `start` is negative. */
  read(buf: Uint8Array, start: number, end: number): void {
    this.user = '';
    this.display = null;
    this.isCut = false;
    if (start < 0) return;
    locateAddress(buf, wordsOf(buf), start, end, span);
    if (span.nameStart >= 0) this.display = this.#displayOf(buf, span.nameStart, span.nameEnd);
    this.user = this.#userOf(buf);
  }

  #displayOf(buf: Uint8Array, start: number, end: number): string {
    const stop = cutEnd(buf, start, end, MAX_NAME_BYTES);
    const text = unquote(decodeText(buf, start, stop));
    if (stop === end) return text;
    this.isCut = true;
    return text + CUT;
  }

  #userOf(buf: Uint8Array): string | TextRange {
    const isPlain = locateUser(buf, this.#range);
    const { start, end } = this.#range;
    const stop = cutEnd(buf, start, end, MAX_NAME_BYTES);
    if (isPlain && stop === end) return end === start ? '' : this.#range;
    const text = percentDecode(unfold(rawText(buf, start, stop)));
    if (stop === end) return text;
    this.isCut = true;
    return text + CUT;
  }
}

/** Finds the user of the URI in `span`, empty where there is none; true when its bytes are its text. */
function locateUser(buf: Uint8Array, range: TextRange): boolean {
  range.set(buf, 0, 0);
  const { uriStart } = span;
  let stop = span.uriEnd;
  let p = uriStart;
  while (p < stop && (buf[p] ?? 0) !== COLON) p++;
  if (p >= stop) return true;
  const first = p + 1;
  if (isScheme(buf, uriStart, p, TEL)) {
    let q = first;
    while (q < stop && buf[q] !== SEMICOLON) q++;
    range.set(buf, first, q);
    return false;
  }
  if (!isScheme(buf, uriStart, p, SIP) && !isScheme(buf, uriStart, p, SIPS)) return true;
  // Without < > the search for `;` may have stopped inside the user part; the last @ of the URI closes the user.
  let at = -1;
  for (let q = first; q < stop; q++) if (buf[q] === 0x40) at = q;
  if (at < 0) return true;
  stop = at;
  let isPlain = true;
  for (let q = first; q < stop; q++) {
    const c = buf[q] ?? 0;
    if (c === COLON) stop = q;
    else if (c > 0x7f || c === PERCENT || c === LF) isPlain = false;
  }
  range.set(buf, first, stop);
  return isPlain;
}

/** Undoes a quoted string (RFC 3261 25.1); text without quotes comes back as it is. */
export function unquote(text: string): string {
  if (!text.startsWith('"')) return text;
  const closed = text.length > 1 && text.endsWith('"');
  const inner = closed ? text.slice(1, -1) : text.slice(1);
  return inner.includes('\\') ? inner.replace(/\\([\s\S])/g, '$1') : inner;
}

/** The `expires` parameter of one Contact value in seconds, -1 when absent or no number; 2^31-1 at most. */
export function contactExpires(buf: Uint8Array, start: number, end: number): number {
  if (start < 0) return -1;
  locateAddress(buf, wordsOf(buf), start, end, span);
  if (!findParam(buf, span.paramsStart, end, EXPIRES, param) || param.end <= param.start) return -1;
  return parseNumber(buf, param.start, param.end, 0x7fffffff);
}

/** The URI of one From, To or Contact value, each character one byte of it. */
export function addressUri(buf: Uint8Array, start: number, end: number): string {
  if (start < 0) return '';
  locateAddress(buf, wordsOf(buf), start, end, span);
  return asBuffer(buf).toString('latin1', span.uriStart, span.uriEnd);
}

/** Decimal number at `start`..`end`; `max` when it is larger, -1 when it is no number. */
export function parseNumber(buf: Uint8Array, start: number, end: number, max: number): number {
  if (end <= start) return -1;
  let value = 0;
  for (let p = start; p < end; p++) {
    const digit = (buf[p] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value >= max ? max : Math.min(value * 10 + digit, max);
  }
  return value;
}
