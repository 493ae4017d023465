/**
 * Finds a call that ended the moment it was answered: a BYE within half a second of the first 2xx, and nothing that explains
 * it, such as another phone that was quicker, a transfer, or a CANCEL that crossed the answer.
 */
import * as METHOD from '../../core/methods.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import { isElsewhere, parseReasons, type Reason, reasonText } from '../../protocols/sip/reason.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import { hasByeCause } from '../../store/dialogs/termination-cause.ts';
import type { CallMessage } from '../call-messages.ts';
import { whoHungUp } from '../hangup.ts';
import { crossedCancel } from './cancel-crossed.ts';
import { capital, Parties } from './parties.ts';
import type { Proven, SignalingCall } from './signaling-call.ts';

const AT_ONCE_US = 500_000;
/** Q.850: normal clearing, normal unspecified, interworking unspecified. */
const NORMAL: ReadonlySet<number> = new Set([16, 31, 127]);

export function findDroppedAtAnswer(call: SignalingCall): Proven | null {
  const { d, messages } = call;
  if (!(d.byeUs - d.answerUs <= AT_ONCE_US) || (d.marks & MARK.TRANSFERRED) !== 0) return null;
  // Who hangs up while it rings may do so at the moment of the answer.
  if ((d.marks & MARK.BYE_OF_CALLEE) === 0 && !hasByeCause(d)) return null;
  const end = whoHungUp(d, messages);
  const bye = end === null || end.method !== 'BYE' ? undefined : messages[end.index];
  const answer = answerOf(call);
  if (end === null || bye === undefined || answer === null || answer.origin !== bye.origin) return null;
  const afterUs = bye.tsUs - answer.tsUs;
  if (afterUs < 0 || afterUs > AT_ONCE_US) return null;
  const reasons = parseReasons(bye.parse()?.value(HEADER.REASON) ?? '');
  if (end.side === 'caller' && !reasons.some(isNoNormalEnd)) return null;
  if (reasons.some(isElsewhere) || crossedCancel(call) !== null || call.otherLegs(bye.tsUs).wasAnswered) return null;
  const what = `${capital(new Parties(call).ender(bye, end.side))} ended the call ${Math.round(afterUs / 1000)} ms after the answer.`;
  const [why] = reasons;
  return {
    text: why === undefined ? what : `${what} Its BYE says why: ${reasonText(why)}.`,
    evidence: [answer.index, bye.index],
  };
}

/** The 2xx to the INVITE that began the call here; null where a capture began in the call, or a REFER took it elsewhere. */
function answerOf({ d, messages }: SignalingCall): CallMessage | null {
  let answer: CallMessage | null = null;
  let isBegun = false;
  for (const m of messages) {
    if (m.isCopy) continue;
    if (m.method === METHOD.REFER) return null;
    if (m.method !== METHOD.INVITE || m.cseq !== d.inviteCseq) continue;
    if (m.isRequest) isBegun ||= m.hop.toTag === '' && m.read() !== null;
    else if (m.status >= 200 && m.status < 300) {
      if (answer !== null && answer.hop.toTag !== m.hop.toTag) return null;
      answer ??= m;
    }
  }
  return isBegun ? answer : null;
}

function isNoNormalEnd({ protocol, code }: Reason): boolean {
  if (code === null) return false;
  return protocol.toUpperCase() === 'Q.850' ? !NORMAL.has(code) : code !== 487;
}
