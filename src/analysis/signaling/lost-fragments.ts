/**
 * Judges datagrams with SIP of which only the first fragment came here: whether the rest was lost on the way, or only took
 * another way than past this capture, which then sees the answer of who got it whole.
 */
import { endpointKeyAddress, endpointKeyText } from '../../core/ip.ts';
import * as METHOD from '../../core/methods.ts';
import { METHOD_NAMES } from '../../core/words.ts';
import type { LostDatagram } from '../../store/lost-datagrams.ts';
import { NO_ROW } from '../../store/messages/message-rows.ts';
import type { Stores } from '../../store/stores.ts';
import type { JudgedCall } from '../call.ts';
import { CallMessage } from '../call-messages.ts';
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

/** Those with the number of what was lost: of no other one anything is made, for each call may have as many as a flood of them. */
function messagesFor({ callId, cseq }: LostDatagram, { dialogs, log }: Stores): CallMessage[] {
  const d = callId === '' ? undefined : dialogs.get(callId);
  const found: CallMessage[] = [];
  if (d === undefined) return found;
  for (let row = d.headRow, i = 0; row !== NO_ROW && log.has(row); row = log.next(row), i++)
    if (log.cseq(row) === cseq) found.push(new CallMessage(log, row, i));
  return found;
}

/** Who should have got it acts on it, and no copy of it came here whole. */
function hasArrived({ src, dst, method, status }: LostDatagram, same: readonly CallMessage[]): boolean {
  const [from, to] = [endpointKeyAddress(src), endpointKeyAddress(dst)];
  const isOf = (m: CallMessage): boolean => METHOD_NAMES[m.method] === method;
  if (same.some((m) => m.src.host === from && isOf(m) && m.status === status)) return false;
  if (status === 0) return same.some((m) => m.src.host === to && !m.isRequest && isOf(m));
  return status >= 200 && same.some((m) => m.src.host === to && m.method === METHOD.ACK);
}
