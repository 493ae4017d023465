/**
 * Calls that did not get on: late first sign of progress, no final answer, an answer nobody acknowledged.
 */
import { times } from '../../core/counted.ts';
import type { Thresholds } from '../../core/thresholds.ts';
import { METHOD } from '../../protocols/sip/method.ts';
import { callTiming } from '../../store/dialogs/call-timing.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { MARK } from '../../store/dialogs/dialog-marks.ts';
import type { Messages } from '../../store/stores.ts';
import type { MessageView } from '../message-list.ts';
import { groupsOf, mostAlike } from '../message-list.ts';
import { acknowledges, hopReader } from './hops.ts';

export type AckMissing = { waitedSec: number; answerTransmissions: number; evidence: number[] };

/**
 * A 2xx to an INVITE was sent three times on one leg, or 64*T1 passed, without an ACK there (RFC 3261 13.3.1.4). Time alone
 * says nothing where another leg has an ACK, or where no request of the call was captured: it may have gone past the
 * capture point. An ACK that is lost on one leg is on none beyond it: of several legs without one, that next to the caller
 * lost it, and its 2xx came last.
 */
export function detectAckMissing(
  d: Dialog,
  list: readonly MessageView[],
  log: Messages,
  nowUs: number,
  t: Thresholds,
): AckMissing | null {
  if (Number.isNaN(d.answerUs)) return null;
  const isAcked = (d.marks & MARK.ACK_SEEN) !== 0;
  // The ACK of this leg may be among what is not kept.
  if (isAcked && (d.msgCount > d.keptCount || list.length < d.keptCount)) return null;
  // Other hops and other forks answer with messages of their own.
  const answered = list.filter(
    (m) => !m.isRequest && !m.isCopy && m.method === METHOD.INVITE && m.status >= 200 && m.status < 300,
  );
  const acks = list.filter((m) => m.isRequest && m.method === METHOD.ACK);
  const hop = hopReader(log);
  const acked = new Map<string, boolean>();
  const isOpen = (m: MessageView): boolean => {
    const known = acked.get(m.key) ?? acks.some((ack) => ack.cseq === m.cseq && acknowledges(hop(ack), hop(m)));
    acked.set(m.key, known);
    return !known;
  };
  const unacked = isAcked ? answered.filter(isOpen) : answered;
  const most = mostAlike(unacked, (m) => m.key);
  const ofOneSide = unacked.filter((m) => most[0] !== undefined && hop(m).toTag === hop(most[0]).toTag);
  const legs = groupsOf(ofOneSide, (m) => m.key);
  const answers = legs.findLast((leg) => leg.length >= t.answerTransmissions) ?? most;
  const first = answers[0];
  if (first === undefined) return null;
  const endUs = Number.isNaN(d.endedUs) ? Math.max(nowUs, d.updatedUs) : d.endedUs;
  const waitedSec = Math.max(0, (endUs - first.tsUs) / 1e6);
  const provesByTime = !isAcked && list.some((m) => m.isRequest);
  if (answers.length < t.answerTransmissions && (!provesByTime || waitedSec < t.ackWaitSec)) return null;
  return { waitedSec, answerTransmissions: answers.length, evidence: answers.map((m) => m.index) };
}

export function ackMissingHint(f: AckMissing): string {
  return `The answer was sent ${times(f.answerTransmissions)} and no ACK came within ${f.waitedSec.toFixed(1)} s.`;
}

export type Abandoned = { kind: 'canceled' | 'no_final_response'; elapsedSec: number; evidence: number[] };

/** The caller gave up before an answer, or no final response came within Timer C. */
export function detectAbandoned(
  d: Dialog,
  list: readonly MessageView[],
  nowUs: number,
  t: Thresholds,
): Abandoned | null {
  if (d.family !== 0 || !Number.isNaN(d.answerUs)) return null;
  // A capture that begins behind the INVITE still sees who gave up.
  const sinceUs = Number.isNaN(d.inviteUs) ? d.createdUs : d.inviteUs;
  const cancel = list.find((m) => m.isRequest && m.method === METHOD.CANCEL);
  if (cancel !== undefined)
    return { kind: 'canceled', elapsedSec: Math.max(0, (cancel.tsUs - sinceUs) / 1e6), evidence: [cancel.index] };
  if (Number.isNaN(d.inviteUs)) return null;
  // What a BYE ended had an answer that this capture missed.
  if (!Number.isNaN(d.byeUs)) return null;
  const elapsedSec = (nowUs - d.inviteUs) / 1e6;
  if (!Number.isNaN(d.finalUs) || d.finalCode !== 0 || elapsedSec <= t.noFinalSec) return null;
  const invites = list.filter((m) => m.isRequest && m.method === METHOD.INVITE && m.cseq === d.inviteCseq);
  return { kind: 'no_final_response', elapsedSec, evidence: invites.map((m) => m.index) };
}

export function abandonedHint(f: Abandoned): string {
  return f.kind === 'canceled'
    ? `The caller gave up after ${f.elapsedSec.toFixed(1)} s, before the call was answered.`
    : `No final response came within ${f.elapsedSec.toFixed(0)} s of the INVITE.`;
}

export type PostDialDelay = { delaySec: number; thresholdSec: number; respondedWith: number; evidence: number[] };

/** The first sign of progress came later than 95 % of international calls may take (ITU-T E.721). */
export function detectPostDialDelay(
  d: Dialog,
  list: readonly MessageView[],
  log: Messages,
  t: Thresholds,
): PostDialDelay | null {
  const { pddMs } = callTiming(d);
  if (pddMs === null || pddMs <= t.postDialDelaySec * 1000) return null;
  const invite = list.find((m) => m.isRequest && m.method === METHOD.INVITE && m.cseq === d.inviteCseq);
  const answers = list.filter(
    (m) => !m.isRequest && m.method === METHOD.INVITE && m.cseq === d.inviteCseq && m.status >= 180 && !m.isCopy,
  );
  const hop = hopReader(log);
  // What the caller heard is on the hop of the caller's INVITE.
  const heard = answers.find((m) => invite !== undefined && hop(m).transaction === hop(invite).transaction);
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
