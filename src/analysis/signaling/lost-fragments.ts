/**
 * Judges datagrams with SIP of which only the first fragment came here: whether the rest was lost on the way, or only took
 * another way than past this capture, which then sees the answer of who got it whole.
 */
import { endpointKeyAddress, endpointKeyText } from '../../core/ip.ts';
import * as METHOD from '../../core/methods.ts';
import { METHOD_NAMES } from '../../core/words.ts';
import type { LostDatagram } from '../../store/lost-datagrams.ts';
import type { Stores } from '../../store/stores.ts';
import type { JudgedCall } from '../call.ts';
import { type CallMessage, messagesOf } from '../call-messages.ts';
import type { Evidence } from '../evidence.ts';

/** What this capture dropped itself so near was its own fault. */
const NEAR_US = 1_000_000;

export type FragmentsLost = {
  /** The oldest first. */
  readonly lost: readonly LostDatagram[];
  /** Those that nothing more is known of. */
  readonly beyond: number;
};

export function fragmentsLost({ stores, capture }: Pick<Evidence, 'stores' | 'capture'>): FragmentsLost {
  const { newest, evicted } = stores.lostDatagrams;
  const elsewhere = new Set(newest.filter((one) => hasArrived(one, messagesFor(one, stores))).map(wayOf));
  const { dropsOf } = capture.quality;
  const isOwnDrop = ({ source, atUs }: LostDatagram): boolean =>
    dropsOf(source).some(({ fromUs, toUs }) => atUs >= fromUs - NEAR_US && atUs <= toUs + NEAR_US);
  const lost = newest.filter((one) => !elsewhere.has(wayOf(one)) && !isOwnDrop(one));
  return { lost, beyond: lost.length < newest.length ? 0 : evicted };
}

/** A sentence for each message of the call that was lost so. */
export function fragmentsLostOf({ d, e }: JudgedCall): string[] {
  const { newest } = e.stores.lostDatagrams;
  if (newest.length === 0 || !newest.some(({ callId }) => callId === d.callIdKey)) return [];
  const own = fragmentsLost(e).lost.filter(({ callId }) => callId === d.callIdKey);
  const first = own[0];
  if (first === undefined) return [];
  const again = own.length === 1 ? '' : `, and so it went with ${own.length - 1} more of this call`;
  return [
    `Only the first fragment of ${lostMessageText(first)} from ${endpointKeyText(first.src)} to ${endpointKeyText(first.dst)} came${again}.`,
  ];
}

/** `INVITE`, or `200 to INVITE`. */
export function lostMessageText({ method, status }: LostDatagram): string {
  if (status === 0) return method;
  return method === '' ? String(status) : `${status} to ${method}`;
}

function wayOf({ src, dst }: LostDatagram): string {
  return `${endpointKeyAddress(src)} ${endpointKeyAddress(dst)}`;
}

function messagesFor({ callId }: LostDatagram, { dialogs, log }: Stores): readonly CallMessage[] {
  const d = callId === '' ? undefined : dialogs.get(callId);
  return d === undefined ? [] : messagesOf(d, log);
}

/** Who should have got it acts on it, and no copy of it came here whole. */
function hasArrived({ src, dst, method, status, cseq }: LostDatagram, messages: readonly CallMessage[]): boolean {
  const [from, to] = [endpointKeyAddress(src), endpointKeyAddress(dst)];
  const same = messages.filter((m) => m.cseq === cseq);
  const isOf = (m: CallMessage): boolean => METHOD_NAMES[m.method] === method;
  if (same.some((m) => m.src.host === from && isOf(m) && m.status === status)) return false;
  if (status === 0) return same.some((m) => m.src.host === to && !m.isRequest && isOf(m));
  return status >= 200 && same.some((m) => m.src.host === to && m.method === METHOD.ACK);
}
