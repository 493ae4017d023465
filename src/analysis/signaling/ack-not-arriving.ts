/**
 * Finds an answer that is sent again and again although its ACK went to who sent it: the ACK is lost behind this capture
 * point, or ignored (RFC 3261 section 13.3.1.4).
 */
import { counted, times } from '../../core/counted.ts';
import { grouped } from '../../core/maps.ts';
import * as METHOD from '../../core/methods.ts';
import type { CallMessage } from '../call-messages.ts';
import { isAnswer } from '../call-messages.ts';
import { capital, Parties } from './parties.ts';
import { evidenceOf, goesOn, inTime, isPassedOn, LEAST_AGAIN, sentAgain } from './sent-again.ts';
import type { Proven, SignalingCall } from './signaling-call.ts';

export function findAckNotArriving(call: SignalingCall): Proven | null {
  const { d, messages } = call;
  // Most calls end here, with no text read.
  if (d.retransmits < LEAST_AGAIN) return null;
  const answers = messages.filter((m) => isAnswer(m) && !m.isCopy);
  if (answers.length <= LEAST_AGAIN) return null;
  const acks = messages.filter((m) => m.isRequest && m.method === METHOD.ACK && !m.isCopy);
  if (acks.length === 0) return null;
  for (const group of grouped(answers, (m) => m.key).values()) {
    const first = group[0];
    if (first === undefined || group.length <= LEAST_AGAIN || first.hop.toTag === '') continue;
    // What is passed on comes again as often as it comes: only who made it may lack the ACK.
    if (isPassedOn(first, answers)) continue;
    const heard = inTime(
      acks.filter((m) => isMeant(m, first)),
      first.origin,
    );
    const ack = heard[0];
    if (ack === undefined) continue;
    const again = sentAgain(group, ack);
    if (!goesOn(again)) continue;
    const who = new Parties(call);
    const callee = who.sender(first);
    const lastedSec = (again.lastedUs / 1e6).toFixed(1);
    return {
      text: `${capital(callee)} does not hear the ACK of ${who.sender(ack)}, or ignores it. It sent its ${first.status} again ${times(again.copies.length)} in the ${lastedSec} s after the first ACK. This capture saw ${counted(heard.length, 'ACK')} go to ${ack.dstText}, where the ${first.status} comes from.`,
      evidence: evidenceOf(first, ...heard, ...again.copies),
    };
  }
  return null;
}

/** An ACK of that answer goes to the socket that the answer came from. */
function isMeant(ack: CallMessage, answer: CallMessage): boolean {
  if (ack.cseq !== answer.cseq || ack.dst.host !== answer.src.host || ack.dst.port !== answer.src.port) return false;
  if (ack.tsUs < answer.tsUs || ack.origin !== answer.origin) return false;
  return ack.hop.toTag === answer.hop.toTag && ack.hop.fromTag === answer.hop.fromTag;
}
