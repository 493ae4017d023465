/** Takes from single headers what a scan keeps of them (RFC 3261 20). Allocates nothing; see `scan.ts`. */

import { asciiWord, findByte, findSeparator, findValueEnd, hasCommaOrQuote } from '../core/byte-search.ts';
import { AddressSpan, findParam, locateAddress, ParamSpan, parseNumber, skipQuoted } from './address.ts';
import { HEADER } from './header-name.ts';
import { methodId } from './method.ts';
import { NOTE } from './notes.ts';
import type { SipScan } from './scan.ts';

/** Bits of `SipScan.seen`: headers that must be there or may occur once, and those that may name another dialog. */
export const SEEN = {
  CALL_ID: 1,
  CSEQ: 2,
  FROM: 4,
  TO: 8,
  CONTENT_LENGTH: 16,
  MAX_FORWARDS: 32,
  VIA: 64,
  /** A second Via or a second value of the first, Replaces, X-Call-ID or X-CID. */
  OTHER_LEG: 128,
} as const;

const SEMICOLON = 59;
const LESS = 60;
const GREATER = 62;
const MAX_CSEQ = 0x7fffffff;
const MAX_LENGTH = 0x7fffffff;

const TAG = new TextEncoder().encode('tag');
const BRANCH = new TextEncoder().encode('branch');
const TAG_EQUALS = asciiWord('tag=');
const BRAN = asciiWord('bran');
const NCH_EQUALS = asciiWord('nch=');
const BRA_MARK = asciiWord(';bra');

// One scan runs at a time and hands none of these out.
const address = new AddressSpan();
const param = new ParamSpan();

/** Marks a header that may occur once; false when it was there before, and the first one counts. */
function isFirst(out: SipScan, bit: number): boolean {
  if ((out.seen & bit) !== 0) {
    out.notes |= NOTE.duplicateSingletons;
    return false;
  }
  out.seen |= bit;
  return true;
}

/** Takes the header `id` with the trimmed value at `start`..`end`; `words` is `wordsOf(buf)`. */
export function takeHeader(
  buf: Uint8Array,
  words: DataView,
  id: number,
  start: number,
  end: number,
  out: SipScan,
): void {
  out.headerCount++;
  switch (id) {
    case HEADER.VIA:
      if ((out.seen & SEEN.VIA) === 0) takeVia(buf, words, start, end, out);
      else out.seen |= SEEN.OTHER_LEG;
      break;
    case HEADER.FROM:
      if (isFirst(out, SEEN.FROM)) takeFrom(buf, words, start, end, out);
      break;
    case HEADER.TO:
      if (isFirst(out, SEEN.TO)) takeTo(buf, words, start, end, out);
      break;
    case HEADER.CALL_ID:
      if (end > start && isFirst(out, SEEN.CALL_ID)) {
        out.callIdStart = start;
        out.callIdEnd = end;
      }
      break;
    case HEADER.CSEQ:
      if (isFirst(out, SEEN.CSEQ)) takeCseq(buf, start, end, out);
      break;
    case HEADER.CONTENT_LENGTH:
      if (isFirst(out, SEEN.CONTENT_LENGTH)) takeContentLength(buf, start, end, out);
      break;
    case HEADER.MAX_FORWARDS:
      if (isFirst(out, SEEN.MAX_FORWARDS)) {
        const hops = parseNumber(buf, start, end, 256);
        if (hops < 0 || hops > 255) out.notes |= NOTE.badNumber;
      }
      break;
    case HEADER.CONTENT_TYPE:
      if (out.contentTypeStart < 0) {
        out.contentTypeStart = start;
        out.contentTypeEnd = end;
      }
      break;
    case HEADER.CONTACT:
      if (out.contactStart < 0) {
        out.contactStart = start;
        out.contactEnd = end;
      }
      out.contactCount += countValues(buf, words, start, end);
      break;
    case HEADER.EXPIRES:
      if (out.expires < 0) takeExpires(buf, start, end, out);
      break;
    case HEADER.USER_AGENT:
    case HEADER.SERVER:
      if (out.userAgentStart < 0) {
        out.userAgentStart = start;
        out.userAgentEnd = end;
      }
      break;
    case HEADER.EVENT:
      if (out.eventStart < 0) {
        out.eventStart = start;
        out.eventEnd = end;
      }
      break;
    case HEADER.SUBSCRIPTION_STATE:
      if (out.subscriptionStateStart < 0) {
        out.subscriptionStateStart = start;
        out.subscriptionStateEnd = end;
      }
      break;
    case HEADER.REFER_TO:
      if (out.referToStart < 0) {
        out.referToStart = start;
        out.referToEnd = end;
      }
      break;
    case HEADER.SESSION_ID:
      if (out.sessionIdStart < 0) {
        out.sessionIdStart = start;
        out.sessionIdEnd = end;
      }
      break;
    case HEADER.P_CHARGING_VECTOR:
      if (out.chargingStart < 0) {
        out.chargingStart = start;
        out.chargingEnd = end;
      }
      break;
    case HEADER.REASON:
      if (out.causeStart < 0) {
        out.causeStart = start;
        out.causeEnd = end;
      }
      break;
    case HEADER.X_ASTERISK_HANGUPCAUSE:
      if (out.hangupTextStart < 0) {
        out.hangupTextStart = start;
        out.hangupTextEnd = end;
      }
      break;
    case HEADER.X_ASTERISK_HANGUPCAUSECODE:
      if (out.hangupCodeStart < 0) {
        out.hangupCodeStart = start;
        out.hangupCodeEnd = end;
      }
      break;
    case HEADER.AUTHORIZATION:
    case HEADER.PROXY_AUTHORIZATION:
      out.hasAuthorization = true;
      break;
    case HEADER.REPLACES:
    case HEADER.X_CALL_ID:
    case HEADER.X_CID:
      out.seen |= SEEN.OTHER_LEG;
      break;
    default:
      break;
  }
}

