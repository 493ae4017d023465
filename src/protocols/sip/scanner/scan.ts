/**
 * The hot path's result, and how a message gets to the scanner (wasm/scan.ts finds in one pass over the bytes what the
 * dialog store needs; RFC 3261 7, 18.3, 20; RFC 4475 for what has to be survived).
 *
 * Two framings. A datagram is one message: Content-Length may cut it short (`bodyExtra`) or promise too much
 * (`bodyShort`), a capture may have cut it anywhere. A stream has to wait until headers and body are whole, and
 * without a Content-Length a message has no body.
 */

import * as CODES from './scan-codes.ts';
import * as AT from './scan-layout.ts';
import { sipScanner } from './scanner.ts';

/** Outcomes of a scan. Only `OK` fills the whole of a `SipScan`. */
export const SCAN = {
  OK: CODES.OK,
  INCOMPLETE: CODES.INCOMPLETE,
  EMPTY: CODES.EMPTY,
  NOT_SIP: CODES.NOT_SIP,
  TOO_LONG: CODES.TOO_LONG,
  TOO_MANY_HEADERS: CODES.TOO_MANY_HEADERS,
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

/**
 * Reusable result: numbers only, offsets into the scanned buffer, -1 when absent. Values are trimmed and raw. It is a view of
 * the numbers a scan left, by the indices of scan-layout.ts.
 */
export class SipScan {
  readonly ints: Int32Array;

  /** A result of its own, that of a message nothing is known of yet, or a view of one that the scanner writes. */
  constructor(ints: Int32Array = new Int32Array(AT.RESULT_INTS).fill(-1, AT.ABSENT_FROM)) {
    this.ints = ints;
  }

  get code(): ScanCode {
    // The scanner writes no other number there.
    return (this.ints[AT.OUTCOME] ?? 0) as ScanCode;
  }
  /** hashBytes() of the Call-ID; 0 where there is none. */
  get callIdHash(): number {
    return this.ints[AT.CALL_ID_HASH] ?? 0;
  }
  get isRequest(): boolean {
    return this.ints[AT.IS_REQUEST] === 1;
  }
  /** Id of the method; of a response the id of its CSeq method. */
  get method(): number {
    return this.ints[AT.METHOD_ID] ?? 0;
  }
  /** Status code; 0 in a request and when it has not three digits. */
  get status(): number {
    return this.ints[AT.STATUS] ?? 0;
  }
  /** First byte of the start line: behind skipped line ends. */
  get messageStart(): number {
    return this.ints[AT.MESSAGE_START] ?? 0;
  }
  get startLineEnd(): number {
    return this.ints[AT.START_LINE_END] ?? 0;
  }
  get methodStart(): number {
    return this.ints[AT.METHOD_START] ?? 0;
  }
  get methodEnd(): number {
    return this.ints[AT.METHOD_END] ?? 0;
  }
  get uriStart(): number {
    return this.ints[AT.URI_START] ?? 0;
  }
  get uriEnd(): number {
    return this.ints[AT.URI_END] ?? 0;
  }
  get versionStart(): number {
    return this.ints[AT.VERSION_START] ?? 0;
  }
  get versionEnd(): number {
    return this.ints[AT.VERSION_END] ?? 0;
  }
  get reasonStart(): number {
    return this.ints[AT.REASON_START] ?? 0;
  }
  get reasonEnd(): number {
    return this.ints[AT.REASON_END] ?? 0;
  }
  get callIdStart(): number {
    return this.ints[AT.CALL_ID_START] ?? 0;
  }
  get callIdEnd(): number {
    return this.ints[AT.CALL_ID_END] ?? 0;
  }
  get fromStart(): number {
    return this.ints[AT.FROM_START] ?? 0;
  }
  get fromEnd(): number {
    return this.ints[AT.FROM_END] ?? 0;
  }
  get toStart(): number {
    return this.ints[AT.TO_START] ?? 0;
  }
  get toEnd(): number {
    return this.ints[AT.TO_END] ?? 0;
  }
  get fromTagStart(): number {
    return this.ints[AT.FROM_TAG_START] ?? 0;
  }
  get fromTagEnd(): number {
    return this.ints[AT.FROM_TAG_END] ?? 0;
  }
  get toTagStart(): number {
    return this.ints[AT.TO_TAG_START] ?? 0;
  }
  get toTagEnd(): number {
    return this.ints[AT.TO_TAG_END] ?? 0;
  }
  /** First value of the first Via. */
  get viaStart(): number {
    return this.ints[AT.VIA_START] ?? 0;
  }
  get viaEnd(): number {
    return this.ints[AT.VIA_END] ?? 0;
  }
  get branchStart(): number {
    return this.ints[AT.BRANCH_START] ?? 0;
  }
  get branchEnd(): number {
    return this.ints[AT.BRANCH_END] ?? 0;
  }
  get cseq(): number {
    return this.ints[AT.CSEQ] ?? 0;
  }
  get cseqMethod(): number {
    return this.ints[AT.CSEQ_METHOD] ?? 0;
  }
  get cseqMethodStart(): number {
    return this.ints[AT.CSEQ_METHOD_START] ?? 0;
  }
  get cseqMethodEnd(): number {
    return this.ints[AT.CSEQ_METHOD_END] ?? 0;
  }
  /** -1 absent, -2 invalid. */
  get contentLength(): number {
    return this.ints[AT.CONTENT_LENGTH] ?? 0;
  }
  get contentTypeStart(): number {
    return this.ints[AT.CONTENT_TYPE_START] ?? 0;
  }
  get contentTypeEnd(): number {
    return this.ints[AT.CONTENT_TYPE_END] ?? 0;
  }
  /** First Contact header, all its values. */
  get contactStart(): number {
    return this.ints[AT.CONTACT_START] ?? 0;
  }
  get contactEnd(): number {
    return this.ints[AT.CONTACT_END] ?? 0;
  }
  /** Contact values in all Contact headers. */
  get contactCount(): number {
    return this.ints[AT.CONTACT_COUNT] ?? 0;
  }
  /** Expires header in seconds, 2^31-1 at most; -1 absent or no number. */
  get expires(): number {
    return this.ints[AT.EXPIRES] ?? 0;
  }
  /** User-Agent, in responses more often Server. */
  get userAgentStart(): number {
    return this.ints[AT.USER_AGENT_START] ?? 0;
  }
  get userAgentEnd(): number {
    return this.ints[AT.USER_AGENT_END] ?? 0;
  }
  get eventStart(): number {
    return this.ints[AT.EVENT_START] ?? 0;
  }
  get eventEnd(): number {
    return this.ints[AT.EVENT_END] ?? 0;
  }
  get subscriptionStateStart(): number {
    return this.ints[AT.SUBSCRIPTION_STATE_START] ?? 0;
  }
  get subscriptionStateEnd(): number {
    return this.ints[AT.SUBSCRIPTION_STATE_END] ?? 0;
  }
  get referToStart(): number {
    return this.ints[AT.REFER_TO_START] ?? 0;
  }
  get referToEnd(): number {
    return this.ints[AT.REFER_TO_END] ?? 0;
  }
  get sessionIdStart(): number {
    return this.ints[AT.SESSION_ID_START] ?? 0;
  }
  get sessionIdEnd(): number {
    return this.ints[AT.SESSION_ID_END] ?? 0;
  }
  /** P-Charging-Vector. */
  get chargingStart(): number {
    return this.ints[AT.CHARGING_START] ?? 0;
  }
  get chargingEnd(): number {
    return this.ints[AT.CHARGING_END] ?? 0;
  }
  /** First Reason header: why the call ended, not the reason phrase. */
  get causeStart(): number {
    return this.ints[AT.CAUSE_START] ?? 0;
  }
  get causeEnd(): number {
    return this.ints[AT.CAUSE_END] ?? 0;
  }
  /** X-Asterisk-HangupCause and X-Asterisk-HangupCauseCode. */
  get hangupTextStart(): number {
    return this.ints[AT.HANGUP_TEXT_START] ?? 0;
  }
  get hangupTextEnd(): number {
    return this.ints[AT.HANGUP_TEXT_END] ?? 0;
  }
  get hangupCodeStart(): number {
    return this.ints[AT.HANGUP_CODE_START] ?? 0;
  }
  get hangupCodeEnd(): number {
    return this.ints[AT.HANGUP_CODE_END] ?? 0;
  }
  get hasAuthorization(): boolean {
    return this.ints[AT.HAS_AUTHORIZATION] === 1;
  }
  get headerCount(): number {
    return this.ints[AT.HEADER_COUNT] ?? 0;
  }
  /** First header line. */
  get headersStart(): number {
    return this.ints[AT.HEADERS_START] ?? 0;
  }
  get bodyStart(): number {
    return this.ints[AT.BODY_START] ?? 0;
  }
  get bodyEnd(): number {
    return this.ints[AT.BODY_END] ?? 0;
  }
  /** End of the framed message. After INCOMPLETE: where it will end once that is known, else -1. */
  get messageEnd(): number {
    return this.ints[AT.MESSAGE_END] ?? 0;
  }
  get notes(): number {
    return this.ints[AT.NOTES] ?? 0;
  }
  /** Bits of `SEEN`. */
  get seen(): number {
    return this.ints[AT.SEEN_BITS] ?? 0;
  }
}

/**
 * Scans the message at `start`..`end` of `buf` into `out`, reusing it. Time is linear in the bytes, nothing is
 * allocated, bytes outside the range are never read. With `stream`, INCOMPLETE asks for more bytes.
 */
export function scanSip(buf: Uint8Array, start: number, end: number, out: SipScan, stream = false): ScanCode {
  sipScanner().scanOne(buf, start, end, stream, out.ints);
  return out.code;
}
