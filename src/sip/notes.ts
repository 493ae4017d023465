/**
 * What is odd about a message, as bits of one number (RFC 3261, RFC 4475).
 *
 * A note never stops a message from being shown. The scanner sets what it sees on its way; the full parse
 * adds what needs a look inside the values (`badNameAddr`, `badVia`, `badDate` and parts of others).
 */

export const NOTE = {
  /** A line ends in LF without CR. */
  bareLf: 1 << 0,
  /** A value continues over several lines (RFC 3261 7.3.1). */
  folded: 1 << 1,
  /** A header uses its one-letter name (RFC 3261 7.3.3). */
  compactForm: 1 << 2,
  /** The datagram ends before the empty line that closes the headers. */
  truncatedHeaders: 1 << 3,
  /** The datagram holds fewer body bytes than Content-Length says. */
  bodyShort: 1 << 4,
  /** The datagram goes on after the body that Content-Length frames (RFC 3261 18.3). */
  bodyExtra: 1 << 5,
  /** Spaces too many or too few in the start line, or no version. */
  badStartLine: 1 << 6,
  /** The version is not SIP/2.0. */
  badVersion: 1 << 7,
  /** The status code has not three digits or lies outside 100-699. */
  badStatus: 1 << 8,
  /** The Request-URI has blanks, angle brackets, a header part, or does not parse. */
  badRequestUri: 1 << 9,
  /** A line without a colon or with a name that is no token. */
  badHeaderLine: 1 << 10,
  /** CSeq has no number below 2^31 or no method. */
  badCseq: 1 << 11,
  /** CSeq names another method than the request line. */
  cseqMismatch: 1 << 12,
  /** Content-Length is not a number in range. */
  badContentLength: 1 << 13,
  /** A header that may occur once occurs again. */
  duplicateSingletons: 1 << 14,
  noCallId: 1 << 15,
  noCseq: 1 << 16,
  noFrom: 1 << 17,
  noTo: 1 << 18,
  noVia: 1 << 19,
  /** A quoted string never ends. */
  unbalancedQuote: 1 << 20,
  /** Blanks or NUL bytes stand before the start line. */
  junkBeforeStart: 1 << 21,
  /** A NUL byte; legal only behind a backslash in a quoted string (RFC 4475 3.1.1.2). */
  nulInHeaders: 1 << 22,
  /** A stray `;` or `,` leaves a parameter or value empty. */
  emptyParameter: 1 << 23,
  /** Expires, Max-Forwards, Retry-After, a warn code or an expires parameter is out of range. */
  badNumber: 1 << 24,
  /** From, To or Contact has to be repaired before it can be read. */
  badNameAddr: 1 << 25,
  badVia: 1 << 26,
  /** Date is not in the GMT form of RFC 3261 20.17. */
  badDate: 1 << 27,
  /** A CR stands alone inside the headers. */
  bareCr: 1 << 28,
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
