/**
 * The start line, tolerant of the errors of RFC 4475 (RFC 3261 7.1, 7.2).
 *
 *     Method SP Request-URI SP SIP/2.0 CRLF
 *     SIP/2.0 SP 3DIGIT SP [reason] CRLF
 *
 * Method is the first token, version the last, the Request-URI what is between; deviations are noted.
 */

import { asciiWord, findByte } from '../core/byte-search.ts';
import { TOKEN_CLASS } from './chars.ts';
import { METHOD, methodId } from './method.ts';
import { NOTE } from './notes.ts';

const CR = 13;
const LF = 10;
const SPACE = 32;
const SIP_SLASH = asciiWord('SIP/');
const TWO_0_BLANK = asciiWord('2.0 ');
const BLANK_SIP = asciiWord(' SIP');
const SLASH_2_0 = asciiWord('/2.0');

/** Where the parts of the start line stand; `SipScan` has these fields. */
export interface StartLine {
  isRequest: boolean;
  method: number;
  status: number;
  startLineEnd: number;
  methodStart: number;
  methodEnd: number;
  uriStart: number;
  uriEnd: number;
  versionStart: number;
  versionEnd: number;
  reasonStart: number;
  reasonEnd: number;
  notes: number;
}

/** Outcomes that are no offset. */
export const START_CUT = -1;
const START_NOT_SIP = -2;

/** Reads the start line at `p` into `out`; returns the offset behind it, or a negative outcome. */
export function scanStartLine(
  buf: Uint8Array,
  words: DataView,
  p: number,
  end: number,
  maxMethodBytes: number,
  out: StartLine,
): number {
  const start = p;
  if (end - p > 12 && words.getInt32(p, true) === SIP_SLASH && words.getInt32(p + 4, true) === TWO_0_BLANK) {
    const next = plainStatusLine(buf, words, p, end, out);
    if (next >= 0) return next;
  }
  const token = TOKEN_CLASS;
  const tokenLimit = Math.min(end, start + maxMethodBytes);
  while (p < tokenLimit && token[buf[p] ?? 0] === 1) p++;
  if (p >= end) return p > start && p < start + maxMethodBytes ? START_CUT : START_NOT_SIP;
  const c = buf[p];
  const isResponse = c === 0x2f && p === start + 3 && isSipSlash(buf, start);
  if (p === start || (c !== SPACE && c !== 9 && !isResponse)) return START_NOT_SIP;
  const uriStart = p + 1;
  p = findByte(buf, words, p, end, LF);
  if (p >= end) return START_CUT;
  const next = p + 1;
  let lineEnd = p;
  if (lineEnd > start && buf[lineEnd - 1] === CR) lineEnd--;
  else out.notes |= NOTE.bareLf;
  out.startLineEnd = lineEnd;
  const isSip = isResponse
    ? statusLine(buf, start, lineEnd, out)
    : requestLine(buf, words, start, uriStart - 1, lineEnd, out);
  return isSip ? next : START_NOT_SIP;
}

/** A status line as nearly all are, behind whose version `p` is known to stand; -1 when something is unusual. */
function plainStatusLine(buf: Uint8Array, words: DataView, p: number, end: number, out: StartLine): number {
  const word = words.getInt32(p + 8, true);
  const hundreds = word & 0xff;
  const tens = (word >>> 8) & 0xff;
  const ones = (word >>> 16) & 0xff;
  const isStatus = hundreds > 0x30 && hundreds < 0x37 && tens >= 0x30 && tens <= 0x39 && ones >= 0x30 && ones <= 0x39;
  if (!isStatus || word >>> 24 !== SPACE) return -1;
  const feed = findByte(buf, words, p + 12, end, LF);
  if (feed >= end || buf[feed - 1] !== CR) return -1;
  out.startLineEnd = feed - 1;
  out.isRequest = false;
  out.status = (hundreds - 0x30) * 100 + (tens - 0x30) * 10 + ones - 0x30;
  out.versionStart = p;
  out.versionEnd = p + 7;
  out.reasonStart = p + 12;
  out.reasonEnd = feed - 1;
  return feed + 1;
}

/** `SIP/` in any case: SIP-Version is case-insensitive (RFC 3261 7.1). */
function isSipSlash(buf: Uint8Array, p: number): boolean {
  return (
    ((buf[p] ?? 0) | 0x20) === 0x73 &&
    ((buf[p + 1] ?? 0) | 0x20) === 0x69 &&
    ((buf[p + 2] ?? 0) | 0x20) === 0x70 &&
    buf[p + 3] === 0x2f
  );
}

/** Checks the version at `start`..`end`, which begins with `SIP/`. */
function noteVersion(buf: Uint8Array, start: number, end: number, out: StartLine): void {
  out.versionStart = start;
  out.versionEnd = end;
  const isTwo = end - start === 7 && buf[start + 4] === 0x32 && buf[start + 5] === 0x2e && buf[start + 6] === 0x30;
  if (!isTwo) out.notes |= NOTE.badVersion;
}

