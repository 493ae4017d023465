/** Takes from single headers what a scan keeps of them (RFC 3261 20). */

import { BAD_CONTENT_LENGTH, BAD_CSEQ, BAD_NUMBER, DUPLICATE_SINGLETONS, UNBALANCED_QUOTE } from '../../note-bits.ts';
import * as BIT from '../../seen-bits.ts';
import {
  BRANCH_END,
  BRANCH_START,
  CALL_ID_END,
  CALL_ID_START,
  CAUSE_START,
  CHARGING_START,
  CONTACT_COUNT,
  CONTACT_START,
  CONTENT_LENGTH,
  CONTENT_TYPE_START,
  CREDENTIALS,
  CSEQ,
  CSEQ_METHOD,
  CSEQ_METHOD_END,
  CSEQ_METHOD_START,
  EVENT_START,
  EXPIRES,
  FROM_END,
  FROM_START,
  FROM_TAG_END,
  FROM_TAG_START,
  HANGUP_CODE_START,
  HANGUP_TEXT_START,
  REFER_TO_START,
  SEEN,
  SESSION_ID_START,
  SUBSCRIPTION_STATE_START,
  TO_END,
  TO_START,
  TO_TAG_END,
  TO_TAG_START,
  USER_AGENT_START,
  VIA_END,
  VIA_START,
} from '../scan-layout.ts';
import { findParam, findParams, notes, valueEnd, valueStart } from './address.ts';
import { COMMA, GREATER, LESS, QUOTE, SEMICOLON, ZERO } from './characters.ts';
import * as NAME from './header-words.ts';
import { methodId } from './method.ts';
import { note, offset } from './result.ts';
import {
  byte,
  findByte,
  findCommaOrQuote,
  findSeparator,
  findValueEnd,
  skipBlanks,
  skipQuoted,
  trimEnd,
} from './search.ts';
import { anyCase, parseNumber } from './word.ts';

// As anyCase() reads them.
const TAG: u64 = 0x676174; // 'tag'
const TAG_EQUALS: u64 = 0x3d676174; // 'tag='
const BRANCH: u64 = 0x68636e617262; // 'branch'
const BRANCH_EQUALS: u64 = 0x3d68636e6172623b; // ';branch='

const LAST_CSEQ: i64 = 0x7fffffff;
const LAST_LENGTH: i64 = 0x7fffffff;

/** Marks a header that may occur once; false when it was there before, and the first one counts. */
function isFirst(out: i32, bit: i32): bool {
  const seen = load<i32>(out, 4 * SEEN);
  if ((seen & bit) !== 0) {
    note(out, DUPLICATE_SINGLETONS);
    return false;
  }
  store<i32>(out, seen | bit, 4 * SEEN);
  return true;
}

function markOtherLeg(out: i32): void {
  store<i32>(out, load<i32>(out, 4 * SEEN) | BIT.OTHER_LEG, 4 * SEEN);
}

function markOtherCall(out: i32): void {
  store<i32>(out, load<i32>(out, 4 * SEEN) | BIT.OTHER_LEG | BIT.OTHER_CALL, 4 * SEEN);
}

/** Keeps the value of the first header of its kind; `at` is the field of its start, and its end comes behind that. */
function keepFirst(out: i32, at: i32, start: i32, end: i32): void {
  const field = out + 4 * at;
  if (load<i32>(field) >= 0) return;
  store<i32>(field, offset(start));
  store<i32>(field, offset(end), 4);
}

/** Whether the name of `length` bytes at `p`, 9 to 16, begins and ends with these. */
function isLong(p: i32, length: i32, head: u64, tail: u64): bool {
  return anyCase(p, 8) === head && anyCase(p + length - 8, 8) === tail;
}

/**
 * Takes the header whose name stands at `name`..`nameEnd`, full or compact (RFC 3261 7.3.3), with the trimmed value at
 * `start`..`end`; false when it is not one of those a scan takes something from. Folding case makes no other byte a letter,
 * and a hyphen only of a CR, which is in no name.
 */
