/**
 * Finds a request inside an answered call that was refused for good: a hold, a fax, a session refresh, a transfer, a key press
 * or a hang-up. What succeeded later, what crossed the end of the call, and what a retry usually mends is none.
 */
import * as METHOD from '../../core/methods.ts';
import type { Steps } from '../../core/turns.ts';
import { MAX_NAME_BYTES } from '../../protocols/sip/address.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import { isChallenge } from '../../protocols/sip/message.ts';
import { keptText } from '../../protocols/sip/text.ts';
import { type CallMessage, methodName } from '../call-messages.ts';
import { type CallRequest, callRequests, IN_CALL, otherSide } from './call-requests.ts';
import { asksForFax, isRefused, PURPOSE, type Purpose, purposesOf } from './request-purpose.ts';
import type { Proven, SignalingCall, StatedCall } from './signaling-call.ts';

type Refused = CallRequest & { readonly refusal: CallMessage };
type Purposes = ReadonlyMap<CallRequest, Purpose>;

/** Both sides end a call at once, or one asks while the other hangs up. */
const CROSSING_US = 2_000_000;
/** So long may the next try take. */
const RETRY_US = 5_000_000;
/** A glare ends by itself at the next try or the one after it (RFC 3261 section 14.1). */
const LEAST_GLARES = 3;
/** Kinds of refusals that one call tells of. @cap */
const MAX_KINDS = 3;
/** What asks for another try: credentials, a longer interval or time, a security agreement. */
const ASK_AGAIN: ReadonlySet<number> = new Set([401, 407, 422, 423, 494]);
/** A no that is an answer, and no fault: to other media, and to a package that this side does not know. */
const DECLINED: Readonly<Partial<Record<Purpose, readonly number[]>>> = {
  change: [488, 603, 606],
  information: [405, 415, 469, 488, 489, 501],
  event: [405, 415, 489, 501],
};

/** Most calls are done at once, with no text read. */
export function findInDialogFailure(call: StatedCall): Steps<Proven | null> | null {
  const { d, messages, glance } = call;
  if (d.methodId !== METHOD.INVITE || !(glance.refusedUs >= d.answerUs)) return null;
  if (!messages.some((m) => isRefusal(m, d.answerUs))) return null;
  // Behind what is kept the same request may have succeeded.
  return d.msgCount > d.keptCount || messages.length < d.keptCount ? null : failureSteps(call);
}

function* failureSteps(call: SignalingCall): Steps<Proven | null> {
  const { d, messages } = call;
  const byKey = yield* callRequests(d, messages);
  if (byKey === null) return null;
  const all = [...byKey.values()];
  const purposes = yield* purposesOf(call, byKey);
  const faxUs = yield* lastFax(all, purposes);
  const kinds = kindsOf(all, purposes, faxUs, call).slice(0, MAX_KINDS);
  yield;
  if (kinds.length === 0) return null;
  return {
    text: kinds.map((kind) => textOf(kind, all, purposes, call)).join(' '),
    evidence: kinds
      .flatMap((kind) => kind.flatMap((one) => [one.request.index, one.refusal.index]))
      .sort((a, b) => a - b),
  };
}

function isRefusal(m: CallMessage, sinceUs: number): boolean {
  return !m.isRequest && m.status >= 400 && IN_CALL.has(m.method) && m.tsUs >= sinceUs;
}

/** When a fax was asked for last that was accepted, where one was refused. */
function* lastFax(all: readonly CallRequest[], purposes: Purposes): Steps<number> {
  if (!all.some((one) => one.isInCall && isRefused(one) && purposes.get(one) === 'fax'))
    return Number.NEGATIVE_INFINITY;
  for (const { isAccepted, method, request } of all.toReversed()) {
    if (!isAccepted || method !== METHOD.INVITE) continue;
    if (asksForFax(request)) return request.tsUs;
    yield;
  }
  return Number.NEGATIVE_INFINITY;
}

/** Failures of one kind: one side, one method, the last code. T.38 is a kind of its own. */
function kindsOf(all: readonly CallRequest[], purposes: Purposes, faxUs: number, call: SignalingCall): Refused[][] {
  const failed = all.filter((one): one is Refused => one.isInCall && isRefused(one));
  const isFax = (one: CallRequest): boolean => purposes.get(one) === 'fax';
  const mended = new Mended(all, faxUs);
  const byes = all.filter(({ method }) => method === METHOD.BYE);
  const rows = new Map<string, Refused[]>();
  for (const one of failed) {
    if (mended.has(one, isFax(one)) || isAtEnd(one, byes, call) || isNoFault(one, purposes)) continue;
    const key = `${one.side} ${one.method} ${isFax(one) ? 'T.38' : ''}`;
    const row = rows.get(key) ?? [];
    if (row.length === 0) rows.set(key, row);
    row.push(one);
  }
  return [...rows.values()].flatMap((row) => {
    const code = row.at(-1)?.refusal.status;
    const same = row.filter(({ refusal }) => refusal.status === code);
    return isGlare(same) || mended.isTriedAgain(same.at(-1)) ? [] : [same];
  });
}

/** What a side had accepted last, and asked for last, by method. A re-INVITE does what an UPDATE does. */
class Mended {
  readonly #accepted = new Map<string, number>();
  readonly #asked = new Map<string, CallRequest>();
  readonly #faxUs: number;

  constructor(all: readonly CallRequest[], faxUs: number) {
    this.#faxUs = faxUs;
    for (const one of all) {
      const { request, isAccepted } = one;
      this.#asked.set(wishOf(one), one);
      if (isAccepted) this.#accepted.set(wishOf(one), request.tsUs);
    }
  }

