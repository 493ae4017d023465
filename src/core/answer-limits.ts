/** Caps of answers: what who asks may make, hold and wait for, and how much of a call one answer shows. */

/** Connections of one source that, when they are more than half of all, give idle ones to other sources. */
export const API_CROWDING_CONN = 16;

/** Milliseconds without reading after which such a connection counts as idle. */
export const API_CROWDING_UNREAD_MS = 2_000;

/** Connections beyond `--api-max-conn` that are kept long enough to be answered with 503; more are dropped. */
export const API_SURPLUS_CONN = 64;

/** Milliseconds a surplus connection has to send the request that is answered with 503. */
export const API_SURPLUS_MS = 2_000;

/** Requests of one source address that are answered in one second. */
export const API_REQUESTS_PER_SECOND = 100;

/**
 * Milliseconds of that second: 50 more, since a client reads the clock later than the service, and a burst of answers is
 * read more slowly than single ones. By its clock, too, no second holds more.
 */
export const API_RATE_WINDOW_MS = 1_050;

/** Source addresses with a budget of their own (of 1 KiB, 5 MiB in all); the rest share one. */
export const API_RATE_SOURCES = 5_000;

/** Bytes of a request body. */
export const API_BODY_BYTES = 1_048_576;

/** Characters of a path parameter as sent: a Call-ID of 4,096 bytes, each of them escaped. */
export const API_PARAM_CHARS = 12_288;

/** Milliseconds a client has to send the header of a request, and the whole of it. */
export const API_HEADER_MS = 10_000;
export const API_REQUEST_MS = 30_000;

/** Milliseconds an idle connection is kept. */
export const API_KEEP_ALIVE_MS = 15_000;

/** Event-loop delay, in milliseconds, above which requests are shed. */
export const API_LOOP_DELAY_MS = 1_000;

/** Milliseconds that closing the API may take; what is open then is cut. */
export const API_CLOSE_MS = 1_500;

/** Label values of one metric family; what is beyond is folded into `other`. */
export const METRIC_LABEL_VALUES = 200;

/** Bytes of all answers that wait for their readers: texts, audio (one file), and files on the disk. One of any size may stand on top. */
export const API_UNREAD_BYTES = 32 * 1024 * 1024;
export const API_UNREAD_AUDIO_BYTES = 128 * 1024 * 1024;
export const API_UNREAD_FILE_BYTES = 768 * 1024 * 1024;

/** Bytes of a piece of an answer; two of them are under way. */
export const API_PIECE_BYTES = 64 * 1024;

/** Bytes of an answer that a client with no other unread one is always given. */
export const API_SMALL_BYTES = 128 * 1024;

/** Milliseconds without reading after which a connection gives way where somebody else was refused. */
export const API_UNREAD_MS = 10_000;

/** Bytes of either output, of one line, and of standard error that is kept. */
export const PEER_OUTPUT_BYTES = 64 * 1024 * 1024;
export const PEER_LINE_BYTES = 256 * 1024;
export const PEER_STDERR_BYTES = 64 * 1024;

/** Characters of all rows of one answer; rows beyond are withheld like those beyond the row cap. */
export const PEER_ROW_CHARS = 8 * 1024 * 1024;

/** Control programs that run at once. */
export const PEER_AT_ONCE = 4;

// A call as a ladder, as messages and as text.

/** Bytes of a message of an agent: the library takes one of many keys apart in one turn. */
export const MCP_BODY_BYTES = 64 * 1024;
