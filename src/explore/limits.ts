/** What answers take in whoever gives them: this agent, another one, or a hub out of its store. */

/** Arrays, objects and keys of a document of an agent. @cap */
export const AGENT_VALUES = 200_000;

/** Attackers, kinds of findings and reasons of losses of all agents that an answer names. @cap */
export const FLEET_ALERTS = 1_000;
export const FLEET_FINDINGS = 200;
export const FLEET_LOSSES = 1_000;

/** Legs of a call that one ladder, list of messages or capture takes in. @cap */
export const MAX_LEGS_SHOWN = 32;
