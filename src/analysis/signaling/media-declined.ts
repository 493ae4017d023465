/**
 * Finds a call whose answer declined all media of the offer: each m= line has port 0 (RFC 3264 section 6).
 */
import * as METHOD from '../../core/methods.ts';
import type { Sdp } from '../../protocols/sdp/model.ts';
import { parseSdp } from '../../protocols/sdp/sdp.ts';
import { findSdp } from '../../protocols/sip/body.ts';
import type { SdpEntry } from '../../store/media/sdp-timeline.ts';
import type { CallMessage } from '../call-messages.ts';
import { isAnswer } from '../call-messages.ts';
import { capital, Parties } from './parties.ts';
import type { Proven, SignalingCall } from './signaling-call.ts';

/** Who declines until its media is ready asks again soon. */
const SETTLED_US = 5_000_000;

export function findMediaDeclined(call: SignalingCall): Proven | null {
  const { d } = call;
  if (d.methodId !== METHOD.INVITE || Number.isNaN(d.answerUs)) return null;
  return findAtAnswer(call) ?? findLater(call);
}

/** A re-INVITE or UPDATE asked for something, the answer took all media away, and nothing brought it back. */
function findLater(call: SignalingCall): Proven | null {
  const { d, messages } = call;
  const answered = d.sdp?.findLast(({ isRefused }) => !isRefused);
  // Most calls end here.
  if (answered === undefined || answered.isOffer || !isDeclined(answered)) return null;
  const entries = (d.sdp ?? []).filter(({ isRefused }) => !isRefused);
  const offered = entries.findLast(({ isOffer, tsUs }) => isOffer && tsUs <= answered.tsUs);
  if (offered === undefined || isDeclined(offered)) return null;
  if (!entries.some((e) => !e.isOffer && e.tsUs < offered.tsUs && !isDeclined(e))) return null;
  if (call.nowUs - answered.tsUs < SETTLED_US && Number.isNaN(d.byeUs)) return null;
  const answer = messages.find((m) => !m.isRequest && m.status >= 200 && m.status < 300 && m.tsUs === answered.tsUs);
  const offer = messages.find((m) => m.isRequest && m.tsUs === offered.tsUs && m.cseq === answer?.cseq);
  if (answer === undefined || offer === undefined) return null;
  const who = new Parties(call);
  const afterSec = ((answered.tsUs - d.answerUs) / 1e6).toFixed(1);
  const lines = answered.media.map(({ type }) => `m=${type} 0`).join(' and ');
  return {
    text: `${capital(who.sender(answer))} declined all media of the re-INVITE of ${who.sender(offer)}, ${afterSec} s after the answer. Its ${answer.status} says ${lines}, so the media of the call ended.`,
    evidence: [offer.index, answer.index],
  };
}

function isDeclined({ media }: SdpEntry): boolean {
  return media.length > 0 && media.every(({ port }) => port === 0);
}

function findAtAnswer(call: SignalingCall): Proven | null {
  const { d, messages } = call;
  // Most calls end here, with no text read. What was accepted on another hop or branch, or later, was not declined.
  if (!areDeclined(d.sdp ?? [])) return null;
  const answer = messages.find((m) => isAnswer(m) && m.cseq === d.inviteCseq && m.isFirst);
  if (answer === undefined) return null;
  if (call.nowUs - answer.tsUs < SETTLED_US && Number.isNaN(d.byeUs)) return null;
  // It answers what was offered last: an UPDATE may have been that.
  if (messages.some((m) => m.method === METHOD.UPDATE && m.isRequest && m.index < answer.index)) return null;
  const { transaction, fromTag } = answer.hop;
  const offer = messages.find(
    (m) => m.isRequest && m.method === METHOD.INVITE && m.cseq === answer.cseq && m.hop.transaction === transaction,
  );
  if (offer === undefined) return null;
  const offered = kindsOf(offer);
  const answered = sdpOf(answer)?.media ?? [];
  if (!offered.includes('audio') || !answered.some(({ type }) => type === 'audio')) return null;
  if (answered.some(({ port, isBundleOnly }) => port !== 0 || isBundleOnly)) return null;
  // On the first hop that this capture sees.
  const opened = messages.find(
    (m) => m.isRequest && m.method === METHOD.INVITE && m.cseq === answer.cseq && m.hop.fromTag === fromTag,
  );
  const who = new Parties(call);
  const lines = answered.map(({ type }) => `m=${type} 0`).join(' and ');
  return {
    text: `${capital(who.sender(answer))} declined the ${offered.join(' and ')} that ${who.sender(opened ?? offer)} offered. Its ${answer.status} says ${lines}, so the call has no media.`,
    evidence: [offer.index, answer.index],
  };
}

/** There are answers, and each that holds has port 0 alone. */
function areDeclined(entries: readonly SdpEntry[]): boolean {
  let hasDeclined = false;
  for (const { isOffer, isRefused, media } of entries) {
    if (isOffer) continue;
    if (media.every(({ port }) => port === 0)) hasDeclined ||= media.length > 0;
    else if (!isRefused) return false;
  }
  return hasDeclined;
}

/** Types of the m= lines, each once, in their order. */
function kindsOf(m: CallMessage): string[] {
  const lines = sdpOf(m)?.media ?? [];
  return [...new Set(lines.filter(({ port }) => port !== 0).map(({ type }) => type))];
}

function sdpOf(m: CallMessage): Sdp | null {
  const text = m.read();
  const span = { start: 0, end: 0 };
  if (text === null || !findSdp(text.bytes, text.scan, span)) return null;
  const sdp = parseSdp(text.bytes, span.start, span.end);
  return sdp.ok ? sdp.value : null;
}
