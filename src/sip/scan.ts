/**
 * The hot path: finds in one pass over the bytes of a message what the dialog store needs, without allocation
 * (RFC 3261 7, 18.3, 20; RFC 4475 for what has to be survived).
 *
 * Two framings. A datagram is one message: Content-Length may cut it short (`bodyExtra`) or promise too much
 * (`bodyShort`), a capture may have cut it anywhere. A stream has to wait until headers and body are whole, and
 * without a Content-Length a message has no body.
 */

import { asciiWord, findByte, findValueEnd, hasCommaOrQuote, wordsOf } from '../core/byte-search.ts';
import { AddressSpan, findParam, locateAddress, ParamSpan, parseNumber, skipQuoted } from './address.ts';
import { HEADER } from './header-name.ts';
import { HeaderLine, LINE, readHeaderLine } from './header-line.ts';
import { MAX_HEADERS, MAX_LEADING_BYTES, MAX_MESSAGE_BYTES } from './limits.ts';
import { METHOD, methodId } from './method.ts';
import { NOTE } from './notes.ts';
import { type StartLine, scanStartLine, START_CUT } from './start-line.ts';

/** Outcomes of a scan. Only `OK` fills the whole of a `SipScan`. */
export const SCAN = {
  OK: 0,
  /** The bytes end too early: on a stream wait for more, in a datagram nothing can be kept. */
  INCOMPLETE: 1,
  /** Nothing but line ends or padding, as keep-alives are. */
  EMPTY: 2,
  NOT_SIP: 3,
  /** Larger than `MAX_MESSAGE_BYTES`. */
  TOO_LONG: 4,
  /** More than `MAX_HEADERS` header lines. */
  TOO_MANY_HEADERS: 5,
} as const;

export type ScanCode = (typeof SCAN)[keyof typeof SCAN];

export const SCAN_REASONS = ['ok', 'incomplete', 'empty', 'not_sip', 'too_long', 'too_many_headers'] as const;

export type SipReason = Exclude<(typeof SCAN_REASONS)[number], 'ok'>;

export function scanReasonName(code: ScanCode): (typeof SCAN_REASONS)[number] {
  return SCAN_REASONS[code];
}

/** The same as a reason of a failed `Result`; must not be asked for `OK`. */
export function scanFailure(code: Exclude<ScanCode, 0>): SipReason {
  return SCAN_REASONS[code] satisfies SipReason;
}

/** Reusable result: numbers only, offsets into the scanned buffer, -1 when absent. Values are trimmed and raw. */
export class SipScan implements StartLine {
  isRequest = false;
  /** Id of the method; of a response the id of its CSeq method. */
  method = 0;
  /** Status code; 0 in a request and when it has not three digits. */
  status = 0;
  /** First byte of the start line: behind skipped line ends. */
  messageStart = -1;
  startLineEnd = -1;
  methodStart = -1;
  methodEnd = -1;
  uriStart = -1;
  uriEnd = -1;
  versionStart = -1;
  versionEnd = -1;
  reasonStart = -1;
  reasonEnd = -1;
  callIdStart = -1;
  callIdEnd = -1;
  fromStart = -1;
  fromEnd = -1;
  toStart = -1;
  toEnd = -1;
  fromTagStart = -1;
  fromTagEnd = -1;
  toTagStart = -1;
  toTagEnd = -1;
  /** First value of the first Via. */
  viaStart = -1;
  viaEnd = -1;
  branchStart = -1;
  branchEnd = -1;
  cseq = -1;
  cseqMethod = 0;
  cseqMethodStart = -1;
  cseqMethodEnd = -1;
  /** -1 absent, -2 invalid. */
  contentLength = -1;
  contentTypeStart = -1;
  contentTypeEnd = -1;
  /** First Contact header, all its values. */
  contactStart = -1;
  contactEnd = -1;
  /** Contact values in all Contact headers. */
  contactCount = 0;
  /** Expires header in seconds, 2^31-1 at most; -1 absent or no number. */
  expires = -1;
  /** User-Agent, in responses more often Server. */
  userAgentStart = -1;
  userAgentEnd = -1;
  eventStart = -1;
  eventEnd = -1;
  subscriptionStateStart = -1;
  subscriptionStateEnd = -1;
  referToStart = -1;
  referToEnd = -1;
  hasAuthorization = false;
  headerCount = 0;
  /** First header line. */
  headersStart = -1;
  bodyStart = -1;
  bodyEnd = -1;
  /** End of the framed message. After INCOMPLETE: where it will end once that is known, else -1. */
  messageEnd = -1;
  notes = 0;
  /** Bits of the headers of `SINGLETON` that were seen. */
  seen = 0;
}

const SEEN_CALL_ID = 1;
const SEEN_CSEQ = 2;
const SEEN_FROM = 4;
const SEEN_TO = 8;
const SEEN_CONTENT_LENGTH = 16;
const SEEN_MAX_FORWARDS = 32;
const SEEN_VIA = 64;