export function takeHeader(name: i32, nameEnd: i32, start: i32, end: i32, out: i32): bool {
  const length = nameEnd - name;
  const head = anyCase(name, min<i32>(length, 8));
  switch (length) {
    case 1:
      return takeCompact(<i32>head, start, end, out);
    case 2:
      if (head !== NAME.TO) return false;
      takeTo(start, end, out);
      return true;
    case 3:
      if (head !== NAME.VIA) return false;
      takeVia(start, end, out);
      return true;
    case 4:
      if (head === NAME.FROM) takeFrom(start, end, out);
      else if (head === NAME.CSEQ) takeCseq(start, end, out);
      else return false;
      return true;
    case 5:
      if (head === NAME.EVENT) keepFirst(out, EVENT_START, start, end);
      else if (head === NAME.X_CID) markOtherCall(out);
      else return false;
      return true;
    case 6:
      if (head === NAME.SERVER) keepFirst(out, USER_AGENT_START, start, end);
      else if (head === NAME.REASON) keepFirst(out, CAUSE_START, start, end);
      else return false;
      return true;
    case 7:
      if (head === NAME.CALL_ID) takeCallId(start, end, out);
      else if (head === NAME.CONTACT) takeContact(start, end, out);
      else if (head === NAME.EXPIRES) takeExpires(start, end, out);
      else return false;
      return true;
    case 8:
      if (head === NAME.REFER_TO) keepFirst(out, REFER_TO_START, start, end);
      else if (head === NAME.REPLACES) markOtherCall(out);
      else return false;
      return true;
    case 10:
      if (isLong(name, 10, NAME.USER_AGE, NAME.ER_AGENT)) keepFirst(out, USER_AGENT_START, start, end);
      else if (isLong(name, 10, NAME.SESSION_, NAME.SSION_ID)) keepFirst(out, SESSION_ID_START, start, end);
      else return false;
      return true;
    case 12:
      if (isLong(name, 12, NAME.MAX_FORW, NAME.FORWARDS)) takeMaxForwards(start, end, out);
      else if (isLong(name, 12, NAME.CONTENT_, NAME.ENT_TYPE)) keepFirst(out, CONTENT_TYPE_START, start, end);
      else return false;
      return true;
    case 14:
      if (!isLong(name, 14, NAME.CONTENT_, NAME.T_LENGTH)) return false;
      takeContentLength(start, end, out);
      return true;
    default:
      return takeRare(name, length, start, end, out);
  }
}

function takeCompact(letter: i32, start: i32, end: i32, out: i32): bool {
  switch (letter) {
    case NAME.COMPACT_CONTENT_TYPE:
      keepFirst(out, CONTENT_TYPE_START, start, end);
      return true;
    case NAME.COMPACT_FROM:
      takeFrom(start, end, out);
      return true;
    case NAME.COMPACT_CALL_ID:
      takeCallId(start, end, out);
      return true;
    case NAME.COMPACT_CONTENT_LENGTH:
      takeContentLength(start, end, out);
      return true;
    case NAME.COMPACT_CONTACT:
      takeContact(start, end, out);
      return true;
    case NAME.COMPACT_EVENT:
      keepFirst(out, EVENT_START, start, end);
      return true;
    case NAME.COMPACT_REFER_TO:
      keepFirst(out, REFER_TO_START, start, end);
      return true;
    case NAME.COMPACT_TO:
      takeTo(start, end, out);
      return true;
    case NAME.COMPACT_VIA:
      takeVia(start, end, out);
      return true;
    default:
      return false;
  }
}

/** The same for names that few messages have. */
function takeRare(name: i32, length: i32, start: i32, end: i32, out: i32): bool {
  switch (length) {
    case 9:
      if (!isLong(name, 9, NAME.X_CALL_I, NAME.D_CALL_ID)) return false;
      markOtherCall(out);
      return true;
    case 13:
      if (!isLong(name, 13, NAME.AUTHORIZ, NAME.RIZATION)) return false;
      store<i32>(out, 1, 4 * CREDENTIALS);
      return true;
    case 17:
      if (!isLong(name, 16, NAME.P_CHARGI, NAME.NG_VECTO) || anyCase(name + 9, 8) !== NAME.G_VECTOR) return false;
      keepFirst(out, CHARGING_START, start, end);
      return true;
    case 18:
      if (!isLong(name, 16, NAME.SUBSCRIP, NAME.TION_STA) || anyCase(name + 10, 8) !== NAME.ON_STATE) return false;
      keepFirst(out, SUBSCRIPTION_STATE_START, start, end);
      return true;
    case 19:
      if (!isLong(name, 16, NAME.PROXY_AU, NAME.THORIZAT) || anyCase(name + 11, 8) !== NAME.RIZATION) return false;
      store<i32>(out, 1, 4 * CREDENTIALS);
      return true;
    case 22:
      if (!isLong(name, 16, NAME.X_ASTERI, NAME.SK_HANGU) || anyCase(name + 14, 8) !== NAME.GUPCAUSE) return false;
      keepFirst(out, HANGUP_TEXT_START, start, end);
      return true;
    case 26:
      if (!isLong(name, 16, NAME.X_ASTERI, NAME.SK_HANGU) || anyCase(name + 14, 8) !== NAME.GUPCAUSE) return false;
      if (anyCase(name + 19, 7) !== NAME.USECODE) return false;
      keepFirst(out, HANGUP_CODE_START, start, end);
      return true;
    default:
      return false;
  }
}

