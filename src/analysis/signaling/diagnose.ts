/**
 * Runs every signaling detection over one call. A new detection is one field here, and a row of the table of findings.
 */

import { abandonedHint, findAbandoned } from './abandoned.ts';
import { ackMissingHint, findAckMissing } from './ack.ts';
import { failureHint, findFinalFailure } from './failure.ts';
import { findIcmp, icmpHint } from './icmp.ts';
import { authLoopHint, findAuthLoop, findRetransmissions, retransmissionsHint } from './loops.ts';
import { findPostDialDelay, postDialDelayHint } from './post-dial-delay.ts';
import { findRegistrationFailure, registrationHint } from './registration.ts';
import type { SignalingCall } from './signaling-call.ts';
import { findDisagreement, sourceDisagreementHint } from './source-disagreement.ts';

/** Null when no detection fired. */
export function diagnoseSignaling(call: SignalingCall) {
  const hints: string[] = [];
  const run = <T>(
    find: (call: SignalingCall) => T | null,
    hint: (found: T, call: SignalingCall) => string,
  ): T | null => {
    const found = find(call);
    if (found !== null) hints.push(hint(found, call));
    return found;
  };
  const found = {
    finalFailure: run(findFinalFailure, failureHint),
    authLoop: run(findAuthLoop, authLoopHint),
    retransmissions: run(findRetransmissions, retransmissionsHint),
    ackMissing: run(findAckMissing, ackMissingHint),
    abandoned: run(findAbandoned, abandonedHint),
    postDialDelay: run(findPostDialDelay, postDialDelayHint),
    registrationFailure: run(findRegistrationFailure, registrationHint),
    icmpUnreachable: run(findIcmp, icmpHint),
    /** Null where one source carried the call, or both agree. */
    sourceDisagreement: run(findDisagreement, sourceDisagreementHint),
    /** A sentence for each finding, in the order of the fields. */
    hints,
  };
  return hints.length === 0 ? null : found;
}

export type SignalingFindings = Readonly<NonNullable<ReturnType<typeof diagnoseSignaling>>>;
