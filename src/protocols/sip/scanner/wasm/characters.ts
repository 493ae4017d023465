/** The characters of the grammar as numbers (RFC 3261 25.1). */

export const TAB = 9;
export const LF = 10;
export const CR = 13;
export const SPACE = 32;
export const QUOTE = 34;
export const COMMA = 44;
export const SLASH = 47;
export const ZERO = 48;
export const COLON = 58;
export const SEMICOLON = 59;
export const LESS = 60;
export const EQUALS = 61;
export const GREATER = 62;
export const QUESTION = 63;
export const AT_SIGN = 64;
export const BACKSLASH = 92;
export const SMALL_S = 115;
