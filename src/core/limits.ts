/** Every cap of the program in one place: what is bounded, by how much, and which option moves it. */

/** Bytes that dialogs keep beside their own records: texts and identifiers. What they describe has a budget of its own. */
export const DIALOG_BYTES = 40 * 1024 * 1024;

/** A Call-ID longer than this, or than this with control characters in it, is kept as its first bytes and a digest. */
export const MAX_CALL_ID_BYTES = 4_096;
export const MAX_ESCAPED_CALL_ID_BYTES = 512;
export const LONG_CALL_ID_HEAD_BYTES = 64;

/** Bytes kept of Refer-To, of Reason and of what else names a cause. */
export const MAX_VALUE_BYTES = 512;

/** Dialogs of one prefix that its rank counts; more dialogs do not change the rank. */
export const MAX_PREFIX_RANK = 65_535;

/** Streams that one dialog may own; what comes beyond them on its sockets waits as anybody's. */
export const MAX_DIALOG_STREAMS = 128;

/** Bytes of closed quality windows over all streams, of 88 each; beside it every stream may keep two. */
export const STREAM_WINDOW_BYTES = 48 * 1024 * 1024;

/** Ends of segments kept over all streams, some 300 bytes each; beyond them each stream keeps as many as it has. */
export const SEGMENT_ENDS = 32_768;

/** Of these, those that streams of no dialog may take; the rest is for calls. */
export const SEGMENT_ENDS_OF_ANYBODY = 16_384;

/** Messages of one dialog that are kept; later ones still drive state, timing and counts. */
export const MAX_DIALOG_MESSAGES = 500;

/** Of these, those kept of anybody; the rest is for the dialog's parties (ingest/dialogs/dialog-parties.ts). */
export const DIALOG_MESSAGES_OF_ANYBODY = 250;

/** Parties known of one dialog, and dialogs whose parties are remembered, some 300 bytes each. */
export const MAX_DIALOG_PARTIES = 16;
export const DIALOGS_WITH_PARTIES = 1_024;

/** Bytes for the frames of messages, 16 a frame, where they are written in a second pass (`--filter` with `-O`). */
export const FRAME_LEDGER_BYTES = 128 * 1024 * 1024;

/** Pairs of sockets whose media is written in a second pass, and sockets of one dialog that are paired with each other. */
export const MAX_SELECTED_PAIRS = 262_144;
export const MAX_PAIRED_SOCKETS = 64;

/** Offers and answers kept in one dialog's timeline. */
export const MAX_SDP_ENTRIES = 200;

/** Media endpoints one SDP may name; what is beyond names nothing. */
export const MAX_SDP_ENDPOINTS = 64;

/** Media endpoints one dialog may name over all its descriptions. */
export const MAX_DIALOG_ENDPOINTS = 1_024;

/**
 * Bytes that descriptions and claims may take over all dialogs, a dialog of `--max-dialogs`: 76 MiB by default, some 400,000
 * claims. Beyond it the descriptions of whole dialogs go.
 */
export const SDP_BYTES_A_DIALOG = 800;
/** With few dialogs there is room for so much. */
export const MIN_SDP_BYTES = 8 * 1024 * 1024;

/** Sets of codecs shared between dialogs that offer the same; the oldest goes. */
export const SHARED_CODEC_SETS = 1_024;

/** Streams kept that only RTCP speaks of; one gives its place when it was silent long. */
export const MAX_UNSEEN_STREAMS = 4_096;
/** Flows that ICMP errors about media are about, and endpoints; errors about further ones are only counted. */
export const MAX_ICMP_FLOWS = 4_096;
export const MAX_ICMP_ENDPOINTS = 4_096;
/** Microseconds of silence after which a stream that only RTCP speaks of, or a flow of ICMP errors, gives its place. */
export const SILENT_US = 60_000_000;

/** ICE user fragments kept of one dialog. */
export const MAX_DIALOG_FRAGMENTS = 64;

/** Bytes of an ICE user fragment that is kept (RFC 8839 section 5.4). */
export const MAX_ICE_FRAGMENT = 256;

/** Milliseconds after which a line about connections that bring something else than HEP is said again. */
export const HEP_STRANGER_LINE_MS = 3_600_000;

/**
 * HEP senders whose clocks are known, and once more of those that nothing is known of; the longest silent one goes. And
 * clocks of one sender: a replay, or a host that was set to another day, has another one.
 */
export const HEP_CLOCK_SENDERS = 512;
export const HEP_SENDER_CLOCKS = 4;

/** Milliseconds, and lines about clocks of HEP senders that are said in them. */
export const HEP_CLOCK_LINES_MS = 60_000;
export const HEP_CLOCK_LINES = 10;

/** Quality intervals of all streams in one dialog's document: the newest of each. */
export const MAX_DIALOG_INTERVALS = 8_192;

/** Sources that the detection of scanners remembers; of each share of strangers and peers the longest silent one goes. */
export const SECURITY_SOURCES = 20_000;

/** Outcomes kept of one source, 32 bytes each; the oldest goes. */
export const SECURITY_OUTCOMES = 1_024;

/** Bytes of outcomes beyond the first 16 of each source; whose memory grew longest ago keeps the newest 16. */
export const SECURITY_OUTCOME_BYTES = 16 * 1024 * 1024;

