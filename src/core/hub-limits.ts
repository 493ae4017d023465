/** Caps of a hub: what it asks of the store and of agents. */

// The store.

/** A question of the hub to the store: seconds, rows and bytes that it reads, bytes of memory, and bytes of its answer. */
export const HUB_QUESTION_SEC = 10;
export const HUB_READ_ROWS = 1_000_000_000;
export const HUB_READ_BYTES = 64 * 1024 ** 3;
export const HUB_MEMORY_BYTES = 4 * 1024 ** 3;
export const HUB_ANSWER_BYTES = 64 * 1024 * 1024;
/** Milliseconds until all of an answer of the store has come. */
export const HUB_ANSWER_MS = 30_000;
/** Bytes of one row of it, and arrays, objects and keys in one. */
export const HUB_ROW_BYTES = 8 * 1024 * 1024;
export const HUB_ROW_VALUES = 32_768;
/** Arrays, objects and keys of a document of an agent. */
export const AGENT_VALUES = 200_000;
/** Bytes of what an error of the store says. */
export const STORE_SAID_BYTES = 64 * 1024;
/** Bytes of all answers of the store that are being made. */
export const HUB_HELD_BYTES = 128 * 1024 * 1024;
/** Kinds that one row counts: status codes, reasons of losses, or values that stand close to each other. */
export const HUB_BINS = 4_096;
/** Rows of calls that a whole number, user or Call-ID of a filter finds over all days: the newest ones. */
export const HUB_FOUND = 100;
/** Parts of a call, one a host that saw it. */
export const HUB_PARTS = 64;
/** Messages of a call that are asked of the store. */
export const HUB_MESSAGES = 20_000;
/** Calls of the store that may be legs of one. */
export const HUB_LEGS = 64;
/** Milliseconds between two looks for calls that changed, and for how long rows may be on their way into the store. */
export const HUB_CHANGES_MS = 2_000;
export const HUB_SETTLE_MS = 3_000;

// The agents of a hub.

/** Agents that `[agents]` can name. */
export const MAX_AGENTS = 200;
/** Agents that are asked at a time where all of them are. */
export const AGENTS_AT_ONCE = 64;
/** Bytes of what an agent answers of a call. */
export const AGENT_DOCUMENT_BYTES = 8 * 1024 * 1024;
/** Bytes of what an agent answers of its health, of its attackers, and of its findings. */
export const AGENT_HEALTH_BYTES = 256 * 1024;
export const AGENT_SECURITY_BYTES = 4 * 1024 * 1024;
export const AGENT_REPORT_BYTES = 1024 * 1024;
/** Attackers, kinds of findings and reasons of losses of all agents that an answer names. */
export const FLEET_ALERTS = 1_000;
export const FLEET_FINDINGS = 200;
export const FLEET_LOSSES = 1_000;
/** Audio files and containers of agents that are fetched at a time, and that wait. */
export const AGENT_FILES = 2;
export const AGENT_FILES_WAITING = 8;
/** Captures of agents on their way to their readers; one more is answered with 503. */
export const AGENT_CAPTURES = 8;
