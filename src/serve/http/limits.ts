/** What every HTTP service of calltap allows a client: bytes of a body, and time. */

/**
 * Bytes of a request body.
 *
 * @cap option 100 MiB: with `--api`: bodies of requests, `API_MAX_CONN` at a time
 */
export const API_BODY_BYTES = 1_048_576;

/** Milliseconds a client has to send the header of a request, and the whole of it. @cap */
export const API_HEADER_MS = 10_000;
export const API_REQUEST_MS = 30_000;

/** Milliseconds an idle connection is kept. @cap */
export const API_KEEP_ALIVE_MS = 15_000;

/** Milliseconds that closing the API may take; open connections are cut then. @cap */
export const API_CLOSE_MS = 1_500;
