/**
 * Who called whom: the ends of the request that opened a call, whichever of its messages was captured first.
 *
 * A response goes back to where its request came from (RFC 3261 section 18.2.2) and repeats its Via: it stands for a request
 * that is not kept.
 */
import type { Dialog } from '../store/dialogs/dialog.ts';
import { isOfOpener } from '../store/dialogs/opener-side.ts';
import type { Messages } from '../store/stores.ts';
import type { CallMessage, Socket } from './call-messages.ts';
import { messagesOf, openerOf } from './call-messages.ts';

export type CallWay = {
  /** The request; where only responses to it are kept, the oldest of these. */
  readonly opening: CallMessage;
  /** Who sent the request, and whom it went to. */
  readonly src: Socket;
  readonly dst: Socket;
};

/** Null where no message is kept. */
export function callWayOf(d: Dialog, log: Messages): CallWay | null {
  const oldest = openerOf(d, log);
  if (oldest === null) return null;
  return callWayAmong(d, oldest.isRequest ? [oldest] : messagesOf(d, log));
}

/** By the kept messages of the dialog, oldest first. */
export function callWayAmong(d: Dialog, messages: readonly CallMessage[]): CallWay | null {
  const [oldest] = messages;
  if (oldest === undefined) return null;
  const opening = oldest.isRequest ? oldest : (requestOf(oldest, messages) ?? oldest);
  const { src, dst } = opening;
  // Where messages before the oldest are gone, that may belong to a request of the other side.
  return opening.isRequest === isOfCaller(d, oldest) ? { opening, src, dst } : { opening, src: dst, dst: src };
}

/** The message that opened the dialog is the caller's: there is nothing to read. */
function isOfCaller(d: Dialog, oldest: CallMessage): boolean {
  if (oldest.tsUs === d.createdUs) return true;
  const text = oldest.read();
  return text === null || isOfOpener(d, text.bytes, text.scan);
}

/** The request that a response answers; where several hops show it, on the hop of the response. */
function requestOf(response: CallMessage, messages: readonly CallMessage[]): CallMessage | undefined {
  const { method, cseq, hop, src, dst } = response;
  const requests = messages.filter(
    (m) =>
      m.isRequest &&
      m.method === method &&
      m.cseq === cseq &&
      m.hop.transaction === hop.transaction &&
      m.hop.fromTag === hop.fromTag,
  );
  return requests.find((m) => m.src.host === dst.host && m.dst.host === src.host) ?? requests[0];
}
