/**
 * Pairs the requests inside an answered call with what came back: who asked, whether it was accepted, and who refused it.
 */
import { hashRange } from '../../core/hash.ts';
import * as METHOD from '../../core/methods.ts';
import type { Steps } from '../../core/turns.ts';
import { isOtherFork } from '../../store/dialogs/call-timing.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { isOfOpener } from '../../store/dialogs/opener-side.ts';
import type { CallMessage } from '../call-messages.ts';

export type Side = 'caller' | 'callee';

/** What may fail in a call that runs. */
export const IN_CALL: ReadonlySet<number> = new Set([
  METHOD.INVITE,
  METHOD.UPDATE,
  METHOD.INFO,
  METHOD.REFER,
  METHOD.NOTIFY,
  METHOD.BYE,
]);

/** One request of one side, whatever hops it passed: they keep From tag and CSeq. */
export type CallRequest = {
  readonly side: Side;
  readonly method: number;
  readonly cseq: number;
  /** As it was seen first: next to who sent it. Where it was not captured, the 2xx to it. */
  readonly request: CallMessage;
  /** Of the dialog that was answered first, and sent since. */
  readonly isInCall: boolean;
  isAccepted: boolean;
  /** The first response with the code of the last refusal; null without one. */
  refusal: CallMessage | null;
};

/** To read a larger message takes a step. */
export const LARGE_BYTES = 4_096;

export const otherSide = (side: Side): Side => (side === 'caller' ? 'callee' : 'caller');

/** Who sent the request, or what a response answers; null where it cannot be read. */
export function askingSide(d: Dialog, m: CallMessage): Side | null {
  const text = m.read();
  if (text === null) return null;
  return isOfOpener(d, text.bytes, text.scan) ? 'caller' : 'callee';
}

/** By keyOf(), in the order in which they were sent first. Null where a response cannot be read that may be a success. */
export function* callRequests(
  d: Dialog,
  messages: readonly CallMessage[],
): Steps<ReadonlyMap<string, CallRequest> | null> {
  const found = new Map<string, CallRequest>();
  for (const m of messages) {
    if (m.isCopy || !IN_CALL.has(m.method)) continue;
    if (m.byteLength > LARGE_BYTES) yield;
    const side = askingSide(d, m);
    if (side === null) {
      if (m.isRequest || m.status >= 300) continue;
      return null;
    }
    const key = keyOf(m, side);
    const known = found.get(key);
    if (m.isRequest) {
      if (known === undefined) found.set(key, requestOf(d, m, side));
    } else if (known !== undefined) take(known, m);
    // The request got lost on its way past here, and its success tells of it.
    else if (m.status >= 200 && m.status < 300) found.set(key, { ...requestOf(d, m, side), isAccepted: true });
  }
  return found;
}

/** `side` is who asked. A PBX that keeps the Call-ID has legs with tags of their own. */
export function keyOf(m: CallMessage, side: Side): string {
  return `${side} ${m.method} ${m.cseq} ${m.hop.fromTag}`;
}

function requestOf(d: Dialog, request: CallMessage, side: Side): CallRequest {
  const { method, cseq } = request;
  const isInCall = request.tsUs >= d.answerUs && isOfAnswered(d, request, side);
  return { side, method, cseq, request, isInCall, isAccepted: false, refusal: null };
}

/** Forks, and the legs of a PBX that keeps the Call-ID, have other tags. */
function isOfAnswered(d: Dialog, m: CallMessage, side: Side): boolean {
  const text = m.read();
  if (text === null || m.hop.toTag === '') return false;
  const { bytes, scan } = text;
  const fromTag = hashRange(bytes, scan.fromTagStart, scan.fromTagEnd);
  if (side === 'callee') return d.answerTagHash === 0 || fromTag === d.answerTagHash;
  return !isOtherFork(d, hashRange(bytes, scan.toTagStart, scan.toTagEnd));
}

function take(known: CallRequest, m: CallMessage): void {
  if (m.status >= 200 && m.status < 300) known.isAccepted = true;
  else if (m.status >= 400 && m.status !== known.refusal?.status) known.refusal = m;
}
