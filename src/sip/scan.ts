/**
 * The hot path: finds in one pass over the bytes of a message what the dialog store needs, without allocation
 * (RFC 3261 7, 18.3, 20; RFC 4475 for what has to be survived).
 *
 * Two framings. A datagram is one message: Content-Length may cut it short (`bodyExtra`) or promise too much
 * (`bodyShort`), a capture may have cut it anywhere. A stream has to wait until headers and body are whole, and
 * without a Content-Length a message has no body.
 */

import { findControl, wordsOf } from '../core/byte-search.ts';
import { HeaderLine, LINE, readHeaderLine } from './header-line.ts';
import { commonHeaderId, HEADER, NAME_LENGTH } from './header-name.ts';
import {
  MAX_HEADERS,
  MAX_LEADING_BYTES,
  MAX_MESSAGE_BYTES,
  MAX_METHOD_BYTES,
  MAX_STREAM_METHOD_BYTES,
} from './limits.ts';
import { METHOD } from './method.ts';
import { NOTE } from './notes.ts';
import { SEEN, takeHeader } from './scan-header.ts';
import { START_CUT, type StartLine, scanStartLine } from './start-line.ts';

/** The two bytes of a line end as `getInt16(p, true)` reads them. */
const CRLF = 0x0a0d;
const SPACE = 32;
const TAB = 9;

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
  sessionIdStart = -1;
  sessionIdEnd = -1;
  /** P-Charging-Vector. */
  chargingStart = -1;
  chargingEnd = -1;
  /** First Reason header: why the call ended, not the reason phrase. */
  causeStart = -1;
  causeEnd = -1;
  /** X-Asterisk-HangupCause and X-Asterisk-HangupCauseCode. */
  hangupTextStart = -1;
  hangupTextEnd = -1;
  hangupCodeStart = -1;
  hangupCodeEnd = -1;
  hasAuthorization = false;
  headerCount = 0;
  /** First header line. */
  headersStart = -1;
  bodyStart = -1;
  bodyEnd = -1;
  /** End of the framed message. After INCOMPLETE: where it will end once that is known, else -1. */
  messageEnd = -1;
  notes = 0;
  /** Bits of `SEEN`. */
  seen = 0;
}

// One scan runs at a time and does not hand this out.
const line = new HeaderLine();

/**
 * Scans the message at `start`..`end` of `buf` into `out`, reusing it. Time is linear in the bytes, nothing is
 * allocated, bytes outside the range are never read. With `stream`, INCOMPLETE asks for more bytes.
 */
export function scanSip(buf: Uint8Array, start: number, end: number, out: SipScan, stream = false): ScanCode {
  resetScan(out);
  if (!stream && end - start > MAX_MESSAGE_BYTES) return SCAN.TOO_LONG;
  let p = skipLeading(buf, start, end, out);
  if (p >= end) return SCAN.EMPTY;
  out.messageStart = p;
  const words = wordsOf(buf);
  const limit = Math.min(end, p + MAX_MESSAGE_BYTES);
  p = scanStartLine(buf, words, p, limit, stream ? MAX_STREAM_METHOD_BYTES : MAX_METHOD_BYTES, out);
  if (p < 0) return p === START_CUT ? cutCode(limit, end) : SCAN.NOT_SIP;
  out.headersStart = p;
  line.notes = 0;
  let lines = 0;
  while (p < limit) {
    if (++lines > MAX_HEADERS + 1) return SCAN.TOO_MANY_HEADERS;
    if (p + 2 <= limit && words.getInt16(p, true) === CRLF) {
      out.notes |= line.notes;
      return frameBody(buf, p + 2, end, out, stream);
    }
    // The fast path: a common name, its colon, a value, CRLF, and no continuation. The rest goes the long way.
    const id = commonHeaderId(buf, words, p, limit);
    if (id !== HEADER.OTHER) {
      let valueStart = p + (NAME_LENGTH[id] ?? 0) + 1;
      let valueEnd = findControl(buf, words, valueStart, limit);
      const next = valueEnd + 2;
      const around = next + 2 <= limit ? words.getInt32(valueEnd, true) : 0;
      const behind = (around >>> 16) & 0xff;
      if ((around & 0xffff) === CRLF && behind !== SPACE && behind !== TAB) {
        while (valueStart < valueEnd && buf[valueStart] === SPACE) valueStart++;
        while (valueEnd > valueStart && (buf[valueEnd - 1] ?? 0) <= SPACE) valueEnd--;
        takeHeader(buf, words, id, valueStart, valueEnd, out);
        p = next;
        continue;
      }
    }
    const kind = readHeaderLine(buf, words, p, limit, line);
    if (kind === LINE.CUT) break;
    p = line.next;
    if (kind === LINE.BLANK) {
      out.notes |= line.notes;
      return frameBody(buf, p, end, out, stream);
    }
    if (kind === LINE.HEADER) {
      if (line.nameEnd - line.nameStart === 1) out.notes |= NOTE.compactForm;
      takeHeader(buf, words, line.id, line.valueStart, line.valueEnd, out);
    } else out.notes |= NOTE.badHeaderLine;
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
  if ((seen & SEEN.CALL_ID) === 0) notes |= NOTE.noCallId;
  if ((seen & SEEN.FROM) === 0) notes |= NOTE.noFrom;
  if ((seen & SEEN.TO) === 0) notes |= NOTE.noTo;
  if ((seen & SEEN.VIA) === 0) notes |= NOTE.noVia;
  if ((seen & SEEN.CSEQ) === 0) notes |= NOTE.noCseq;
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

/** Makes `out` the result of a message nothing is known of yet. */
function resetScan(out: SipScan): void {
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
  out.sessionIdStart = -1;
  out.sessionIdEnd = -1;
  out.chargingStart = -1;
  out.chargingEnd = -1;
  out.causeStart = -1;
  out.causeEnd = -1;
  out.hangupTextStart = -1;
  out.hangupTextEnd = -1;
  out.hangupCodeStart = -1;
  out.hangupCodeEnd = -1;
  out.hasAuthorization = false;
  out.headerCount = 0;
  out.headersStart = -1;
  out.bodyStart = -1;
  out.bodyEnd = -1;
  out.messageEnd = -1;
  out.notes = 0;
  out.seen = 0;
}