function takeFrom(buf: Uint8Array, words: DataView, start: number, end: number, out: SipScan): void {
  out.fromStart = start;
  out.fromEnd = end;
  if (findTag(buf, words, start, end)) {
    out.fromTagStart = param.start;
    out.fromTagEnd = param.end;
  }
  out.notes |= address.notes | param.notes;
}

function takeTo(buf: Uint8Array, words: DataView, start: number, end: number, out: SipScan): void {
  out.toStart = start;
  out.toEnd = end;
  if (findTag(buf, words, start, end)) {
    out.toTagStart = param.start;
    out.toTagEnd = param.end;
  }
  out.notes |= address.notes | param.notes;
}

/**
 * Finds the tag of a From or To value; the common cases are an address in < > alone, and with `;tag=value` right behind
 * it.
 */
function findTag(buf: Uint8Array, words: DataView, start: number, end: number): boolean {
  if (buf[start] === LESS) {
    const close = findByte(buf, words, start + 1, end, GREATER);
    // Blanks inside the brackets are for locateAddress() to note.
    if (close < end && (buf[start + 1] ?? 0) > 32 && (buf[close - 1] ?? 0) > 32) {
      address.notes = 0;
      param.notes = 0;
      if (close === end - 1) return false;
      const first = end - close >= 7 ? (buf[close + 6] ?? 0) : 0;
      const isTag = (buf[close + 1] ?? 0) === SEMICOLON && first > 32 && first !== 34;
      if (isTag && (words.getInt32(close + 2, true) | 0x202020) === TAG_EQUALS) {
        param.start = close + 6;
        param.end = findValueEnd(buf, words, close + 6, end);
        return true;
      }
    }
  }
  locateAddress(buf, words, start, end, address);
  const p = address.paramsStart;
  if (end - p >= 6 && (words.getInt32(p + 1, true) | 0x202020) === TAG_EQUALS) {
    const first = buf[p + 5] ?? 0;
    if (first > 32 && first !== 34) {
      param.start = p + 5;
      param.end = findValueEnd(buf, words, p + 5, end);
      param.notes = 0;
      return true;
    }
  }
  return findParam(buf, p, end, TAG, param);
}

/** The first value of the first Via, and its branch. */
function takeVia(buf: Uint8Array, words: DataView, start: number, end: number, out: SipScan): void {
  out.seen |= SEEN.VIA;
  out.viaStart = start;
  if (takePlainVia(buf, words, start, end, out)) return;
  const viaEnd = hasCommaOrQuote(buf, words, start, end) ? firstValueEnd(buf, start, end, out) : end;
  out.viaEnd = viaEnd;
  if (viaEnd !== end) out.seen |= SEEN.OTHER_LEG;
  const p = findByte(buf, words, start, viaEnd, 59);
  if (viaEnd - p >= 9 && (words.getInt32(p + 1, true) | 0x20202020) === BRAN) {
    const first = buf[p + 8] ?? 0;
    if ((words.getInt32(p + 4, true) | 0x202020) === NCH_EQUALS && first > 32 && first !== 34 && first !== 59) {
      out.branchStart = p + 8;
      out.branchEnd = findValueEnd(buf, words, p + 8, viaEnd);
      return;
    }
  }
  if (findParam(buf, p, viaEnd, BRANCH, param) && param.end > param.start) {
    out.branchStart = param.start;
    out.branchEnd = param.end;
  }
  out.notes |= param.notes;
}