function takeCallId(start: i32, end: i32, out: i32): void {
  if (end === start || !isFirst(out, BIT.CALL_ID)) return;
  store<i32>(out, offset(start), 4 * CALL_ID_START);
  store<i32>(out, offset(end), 4 * CALL_ID_END);
}

function takeContact(start: i32, end: i32, out: i32): void {
  keepFirst(out, CONTACT_START, start, end);
  store<i32>(out, load<i32>(out, 4 * CONTACT_COUNT) + countValues(start, end), 4 * CONTACT_COUNT);
}

function takeMaxForwards(start: i32, end: i32, out: i32): void {
  if (!isFirst(out, BIT.MAX_FORWARDS)) return;
  const hops = parseNumber(start, end, 256);
  if (hops < 0 || hops > 255) note(out, BAD_NUMBER);
}

function takeFrom(start: i32, end: i32, out: i32): void {
  if (!isFirst(out, BIT.FROM)) return;
  store<i32>(out, offset(start), 4 * FROM_START);
  store<i32>(out, offset(end), 4 * FROM_END);
  findTag(start, end, FROM_TAG_START, FROM_TAG_END, out);
}

function takeTo(start: i32, end: i32, out: i32): void {
  if (!isFirst(out, BIT.TO)) return;
  store<i32>(out, offset(start), 4 * TO_START);
  store<i32>(out, offset(end), 4 * TO_END);
  findTag(start, end, TO_TAG_START, TO_TAG_END, out);
}

/** Keeps a range in two fields. */
function keep(out: i32, startField: i32, endField: i32, start: i32, end: i32): void {
  store<i32>(out + 4 * startField, offset(start));
  store<i32>(out + 4 * endField, offset(end));
}

/** Whether a value that is neither empty nor quoted stands behind `;tag=` at `p`, all of it before `end`. */
function isPlainTag(p: i32, end: i32): bool {
  if (end - p < 6 || byte(p) !== SEMICOLON || anyCase(p + 1, 4) !== TAG_EQUALS) return false;
  const first = byte(p + 5);
  return first > 32 && first !== QUOTE;
}

/**
 * Finds the tag of a From or To value; the common cases are an address in < > alone, and with `;tag=value` right behind
 * it.
 */
function findTag(start: i32, end: i32, startField: i32, endField: i32, out: i32): void {
  let p = start;
  if (start < end && byte(start) === LESS) {
    const close = findByte(start + 1, end, GREATER);
    // Blanks inside the brackets are for findParams() to note.
    if (close < end && byte(start + 1) > 32 && byte(close - 1) > 32) {
      if (close === end - 1) return;
      p = close + 1;
    }
  }
  if (p === start || byte(p) !== SEMICOLON) {
    p = findParams(start, end);
    note(out, notes);
  }
  if (isPlainTag(p, end)) {
    keep(out, startField, endField, p + 5, findValueEnd(p + 5, end));
    return;
  }
  if (findParam(p, end, TAG, 3)) keep(out, startField, endField, valueStart, valueEnd);
  note(out, notes);
}

/** Whether a branch that is neither empty nor quoted stands behind `;branch=` at `p`, all of it before `end`. */
function isPlainBranch(p: i32, end: i32): bool {
  if (end - p < 9 || anyCase(p, 8) !== BRANCH_EQUALS) return false;
  const first = byte(p + 8);
  return first > 32 && first !== QUOTE && first !== SEMICOLON;
}

