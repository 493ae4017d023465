/**
 * How call attempts end, in the groups that the ratios of telephony are made of (RFC 6076 sections 4.6 to 4.8).
 */
import type { Dialog } from './dialog.ts';
import { STATE } from './dialog-state.ts';

export const CALL_OUTCOMES = [
  'answered',
  /** The called party was there and declined, was busy or was out: 480, 486, 600, 603. */
  'declined',
  /** The caller gave up. */
  'abandoned',
  'redirected',
  /** Ended at a demand for credentials or payment: 401, 402, 407. */
  'challenged',
  /** Something between the two failed: 408, 500, 503, 504. */
  'ineffective',
  'failed',
] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

const DECLINED: ReadonlySet<number> = new Set([480, 486, 600, 603]);
const CHALLENGED: ReadonlySet<number> = new Set([401, 402, 407]);
const INEFFECTIVE: ReadonlySet<number> = new Set([408, 500, 503, 504]);

/**
 * The outcome of an attempt whose dialog has just left `fromState`; null when no attempt ended by that. A 2xx that
 * crosses a CANCEL comes after the attempt was counted as abandoned, and stays so.
 */
export function callOutcome(d: Dialog, fromState: number): CallOutcome | null {
  if (d.family !== 0 || (fromState !== STATE.Trying && fromState !== STATE.Ringing)) return null;
  switch (d.state) {
    case STATE.InCall:
      return 'answered';
    case STATE.Canceled:
    case STATE.Completed:
      return 'abandoned';
    case STATE.Redirected:
      return 'redirected';
    case STATE.Failed:
      return failureOf(d.finalCode);
    default:
      return null;
  }
}

/** The outcome that a final response says. */
export function outcomeOfCode(code: number): CallOutcome {
  if (isAnswer(code)) return 'answered';
  if (code < 400) return 'redirected';
  return code === 487 ? 'abandoned' : failureOf(code);
}

function failureOf(code: number): CallOutcome {
  if (DECLINED.has(code)) return 'declined';
  if (CHALLENGED.has(code)) return 'challenged';
  return INEFFECTIVE.has(code) ? 'ineffective' : 'failed';
}

/** Final codes of failures that people made. */
export const EFFECTIVE_FAILURES: readonly number[] = [...DECLINED, 487];

/** Ended by the people, not by the network (NER of ITU-T E.425): answered, declined, busy, no answer, given up. */
export function isEffective(finalCode: number): boolean {
  return isAnswer(finalCode) || EFFECTIVE_FAILURES.includes(finalCode);
}

export function isAnswer(finalCode: number): boolean {
  return finalCode >= 200 && finalCode < 300;
}
