/**
 * Outcomes of a scan, and what bounds it. Read by TypeScript and by the scanner's own compiler, so it holds plain constants
 * only.
 */

/**
 * Longest message, start line to end of body: what the framing of streams allows headers and body together.
 *
 * @cap sip_too_long
 */
export const MAX_MESSAGE_BYTES = 160 * 1024;

/** Header lines read in one message; the rest of such a message is refused, not skipped. @cap sip_too_many_headers */
export const MAX_HEADERS = 1024;

/** Longest method token: RFC 3261 sets no limit, and a request that tries one out should be seen, not lost. @cap */
export const MAX_METHOD_BYTES = 8192;

/** Bytes of line ends and padding skipped in front of a start line. @cap */
export const MAX_LEADING_BYTES = 64;

export const OK = 0;
/** The bytes end before the first header does: nothing can be kept. */
export const INCOMPLETE = 1;
/** Nothing but line ends or padding, as keep-alives are. */
export const EMPTY = 2;
export const NOT_SIP = 3;
/** Larger than `MAX_MESSAGE_BYTES`. */
export const TOO_LONG = 4;
/** More than `MAX_HEADERS` header lines. */
export const TOO_MANY_HEADERS = 5;
