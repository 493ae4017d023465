/** Bounds of the SIP parser: what a peer can send that we are still willing to read (no normative values exist). */

/** Longest message, start line to end of body: what the framing of streams allows headers and body together. */
export const MAX_MESSAGE_BYTES = 160 * 1024;

/** Header lines read in one message; the rest of such a message is refused, not skipped. */
export const MAX_HEADERS = 1024;

/** Longest method token: RFC 3261 sets no limit, and a request that tries one out should be seen, not lost. */
export const MAX_METHOD_BYTES = 8192;

/** The same on a stream, where bytes without a space are told early to be no SIP. */
export const MAX_STREAM_METHOD_BYTES = 128;

/** Bytes of line ends and padding skipped in front of a start line. */
export const MAX_LEADING_BYTES = 64;

/** Comma-separated values read from one header (Contact, Via, Route lists). */
export const MAX_VALUES = 256;

/** Parameters read from one value. */
export const MAX_PARAMS = 128;

/** Body parts listed in one message, both levels together. */
export const MAX_BODY_PARTS = 32;

/** Multipart levels entered: the body itself and one multipart inside it. */
export const MAX_BODY_DEPTH = 2;

/** Header lines read in one body part. */
export const MAX_PART_HEADERS = 64;

/** Longest multipart boundary. RFC 2046 5.1.1 allows 70; senders exceed it. */
export const MAX_BOUNDARY_BYTES = 256;
