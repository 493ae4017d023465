/**
 * Outcomes of a scan. Read by TypeScript and by the scanner's own compiler, so it holds plain constants only.
 */

export const OK = 0;
/** The bytes end too early: on a stream wait for more, in a datagram nothing can be kept. */
export const INCOMPLETE = 1;
/** Nothing but line ends or padding, as keep-alives are. */
export const EMPTY = 2;
export const NOT_SIP = 3;
/** Larger than `MAX_MESSAGE_BYTES`. */
export const TOO_LONG = 4;
/** More than `MAX_HEADERS` header lines. */
export const TOO_MANY_HEADERS = 5;
/** The caller has held back bytes that would tell; never seen outside the scanner. */
export const NOT_HELD = 6;
