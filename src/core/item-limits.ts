/**
 * Caps of single things: what one message, packet, file, program or finding may hold or take. What all of them together may
 * take is in limits.ts.
 */

/** Bytes of a text chunk that is sent; identifiers are shorter, and a cut one identifies nothing. */
export const MAX_HEP_OUT_TEXT_BYTES = 1_024;

/** Bytes of a HEP packet that is sent: what fits a datagram of IPv4; a collector closes a connection that brings a longer one. */
export const MAX_HEP_PACKET_BYTES = 65_507;

/** Characters of a user and of a Call-ID in the name of a call's file (`--split call`). */
export const MAX_CALL_NAME_USER = 24;
export const MAX_CALL_NAME_ID = 32;

/**
 * `--split call`: descriptors that are open at a time, and buffers of frames that wait for the disk. A file that is closed
 * is opened again where a frame comes.
 */
export const MAX_OPEN_CALL_FILES = 512;
export const MAX_CALL_BUFFERS = 4_096;
export const CALL_BUFFER_BYTES = 16 * 1024;
/** Buffers kept for the next frames when none wait. */
export const CALL_BUFFERS_KEPT = 256;

/** Files of calls made in a second of capture time, and in a run. */
export const MAX_CALL_FILES_A_SECOND = 500;
export const MAX_CALL_FILES = 10_000_000;

/** Frames with a part of a message that wait for the rest of it, and their bytes (`--split call`). */
export const MAX_WAITING_FRAMES = 16_384;
export const WAITING_FRAMES_BYTES = 16 * 1024 * 1024;
/** Messages whose frame is still to be handed over: those of one TCP segment, or of a moment without frames. */
export const MAX_DUE_MESSAGES = 4_096;

/** Characters of a token; a minted one has about 200. */
export const MAX_TOKEN_CHARS = 4_096;

/** Characters of a user part that are matched. */
export const MAX_USER_PATTERN_CHARS = 256;

/** Key presses of a dialog that are shown. */
export const MAX_DTMF_KEYS = 256;
/** Bytes of the body of a key press; what is longer is something else. */
export const MAX_DTMF_BODY = 256;

/** Identity tokens of one message. */
export const MAX_IDENTITY_TOKENS = 8;

/** Calls looked at that share a socket with one; load generators let all their calls share one. */
export const MAX_SHARING = 64;
/** Streams looked at of those calls. */
export const MAX_SHARED_STREAMS = 1_024;

/** New streams looked at for the hosts that have media here, and pairs of hosts that are kept. */
export const MAX_VANTAGE_STREAMS = 4_096;
export const MAX_VANTAGE_PAIRS = 16_384;

/** Legs looked at, those of legs included: a chain of back-to-back user agents has few. */
export const MAX_LINKED_LEGS = 16;
/** Streams looked at for one that the same source brought later. */
export const MAX_LINKED_STREAMS = 1_000;

/** Two numbers and a method, and blanks between them (RFC 3262 section 7.2). */
export const MAX_RACK_CHARS = 64;

/** Streams that RTCP alone speaks of, which the hints of a call name; further ones are counted in one hint. */
export const MAX_UNSEEN_HINTS = 8;

/** Grants of a registration that are read, the newest first. */
export const MAX_GRANTS = 16;

/** Legs looked at: a B2BUA has two, one that forks a few more. */
export const MAX_B2BUA_LEGS = 16;

/** Characters of a difference between two sources as it is shown. */
export const MAX_SUMMARY_CHARS = 160;
/** Bytes of a Via in which protocol and transport are looked for. */
export const MAX_VIA_HEAD = 64;

/** A reader that takes nothing is looked at again after 1, 2, 4, ... ms, at most this. */
export const MAX_OUTLET_PAUSE_MS = 100;

/** Targets of a source that an alert names. */
export const MAX_SOURCE_TARGETS = 5;

/** Bytes of a user that are kept as text. */
export const MAX_TARGET_USER = 128;

/** Prefixes of numbers that are kept of what a source dialled. */
export const MAX_DIALLED_PREFIXES = 16;

/** Bytes of an answer to a scanner: one packet. */
export const MAX_REPLY_BYTES = 1400;

/** Characters of what a program that plays sound says of its trouble. */
export const MAX_PLAYER_TEXT = 500;

/** Characters of a quoted text in a security line. */
export const MAX_SECURITY_TEXT = 200;

/** Characters of a line for syslog. */
export const MAX_SYSLOG_TEXT = 2000;

/** Characters of a caller that the fraud watch keeps. */
export const MAX_CALLER_CHARS = 64;

/** Arrivals expected of one request that was passed on. */
export const MAX_PASSED_ON = 65_536;

