/**
 * Calls that did not get on: late first sign of progress, no final answer, an answer nobody acknowledged.
 */

import { times } from '../../core/counted.ts';
import { grouped } from '../../core/maps.ts';
import * as METHOD from '../../core/methods.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import { callTiming } from '../../store/dialogs/call-timing.ts';
import type { SignalingCall } from '../call.ts';
import type { CallMessage, Socket } from '../call-messages.ts';
import { mostAlike } from '../call-messages.ts';
import type { Abandoned, AckMissing, PostDialDelay } from '../findings.ts';

/**
 * A 2xx to an INVITE was sent three times on one leg, or 64*T1 passed, without an ACK there (RFC 3261 13.3.1.4). Time alone
 * says nothing where another leg has an ACK, or where no request of the call was captured: it may have gone past the
 * capture point. An ACK that is lost on one leg is on none beyond it: of several legs without one, that next to the caller
 * lost it, and its 2xx came last.
 */
export function findAckMissing({ d, messages, nowUs, thresholds: t }: SignalingCall): AckMissing | null {
  if (Number.isNaN(d.answerUs)) return null;
  const isAcked = (d.marks & MARK.ACK_SEEN) !== 0;
  // The ACK of this leg may be among what is not kept.
  if (isAcked && (d.msgCount > d.keptCount || messages.length < d.keptCount)) return null;
  // Other hops and other forks answer with messages of their own.
  const answered = messages.filter(
    (m) => !m.isRequest && !m.isCopy && m.method === METHOD.INVITE && m.status >= 200 && m.status < 300,
  );
  // With an ACK on some leg only the number of copies can prove anything: most calls end here, with no text read.
  if (isAcked && answered.length < t.answerTransmissions) return null;
  const acks = messages.filter((m) => m.isRequest && m.method === METHOD.ACK);
  const acked = new Map<string, boolean>();
  const isOpen = (m: CallMessage): boolean => {
    const known = acked.get(m.key) ?? acks.some((ack) => ack.cseq === m.cseq && acknowledges(ack, m));
    acked.set(m.key, known);
    return !known;
  };
  const unacked = isAcked ? answered.filter(isOpen) : answered;
  const most = mostAlike(unacked, (m) => m.key);
  const ofOneSide = unacked.filter((m) => most[0] !== undefined && m.hop.toTag === most[0].hop.toTag);
  const legs = [...grouped(ofOneSide, (m) => m.key).values()];
  const answers = legs.findLast((leg) => leg.length >= t.answerTransmissions) ?? most;
  const first = answers[0];
  if (first === undefined) return null;
  const endUs = Number.isNaN(d.endedUs) ? Math.max(nowUs, d.updatedUs) : d.endedUs;
  const waitedSec = Math.max(0, (endUs - first.tsUs) / 1e6);
  const provesByTime = !isAcked && messages.some((m) => m.isRequest);
  if (answers.length < t.answerTransmissions && (!provesByTime || waitedSec < t.ackWaitSec)) return null;
  return { waitedSec, answerTransmissions: answers.length, evidence: answers.map((m) => m.index) };
}

export function ackMissingHint(f: AckMissing): string {
  return `The answer was sent ${times(f.answerTransmissions)} and no ACK came within ${f.waitedSec.toFixed(1)} s.`;
}

/**
 * Whether an ACK acknowledges a 2xx on its leg: of the same called side, it reaches who sent that, or leaves who got it.
 * Without Record-Route it takes another way than the 2xx took, and by TCP another port.
 */
function acknowledges(ack: CallMessage, answer: CallMessage): boolean {
  if (ack.hop.toTag !== answer.hop.toTag) return false;
  if (isSame(ack.dst, answer.src) || isSame(ack.src, answer.dst)) return true;
  if (answer.src.host === answer.dst.host || ack.src.host === ack.dst.host) return false;
  return ack.dst.host === answer.src.host || ack.src.host === answer.dst.host;
}

function isSame(a: Socket, b: Socket): boolean {
  return a.host === b.host && a.port === b.port;
}

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
