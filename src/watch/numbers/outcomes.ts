/** How attempts to call, and to register, are settled. */
import { CALL_OUTCOMES } from '../../store/dialogs/call-outcome.ts';

/** `unanswered`: no final response came in time (RFC 6076 has no code for it). */
export const ATTEMPT_OUTCOMES = [...CALL_OUTCOMES, 'unanswered'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

export const REGISTRATION_OUTCOMES = [
  'registered',
  /** An Expires of 0 was accepted. */
  'unregistered',
  /** Left at a demand for credentials. */
  'challenged',
  'failed',
  'unanswered',
] as const;
export type RegistrationOutcome = (typeof REGISTRATION_OUTCOMES)[number];