/** Both sides, and a few hops that write an address of their own. */
export const MAX_DIALOG_USERS = 4;

/** Characters of a User-Agent that are matched. */
export const MAX_AGENT_CHARS = 512;
/** Sources kept for the report; the latest alert of each kind stands for the source. */
export const MAX_REPORTED = 1000;

// SIP and SDP texts, as they are read.

/** A filter: its bytes, how deep it is, and its expressions. */
export const MAX_FILTER_BYTES = 4_096;
export const MAX_FILTER_DEPTH = 32;
export const MAX_FILTER_EXPRESSIONS = 8;
/** Characters of an expression of a filter. */
export const MAX_EXPRESSION_CHARS = 256;

/** Legs of a call that one ladder, list of messages or capture takes in. */
export const MAX_LEGS_SHOWN = 32;

/** Rows of a list of registrations. */
export const MAX_REGISTRATIONS_SHOWN = 1_000;
/** Contacts of one of them. */
export const MAX_CONTACTS_SHOWN = 8;

/** Bytes of a scenario: SIPp refuses a file of 64 KiB. */
export const MAX_SIPP_BYTES = 65_535;
/** Bytes of a message in it, of its headers, of one header: above these SIPp writes past its buffers. */
export const MAX_SIPP_MESSAGE_BYTES = 32_768;
export const MAX_SIPP_HEADERS_BYTES = 16_384;
export const MAX_SIPP_HEADER_BYTES = 1_900;
/** Bytes of a method there. */
export const MAX_SIPP_METHOD_BYTES = 28;
/** Milliseconds of a pause there; a longer one of the call takes this long. */
export const MAX_SIPP_PAUSE_MS = 2_000;

/** Messages and bytes of a capture that is rebuilt from kept messages; a call of eight legs has a quarter of them at most. */
export const MAX_REBUILT_MESSAGES = 16_384;
export const MAX_REBUILT_BYTES = 64 * 1024 * 1024;

/** Captures, audio files, comparisons and reports of `/ask` that are made at once, and requests that wait for a place. */
export const ASK_HEAVY = 2;
export const ASK_HEAVY_WAITING = 8;

/** Readers of `/ask/changes`, and bytes that one may leave unread, those of a turn included. */
export const ASK_CHANGE_READERS = 16;
export const ASK_CHANGE_UNREAD_BYTES = 1024 * 1024;
/** Changed calls that one turn of `/ask/changes` tells. */
export const MAX_CHANGES_A_TURN = 2_000;

/** Bytes of a capture that `/ask` answers with; a larger one is written with `-O`. */
export const ASK_CAPTURE_BYTES = 256 * 1024 * 1024;
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

/** Questions to a service that are under way at once (`--connect`). */
export const REMOTE_REQUESTS = 16;
/** Bytes of a document of a call that a service answers with (`--connect`). */
export const REMOTE_ANSWER_BYTES = 64 * 1024 * 1024;
/** Bytes of a list or report, and of a capture or audio, that a service answers with. */
export const REMOTE_LIST_BYTES = 16 * 1024 * 1024;
export const REMOTE_FILE_BYTES = 512 * 1024 * 1024;
/** Bytes of a problem that a service answers with. */
export const REMOTE_PROBLEM_BYTES = 64 * 1024;
/** Bytes of one event of `/ask/changes`. */
export const REMOTE_EVENT_BYTES = 256 * 1024;
/** Arrays, objects and keys of a document of a service. */
export const REMOTE_VALUES = 1_000_000;

// Trunks.

/** Rows of trunks: one a trunk and direction. */
export const MAX_TRUNK_ROWS = 1_000;
/** Bytes of all their figures; beyond it the oldest minutes become hours, and then the oldest hours one sum. */
export const TRUNK_FIGURE_BYTES = 64 * 1024 * 1024;
/** Minutes that are kept as such. */
export const TRUNK_MINUTES = 24 * 60;
/** Hops of one call whose attempts are followed: each proxy on the way is one, and each target that is tried. And of all. */
export const MAX_TRUNK_HOPS = 16;
export const MAX_TRUNK_CALL_HOPS = 131_072;
/** Addresses whose row is remembered. */
export const TRUNK_ADDRESSES = 8_192;

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
/** Of a User-Agent, which is remembered of each call that was told of: what a longer one begins with. */
export const SHIP_USER_AGENT_BYTES = 128;
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

/** Milliseconds that one statement of `calltap hub --migrate` may take. */
export const STORE_TIMEOUT_MS = 60_000;
/** Rows that a store tells of itself: one a table. */
export const STORE_ROWS = 100_000;

/** Of them, those that a sentence names. */
export const MAX_CHANGES_NAMED = 4;
