/**
 * Runs every signaling detection over one dialog. Null when none fired.
 */
import type { Thresholds } from '../../core/thresholds.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { IcmpNote } from '../../store/icmp/icmp-note.ts';
import type { Messages } from '../../store/stores.ts';
import { messageList } from '../message-list.ts';
import type { FinalFailure, RegistrationFailure } from './failure.ts';
import { detectFinalFailure, detectRegistrationFailure, failureHint, registrationHint } from './failure.ts';
import type { IcmpUnreachable } from './icmp.ts';
import { detectIcmp, icmpHint } from './icmp.ts';
import type { AuthLoop, Retransmissions } from './loops.ts';
import { authLoopHint, detectAuthLoop, detectRetransmissions, retransmissionsHint } from './loops.ts';
import type { Abandoned, AckMissing, PostDialDelay } from './progress.ts';
import {
  abandonedHint,
  ackMissingHint,
  detectAbandoned,
  detectAckMissing,
  detectPostDialDelay,
  postDialDelayHint,
} from './progress.ts';
import type { SourceDisagreement } from './source-disagreement.ts';
import { compareSources, sourceDisagreementHint } from './source-disagreement.ts';

export type SignalingFindings = {
  finalFailure: FinalFailure | null;
  authLoop: AuthLoop | null;
  retransmissions: Retransmissions | null;
  ackMissing: AckMissing | null;
  abandoned: Abandoned | null;
  postDialDelay: PostDialDelay | null;
  registrationFailure: RegistrationFailure | null;
  /** Null where one source carried the call, or both agree. */
  sourceDisagreement: SourceDisagreement | null;
  icmpUnreachable: IcmpUnreachable | null;
  hints: string[];
};

export type SignalingContext = {
  /** Capture clock in microseconds: the newest packet of the capture. */
  readonly nowUs: number;
  readonly thresholds: Thresholds;
  /** ICMP errors about the dialog's messages. */
  readonly icmp: readonly IcmpNote[];
};

export function diagnoseSignaling(d: Dialog, log: Messages, c: SignalingContext): SignalingFindings | null {
  const list = messageList(d, log);
  const t = c.thresholds;
  const icmpUnreachable = detectIcmp(d, list, c.icmp);
  const compared = compareSources(d, list, log);
  const found: SignalingFindings = {
    finalFailure: detectFinalFailure(d, list, log),
    authLoop: detectAuthLoop(list, log, t),
    retransmissions: detectRetransmissions(d, list, log, t, icmpUnreachable),
    ackMissing: detectAckMissing(d, list, log, c.nowUs, t),
    abandoned: detectAbandoned(d, list, c.nowUs, t),
    postDialDelay: detectPostDialDelay(d, list, log, t),
    registrationFailure: detectRegistrationFailure(d, list),
    sourceDisagreement: compared === null || compared.evidence.length === 0 ? null : compared,
    icmpUnreachable,
    hints: [],
  };
  if (found.finalFailure !== null) found.hints.push(failureHint(d, found.finalFailure));
  if (found.authLoop !== null) found.hints.push(authLoopHint(found.authLoop));
  if (found.retransmissions !== null) found.hints.push(retransmissionsHint(found.retransmissions));
  if (found.ackMissing !== null) found.hints.push(ackMissingHint(found.ackMissing));
  if (found.abandoned !== null) found.hints.push(abandonedHint(found.abandoned));
  if (found.postDialDelay !== null) found.hints.push(postDialDelayHint(found.postDialDelay));
  if (found.registrationFailure !== null) found.hints.push(registrationHint(found.registrationFailure));
  if (icmpUnreachable !== null) found.hints.push(icmpHint(icmpUnreachable));
  if (found.sourceDisagreement !== null) found.hints.push(sourceDisagreementHint(found.sourceDisagreement));
  return found.hints.length === 0 ? null : found;
}