/** The first value of the first Via, and its branch; nearly all have one value, no quotes, and the branch comes first. */
function takeVia(start: i32, end: i32, out: i32): void {
  const seen = load<i32>(out, 4 * SEEN);
  if ((seen & BIT.VIA) !== 0) {
    markOtherLeg(out);
    return;
  }
  store<i32>(out, seen | BIT.VIA, 4 * SEEN);
  store<i32>(out, offset(start), 4 * VIA_START);
  let p = findSeparator(start, end);
  let viaEnd = end;
  const mark = p < end && byte(p) !== SEMICOLON ? p : findCommaOrQuote(p, end);
  if (mark < end) {
    viaEnd = firstValueEnd(start, end, out);
    if (viaEnd !== end) markOtherLeg(out);
    p = findByte(start, viaEnd, SEMICOLON);
  }
  store<i32>(out, offset(viaEnd), 4 * VIA_END);
  if (isPlainBranch(p, viaEnd)) {
    keep(out, BRANCH_START, BRANCH_END, p + 8, findValueEnd(p + 8, viaEnd));
    return;
  }
  if (findParam(p, viaEnd, BRANCH, 6) && valueEnd > valueStart)
    keep(out, BRANCH_START, BRANCH_END, valueStart, valueEnd);
  note(out, notes);
}

/** End of the first value of a comma-separated list; commas in quotes do not count. */
function firstValueEnd(start: i32, end: i32, out: i32): i32 {
  let p = findCommaOrQuote(start, end);
  while (p < end && byte(p) === QUOTE) {
    const behind = skipQuoted(p, end);
    if (behind < 0) {
      note(out, UNBALANCED_QUOTE);
      return end;
    }
    p = findCommaOrQuote(behind, end);
  }
  return trimEnd(start, p);
}

/** CSeq = 1*DIGIT LWS Method; the number is below 2^31 (RFC 3261 8.1.1.5). */
function takeCseq(start: i32, end: i32, out: i32): void {
  if (!isFirst(out, BIT.CSEQ)) return;
  let p = start;
  let value: i64 = 0;
  for (; p < end; p++) {
    const digit = byte(p) - ZERO;
    if (digit < 0 || digit > 9) break;
    if (value <= LAST_CSEQ) value = value * 10 + digit;
  }
  const digitsEnd = p;
  p = skipBlanks(p, end);
  if (digitsEnd > start && value <= LAST_CSEQ) store<i32>(out, <i32>value, 4 * CSEQ);
  else note(out, BAD_CSEQ);
  if (p >= end || p === digitsEnd) {
    note(out, BAD_CSEQ);
    return;
  }
  store<i32>(out, offset(p), 4 * CSEQ_METHOD_START);
  store<i32>(out, offset(end), 4 * CSEQ_METHOD_END);
  store<i32>(out, methodId(p, end), 4 * CSEQ_METHOD);
}

function takeContentLength(start: i32, end: i32, out: i32): void {
  if (!isFirst(out, BIT.CONTENT_LENGTH)) return;
  const length = parseNumber(start, end, LAST_LENGTH);
  if (length >= 0 && length < LAST_LENGTH) store<i32>(out, <i32>length, 4 * CONTENT_LENGTH);
  else {
    store<i32>(out, -2, 4 * CONTENT_LENGTH);
    note(out, BAD_CONTENT_LENGTH);
  }
}

/** Expires is below 2^32 (RFC 3261 20.19); the field saturates at 2^31-1 to stay a small integer. */
function takeExpires(start: i32, end: i32, out: i32): void {
  if (load<i32>(out, 4 * EXPIRES) >= 0) return;
  const seconds = parseNumber(start, end, 0x1_0000_0000);
  if (seconds < 0 || seconds > 0xffff_ffff) note(out, BAD_NUMBER);
  store<i32>(out, <i32>min<i64>(seconds, LAST_LENGTH), 4 * EXPIRES);
}

/** Values of a comma-separated list, commas in quotes and in < > left alone. */
function countValues(start: i32, end: i32): i32 {
  if (end <= start) return 0;
  if (findByte(start, end, COMMA) === end) return 1;
  let count = 1;
  let isInAngle = false;
  for (let p = start; p < end; p++) {
    const c = byte(p);
    if (c === LESS) isInAngle = true;
    else if (c === GREATER) isInAngle = false;
    else if (c === COMMA && !isInAngle) count++;
    else if (c === QUOTE && !isInAngle) {
      const behind = skipQuoted(p, end);
      if (behind < 0) return count;
      p = behind - 1;
    }
  }
  return count;
}