const MAX_CSEQ = 0x7fffffff;
const MAX_LENGTH = 0x7fffffff;

const TAG = new TextEncoder().encode('tag');
const BRANCH = new TextEncoder().encode('branch');
const TAG_EQUALS = asciiWord('tag=');
const BRAN = asciiWord('bran');
const NCH_EQUALS = asciiWord('nch=');

// One scan runs at a time and hands none of these out.
const line = new HeaderLine();
const address = new AddressSpan();
const param = new ParamSpan();

function reset(out: SipScan): void {
  out.isRequest = false;
  out.method = 0;
  out.status = 0;
  out.messageStart = -1;
  out.startLineEnd = -1;
  out.methodStart = -1;
  out.methodEnd = -1;
  out.uriStart = -1;
  out.uriEnd = -1;
  out.versionStart = -1;
  out.versionEnd = -1;
  out.reasonStart = -1;
  out.reasonEnd = -1;
  out.callIdStart = -1;
  out.callIdEnd = -1;
  out.fromStart = -1;
  out.fromEnd = -1;
  out.toStart = -1;
  out.toEnd = -1;
  out.fromTagStart = -1;
  out.fromTagEnd = -1;
  out.toTagStart = -1;
  out.toTagEnd = -1;
  out.viaStart = -1;
  out.viaEnd = -1;
  out.branchStart = -1;
  out.branchEnd = -1;
  out.cseq = -1;
  out.cseqMethod = 0;
  out.cseqMethodStart = -1;
  out.cseqMethodEnd = -1;
  out.contentLength = -1;
  out.contentTypeStart = -1;
  out.contentTypeEnd = -1;
  out.contactStart = -1;
  out.contactEnd = -1;
  out.contactCount = 0;
  out.expires = -1;
  out.userAgentStart = -1;
  out.userAgentEnd = -1;
  out.eventStart = -1;
  out.eventEnd = -1;
  out.subscriptionStateStart = -1;
  out.subscriptionStateEnd = -1;
  out.referToStart = -1;
  out.referToEnd = -1;
  out.hasAuthorization = false;
  out.headerCount = 0;
  out.headersStart = -1;
  out.bodyStart = -1;
  out.bodyEnd = -1;
  out.messageEnd = -1;
  out.notes = 0;
  out.seen = 0;
}

/**
 * Scans the message at `start`..`end` of `buf` into `out`, reusing it. Time is linear in the bytes, nothing is
 * allocated, bytes outside the range are never read. With `stream`, INCOMPLETE asks for more bytes.
 */
export function scanSip(buf: Uint8Array, start: number, end: number, out: SipScan, stream = false): ScanCode {
  reset(out);
  if (!stream && end - start > MAX_MESSAGE_BYTES) return SCAN.TOO_LONG;
  let p = skipLeading(buf, start, end, out);
  if (p >= end) return SCAN.EMPTY;
  out.messageStart = p;
  const limit = Math.min(end, p + MAX_MESSAGE_BYTES);
  p = scanStartLine(buf, p, limit, out);
  if (p < 0) return p === START_CUT ? cutCode(limit, end) : SCAN.NOT_SIP;
  out.headersStart = p;
  const words = wordsOf(buf);
  line.notes = 0;
  let lines = 0;
  for (;;) {
    if (p >= limit) break;
    const kind = readHeaderLine(buf, words, p, limit, line);
    if (kind === LINE.CUT) break;
    p = line.next;
    if (kind === LINE.BLANK) {
      out.notes |= line.notes;
      return frameBody(buf, p, end, out, stream);
    }
    if (++lines > MAX_HEADERS) return SCAN.TOO_MANY_HEADERS;
    if (kind === LINE.HEADER) takeHeader(buf, words, out);
    else out.notes |= NOTE.badHeaderLine;
  }
  // The end came before the empty line. What is whole of a datagram is kept, a half line is not.
  if (stream || limit < end || out.headerCount === 0) return cutCode(limit, end);
  out.notes |= line.notes | NOTE.truncatedHeaders;
  out.bodyStart = end;
  out.bodyEnd = end;
  out.messageEnd = end;
  finish(buf, out);
  return SCAN.OK;
}

/** The bytes ended inside the headers: too long when the limit did it, else incomplete. */
function cutCode(limit: number, end: number): ScanCode {
  return limit < end ? SCAN.TOO_LONG : SCAN.INCOMPLETE;
}

/** Skips line ends (RFC 3261 7.5), and with a note the blanks and NUL bytes some keep-alives consist of. */
function skipLeading(buf: Uint8Array, start: number, end: number, out: SipScan): number {
  const stop = Math.min(end, start + MAX_LEADING_BYTES);
  let p = start;
  for (; p < stop; p++) {
    const c = buf[p];
    if (c === 13 || c === 10) continue;
    if (c !== 0 && c !== 9 && c !== 32) break;
    out.notes |= NOTE.junkBeforeStart;
  }
  return p;
}

