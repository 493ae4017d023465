/**
 * Bits of `SipScan.seen`: headers that must be there or may occur once, and those that may name another dialog. Read by
 * TypeScript and by the scanner's own compiler, so it holds plain constants only.
 */

export const CALL_ID = 1;
export const CSEQ = 2;
export const FROM = 4;
export const TO = 8;
export const CONTENT_LENGTH = 16;
export const MAX_FORWARDS = 32;
export const VIA = 64;
/** A second Via or a second value of the first, Replaces, X-Call-ID or X-CID. */
export const OTHER_LEG = 128;
/** Of these Replaces, X-Call-ID or X-CID. */
export const OTHER_CALL = 256;
