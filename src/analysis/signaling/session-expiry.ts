/**
 * Finds a call that one side ended because the other did not refresh the session (RFC 4028): the last 2xx of an INVITE or
 * UPDATE agreed on a refresher, no refresh followed, and the BYE of the other side came when section 10 has it sent.
 */
import * as METHOD from '../../core/methods.ts';
import type { Steps } from '../../core/turns.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { isOfOpener } from '../../store/dialogs/opener-side.ts';
import type { CallMessage } from '../call-messages.ts';
import type { HangUp } from '../hangup.ts';
import type { Proven } from './signaling-call.ts';

/** The BYE is due the smaller of this and a third of the session before it expires. */
const EARLY_SEC = 32;
/** Clocks of phones tick in whole seconds, and the 2xx passed here at another moment. */
const SLACK_SEC = 3;
/** RFC 4028 section 5 allows no session below 90 s; some are configured shorter, and below this any BYE is near. */
const LEAST_SEC = 60;
/** Of the shortest session: a call that ended sooner after its answer is not looked at. */
const SOONEST_US = ((LEAST_SEC * 2) / 3 - SLACK_SEC) * 1e6;
const LONGEST_SEC = 2 ** 32;

type Timer = { readonly sec: number; readonly refresher: 'uac' | 'uas' };

/** It lasted as long as the shortest session. */
export function mayBeUnrefreshed({ answerUs, byeUs }: Dialog): boolean {
  return byeUs - answerUs >= SOONEST_US;
}

export function* findUnrefreshed(d: Dialog, messages: readonly CallMessage[], end: HangUp): Steps<Proven | null> {
  const bye = messages[end.index];
  const agreed = bye === undefined ? null : yield* lastAgreement(messages, bye);
  const timer = agreed === null ? null : timerOf(agreed);
  if (bye === undefined || agreed === null || timer === null) return null;
  const text = agreed.read();
  if (text === null) return null;
  const asker = isOfOpener(d, text.bytes, text.scan) ? 'caller' : 'callee';
  const isAsker = timer.refresher === 'uac';
  const refresher = isAsker ? asker : asker === 'caller' ? 'callee' : 'caller';
  if (refresher === end.side) return null;
  const agoSec = (bye.tsUs - agreed.tsUs) / 1e6;
  const dueSec = timer.sec - Math.min(EARLY_SEC, timer.sec / 3);
  if (agoSec < dueSec - SLACK_SEC || agoSec > timer.sec + SLACK_SEC) return null;
  const host = hostOf(messages, agreed, isAsker);
  const talkSec = Math.max(0, (bye.tsUs - d.answerUs) / 1e6);
  const leftSec = timer.sec - agoSec;
  const when = `${Math.abs(leftSec).toFixed(1)} s ${leftSec < 0 ? 'after' : 'before'} its session expired`;
  return {
    text: `The ${end.side} (${bye.src.host}) ended the call after ${talkSec.toFixed(1)} s, ${when}: the ${refresher} (${host}) should have refreshed it (Session-Expires: ${timer.sec};refresher=${timer.refresher}), and nobody did.`,
    evidence: [agreed.index, bye.index],
  };
}

/** The newest 2xx before the BYE that an INVITE or UPDATE got; null where another one was asked for since. */
function* lastAgreement(messages: readonly CallMessage[], bye: CallMessage): Steps<CallMessage | null> {
  const last = messages.findLast((m) => m.index < bye.index && m.isFirst && isSession(m));
  if (last === undefined || !isAnswer(last) || bye.tsUs - last.tsUs < SOONEST_US) return null;
  // Each hop shows it once more; a proxy adds the header where a phone has none.
  for (const m of messages) {
    if (m.index >= bye.index) break;
    if (!isAnswer(m) || !isAlike(m, last)) continue;
    if (timerOf(m) !== null) return m;
    // All its headers were read.
    yield;
  }
  return null;
}

const isSession = (m: CallMessage): boolean => m.method === METHOD.INVITE || m.method === METHOD.UPDATE;
const isAnswer = (m: CallMessage): boolean => isSession(m) && m.status >= 200 && m.status < 300;

/** Of one transaction, on whatever hop: each side counts its requests by itself. */
function isAlike(m: CallMessage, other: CallMessage): boolean {
  return m.method === other.method && m.cseq === other.cseq && m.hop.fromTag === other.hop.fromTag;
}

function timerOf(m: CallMessage): Timer | null {
  const value = m.parse()?.value(HEADER.SESSION_EXPIRES) ?? '';
  const [, seconds = '', params = ''] = /^\s*(\d{1,10})\s*(;.*)?$/.exec(value) ?? [];
  const refresher = /;\s*refresher\s*=\s*(ua[cs])\b/i.exec(params)?.[1]?.toLowerCase();
  const sec = Number(seconds);
  if (seconds === '' || sec < LEAST_SEC || sec > LONGEST_SEC) return null;
  return refresher === 'uac' || refresher === 'uas' ? { sec, refresher } : null;
}

/** Where who should refresh sits: the first hop of its request, or of its answer. */
function hostOf(messages: readonly CallMessage[], agreed: CallMessage, isAsker: boolean): string {
  const isOwn = (m: CallMessage): boolean => isAlike(m, agreed) && (isAsker ? m.isRequest : isAnswer(m));
  return messages.find(isOwn)?.src.host ?? (isAsker ? agreed.dst : agreed.src).host;
}