/** Requests that the detection keeps until their outcome is known, and those seen lately; one source has an eighth. */
export const SECURITY_PROBES = 32_768;

/** Addresses that were seen to answer; the longest silent one goes. */
export const SECURITY_SERVERS = 20_000;

/** Requests that a proxy may pass on and that the detection knows. */
export const SECURITY_RELAYS = 65_536;
/** Dialogs that the detection knows. */
export const SECURITY_DIALOGS = 65_536;

/** User-Agents whose verdict is remembered, and bytes of one that are looked at. */
export const SECURITY_NAMES = 1_024;
export const SECURITY_NAME_BYTES = 512;

/** Accounts and calls that the detection of fraud remembers; the longest silent one goes. */
export const FRAUD_ACCOUNTS = 10_000;
export const FRAUD_CALLS = 32_768;

/** Sockets whose last message by UDP ended too early, and microseconds for which the rest of it is waited for. */
export const CUT_DATAGRAM_FLOWS = 64;
export const CUT_DATAGRAM_US = 1_000_000;

// What stores keep beside dialogs.

/** Forks of a call that are kept apart. */
export const MAX_FORK_BRANCHES = 32;

/** Presses kept of one stream; later ones are only counted by its packets. */
export const MAX_KEY_PRESSES = 128;

/** Calls that one identifier ties together. What more calls share names no call: it ties none, and the answer says so. */
export const MAX_TIED = 64;

/** REFERs whose INVITE is waited for. */
export const MAX_PENDING_REFERS = 1024;

/** Names of unknown methods; beyond it the log drops names that no dialog has any more. */
export const MAX_OTHER_METHODS = 64;

/** Transactions with SDP remembered of one dialog; the oldest is forgotten. */
export const MAX_SDP_TRANSACTIONS = 8;

/** Descriptions of one transaction that are remembered beside its first two. */
export const MAX_SDP_BODIES = 8;

/** Ends of descriptions that are read once for all, and their length. */
export const MAX_SDP_SHAPES = 256;
export const MAX_SDP_SHAPE_BYTES = 1024;

/** Claims remembered for one endpoint; older ones are superseded. */
export const MAX_ENDPOINT_CLAIMS = 8;

/** A message longer than this is kept up to here. */
export const MAX_KEPT_MESSAGE_BYTES = 128 * 1024;

/** A packet longer than this is no voice. */
export const MAX_KEPT_RTP_BYTES = 2048;

/**
 * One hour of five-second windows, and how many more gather before the oldest are dropped together. An outage is kept as one
 * and shown as many.
 */
export const MAX_STREAM_WINDOWS = 720;
export const SURPLUS_STREAM_WINDOWS = 80;

/** Streams looked up by one endpoint; a flood of SSRCs from one port keeps only the newest findable. */
export const MAX_ENDPOINT_STREAMS = 64;

/** Streams looked up by one SSRC; a load generator gives all its streams the same. */
export const MAX_SSRC_STREAMS = 64;

/** Flows of one dialog that its answers name; and flows that are looked at again for each stream or socket that came since. */
export const MAX_DIALOG_ICMP_FLOWS = 64;
export const ICMP_FLOWS_AGAIN = 64;

/** Kinds of errors remembered of one dialog, and dialogs with any. */
export const MAX_ICMP_NOTES = 8;
export const MAX_ICMP_DIALOGS = 4_096;

/** Quoted messages an error names as evidence; the rest are only counted. */
export const MAX_ICMP_ROWS = 32;

/** Clients and servers of STUN and TURN, and requests without an answer yet. */
export const MAX_STUN_FLOWS = 8_192;
export const MAX_STUN_REQUESTS = 8_192;
/** Sockets of calls that ICE checked: who is checked again keeps its place. */
export const MAX_ICE_CHECKED = 8_192;
/** ICE user fragments of SDPs. */
export const MAX_ICE_FRAGMENTS = 16_384;

/** Flows of one client host that are looked at. */
export const MAX_STUN_HOST_FLOWS = 32;

/** Channels remembered of one allocation. */
export const MAX_TURN_CHANNELS = 16;

/** Dialogs that have ended and wait; beyond, the one that waits longest goes early. */
export const MAX_LINGERING_MEDIA = 100_000;

// Reassembly.

// Queues and buffers of what comes in and goes out.

/** Spans of time in which one interface dropped packets; beyond them those that lie nearest become one. */
export const MAX_DROP_SPANS = 512;

/** Bytes of one output that wait for its reader: some 7,000 alerts. */
export const MAX_OUTLET_BYTES = 1024 * 1024;
/** Bytes that wait in memory for collectors, all together (`-H`); a collector that is away has a share. */
export const HEP_OUT_BYTES = 8 * 1024 * 1024;
/** Bytes handed to a connection and not yet taken by the system. */
export const HEP_OUT_UNDER_WAY_BYTES = 1024 * 1024;
/** Packets are written into pieces of memory of this size. */
export const HEP_OUT_SLAB_BYTES = 256 * 1024;

/** Commands that run at once, and events that wait for one to end. */
export const HOOKS_RUNNING = 32;
export const HOOKS_WAITING = 256;

/** SRTP keys of a dialog that are tried on its audio. */
export const AUDIO_KEYS = 32;
