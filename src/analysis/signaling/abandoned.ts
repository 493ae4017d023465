/**
 * Finds calls that nobody answered: canceled, or without a final response. A proxy that forks a call cancels the branches
 * that lost; that is no failure.
 */

import * as METHOD from '../../core/methods.ts';
import { MAX_NAME_BYTES } from '../../protocols/sip/address.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import { parseReasons } from '../../protocols/sip/reason.ts';
import { OTHER_LEG } from '../../protocols/sip/seen-bits.ts';
import { MAX_FORK_BRANCHES } from '../../store/dialogs/call-timing.ts';
import type { CallMessage } from '../call-messages.ts';
import { lacksResponses } from '../call-messages.ts';
import type { SignalingCall } from './signaling-call.ts';

export type Abandoned = {
  kind: 'canceled' | 'no_final_response';
  elapsedSec: number;
  /** Who sent CANCEL; null where nobody did. */
  canceledBy: CanceledBy | null;
  evidence: number[];
};

type CanceledBy = {
  /** `caller`: the one that sent the first INVITE. `middle`: a proxy or PBX, and the caller did not. */
  side: 'caller' | 'middle' | 'unknown';
  socket: string;
  /** Its Reason header, '' without one. */
  reason: string;
};

/** Q.850: non-selected user clearing. */
const NOT_SELECTED = 26;
const REQUEST_TERMINATED = 487;

/** CANCEL before an answer, unless another branch got the call, or no final response within Timer C. */
export function findAbandoned(call: SignalingCall): Abandoned | null {
  const { d, messages, nowUs, thresholds: t } = call;
  if (d.family !== 0 || !Number.isNaN(d.answerUs)) return null;
  const cancels = messages.filter((m) => m.isRequest && m.method === METHOD.CANCEL).slice(0, MAX_FORK_BRANCHES);
  if (cancels.length > 0) return canceled(call, cancels);
  if (Number.isNaN(d.inviteUs)) return null;
  // What a BYE ended had an answer that this capture missed.
  if (!Number.isNaN(d.byeUs)) return null;
  const elapsedSec = (nowUs - d.inviteUs) / 1e6;
  if (!Number.isNaN(d.finalUs) || d.finalCode !== 0 || elapsedSec <= t.noFinalSec) return null;
  if (lacksResponses(messages)) return null;
  const invites = messages.filter((m) => m.isRequest && m.method === METHOD.INVITE && m.cseq === d.inviteCseq);
  return { kind: 'no_final_response', elapsedSec, canceledBy: null, evidence: invites.map((m) => m.index) };
}

function canceled({ d, messages, otherLegs }: SignalingCall, all: readonly CallMessage[]): Abandoned | null {
  const invites = messages.filter((m) => m.isRequest && m.isFirst && m.method === METHOD.INVITE);
  const cancels = all.filter((m) => !isOfRunningCall(m, invites));
  // Each hop cancels its next ones: what the caller sent says why.
  const ofCaller = cancels.find((m) => isOfCaller(m, invites));
  const cancel = ofCaller ?? cancels[0];
  if (cancel === undefined) return null;
  // Where no message names a cause, none is read for it.
  if (d.cause !== null && (ofCaller === undefined ? cancels : [ofCaller]).some(saysElsewhere)) return null;
  if (ofCaller === undefined && isEndedForAll(messages, cancel, invites[0]?.src.host)) return null;
  if (lacksResponses(messages) && isAnswerAcknowledged(messages, invites)) return null;
  const legs = otherLegs(cancel.tsUs);
  if (legs.wasAnswered) return null;
  // A capture that begins behind the INVITE still sees who gave up.
  const sinceUs = Number.isNaN(d.inviteUs) ? d.createdUs : d.inviteUs;
  const seesOthers = invites[0] !== undefined && invites[0].src.host !== cancel.src.host;
  const side = legs.isFromMiddle || seesOthers ? 'middle' : ofCaller === undefined ? 'unknown' : 'caller';
  return {
    kind: 'canceled',
    elapsedSec: Math.max(0, (cancel.tsUs - sinceUs) / 1e6),
    canceledBy: {
      side,
      socket: cancel.srcText,
      reason: d.cause === null ? '' : reasonOf(cancel).slice(0, MAX_NAME_BYTES),
    },
    evidence: [cancel.index],
  };
}

