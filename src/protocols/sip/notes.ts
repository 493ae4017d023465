/**
 * What is odd about a message, as bits of one number (RFC 3261, RFC 4475).
 *
 * A note never stops a message from being shown. The scanner sets what it sees on its way; the full parse
 * adds what needs a look inside the values (`badNameAddr`, `badVia`, `badDate` and parts of others).
 */

import {
  BAD_CONTENT_LENGTH,
  BAD_CSEQ,
  BAD_DATE,
  BAD_HEADER_LINE,
  BAD_NAME_ADDR,
  BAD_NUMBER,
  BAD_REQUEST_URI,
  BAD_START_LINE,
  BAD_STATUS,
  BAD_VERSION,
  BAD_VIA,
  BARE_CR,
  BARE_LF,
  BODY_EXTRA,
  BODY_SHORT,
  COMPACT_FORM,
  CSEQ_MISMATCH,
  DUPLICATE_SINGLETONS,
  EMPTY_PARAMETER,
  FOLDED,
  JUNK_BEFORE_START,
  NO_CALL_ID,
  NO_CSEQ,
  NO_FROM,
  NO_TO,
  NO_VIA,
  NUL_IN_HEADERS,
  TRUNCATED_HEADERS,
  UNBALANCED_QUOTE,
} from './note-bits.ts';

export const NOTE = {
  /** A line ends in LF without CR. */
  bareLf: BARE_LF,
  /** A value continues over several lines (RFC 3261 7.3.1). */
  folded: FOLDED,
  /** A header uses its one-letter name (RFC 3261 7.3.3). */
  compactForm: COMPACT_FORM,
  /** The datagram ends before the empty line that closes the headers. */
  truncatedHeaders: TRUNCATED_HEADERS,
  /** The datagram holds fewer body bytes than Content-Length says. */
  bodyShort: BODY_SHORT,
  /** The datagram continues after the body that Content-Length frames (RFC 3261 18.3). */
  bodyExtra: BODY_EXTRA,
  /** Spaces too many or too few in the start line, or no version. */
  badStartLine: BAD_START_LINE,
  /** The version is not SIP/2.0. */
  badVersion: BAD_VERSION,
  /** The status code has not three digits or lies outside 100-699. */
  badStatus: BAD_STATUS,
  /** The Request-URI has blanks, angle brackets, a header part, or does not parse. */
  badRequestUri: BAD_REQUEST_URI,
  /** A line without a colon or with a name that is no token. */
  badHeaderLine: BAD_HEADER_LINE,
  /** CSeq has no number below 2^31 or no method. */
  badCseq: BAD_CSEQ,
  /** CSeq names another method than the request line. */
  cseqMismatch: CSEQ_MISMATCH,
  /** Content-Length is not a number in range. */
  badContentLength: BAD_CONTENT_LENGTH,
  /** A header that may occur once occurs again. */
  duplicateSingletons: DUPLICATE_SINGLETONS,
  noCallId: NO_CALL_ID,
  noCseq: NO_CSEQ,
  noFrom: NO_FROM,
  noTo: NO_TO,
  noVia: NO_VIA,
  /** A quoted string never ends. */
  unbalancedQuote: UNBALANCED_QUOTE,
  /** Blanks or NUL bytes stand before the start line. */
  junkBeforeStart: JUNK_BEFORE_START,
  /** A NUL byte; legal only after a backslash in a quoted string (RFC 4475 3.1.1.2). */
  nulInHeaders: NUL_IN_HEADERS,
  /** A stray `;` or `,` leaves a parameter or value empty. */
  emptyParameter: EMPTY_PARAMETER,
  /** Expires, Max-Forwards, Retry-After, a warn code or an expires parameter is out of range. */
  badNumber: BAD_NUMBER,
  /** From, To or Contact has to be repaired before it can be read. */
  badNameAddr: BAD_NAME_ADDR,
  badVia: BAD_VIA,
  /** Date is not in the GMT form of RFC 3261 20.17. */
  badDate: BAD_DATE,
  /** A CR stands alone inside the headers. */
  bareCr: BARE_CR,
} as const;

/** Notes that name legal form, not a fault. */
const INFORMATIVE_NOTES = NOTE.folded | NOTE.compactForm | NOTE.bodyExtra | NOTE.nulInHeaders;

const NOTE_ENTRIES: readonly (readonly [string, number])[] = Object.entries(NOTE);

/** Names of the set bits, in bit order. */
export function noteNames(notes: number): string[] {
  const names: string[] = [];
  for (const [name, bit] of NOTE_ENTRIES) if ((notes & bit) !== 0) names.push(name);
  return names;
}

/** Whether any note says the message breaks the grammar or the mandatory headers. */
export function hasFault(notes: number): boolean {
  return (notes & ~INFORMATIVE_NOTES) !== 0;
}
