/**
 * The SIP methods by number (RFC 3261 7.1: their names are case-sensitive). `OTHER` has no name of its own, the message
 * carries it. TypeScript and the scanner's own compiler read this, so it holds plain constants only.
 */

export const OTHER = 0;
export const INVITE = 1;
export const ACK = 2;
export const BYE = 3;
export const CANCEL = 4;
export const REGISTER = 5;
export const OPTIONS = 6;
export const PRACK = 7;
export const SUBSCRIBE = 8;
export const NOTIFY = 9;
export const PUBLISH = 10;
export const INFO = 11;
export const REFER = 12;
export const MESSAGE = 13;
export const UPDATE = 14;
