/** Bounds of what is kept of one session description; each has a note that is set when it is hit. */

export const MAX_SDP_BYTES = 65_536;
export const MAX_SDP_LINES = 4096;
export const MAX_MEDIA = 64;
export const MAX_FORMATS = 64;
export const MAX_CANDIDATES = 32;
export const MAX_CRYPTO = 16;
export const MAX_SSRCS = 16;
