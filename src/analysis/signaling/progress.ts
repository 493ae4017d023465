/**
 * Calls that did not get on: late first sign of progress, no final answer.
 */

import * as METHOD from '../../core/methods.ts';
import { callTiming } from '../../store/dialogs/call-timing.ts';
import type { SignalingCall } from '../call.ts';
import type { Abandoned, PostDialDelay } from '../findings.ts';

/** The caller gave up before an answer, or no final response came within Timer C. */
export function findAbandoned({ d, messages, nowUs, thresholds: t }: SignalingCall): Abandoned | null {
  if (d.family !== 0 || !Number.isNaN(d.answerUs)) return null;
  // A capture that begins behind the INVITE still sees who gave up.
  const sinceUs = Number.isNaN(d.inviteUs) ? d.createdUs : d.inviteUs;
  const cancel = messages.find((m) => m.isRequest && m.method === METHOD.CANCEL);
  if (cancel !== undefined)
    return { kind: 'canceled', elapsedSec: Math.max(0, (cancel.tsUs - sinceUs) / 1e6), evidence: [cancel.index] };
  if (Number.isNaN(d.inviteUs)) return null;
  // What a BYE ended had an answer that this capture missed.
  if (!Number.isNaN(d.byeUs)) return null;
  const elapsedSec = (nowUs - d.inviteUs) / 1e6;
  if (!Number.isNaN(d.finalUs) || d.finalCode !== 0 || elapsedSec <= t.noFinalSec) return null;
  const invites = messages.filter((m) => m.isRequest && m.method === METHOD.INVITE && m.cseq === d.inviteCseq);
  return { kind: 'no_final_response', elapsedSec, evidence: invites.map((m) => m.index) };
}

export function abandonedHint(f: Abandoned): string {
  return f.kind === 'canceled'
    ? `The caller gave up after ${f.elapsedSec.toFixed(1)} s, before the call was answered.`
    : `No final response came within ${f.elapsedSec.toFixed(0)} s of the INVITE.`;
}

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
