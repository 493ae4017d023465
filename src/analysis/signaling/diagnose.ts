/**
 * Runs every signaling detection over one call. A new detection is one field here and one row of view/signaling.ts.
 */

import type { Call, SignalingCall } from '../call.ts';
import type { CallFindings, SignalingFindings } from '../findings.ts';
import { abandonedHint, findAbandoned } from './abandoned.ts';
import { ackMissingHint, findAckMissing } from './ack.ts';
import { failureHint, findFinalFailure } from './failure.ts';
import { findIcmp, icmpHint } from './icmp.ts';
import { authLoopHint, findAuthLoop, findRetransmissions, retransmissionsHint } from './loops.ts';
import { otherLegs } from './other-legs.ts';
import { findPostDialDelay, postDialDelayHint } from './post-dial-delay.ts';
import { findRegistrationFailure, registrationHint } from './registration.ts';
import { findDisagreement, sourceDisagreementHint } from './source-disagreement.ts';

export function judgeSignaling(call: Call, found: CallFindings): undefined {
  const { d, e, messages, nowUs } = call;
  const { thresholds } = e.rules;
  found.signaling = diagnoseSignaling({
    d,
    messages,
    nowUs,
    thresholds,
    icmp: e.stores.icmp.notes(d),
    otherLegs: (canceledUs) => otherLegs(call, canceledUs),
  });
}

/** Null when no detection fired. */
export function diagnoseSignaling(call: SignalingCall): SignalingFindings | null {
  const hints: string[] = [];
  const run = <T>(
    find: (call: SignalingCall) => T | null,
    hint: (found: T, call: SignalingCall) => string,
  ): T | null => {
    const found = find(call);
    if (found !== null) hints.push(hint(found, call));
    return found;
  };
  const found: SignalingFindings = {
    finalFailure: run(findFinalFailure, failureHint),
    authLoop: run(findAuthLoop, authLoopHint),
    retransmissions: run(findRetransmissions, retransmissionsHint),
    ackMissing: run(findAckMissing, ackMissingHint),
    abandoned: run(findAbandoned, abandonedHint),
    postDialDelay: run(findPostDialDelay, postDialDelayHint),
    registrationFailure: run(findRegistrationFailure, registrationHint),
    icmpUnreachable: run(findIcmp, icmpHint),
    sourceDisagreement: run(findDisagreement, sourceDisagreementHint),
    hints,
  };
  return hints.length === 0 ? null : found;
}