/** The one that sent the first INVITE sent it, and is no proxy: each puts a Via of its own on top (RFC 3261 section 16.6). */
function isOfCaller(cancel: CallMessage, invites: readonly CallMessage[]): boolean {
  const own = invites.length === 1 ? invites[0] : invites.find((m) => m.hop.transaction === cancel.hop.transaction);
  if (own === undefined || own.src.host !== invites[0]?.src.host || own.src.host !== cancel.src.host) return false;
  const scan = own.read()?.scan;
  // A second Via has a bit of its own, with other headers.
  return scan !== undefined && ((scan.seen & OTHER_LEG) === 0 || own.parse()?.values(HEADER.VIA).length === 1);
}

/** A To tag says that the INVITE was sent within a call, whose answer this capture missed (RFC 3261 section 14.1). */
function isOfRunningCall(cancel: CallMessage, invites: readonly CallMessage[]): boolean {
  return invites.some((m) => m.hop.transaction === cancel.hop.transaction && m.hop.toTag !== '');
}

function reasonOf(cancel: CallMessage): string {
  return cancel.parse()?.values(HEADER.REASON).join(', ') ?? '';
}

/** The ACK of a 2xx is a transaction of its own, that of a failure has the branch of its INVITE (RFC 3261 section 17.1.1.3). */
function isAnswerAcknowledged(messages: readonly CallMessage[], invites: readonly CallMessage[]): boolean {
  const asked = new Set(invites.map((m) => m.hop.transaction));
  return invites.length > 0 && messages.some((m) => m.method === METHOD.ACK && !asked.has(m.hop.transaction));
}

/** RFC 3326: another branch was answered, or declined for all of them. */
function saysElsewhere(cancel: CallMessage): boolean {
  return parseReasons(reasonOf(cancel)).some(({ protocol, code, text }) => {
    if (/\b(completed|answered|picked up) elsewhere\b/i.test(text ?? '')) return true;
    if (protocol.toUpperCase() === 'Q.850') return code === NOT_SELECTED;
    return protocol.toUpperCase() === 'SIP' && code !== null && (isSuccess(code) || isGlobal(code));
  });
}

/**
 * A proxy cancels all other branches when one answers with a 6xx (RFC 3261 section 16.7 step 5), and when its own timer ends
 * the attempt: then the caller gets another final response than the 487 of a branch that was canceled.
 */
function isEndedForAll(messages: readonly CallMessage[], cancel: CallMessage, caller: string | undefined): boolean {
  return messages.some((m) => {
    if (m.isRequest || m.method !== METHOD.INVITE || m.status < 300) return false;
    if (m.index < cancel.index) return isGlobal(m.status);
    return m.status !== REQUEST_TERMINATED && !m.isChallenge && m.dst.host === caller;
  });
}

function isSuccess(code: number): boolean {
  return code >= 200 && code < 300;
}

function isGlobal(code: number): boolean {
  return code >= 600 && code < 700;
}

export function abandonedHint({ kind, elapsedSec, canceledBy }: Abandoned): string {
  if (kind !== 'canceled' || canceledBy === null)
    return `No final response came within ${elapsedSec.toFixed(0)} s of the INVITE.`;
  const { side, socket, reason } = canceledBy;
  const when = `after ${elapsedSec.toFixed(1)} s, before the call was answered`;
  const why = reason === '' ? '' : ` (${reason})`;
  if (side === 'caller') return `The caller gave up ${when}: ${socket} sent CANCEL${why}.`;
  return side === 'middle'
    ? `CANCEL came ${when}: ${socket} sent it${why}, a proxy or PBX, not the caller.`
    : `CANCEL came ${when}: ${socket} sent it${why}. Whether the caller gave up is not visible here.`;
}
