/**
 * Says what a request inside a call asked for: a hold, fax, another codec, a transfer, a key press. Its body tells, and what the
 * same side described before it.
 */
import * as METHOD from '../../core/methods.ts';
import type { Steps } from '../../core/turns.ts';
import type { Sdp } from '../../protocols/sdp/model.ts';
import { parseSdp } from '../../protocols/sdp/sdp.ts';
import { ByteSpan, findSdp, mediaTypeOf } from '../../protocols/sip/body.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import type { SipMessage } from '../../protocols/sip/message.ts';
import type { CallMessage } from '../call-messages.ts';
import { askingSide, type CallRequest, IN_CALL, keyOf, LARGE_BYTES, otherSide, type Side } from './call-requests.ts';
import type { SignalingCall } from './signaling-call.ts';

/** A verb with its object, for each purpose. Of a BYE nobody asks. */
export const PURPOSE = {
  hold: 'asked for a hold',
  resume: 'asked to end a hold',
  fax: 'asked for fax by T.38',
  refresh: 'asked for a session refresh',
  change: 'asked for a change of codec or media',
  offer: 'asked for an offer',
  transfer: 'asked for a transfer',
  progress: 'reported how a transfer went',
  event: 'reported an event',
  key: 'carried a key press',
  picture: 'asked for a whole video picture',
  information: 'carried other information',
  hangUp: 'asked to hang up',
} as const;

export type Purpose = keyof typeof PURPOSE;

type Described = { readonly sdp: Sdp; readonly text: string };

const span = new ByteSpan();

/** Of each request that was refused. One walk: it takes along what each side described last that the other one took. */
export function* purposesOf(
  { d, messages }: SignalingCall,
  all: ReadonlyMap<string, CallRequest>,
): Steps<Map<CallRequest, Purpose>> {
  const found = new Map<CallRequest, Purpose>();
  const described: Record<Side, Before> = { caller: new Before(), callee: new Before() };
  for (const m of messages) {
    if (m.isCopy || m.isRetransmission || m.status >= 300 || !mayDescribe(m)) continue;
    if (m.byteLength > LARGE_BYTES) yield;
    const side = askingSide(d, m);
    if (side === null) continue;
    const own = m.isRequest ? all.get(keyOf(m, side)) : undefined;
    if (own !== undefined && isRefused(own)) {
      if (own.request !== m) continue;
      found.set(own, purposeOf(m, described[side]));
      yield;
    } else described[m.isRequest ? side : otherSide(side)].add(m);
  }
  return found;
}

/** What a side described last: of all that it described only what a refused request is compared with is read. */
class Before {
  readonly #unread: CallMessage[] = [];
  #known: Described | null = null;

  add(m: CallMessage): void {
    if (mayHaveSdp(m)) this.#unread.push(m);
  }

  /** Null without one. */
  read(): Described | null {
    for (let m = this.#unread.pop(); m !== undefined; m = this.#unread.pop()) {
      const described = descriptionOf(m);
      if (described === null) continue;
      this.#known = described;
      this.#unread.length = 0;
    }
    return this.#known;
  }
}

export function isRefused({ isAccepted, refusal }: CallRequest): boolean {
  return !isAccepted && refusal !== null;
}

function mayDescribe({ method }: CallMessage): boolean {
  return IN_CALL.has(method) || method === METHOD.ACK || method === METHOD.PRACK;
}

function purposeOf(request: CallMessage, described: Before): Purpose {
  const { method } = request;
  if (method === METHOD.BYE) return 'hangUp';
  if (method === METHOD.REFER) return 'transfer';
  const parsed = request.parse();
  if (method === METHOD.NOTIFY) return /^refer\b/i.test(parsed?.value(HEADER.EVENT) ?? '') ? 'progress' : 'event';
  if (method === METHOD.INFO) return ofInfo(parsed);
  const hasTimer = (parsed?.value(HEADER.SESSION_EXPIRES) ?? '') !== '';
  const now = descriptionOf(request);
  if (now === null) return hasTimer || method === METHOD.UPDATE ? 'refresh' : 'offer';
  return ofOffer(now, described.read(), hasTimer);
}

function ofOffer(now: Described, before: Described | null, hasTimer: boolean): Purpose {
  if (before !== null && isSame(now, before)) return 'refresh';
  if (isFax(now.sdp)) return 'fax';
  if (isHold(now.sdp)) return 'hold';
  if (before !== null && isHold(before.sdp)) return 'resume';
  return before === null && hasTimer ? 'refresh' : 'change';
}

function ofInfo(parsed: SipMessage | null): Purpose {
  const type = mediaTypeOf(parsed?.value(HEADER.CONTENT_TYPE) ?? '');
  if (type.includes('dtmf')) return 'key';
  return type === 'application/media_control+xml' ? 'picture' : 'information';
}

/** T.38 is offered with a port. */
export function asksForFax(m: CallMessage): boolean {
  const described = descriptionOf(m);
  return described !== null && isFax(described.sdp);
}

function isFax({ media }: Sdp): boolean {
  return media.some(({ type, isActive }) => type === 'image' && isActive);
}

/** RFC 3264 section 8.4, and c=0.0.0.0 of old. */
function isHold({ media }: Sdp): boolean {
  return media.some(
    ({ type, isActive, direction, connection }) =>
      type === 'audio' &&
      isActive &&
      (direction === 'sendonly' || direction === 'inactive' || isNowhere(connection?.address)),
  );
}

function isNowhere(address: string | undefined): boolean {
  return address === '0.0.0.0' || address === '::';
}

/** Who changes a description counts its version up (RFC 3264 section 8); many do so at each refresh. */
function isSame(now: Described, before: Described): boolean {
  const { sessionId, sessionVersion } = now.sdp;
  if (sessionId !== '' && sessionId === before.sdp.sessionId && sessionVersion === before.sdp.sessionVersion)
    return true;
  return now.text === before.text;
}

function mayHaveSdp(m: CallMessage): boolean {
  const text = m.read();
  return text !== null && findSdp(text.bytes, text.scan, span);
}

function descriptionOf(m: CallMessage): Described | null {
  const text = m.read();
  if (text === null || !findSdp(text.bytes, text.scan, span)) return null;
  const { start, end } = span;
  const sdp = parseSdp(text.bytes, start, end);
  if (!sdp.ok) return null;
  return { sdp: sdp.value, text: text.bytes.toString('latin1', start, end).replace(/^o=.*$/m, '') };
}
