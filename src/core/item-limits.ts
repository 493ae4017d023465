/**
 * Caps of single things: what one message, packet, file, program or finding may hold or take. What all of them together may
 * take is in limits.ts.
 */

/** Bytes of a text chunk that is sent; identifiers are shorter, and a cut one identifies nothing. */
export const MAX_HEP_OUT_TEXT_BYTES = 1_024;

/** Bytes of a HEP packet that is sent: what fits a datagram of IPv4; a collector closes a connection that brings a longer one. */
export const MAX_HEP_PACKET_BYTES = 65_507;

/** Characters of a token; a minted one has about 200. */
export const MAX_TOKEN_CHARS = 4_096;

/** Characters of a user part that are matched. */
export const MAX_USER_PATTERN_CHARS = 256;

/** A reader that takes nothing is looked at again after 1, 2, 4, ... ms, at most this. */
export const MAX_OUTLET_PAUSE_MS = 100;

/** Characters of what a program that plays sound says of its trouble. */
export const MAX_PLAYER_TEXT = 500;

// SIP and SDP texts, as they are read.

/** Captures, audio files, comparisons and reports of `/ask` that are made at once, and requests that wait for a place. */
export const ASK_HEAVY = 2;
export const ASK_HEAVY_WAITING = 8;

/** Readers of `/ask/changes`, and bytes that one may leave unread, those of a turn included. */
export const ASK_CHANGE_READERS = 16;
export const ASK_CHANGE_UNREAD_BYTES = 1024 * 1024;

/** Bytes of the files of `-O` that are read back for the capture of a live call. */
export const READ_BACK_BYTES = 4 * 1024 * 1024 * 1024;

/** Agent protocol: rows of a page, messages of an answer and characters of each. */
export const MCP_ROWS = 200;
export const MCP_MESSAGES = 40;
export const MCP_MESSAGE_CHARS = 4_096;
/** Agent protocol: characters of a document and of a text. */
export const MCP_DOCUMENT_CHARS = 262_144;
export const MCP_TEXT_CHARS = 65_536;

// What the terminal takes from a service (--connect).

// Trunks.

// Shipping to a store (--ship).

/** Bytes of lines that wait for the disk, those that are being written included. */
export const SHIP_WAITING_BYTES = 16 * 1024 * 1024;
/** Lines are written into pieces of memory of this size. */
export const SHIP_SLAB_BYTES = 256 * 1024;
/** Pieces kept for the next lines when none wait. */
export const SHIP_SLABS_KEPT = 32;
/** Pieces of this size with messages and calls of which the rows are made in a thread. */
export const SHIP_RECORD_SLABS = 32;
/** Bytes of one call there: the rows of a larger one are made where it is captured. */
export const SHIP_CALL_BYTES = 128 * 1024;
/** Pieces of memory that this thread writes lines into, and bytes of each: no line of a message is longer. */
export const SHIP_LINE_SLABS = 2;
export const SHIP_LINE_BYTES = 1024 * 1024;
/** Bytes of a segment before compression, and so of one line. */
export const SHIP_SEGMENT_BYTES = 4 * 1024 * 1024;
/** Segments that are written and that the disk has not confirmed: each is an open file. */
export const SHIP_UNCONFIRMED = 32;
/** Segments on disk, whatever `--ship-spool-bytes` allows. */
export const SHIP_SEGMENTS = 262_144;
/** Bytes of segments that the store refused and that are kept aside. */
export const SHIP_REFUSED_BYTES = 64 * 1024 * 1024;
/** Bytes of an answer of the store. */
export const SHIP_ANSWER_BYTES = 64 * 1024;
/** Milliseconds a second that calltap spends on rows of calls that an eviction overtakes. */
export const SHIP_GONE_MS = 100;
/** Rows of streams without a call that one look makes, every 30 s; the other streams wait for the next look. */
export const SHIP_ORPHANS = 4_096;
/** Rows a second of such streams that an eviction overtakes. */
export const SHIP_ORPHANS_GONE = 128;

// The store of many agents.
