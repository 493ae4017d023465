/**
 * The bits of `NOTE` (notes.ts says what they mean). Read by TypeScript and by the scanner's own compiler, so it holds
 * plain constants only.
 */

export const BARE_LF = 1 << 0;
export const FOLDED = 1 << 1;
export const COMPACT_FORM = 1 << 2;
export const TRUNCATED_HEADERS = 1 << 3;
export const BODY_SHORT = 1 << 4;
export const BODY_EXTRA = 1 << 5;
export const BAD_START_LINE = 1 << 6;
export const BAD_VERSION = 1 << 7;
export const BAD_STATUS = 1 << 8;
export const BAD_REQUEST_URI = 1 << 9;
export const BAD_HEADER_LINE = 1 << 10;
export const BAD_CSEQ = 1 << 11;
export const CSEQ_MISMATCH = 1 << 12;
export const BAD_CONTENT_LENGTH = 1 << 13;
export const DUPLICATE_SINGLETONS = 1 << 14;
export const NO_CALL_ID = 1 << 15;
export const NO_CSEQ = 1 << 16;
export const NO_FROM = 1 << 17;
export const NO_TO = 1 << 18;
export const NO_VIA = 1 << 19;
export const UNBALANCED_QUOTE = 1 << 20;
export const JUNK_BEFORE_START = 1 << 21;
export const NUL_IN_HEADERS = 1 << 22;
export const EMPTY_PARAMETER = 1 << 23;
export const BAD_NUMBER = 1 << 24;
export const BAD_NAME_ADDR = 1 << 25;
export const BAD_VIA = 1 << 26;
export const BAD_DATE = 1 << 27;
export const BARE_CR = 1 << 28;
