/**
 * Finds a reliable provisional response that is sent again and again: no PRACK came for it, or one had no effect (RFC 3262
 * sections 3 and 4).
 */
import { counted, times } from '../../core/counted.ts';
import { grouped } from '../../core/maps.ts';
import * as METHOD from '../../core/methods.ts';
import type { Steps } from '../../core/turns.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import type { SipMessage } from '../../protocols/sip/message.ts';
import type { CallMessage } from '../call-messages.ts';
import { whoHungUp } from '../hangup.ts';
import { passesHere } from './ack.ts';
import { capital, Parties } from './parties.ts';
import { evidenceOf, GOES_ON_US, goesOn, inTime, isPassedOn, sentAgain } from './sent-again.ts';
import type { Proven, SignalingCall, StatedCall } from './signaling-call.ts';

/** So often it was sent, at the least: at once, after T1, and after 2*T1 more. */
const LEAST_SENT = 3;
const LEAST_SPAN_US = 1_000_000;
/** A challenge, a request that is pending, and what a proxy says that got no answer itself: they want another try. */
const NO_REFUSAL: ReadonlySet<number> = new Set([401, 407, 408, 491, 503, 504]);

/** One response, sent again and again. */
type Reliable = { readonly rseq: number; readonly group: readonly CallMessage[]; readonly first: CallMessage };
/** RAck holds the numbers of the response and of its INVITE. */
type Prack = { readonly m: CallMessage; readonly rseq: number; readonly cseq: number };

/** Most calls are done at once, with no text read. */
export function findPrackMissing(call: StatedCall): Steps<Proven | null> | null {
  const mayBeRefused = !Number.isNaN(call.glance.refusedUs) && call.messages.some(isRefusal);
  return mayBeRefused || call.d.retransmits >= LEAST_SENT - 1 ? prackSteps(call) : null;
}

function* prackSteps(call: SignalingCall): Steps<Proven | null> {
  const { d, messages } = call;
  const refused = yield* findRefused(call);
  if (refused !== null) return refused;
  const provisional = messages.filter((m) => isProvisional(m) && !m.isCopy);
  if (provisional.length < LEAST_SENT) return null;
  // The PRACK may be among what is not kept.
  if (d.msgCount > d.keptCount || messages.length < d.keptCount) return null;
  let pracks: Prack[] | undefined;
  for (const alike of grouped(provisional, (m) => m.key).values())
    for (const { rseq, group, first } of yield* reliableIn(alike, provisional)) {
      pracks ??= yield* pracksOf(messages);
      const anywhere = pracks.filter((one) => isFor(one, first, rseq)).map(({ m }) => m);
      const meant = inTime(anywhere, first.origin);
      // The clocks of two sources are not compared.
      if (meant.length < anywhere.length) continue;
      const sent = [first, ...sentAgain(group, first).copies];
      const text = meant[0] === undefined ? unheard(call, sent) : ofNoEffect(call, sent, meant);
      yield;
      if (text !== null) return { text: `${text}${endOf(call)}`, evidence: evidenceOf(...sent, ...meant) };
    }
  return null;
}

/** Each PRACK of a call that came to nothing was refused: where it was answered all the same nobody missed one. */
function* findRefused(call: SignalingCall): Steps<Proven | null> {
  const { d, messages } = call;
  const refusals = messages.filter(isRefusal);
  const [refusal] = refusals;
  if (refusal === undefined || !Number.isNaN(d.answerUs) || messages.some(isAccepted)) return null;
  const { transaction, toTag } = refusal.hop;
  const prack = messages.find((m) => m.isRequest && m.method === METHOD.PRACK && m.hop.transaction === transaction);
  let first: CallMessage | undefined;
  for (const m of messages) {
    if (first !== undefined || !isProvisional(m) || m.hop.toTag !== toTag) continue;
    if (reliableNumber(m.parse()) !== null) first = m;
    yield;
  }
  if (prack === undefined || first === undefined || prack.hop.toTag !== toTag) return null;
  const who = new Parties(call);
  const ofThisHop = refusals.filter((m) => m.src.host === refusal.src.host && m.dst.host === refusal.dst.host);
  return {
    text: `${capital(who.sender(refusal))} refused the PRACK of ${who.sender(prack)} for the reliable ${first.status} with ${refusal.status}, ${times(ofThisHop.length)}.${endOf(call)}`,
    evidence: evidenceOf(first, prack, ...ofThisHop),
  };
}

function isRefusal(m: CallMessage): boolean {
  return !m.isRequest && m.method === METHOD.PRACK && m.status >= 400 && !NO_REFUSAL.has(m.status) && !m.isCopy;
}