/** Finds the end of the body of a message whose headers are whole. */
function frameBody(buf: Uint8Array, bodyStart: number, end: number, out: SipScan, stream: boolean): ScanCode {
  let bodyEnd = stream ? bodyStart : end;
  if (out.contentLength >= 0) {
    bodyEnd = bodyStart + out.contentLength;
    if (stream && bodyEnd - out.messageStart > MAX_MESSAGE_BYTES) return SCAN.TOO_LONG;
    if (stream && bodyEnd > end) {
      out.messageEnd = bodyEnd;
      return SCAN.INCOMPLETE;
    }
    if (bodyEnd > end) {
      bodyEnd = end;
      out.notes |= NOTE.bodyShort;
    } else if (bodyEnd < end && !stream) out.notes |= NOTE.bodyExtra;
  }
  out.bodyStart = bodyStart;
  out.bodyEnd = bodyEnd;
  out.messageEnd = bodyEnd;
  finish(buf, out);
  return SCAN.OK;
}

/** What can only be judged once every header is known. */
function finish(buf: Uint8Array, out: SipScan): void {
  const seen = out.seen;
  let notes = 0;
  if ((seen & SEEN_CALL_ID) === 0) notes |= NOTE.noCallId;
  if ((seen & SEEN_FROM) === 0) notes |= NOTE.noFrom;
  if ((seen & SEEN_TO) === 0) notes |= NOTE.noTo;
  if ((seen & SEEN_VIA) === 0) notes |= NOTE.noVia;
  if ((seen & SEEN_CSEQ) === 0) notes |= NOTE.noCseq;
  else if (!out.isRequest) out.method = out.cseqMethod;
  else if (out.cseqMethodStart >= 0 && !sameMethod(buf, out)) notes |= NOTE.cseqMismatch;
  out.notes |= notes;
}

function sameMethod(buf: Uint8Array, out: SipScan): boolean {
  if (out.method !== out.cseqMethod) return false;
  if (out.method !== METHOD.OTHER) return true;
  const length = out.methodEnd - out.methodStart;
  if (out.cseqMethodEnd - out.cseqMethodStart !== length) return false;
  for (let i = 0; i < length; i++) if (buf[out.methodStart + i] !== buf[out.cseqMethodStart + i]) return false;
  return true;
}

/** Marks a header that may occur once; false when it was there before, and the first one counts. */
function isFirst(out: SipScan, bit: number): boolean {
  if ((out.seen & bit) !== 0) {
    out.notes |= NOTE.duplicateSingletons;
    return false;
  }
  out.seen |= bit;
  return true;
}

/** Takes the header that `line` holds. */
function takeHeader(buf: Uint8Array, words: DataView, out: SipScan): void {
  out.headerCount++;
  const start = line.valueStart;
  const end = line.valueEnd;
  if (line.nameEnd - line.nameStart === 1) out.notes |= NOTE.compactForm;
  switch (line.id) {
    case HEADER.VIA:
      if ((out.seen & SEEN_VIA) === 0) takeVia(buf, words, start, end, out);
      break;
    case HEADER.FROM:
      if (isFirst(out, SEEN_FROM)) takeFrom(buf, words, start, end, out);
      break;
    case HEADER.TO:
      if (isFirst(out, SEEN_TO)) takeTo(buf, words, start, end, out);
      break;
    case HEADER.CALL_ID:
      if (end > start && isFirst(out, SEEN_CALL_ID)) {
        out.callIdStart = start;
        out.callIdEnd = end;
      }
      break;
    case HEADER.CSEQ:
      if (isFirst(out, SEEN_CSEQ)) takeCseq(buf, start, end, out);
      break;
    case HEADER.CONTENT_LENGTH:
      if (isFirst(out, SEEN_CONTENT_LENGTH)) takeContentLength(buf, start, end, out);
      break;
    case HEADER.MAX_FORWARDS:
      if (isFirst(out, SEEN_MAX_FORWARDS)) {
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
      out.contactCount += countValues(buf, start, end);
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
    case HEADER.AUTHORIZATION:
    case HEADER.PROXY_AUTHORIZATION:
      out.hasAuthorization = true;
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

/** Finds the tag of a From or To value; `;tag=value` right behind the address is the common case. */
function findTag(buf: Uint8Array, words: DataView, start: number, end: number): boolean {
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
  out.seen |= SEEN_VIA;
  out.viaStart = start;
  const viaEnd = hasCommaOrQuote(buf, words, start, end) ? firstValueEnd(buf, start, end, out) : end;
  out.viaEnd = viaEnd;
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
  out.expires = seconds > MAX_LENGTH ? MAX_LENGTH : seconds;
}

/** Values of a comma-separated list, commas in quotes and in < > left alone. */
function countValues(buf: Uint8Array, start: number, end: number): number {
  if (end <= start) return 0;
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