function statusLine(buf: Uint8Array, start: number, end: number, out: StartLine): boolean {
  let p = start + 4;
  while (p < end && (buf[p] ?? 0) > SPACE) p++;
  const versionEnd = p;
  while (p < end && (buf[p] ?? 0) <= SPACE) p++;
  const digits = p;
  let status = 0;
  while (p < end && (buf[p] ?? 0) >= 0x30 && (buf[p] ?? 0) <= 0x39) {
    if (p - digits < 3) status = status * 10 + (buf[p] ?? 0) - 0x30;
    p++;
  }
  // SIP-Version SP Status-Code: without a digit this is no status line.
  if (p === digits || digits === versionEnd) return false;
  noteVersion(buf, start, versionEnd, out);
  const isThree = p - digits === 3 && (p === end || (buf[p] ?? 0) <= SPACE);
  if (!isThree || status < 100 || status > 699) out.notes |= NOTE.badStatus;
  if (digits !== versionEnd + 1 || buf[versionEnd] !== SPACE || buf[p] !== SPACE || p === end) {
    out.notes |= NOTE.badStartLine;
  }
  out.isRequest = false;
  out.status = isThree ? status : 0;
  out.reasonStart = p < end && (buf[p] ?? 0) <= SPACE ? p + 1 : p;
  out.reasonEnd = end;
  return true;
}

function requestLine(
  buf: Uint8Array,
  words: DataView,
  start: number,
  methodEnd: number,
  end: number,
  out: StartLine,
): boolean {
  const version = end - 7;
  if (
    version > methodEnd + 2 &&
    words.getInt32(version - 1, true) === BLANK_SIP &&
    words.getInt32(version + 3, true) === SLASH_2_0 &&
    (buf[methodEnd + 1] ?? 0) > SPACE &&
    (buf[version - 2] ?? 0) > SPACE
  ) {
    out.versionStart = version;
    out.versionEnd = end;
    return takeRequest(buf, words, start, methodEnd, methodEnd + 1, version - 1, 0, out);
  }
  let tail = end;
  while (tail > methodEnd && (buf[tail - 1] ?? 0) <= SPACE) tail--;
  let versionStart = tail;
  while (versionStart > methodEnd && (buf[versionStart - 1] ?? 0) > SPACE) versionStart--;
  let uriStart = methodEnd;
  while (uriStart < tail && (buf[uriStart] ?? 0) <= SPACE) uriStart++;
  let uriEnd = versionStart;
  while (uriEnd > uriStart && (buf[uriEnd - 1] ?? 0) <= SPACE) uriEnd--;
  let notes = 0;
  if (tail !== end || uriStart !== methodEnd + 1 || uriEnd !== versionStart - 1) notes |= NOTE.badStartLine;
  if (versionStart + 4 <= tail && isSipSlash(buf, versionStart)) {
    // `METHOD SP SIP/2.0`: a version where the Request-URI belongs.
    if (uriEnd <= uriStart) return false;
    noteVersion(buf, versionStart, tail, out);
  } else {
    // No version. Kept when method and scheme leave no doubt that this was meant to be SIP.
    if (methodId(buf, start, methodEnd) === METHOD.OTHER || !hasSipScheme(buf, uriStart, tail)) return false;
    uriEnd = uriStart;
    while (uriEnd < tail && (buf[uriEnd] ?? 0) > SPACE) uriEnd++;
    notes |= NOTE.badStartLine | NOTE.badVersion;
  }
  return takeRequest(buf, words, start, methodEnd, uriStart, uriEnd, notes, out);
}

function takeRequest(
  buf: Uint8Array,
  words: DataView,
  start: number,
  methodEnd: number,
  uriStart: number,
  uriEnd: number,
  notes: number,
  out: StartLine,
): boolean {
  out.isRequest = true;
  out.method = methodId(buf, start, methodEnd);
  out.methodStart = start;
  out.methodEnd = methodEnd;
  out.uriStart = uriStart;
  out.uriEnd = uriEnd;
  out.notes |= notes | (hasUriMark(buf, words, uriStart, uriEnd) ? uriNotes(buf, uriStart, uriEnd) : 0);
  return true;
}

/** Whether a byte that uriNotes() would look at stands in `p`..`end`: 32 or less, `<`, `>` or `?`. */
function hasUriMark(buf: Uint8Array, words: DataView, p: number, end: number): boolean {
  for (; p + 4 <= end; p += 4) {
    const w = words.getInt32(p, true);
    const below = (w - 0x21212121) & ~w;
    // < and > differ in the bit that is left out.
    const angle = (w & 0xfdfdfdfd) ^ 0x3c3c3c3c;
    const question = w ^ 0x3f3f3f3f;
    const found = below | ((angle - 0x01010101) & ~angle) | ((question - 0x01010101) & ~question);
    if ((found & 0x80808080) !== 0) return true;
  }
  for (; p < end; p++) {
    const c = buf[p] ?? 0;
    if (c <= SPACE || c === 60 || c === 62 || c === 63) return true;
  }
  return false;
}

/** Whether a `sip:` or `sips:` URI stands at `p`. */
function hasSipScheme(buf: Uint8Array, p: number, end: number): boolean {
  if (end - p < 4) return false;
  const isSip =
    ((buf[p] ?? 0) | 0x20) === 0x73 && ((buf[p + 1] ?? 0) | 0x20) === 0x69 && ((buf[p + 2] ?? 0) | 0x20) === 0x70;
  return isSip && (buf[p + 3] === 0x3a || (((buf[p + 3] ?? 0) | 0x20) === 0x73 && end - p > 4 && buf[p + 4] === 0x3a));
}

/** What a Request-URI may not have: blanks, < >, and in a SIP URI a `?header` part (RFC 3261 19.1.1 table 1). */
function uriNotes(buf: Uint8Array, start: number, end: number): number {
  let question = -1;
  for (let p = start; p < end; p++) {
    const c = buf[p] ?? 0;
    if (c > 64) continue;
    if (c === 64) question = -1;
    else if (c === 63) question = p;
    else if (c <= SPACE || c === 60 || c === 62) return NOTE.badRequestUri;
  }
  // A question mark in front of the @ is part of the user.
  return question >= 0 && hasSipScheme(buf, start, end) ? NOTE.badRequestUri : 0;
}