  has(one: Refused, isFax: boolean): boolean {
    const sinceUs = isFax ? this.#faxUs : (this.#accepted.get(wishOf(one)) ?? Number.NEGATIVE_INFINITY);
    return sinceUs > one.request.tsUs;
  }

  /** Another try came, and this capture has no answer to it. */
  isTriedAgain(one: Refused | undefined): boolean {
    const last = one === undefined ? undefined : this.#asked.get(wishOf(one));
    return last !== undefined && last !== one && !last.isAccepted && last.refusal === null;
  }
}

function wishOf({ side, method }: CallRequest): string {
  return `${side} ${method === METHOD.UPDATE ? METHOD.INVITE : method}`;
}

/** It crossed the end of the call, or the next try may be on its way. */
function isAtEnd(one: Refused, byes: readonly CallRequest[], { nowUs }: SignalingCall): boolean {
  const { request, refusal, side, method } = one;
  const patienceUs = ASK_AGAIN.has(refusal.status) ? RETRY_US : CROSSING_US;
  const isOver = byes.some((bye) => bye !== one && bye.request.tsUs >= refusal.tsUs);
  if (nowUs - refusal.tsUs < RETRY_US && (!isOver || ASK_AGAIN.has(refusal.status))) return true;
  return byes.some((bye) => {
    const atUs = bye.request.tsUs;
    if (bye.side !== side) return request.tsUs >= atUs - patienceUs || refusal.tsUs >= atUs;
    return method === METHOD.BYE ? bye.isAccepted && atUs < request.tsUs : refusal.tsUs >= atUs;
  });
}

/**
 * What was declined or canceled, and an INFO without content, which some send to see that the other side is there: that it is not
 * understood is an answer.
 */
function isNoFault(one: Refused, purposes: Purposes): boolean {
  const { method, refusal, request } = one;
  if (DECLINED[purposes.get(one) ?? 'hangUp']?.includes(refusal.status)) return true;
  if (method === METHOD.INVITE) return refusal.status === 487;
  const { status } = refusal;
  if (method !== METHOD.INFO || status === 481 || (status >= 500 && status !== 501)) return false;
  const text = request.read();
  return text === null || text.scan.bodyStart >= text.scan.bodyEnd;
}

/** 491, or 500 with Retry-After: both sides asked at once. */
function isGlare(row: readonly Refused[]): boolean {
  const last = row.at(-1)?.refusal;
  if (row.length >= LEAST_GLARES || last === undefined) return false;
  return last.status === 491 || (last.status === 500 && (last.parse()?.value(HEADER.RETRY_AFTER) ?? '') !== '');
}

function textOf(
  kind: readonly Refused[],
  all: readonly CallRequest[],
  purposes: Purposes,
  call: SignalingCall,
): string {
  const [first] = kind;
  const last = kind.at(-1);
  if (first === undefined || last === undefined) return '';
  const { d } = call;
  const { side, method, request, refusal } = last;
  const isBye = method === METHOD.BYE;
  const name = isBye ? 'hang-up (BYE)' : method === METHOD.INVITE ? 're-INVITE' : methodName(d, method);
  const often = kind.length === 1 ? '' : `${kind.length} times `;
  const afterSec = (m: CallMessage): string => `${((m.tsUs - d.answerUs) / 1e6).toFixed(1)} s`;
  const when =
    kind.length === 1
      ? `${afterSec(request)} after the answer`
      : `between ${afterSec(first.request)} and ${afterSec(request)} after the answer`;
  const what = `${refusal.src.host} refused the ${name} of the ${side} (${request.src.host}) ${often}with ${codeText(refusal)}, ${when}.`;
  const purpose = isBye
    ? []
    : [`${kind.length === 1 ? 'It' : 'The last one'} ${PURPOSE[purposes.get(last) ?? 'change']}.`];
  return [what, ...purpose, ...meaningOf(last), ...wentOn(last, all, call)].join(' ');
}

function codeText(m: CallMessage): string {
  const text = m.read();
  const { reasonStart = -1, reasonEnd = -1 } = text?.scan ?? {};
  const phrase = text === null || reasonStart < 0 ? '' : keptText(text.bytes, reasonStart, reasonEnd, MAX_NAME_BYTES);
  return `${m.status} ${phrase}`.trimEnd();
}

function meaningOf({ side, method, refusal: { status } }: Refused): string[] {
  if (status === 481 && method === METHOD.BYE) return [`The ${otherSide(side)} says that it has no such call.`];
  if (status === 481 || (status === 408 && (method === METHOD.INVITE || method === METHOD.UPDATE)))
    return [`So the ${otherSide(side)} lost the call.`];
  return isChallenge(status) ? ['Nobody gave credentials that were accepted.'] : [];
}

function wentOn({ method, refusal }: Refused, all: readonly CallRequest[], { d, nowUs }: SignalingCall): string[] {
  const bye = all.find(
    (one) => one.method === METHOD.BYE && (one.isAccepted || one.refusal === null) && one.request.tsUs >= refusal.tsUs,
  );
  const sec = (untilUs: number): string => `${Math.max(0, (untilUs - refusal.tsUs) / 1e6).toFixed(1)} s`;
  if (bye === undefined) {
    const nobody = method === METHOD.BYE ? 'Nobody else' : 'Nobody';
    return [`${nobody} ended the call in the ${sec(Math.max(nowUs, d.updatedUs))} that the capture goes on.`];
  }
  if (!bye.isInCall) return [];
  const { isRequest, src, dst, tsUs } = bye.request;
  return [`The call went on for ${sec(tsUs)}, until the ${bye.side} (${(isRequest ? src : dst).host}) sent BYE.`];
}
