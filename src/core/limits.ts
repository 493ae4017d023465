/** Every cap of the program in one place: what is bounded, by how much, and which option moves it. */

/** Pairs of sockets whose media is written in a second pass, and sockets of one dialog that are paired with each other. */
export const MAX_SELECTED_PAIRS = 262_144;
export const MAX_PAIRED_SOCKETS = 64;

/** Milliseconds after which a line about connections that bring something else than HEP is said again. */
export const HEP_STRANGER_LINE_MS = 3_600_000;

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

// What stores keep beside dialogs.

// Reassembly.

// Queues and buffers of what comes in and goes out.

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
