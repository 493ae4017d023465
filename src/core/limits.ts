/** Every cap of the program in one place: what is bounded, by how much, and which option moves it. */

/** Milliseconds after which a line about connections that bring something else than HEP is said again. */
export const HEP_STRANGER_LINE_MS = 3_600_000;

/** Milliseconds, and lines about clocks of HEP senders that are said in them. */
export const HEP_CLOCK_LINES_MS = 60_000;
export const HEP_CLOCK_LINES = 10;

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
