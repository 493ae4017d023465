/**
 * Runs every signaling detection over one call. A new detection is one field here and one row of view/signaling.ts.
 */

import type { Call } from '../call.ts';
import type { CallFindings, SignalingFindings } from '../findings.ts';
import type { Detection, SignalingCall } from './detection.ts';
import { FINAL_FAILURE, REGISTRATION_FAILURE } from './failure.ts';
import { ICMP_UNREACHABLE } from './icmp.ts';
import { AUTH_LOOP, RETRANSMISSIONS } from './loops.ts';
import { ABANDONED, ACK_MISSING, POST_DIAL_DELAY } from './progress.ts';
import { SOURCE_DISAGREEMENT } from './source-disagreement.ts';

export function judgeSignaling({ d, e, messages, nowUs }: Call, found: CallFindings): undefined {
  const { thresholds } = e.rules;
  found.signaling = diagnoseSignaling({ d, messages, nowUs, thresholds, icmp: e.stores.icmp.notes(d) });
}

/** Null when no detection fired. */
export function diagnoseSignaling(call: SignalingCall): SignalingFindings | null {
  const hints: string[] = [];
  const run = <T>({ find, hint }: Detection<T>): T | null => {
    const found = find(call);
    if (found !== null) hints.push(hint(found, call));
    return found;
  };
  const found: SignalingFindings = {
    finalFailure: run(FINAL_FAILURE),
    authLoop: run(AUTH_LOOP),
    retransmissions: run(RETRANSMISSIONS),
    ackMissing: run(ACK_MISSING),
    abandoned: run(ABANDONED),
    postDialDelay: run(POST_DIAL_DELAY),
    registrationFailure: run(REGISTRATION_FAILURE),
    icmpUnreachable: run(ICMP_UNREACHABLE),
    sourceDisagreement: run(SOURCE_DISAGREEMENT),
    hints,
  };
  return hints.length === 0 ? null : found;
}
