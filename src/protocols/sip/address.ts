/**
 * Finds the parts of one From, To or Contact value in the bytes, without allocation (RFC 3261 20.10, 25.1).
 *
 *     [ display-name ] "<" addr-spec ">" *( ";" param )
 *     addr-spec *( ";" param )            <- without < > every parameter belongs to the header
 */

import { findByte, wordsOf } from '../../core/byte-search.ts';
import { cutEnd, rawText, TextRange } from '../../core/byte-text.ts';
import { CUT, decodeText, percentDecode, unfold } from './text.ts';

/** Bytes kept of a user, a display name or a reason phrase. @cap dialog_texts_cut */
export const MAX_NAME_BYTES = 256;

const LF = 10;
const SPACE = 32;
const QUOTE = 34;
const PERCENT = 37;
const COLON = 58;
const SEMICOLON = 59;
const LESS = 60;
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
}

/** Offset after the quoted string that opens at `p`, or -1 when it never closes. */
function skipQuoted(buf: Uint8Array, p: number, end: number): number {
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
    while (uriStart < uriEnd && (buf[uriStart] ?? 0) <= SPACE) uriStart++;
    while (uriEnd > uriStart && (buf[uriEnd - 1] ?? 0) <= SPACE) uriEnd--;
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

const span = new AddressSpan();

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
  /** User part of the URI, %-decoded for display; '' without one, where it stands when its bytes are its text. */
  user: string | TextRange = '';
  /** Where the URI has no user: its host, or the whole of what is neither SIP nor a number, as a URN. */
  place = '';
  /** Display name with quotes and escapes undone; null without one. */
  display: string | null = null;
  /** One of them was too long and is cut. */
  isCut = false;
  readonly #range = new TextRange();

  /** Takes the value at `start`..`end`; nobody is named where `start` is negative. */
  read(buf: Uint8Array, start: number, end: number): void {
    this.user = '';
    this.place = '';
    this.display = null;
    this.isCut = false;
    if (start < 0) return;
    locateAddress(buf, wordsOf(buf), start, end, span);
    if (span.nameStart >= 0) this.display = this.#displayOf(buf, span.nameStart, span.nameEnd);
    this.user = this.#userOf(buf);
    if (this.user === '') this.place = this.#placeOf(buf);
  }

  #displayOf(buf: Uint8Array, start: number, end: number): string {
    const stop = cutEnd(buf, start, end, MAX_NAME_BYTES);
    const text = unquote(decodeText(buf, start, stop));
    if (stop === end) return text;
    this.isCut = true;
    return text + CUT;
  }

  #placeOf(buf: Uint8Array): string {
    const { uriStart, uriEnd } = span;
    const stop = cutEnd(buf, uriStart, uriEnd, MAX_NAME_BYTES);
    const text = decodeText(buf, uriStart, stop);
    const place = placeIn(text);
    if (stop === uriEnd || place !== text) return place;
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

/** Finds the user of the URI in `span`, empty where it is missing; true when its bytes are its text. */
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

/** '' where nothing is named. */
function placeIn(uri: string): string {
  const colon = uri.indexOf(':');
  const scheme = uri.slice(0, Math.max(0, colon)).toLowerCase();
  if (scheme === '' || scheme === 'tel') return '';
  if (scheme !== 'sip' && scheme !== 'sips') return uri;
  const [tail = ''] = uri.slice(Math.max(colon, uri.lastIndexOf('@')) + 1).split(/[;?]/, 1);
  return (/^\[([^\]]*)\]/.exec(tail)?.[1] ?? tail.split(':', 1)[0] ?? '').trim().toLowerCase();
}

/** Undoes a quoted string (RFC 3261 25.1); text without quotes comes back as it is. */
export function unquote(text: string): string {
  if (!text.startsWith('"')) return text;
  const closed = text.length > 1 && text.endsWith('"');
  const inner = closed ? text.slice(1, -1) : text.slice(1);
  return inner.includes('\\') ? inner.replace(/\\([\s\S])/g, '$1') : inner;
}

/** Where the URI of one From, To or Contact value stands. */
export function locateUri(buf: Uint8Array, start: number, end: number, out: TextRange): void {
  locateAddress(buf, wordsOf(buf), start, end, span);
  out.set(buf, span.uriStart, span.uriEnd);
}
