/**
 * What is odd about a message, as bits of one number (RFC 3261, RFC 4475). Read by TypeScript and by the scanner's own
 * compiler, so it holds plain constants only.
 *
 * A note never stops a message from being shown. The scanner sets what it sees on its way; the full parse
 * adds what needs a look inside the values (`BAD_NAME_ADDR`, `BAD_VIA`, `BAD_DATE` and parts of others).
 */

/** A line ends in LF without CR. */
export const BARE_LF = 1 << 0;
/** A value continues over several lines (RFC 3261 7.3.1). */
export const FOLDED = 1 << 1;
/** A header uses its one-letter name (RFC 3261 7.3.3). */
export const COMPACT_FORM = 1 << 2;
/** The datagram ends before the empty line that closes the headers. */
export const TRUNCATED_HEADERS = 1 << 3;
/** The datagram holds fewer body bytes than Content-Length says. */
export const BODY_SHORT = 1 << 4;
/** The datagram continues after the body that Content-Length frames (RFC 3261 18.3). */
export const BODY_EXTRA = 1 << 5;
/** Spaces too many or too few in the start line, or no version. */
export const BAD_START_LINE = 1 << 6;
/** The version is not SIP/2.0. */
export const BAD_VERSION = 1 << 7;
/** The status code has not three digits or lies outside 100-699. */
export const BAD_STATUS = 1 << 8;
/** The Request-URI has blanks, angle brackets, a header part, or does not parse. */
export const BAD_REQUEST_URI = 1 << 9;
/** A line without a colon or with a name that is no token. */
export const BAD_HEADER_LINE = 1 << 10;
/** CSeq has no number below 2^31 or no method. */
export const BAD_CSEQ = 1 << 11;
/** CSeq names another method than the request line. */
export const CSEQ_MISMATCH = 1 << 12;
/** Content-Length is not a number in range. */
export const BAD_CONTENT_LENGTH = 1 << 13;
/** A header that may occur once occurs again. */
export const DUPLICATE_SINGLETONS = 1 << 14;
export const NO_CALL_ID = 1 << 15;
export const NO_CSEQ = 1 << 16;
export const NO_FROM = 1 << 17;
export const NO_TO = 1 << 18;
export const NO_VIA = 1 << 19;
/** A quoted string never ends. */
export const UNBALANCED_QUOTE = 1 << 20;
/** Blanks or NUL bytes stand before the start line. */
export const JUNK_BEFORE_START = 1 << 21;
/** A NUL byte; legal only after a backslash in a quoted string (RFC 4475 3.1.1.2). */
export const NUL_IN_HEADERS = 1 << 22;
/** A stray `;` or `,` leaves a parameter or value empty. */
export const EMPTY_PARAMETER = 1 << 23;
/** Expires, Max-Forwards, Retry-After, a warn code or an expires parameter is out of range. */
export const BAD_NUMBER = 1 << 24;
/** From, To or Contact has to be repaired before it can be read. */
export const BAD_NAME_ADDR = 1 << 25;
export const BAD_VIA = 1 << 26;
/** Date is not in the GMT form of RFC 3261 20.17. */
export const BAD_DATE = 1 << 27;
/** A CR stands alone inside the headers. */
export const BARE_CR = 1 << 28;