/** A Via of one value without quotes whose first parameter is the branch, as nearly all are; false when it is not. */
function takePlainVia(buf: Uint8Array, words: DataView, start: number, end: number, out: SipScan): boolean {
  const p = findSeparator(buf, words, start, end);
  if (end - p < 9 || (words.getInt32(p, true) | 0x20202000) !== BRA_MARK) return false;
  if ((words.getInt32(p + 4, true) | 0x202020) !== NCH_EQUALS) return false;
  const first = buf[p + 8] ?? 0;
  if (first <= 32 || first === 34 || first === SEMICOLON) return false;
  const branchEnd = findValueEnd(buf, words, p + 8, end);
  if (hasCommaOrQuote(buf, words, p + 8, end)) return false;
  out.viaEnd = end;
  out.branchStart = p + 8;
  out.branchEnd = branchEnd;
  return true;
}

/** End of the first value of a comma-separated list; commas in quotes do not count. */
function firstValueEnd(buf: Uint8Array, start: number, end: number, out: SipScan): number {
  let p = start;
  while (p < end) {
    const c = buf[p];
    if (c === 44) break;
    if (c === 34) {
      const behind = skipQuoted(buf, p, end);
      if (behind < 0) {
        out.notes |= NOTE.unbalancedQuote;
        return end;
      }
      p = behind;
    } else p++;
  }
  while (p > start && (buf[p - 1] ?? 0) <= 32) p--;
  return p;
}

/** CSeq = 1*DIGIT LWS Method; the number is below 2^31 (RFC 3261 8.1.1.5). */
function takeCseq(buf: Uint8Array, start: number, end: number, out: SipScan): void {
  let p = start;
  let value = 0;
  while (p < end) {
    const digit = (buf[p] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) break;
    if (value <= MAX_CSEQ) value = value * 10 + digit;
    p++;
  }
  const digitsEnd = p;
  while (p < end && (buf[p] ?? 0) <= 32) p++;
  if (digitsEnd > start && value <= MAX_CSEQ) out.cseq = value;
  else out.notes |= NOTE.badCseq;
  if (p >= end || p === digitsEnd) {
    out.notes |= NOTE.badCseq;
    return;
  }
  out.cseqMethodStart = p;
  out.cseqMethodEnd = end;
  out.cseqMethod = methodId(buf, p, end);
}

function takeContentLength(buf: Uint8Array, start: number, end: number, out: SipScan): void {
  const length = parseNumber(buf, start, end, MAX_LENGTH);
  if (length >= 0 && length < MAX_LENGTH) out.contentLength = length;
  else {
    out.contentLength = -2;
    out.notes |= NOTE.badContentLength;
  }
}

/** Expires is below 2^32 (RFC 3261 20.19); the field saturates at 2^31-1 to stay a small integer. */
function takeExpires(buf: Uint8Array, start: number, end: number, out: SipScan): void {
  const seconds = parseNumber(buf, start, end, 0x1_0000_0000);
  if (seconds < 0 || seconds > 0xffff_ffff) out.notes |= NOTE.badNumber;
  out.expires = Math.min(seconds, MAX_LENGTH);
}

/** Values of a comma-separated list, commas in quotes and in < > left alone. */
function countValues(buf: Uint8Array, words: DataView, start: number, end: number): number {
  if (end <= start) return 0;
  if (findByte(buf, words, start, end, 44) === end) return 1;
  let count = 1;
  let isInAngle = false;
  for (let p = start; p < end; p++) {
    const c = buf[p] ?? 0;
    if (c === 60) isInAngle = true;
    else if (c === 62) isInAngle = false;
    else if (c === 44 && !isInAngle) count++;
    else if (c === 34 && !isInAngle) {
      const behind = skipQuoted(buf, p, end);
      if (behind < 0) return count;
      p = behind - 1;
    }
  }
  return count;
}
