/**
 * Finds a call that a program ended and no person: the BYE names a failure by its Reason (RFC 3326), such as a cause of
 * ITU-T Q.850 that is no normal end, or a timer that ran out; or it came when a session that nobody refreshed expires.
 */
import type { Steps } from '../../core/turns.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import { parseReasons, type Reason, reasonText } from '../../protocols/sip/reason.ts';
import { hasByeCause } from '../../store/dialogs/termination-cause.ts';
import type { CallMessage } from '../call-messages.ts';
import { whoHungUp } from '../hangup.ts';
import { capital, Parties } from './parties.ts';
import { findUnrefreshed, mayBeUnrefreshed } from './session-expiry.ts';
import type { Proven, SignalingCall } from './signaling-call.ts';

/** Causes of Q.850 that people make: clearing, busy, no answer, rejected, moved, and what stands for no cause at all. */
const BY_PEOPLE: ReadonlySet<number> = new Set([16, 17, 18, 19, 20, 21, 22, 26, 31, 127]);
/** Codes of SIP that people make, or another branch. */
const BY_CALLEE: ReadonlySet<number> = new Set([480, 486, 487, 600, 603]);
const LAST_Q850 = 127;
/** Programs say with a normal cause too that they gave up: RTP or session timeout, by these words. */
const GAVE_UP =
  /(?:rtp|media|session)[\s_-]*(?:timer[\s_-]*)?(?:time[\s_-]*out|timed[\s_-]*out|expired|inactivity)|inactivity time|no (?:rtp|media)\b/i;

/** Most calls are done at once, with no text read. */
export function findEndedByCause(call: SignalingCall): Steps<Proven | null> | null {
  const { d } = call;
  return Number.isNaN(d.answerUs) || !(hasByeCause(d) || mayBeUnrefreshed(d)) ? null : endSteps(call);
}

function* endSteps(call: SignalingCall): Steps<Proven | null> {
  const { d, messages } = call;
  const end = whoHungUp(d, messages);
  const bye = end === null || end.method !== 'BYE' ? undefined : messages[end.index];
  if (end === null || bye === undefined) return null;
  const cause = hasByeCause(d) ? causeOf(bye) : null;
  if (cause === null) return yield* findUnrefreshed(d, messages, end);
  const talkSec = Math.max(0, (bye.tsUs - d.answerUs) / 1e6);
  return {
    text: `${capital(new Parties(call).ender(bye, end.side))} ended the call after ${talkSec.toFixed(1)} s and says why: ${reasonText(cause)}.`,
    evidence: [bye.index],
  };
}

/** The first value of Reason that names a failure. */
function causeOf(bye: CallMessage): Reason | null {
  const value = bye.parse()?.value(HEADER.REASON) ?? '';
  return value === '' ? null : (parseReasons(value).find(isFailure) ?? null);
}

function isFailure({ protocol, code, text }: Reason): boolean {
  if (text !== null && GAVE_UP.test(text)) return true;
  if (code === null) return false;
  if (protocol.toUpperCase() === 'Q.850') return code >= 1 && code <= LAST_Q850 && !BY_PEOPLE.has(code);
  return protocol.toUpperCase() === 'SIP' && code >= 400 && code < 700 && !BY_CALLEE.has(code);
}
