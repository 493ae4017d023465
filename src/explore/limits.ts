/** What answers take in whoever gives them: this agent, another one, or a hub out of its store. */
import type { Bounds } from '../net/answer.ts';

/** Arrays, objects and keys of a document of an agent. @cap */
export const AGENT_VALUES = 200_000;

/** Attackers, kinds of findings and reasons of losses of all agents that an answer names. @cap */
export const FLEET_ALERTS = 1_000;
export const FLEET_FINDINGS = 200;
export const FLEET_LOSSES = 1_000;

/** Legs of a call that one ladder, list of messages or capture takes in. @cap */
export const MAX_LEGS_SHOWN = 32;

/** Bytes of a document of a call, of a list or report, of a capture or audio, and of a problem that a service answers with. @cap */
export const REMOTE_ANSWER_BYTES = 64 * 1024 * 1024;
export const REMOTE_LIST_BYTES = 16 * 1024 * 1024;
export const REMOTE_FILE_BYTES = 512 * 1024 * 1024;
export const REMOTE_PROBLEM_BYTES = 64 * 1024;

/** Of the document of one call or stream. */
export const DOCUMENT: Bounds = { bytes: REMOTE_ANSWER_BYTES, ms: 30_000 };
/** Of a list. */
export const LIST: Bounds = { bytes: REMOTE_LIST_BYTES, ms: 30_000 };

/** Bytes of what an agent answers of a call, of its health, of its attackers, and of its findings. @cap */
export const AGENT_DOCUMENT_BYTES = 8 * 1024 * 1024;
export const AGENT_HEALTH_BYTES = 256 * 1024;
export const AGENT_SECURITY_BYTES = 4 * 1024 * 1024;
export const AGENT_REPORT_BYTES = 1024 * 1024;

/** Agent protocol: rows of a page, and messages of an answer. @cap */
export const MCP_ROWS = 200;
export const MCP_MESSAGES = 40;