/** Reliable ones that were sent often enough, as who made them sent them. The next one of a phone has the next RSeq, and all else alike. */
function* reliableIn(alike: readonly CallMessage[], provisional: readonly CallMessage[]): Steps<Reliable[]> {
  const [one] = alike;
  if (one === undefined || alike.length < LEAST_SENT || isPassedOn(one, provisional)) return [];
  const byNumber = new Map<number | null, CallMessage[]>();
  for (const m of alike) {
    const rseq = reliableNumber(m.parse());
    const same = byNumber.get(rseq);
    if (same === undefined) byNumber.set(rseq, [m]);
    else same.push(m);
    yield;
  }
  return [...byNumber].flatMap(([rseq, same]) => {
    const group = inTime(same, same[0]?.origin ?? one.origin);
    const [first] = group;
    return rseq !== null && first !== undefined && group.length >= LEAST_SENT ? { rseq, group, first } : [];
  });
}

function isProvisional(m: CallMessage): boolean {
  return !m.isRequest && m.method === METHOD.INVITE && m.status > 100 && m.status < 200;
}

/** Its RSeq; null where nobody has to acknowledge it. */
function reliableNumber(m: SipMessage | null): number | null {
  const isReliable = m?.values(HEADER.REQUIRE).some((tag) => tag.toLowerCase() === '100rel') ?? false;
  return isReliable ? (m?.number(HEADER.RSEQ) ?? null) : null;
}

/** Each is read once, however many responses there are. */
function* pracksOf(messages: readonly CallMessage[]): Steps<Prack[]> {
  const found: Prack[] = [];
  for (const m of messages) {
    if (!m.isRequest || m.method !== METHOD.PRACK || m.isCopy) continue;
    const [rseq, cseq] = (m.parse()?.value(HEADER.RACK) ?? '').split(/\s+/, 2).map(Number);
    found.push({ m, rseq: rseq ?? Number.NaN, cseq: cseq ?? Number.NaN });
    yield;
  }
  return found;
}

/** What cannot be read counts. */
function isFor({ m, rseq, cseq }: Prack, response: CallMessage, responseRseq: number): boolean {
  if (m.hop.toTag !== response.hop.toTag) return false;
  return Number.isNaN(rseq) || Number.isNaN(cseq) || (rseq === responseRseq && cseq === response.cseq);
}

function unheard(call: SignalingCall, sent: readonly CallMessage[]): string | null {
  const first = sent[0];
  const last = sent.at(-1);
  if (first === undefined || last === undefined || sent.length < LEAST_SENT) return null;
  // A capture of one direction sees no PRACK.
  if (!call.messages.some((m) => m.isRequest && m.src.host === first.dst.host)) return null;
  const spanUs = last.tsUs - first.tsUs;
  // A PRACK that goes another way ends the copies.
  if (spanUs < (passesHere(first, call.messages) ? LEAST_SPAN_US : GOES_ON_US)) return null;
  // The PRACK got lost on its way past here, or is still to come.
  if (call.messages.some((m) => isAccepted(m) && m.hop.toTag === first.hop.toTag)) return null;
  if (call.nowUs - first.tsUs < GOES_ON_US) return null;
  const who = new Parties(call);
  return `${sentText(who, first, sent.length, spanUs)} No PRACK of ${who.receiver(first)} came for it.`;
}

function ofNoEffect(call: SignalingCall, sent: readonly CallMessage[], pracks: readonly CallMessage[]): string | null {
  const [first] = sent;
  const [prack] = pracks;
  if (first === undefined || prack === undefined || sent.length < LEAST_SENT) return null;
  // One that was accepted was heard, however late.
  const asked = new Set(pracks.map((m) => m.hop.transaction));
  const accepted = call.messages.find(
    (m) => isAccepted(m) && m.origin === first.origin && asked.has(m.hop.transaction),
  );
  if (!goesOn(sentAgain(sent, accepted ?? prack))) return null;
  const who = new Parties(call);
  const spanUs = (sent.at(-1) ?? first).tsUs - first.tsUs;
  return `${sentText(who, first, sent.length, spanUs)} ${counted(pracks.length, 'PRACK')} of ${who.sender(prack)} had no effect.`;
}

function isAccepted({ isRequest, method, status }: CallMessage): boolean {
  return !isRequest && method === METHOD.PRACK && status >= 200 && status < 300;
}

function sentText(who: Parties, first: CallMessage, count: number, spanUs: number): string {
  return `${capital(who.sender(first))} sent the same reliable ${first.status} ${times(count)} in ${(spanUs / 1e6).toFixed(1)} s.`;
}

/** What became of the call. */
function endOf({ d, messages }: SignalingCall): string {
  if (!Number.isNaN(d.answerUs)) return ' The call was answered all the same.';
  const end = whoHungUp(d, messages);
  if (end?.method === 'CANCEL') return ` The ${end.side} canceled the call.`;
  return d.finalCode >= 300 ? ` The call ended with ${d.finalCode}.` : '';
}
