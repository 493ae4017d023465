/**
 * Runs every signaling detection over one call. A new detection is one field here, and a row of the table of findings.
 */

import type { Hint } from '../hint.ts';
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
  const hints: Hint[] = [];
  const run = <T extends { readonly evidence: readonly number[] }>(
    finding: string,
    find: (call: SignalingCall) => T | null,
    hint: (found: T, call: SignalingCall) => string,
  ): T | null => {
    const found = find(call);
    if (found !== null) hints.push({ finding, text: hint(found, call), evidence: found.evidence });
    return found;
  };
  const found = {
    finalFailure: run('final-failure', findFinalFailure, failureHint),
    authLoop: run('auth-loop', findAuthLoop, authLoopHint),
    retransmissions: run('no-response', findRetransmissions, retransmissionsHint),
    ackMissing: run('ack-missing', findAckMissing, ackMissingHint),
    abandoned: run('abandoned', findAbandoned, abandonedHint),
    postDialDelay: run('post-dial-delay', findPostDialDelay, postDialDelayHint),
    registrationFailure: run('registration-failure', findRegistrationFailure, registrationHint),
    icmpUnreachable: run('unreachable', findIcmp, icmpHint),
    /** Null where one source carried the call, or both agree. */
    sourceDisagreement: run('sources-differ', findDisagreement, sourceDisagreementHint),
    /** A sentence for each finding, in the order of the fields. */
    hints,
  };
  return hints.length === 0 ? null : found;
}

export type SignalingFindings = Readonly<NonNullable<ReturnType<typeof diagnoseSignaling>>>;
