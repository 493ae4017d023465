/** Every cap of the program in one place: what is bounded, by how much, and which option moves it. */

/** Dialogs kept (`--max-dialogs`); the oldest-idle is evicted first and counted. */
export const MAX_DIALOGS = 100_000;

/** RTP streams kept (`--max-streams`). */
export const MAX_STREAMS = 200_000;

/** Messages of one dialog that are kept; later ones still drive state, timing and counts. */
export const MAX_DIALOG_MESSAGES = 500;

/** Bytes of message text kept over all dialogs (`--message-log-bytes`). */
export const MESSAGE_LOG_BYTES = 256 * 1024 * 1024;

/** Bytes of RTP kept for its audio, with --retain-audio (`--audio-bytes`). */
export const AUDIO_BYTES = 256 * 1024 * 1024;

/** API connections served at a time (`--api-max-conn`). */
export const API_MAX_CONN = 100;

/** Connections beyond `--api-max-conn` that are kept long enough to be answered with 503; more are dropped. */
export const API_SURPLUS_CONN = 64;

/** Milliseconds a surplus connection has to send the request that is answered with 503. */
export const API_SURPLUS_MS = 2_000;

/** Rows of a page at most (`--api-max-rows`). */
export const API_MAX_ROWS = 1_000;

/** Capture agent id of mirrored packets (`--hep-id`): the one that collectors' examples use. */
export const HEP_AGENT_ID = 2001;

/** Requests of one source address in one second. */
export const API_REQUESTS_PER_SECOND = 100;

/** Source addresses whose request rate is remembered. */
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

/** Offers and answers kept in one dialog's timeline. */
export const MAX_SDP_ENTRIES = 200;

/** Media endpoints one SDP may name; what is beyond names nothing. */
export const MAX_SDP_ENDPOINTS = 64;

/** Media endpoints one dialog may name over all its descriptions. */
export const MAX_DIALOG_ENDPOINTS = 1_024;

/** HEP packets a second that are accepted, all senders together (`--hep-rate-limit`). */
export const HEP_RATE_LIMIT = 50_000;
