/**
 * The start line, tolerant of the errors of RFC 4475 (RFC 3261 7.1, 7.2).
 *
 *     Method SP Request-URI SP SIP/2.0 CRLF
 *     SIP/2.0 SP 3DIGIT SP [reason] CRLF
 *
 * Method is the first token, version the last, the Request-URI what is between; deviations are noted.
 */

import { OTHER } from '../../../../core/methods.ts';
import { BAD_REQUEST_URI, BAD_START_LINE, BAD_STATUS, BAD_VERSION, BARE_LF } from '../../note-bits.ts';
import {
  METHOD,
  METHOD_END,
  METHOD_START,
  REASON_END,
  REASON_START,
  REQUEST,
  START_LINE_END,
  STATUS,
  URI_END,
  URI_START,
  VERSION_END,
  VERSION_START,
} from '../scan-layout.ts';
import { AT_SIGN, COLON, CR, GREATER, LESS, LF, QUESTION, SLASH, SMALL_S, SPACE, TAB, ZERO } from './characters.ts';
import { methodId } from './method.ts';
import { note, offset } from './result.ts';
import { byte, findByte, findTokenEnd, hasUriMark, skipBlanks, trimEnd } from './search.ts';
import { anyCase, word } from './word.ts';

/** Outcomes that are no address. */
export const START_CUT = -1;
export const START_NOT_SIP = -2;

// As word() and anyCase() read them.
const SIP_2_0_BLANK: u64 = 0x20302e322f504953; // 'SIP/2.0 '
const BLANK_SIP_2_0: u64 = 0x302e322f50495320; // ' SIP/2.0'
const TWO_0: u64 = 0x302e32; // '2.0'
const SIP: u64 = 0x706973; // 'sip'

/** Reads the start line at `p` into `out`; returns the address behind it, or a negative outcome. */
export function scanStartLine(p: i32, end: i32, maxMethodBytes: i32, out: i32): i32 {
  const start = p;
  if (end - p > 12 && word(p, 8) === SIP_2_0_BLANK) {
    const next = plainStatusLine(p, end, out);
    if (next >= 0) return next;
  }
  p = findTokenEnd(p, min<i32>(end, start + maxMethodBytes));
  if (p >= end) return p > start && p < start + maxMethodBytes ? START_CUT : START_NOT_SIP;
  const c = byte(p);
  const isResponse = c === SLASH && p === start + 3 && isSipSlash(start);
  if (p === start || (c !== SPACE && c !== TAB && !isResponse)) return START_NOT_SIP;
  const methodEnd = p;
  p = findByte(p, end, LF);
  if (p >= end) return START_CUT;
  let lineEnd = p;
  if (byte(lineEnd - 1) === CR) lineEnd--;
  else note(out, BARE_LF);
  store<i32>(out, offset(lineEnd), 4 * START_LINE_END);
  const isSip = isResponse ? statusLine(start, lineEnd, out) : requestLine(start, methodEnd, lineEnd, out);
  return isSip ? p + 1 : START_NOT_SIP;
}

/** A status line as nearly all are, after whose version `p` is known to stand; -1 when something is unusual. */
function plainStatusLine(p: i32, end: i32, out: i32): i32 {
  const hundreds = byte(p + 8) - ZERO;
  const tens = byte(p + 9) - ZERO;
  const ones = byte(p + 10) - ZERO;
  const isStatus = hundreds > 0 && hundreds < 7 && tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9;
  if (!isStatus || byte(p + 11) !== SPACE) return -1;
  const feed = findByte(p + 12, end, LF);
  if (feed >= end || byte(feed - 1) !== CR) return -1;
  store<i32>(out, hundreds * 100 + tens * 10 + ones, 4 * STATUS);
  store<i32>(out, offset(feed - 1), 4 * START_LINE_END);
  store<i32>(out, offset(p), 4 * VERSION_START);
  store<i32>(out, offset(p + 7), 4 * VERSION_END);
  store<i32>(out, offset(p + 12), 4 * REASON_START);
  store<i32>(out, offset(feed - 1), 4 * REASON_END);
  return feed + 1;
}

/** `SIP/` in any case: SIP-Version is case-insensitive (RFC 3261 7.1). */
function isSipSlash(p: i32): bool {
  return anyCase(p, 3) === SIP && byte(p + 3) === SLASH;
}

/** Checks the version at `start`..`end`, which begins with `SIP/`. */
function noteVersion(start: i32, end: i32, out: i32): void {
  store<i32>(out, offset(start), 4 * VERSION_START);
  store<i32>(out, offset(end), 4 * VERSION_END);
  if (end - start !== 7 || word(start + 4, 3) !== TWO_0) note(out, BAD_VERSION);
}

