/**
 * Calls that got on late: the first sign of progress.
 */

import * as METHOD from '../../core/methods.ts';
import { callTiming } from '../../store/dialogs/call-timing.ts';
import type { SignalingCall } from './signaling-call.ts';

export type PostDialDelay = { delaySec: number; thresholdSec: number; respondedWith: number; evidence: number[] };

/** The first sign of progress came later than 95 % of international calls may take (ITU-T E.721). */
export function findPostDialDelay({ d, messages, thresholds: t }: SignalingCall): PostDialDelay | null {
  const { pddMs } = callTiming(d);
  if (pddMs === null || pddMs <= t.postDialDelaySec * 1000) return null;
  const invite = messages.find((m) => m.isRequest && m.method === METHOD.INVITE && m.cseq === d.inviteCseq);
  const answers = messages.filter(
    (m) => !m.isRequest && m.method === METHOD.INVITE && m.cseq === d.inviteCseq && m.status >= 180 && !m.isCopy,
  );
  // What the caller heard is on the hop of the caller's INVITE.
  const heard = answers.find((m) => invite !== undefined && m.hop.transaction === invite.hop.transaction);
  const answer = heard ?? answers[0];
  if (answer === undefined) return null;
  return {
    delaySec: pddMs / 1000,
    thresholdSec: t.postDialDelaySec,
    respondedWith: answer.status,
    evidence: invite === undefined ? [answer.index] : [invite.index, answer.index],
  };
}

export function postDialDelayHint(f: PostDialDelay): string {
  return `The caller heard nothing for ${f.delaySec.toFixed(1)} s (more than ${f.thresholdSec} s) until ${f.respondedWith}.`;
}
