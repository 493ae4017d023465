/**
 * Outcomes of a scan: every constant here is one, with a counter of its name. Read by TypeScript and by the scanner's own compiler,
 * so it holds plain constants only.
 */

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