function statusLine(start: i32, end: i32, out: i32): bool {
  let p = start + 4;
  while (p < end && byte(p) > SPACE) p++;
  const versionEnd = p;
  const digits = skipBlanks(p, end);
  let status = 0;
  for (p = digits; p < end; p++) {
    const digit = byte(p) - ZERO;
    if (digit < 0 || digit > 9) break;
    if (p - digits < 3) status = status * 10 + digit;
  }
  // SIP-Version SP Status-Code: without a digit this is no status line.
  if (p === digits || digits === versionEnd) return false;
  noteVersion(start, versionEnd, out);
  const isAtBlank = p < end && byte(p) <= SPACE;
  const isThree = p - digits === 3 && (p === end || isAtBlank);
  if (!isThree || status < 100 || status > 699) note(out, BAD_STATUS);
  const isPlain = digits === versionEnd + 1 && byte(versionEnd) === SPACE && p < end && byte(p) === SPACE;
  if (!isPlain) note(out, BAD_START_LINE);
  store<i32>(out, isThree ? status : 0, 4 * STATUS);
  store<i32>(out, offset(isAtBlank ? p + 1 : p), 4 * REASON_START);
  store<i32>(out, offset(end), 4 * REASON_END);
  return true;
}

function requestLine(start: i32, methodEnd: i32, end: i32, out: i32): bool {
  const version = end - 7;
  if (
    version > methodEnd + 2 &&
    word(version - 1, 8) === BLANK_SIP_2_0 &&
    byte(methodEnd + 1) > SPACE &&
    byte(version - 2) > SPACE
  ) {
    store<i32>(out, offset(version), 4 * VERSION_START);
    store<i32>(out, offset(end), 4 * VERSION_END);
    takeRequest(start, methodEnd, methodEnd + 1, version - 1, out);
    return true;
  }
  const tail = trimEnd(methodEnd, end);
  let versionStart = tail;
  while (versionStart > methodEnd && byte(versionStart - 1) > SPACE) versionStart--;
  const uriStart = skipBlanks(methodEnd, tail);
  let uriEnd = trimEnd(uriStart, versionStart);
  if (tail !== end || uriStart !== methodEnd + 1 || uriEnd !== versionStart - 1) note(out, BAD_START_LINE);
  if (versionStart + 4 <= tail && isSipSlash(versionStart)) {
    // `METHOD SP SIP/2.0`: a version where the Request-URI belongs.
    if (uriEnd <= uriStart) return false;
    noteVersion(versionStart, tail, out);
  } else {
    // No version. Kept when method and scheme leave no doubt that this was meant to be SIP.
    if (methodId(start, methodEnd) === OTHER || !hasSipScheme(uriStart, tail)) return false;
    uriEnd = uriStart;
    while (uriEnd < tail && byte(uriEnd) > SPACE) uriEnd++;
    note(out, BAD_START_LINE | BAD_VERSION);
  }
  takeRequest(start, methodEnd, uriStart, uriEnd, out);
  return true;
}

function takeRequest(start: i32, methodEnd: i32, uriStart: i32, uriEnd: i32, out: i32): void {
  store<i32>(out, 1, 4 * REQUEST);
  store<i32>(out, methodId(start, methodEnd), 4 * METHOD);
  store<i32>(out, offset(start), 4 * METHOD_START);
  store<i32>(out, offset(methodEnd), 4 * METHOD_END);
  store<i32>(out, offset(uriStart), 4 * URI_START);
  store<i32>(out, offset(uriEnd), 4 * URI_END);
  if (hasUriMark(uriStart, uriEnd)) noteUri(uriStart, uriEnd, out);
}

/** Whether a `sip:` or `sips:` URI stands at `p`. */
function hasSipScheme(p: i32, end: i32): bool {
  if (end - p < 4 || anyCase(p, 3) !== SIP) return false;
  const c = byte(p + 3);
  return c === COLON || ((c | 0x20) === SMALL_S && end - p > 4 && byte(p + 4) === COLON);
}

/** Notes what a Request-URI may not have: blanks, < >, and in a SIP URI a `?header` part (RFC 3261 19.1.1 table 1). */
function noteUri(start: i32, end: i32, out: i32): void {
  let question = -1;
  for (let p = start; p < end; p++) {
    const c = byte(p);
    if (c === AT_SIGN) question = -1;
    else if (c === QUESTION) question = p;
    else if (c <= SPACE || c === LESS || c === GREATER) {
      note(out, BAD_REQUEST_URI);
      return;
    }
  }
  // A question mark in front of the @ is part of the user.
  if (question >= 0 && hasSipScheme(start, end)) note(out, BAD_REQUEST_URI);
}
