/** What bounds a scan. Read by TypeScript and by the scanner's own compiler, so it holds plain constants only. */

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
