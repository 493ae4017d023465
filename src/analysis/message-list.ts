/**
 * A dialog's kept messages as plain facts, in capture order: what the detections look at.
 */

import { ipText } from '../core/ip.ts';
import { METHOD_NAMES } from '../core/words.ts';
import { METHOD } from '../protocols/sip/method.ts';
import { isChallenge } from '../protocols/sip/status.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { NO_ROW, ROW } from '../store/messages/message-rows.ts';
import type { Messages } from '../store/stores.ts';

export type MessageView = {
  /** Index into the dialog's own message list: what `evidence` holds. */
  readonly index: number;
  readonly row: number;
  readonly tsUs: number;
  readonly isRequest: boolean;
  /** METHOD id; of the CSeq for a response. */
  readonly method: number;
  /** 0 for a request. */
  readonly status: number;
  readonly cseq: number;
  readonly isRetransmission: boolean;
  /** The same packet seen twice, or the same message from another source. */
  readonly isCopy: boolean;
  /** The same packet seen twice. */
  readonly isDuplicate: boolean;
  /** The capture cut its bytes. */
  readonly isSnapped: boolean;
  /** Number of the source that carried it (ORIGINS). */
  readonly origin: number;
  readonly hasCredentials: boolean;
  /** Demands credentials of who has given none yet, or none for this nonce. */
  readonly isChallenge: boolean;
  /** Same key: the same message in the same direction, sent again. */
  readonly key: string;
};

/** Rows of its messages that are kept at this moment; any of them may be evicted while who walks over them rests. */
export function keptRows(d: Dialog, log: Messages): number[] {
  const rows: number[] = [];
  for (let row = d.headRow; row !== NO_ROW && log.has(row); row = log.next(row)) rows.push(row);
  return rows;
}

export function messageList(d: Dialog, log: Messages): MessageView[] {
  const list: MessageView[] = [];
  for (let row = d.headRow; row !== NO_ROW && log.has(row); row = log.next(row)) {
    const flags = log.flags(row);
    list.push({
      index: list.length,
      row,
      tsUs: log.tsUs(row),
      isRequest: (flags & ROW.REQUEST) !== 0,
      method: log.method(row),
      status: log.status(row),
      cseq: log.cseq(row),
      isRetransmission: (flags & ROW.RETRANSMISSION) !== 0,
      isCopy: (flags & (ROW.COPY | ROW.DUPLICATE)) !== 0,
      isDuplicate: (flags & ROW.DUPLICATE) !== 0,
      isSnapped: (flags & ROW.SNAPPED) !== 0,
      origin: log.origin(row),
      hasCredentials: (flags & ROW.REQUEST) !== 0 && (flags & ROW.CREDENTIALS) !== 0,
      isChallenge: isChallenge(log.status(row)) && (flags & ROW.REFUSAL) === 0,
      key: log.fingerprintKey(row),
    });
  }
  return list;
}

/** As the wire wrote it where it is none that is known; of two such in one dialog the one that opened it. */
export function methodName(d: Dialog, method: number): string {
  return method === METHOD.OTHER && d.methodId === METHOD.OTHER ? d.methodText : (METHOD_NAMES[method] ?? 'OTHER');
}

/** Messages that are alike by what `keyOf` says of each, in the order of their first. */
export function groupsOf(list: readonly MessageView[], keyOf: (m: MessageView) => string): MessageView[][] {
  const groups = new Map<string, MessageView[]>();
  for (const m of list) {
    const key = keyOf(m);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [m]);
    else group.push(m);
  }
  return [...groups.values()];
}

/** The largest of these groups: a capture that sees a call on several hops sees each message again. */
export function mostAlike(list: readonly MessageView[], keyOf: (m: MessageView) => string): MessageView[] {
  let most: MessageView[] = [];
  for (const group of groupsOf(list, keyOf)) if (group.length > most.length) most = group;
  return most;
}

/** Between which sockets a message went. */
export function hopOf(m: MessageView, log: Messages): string {
  const { bytes, srcOff, dstOff, srcPort, dstPort } = log.endpoints(m.row);
  const version = (log.flags(m.row) & ROW.IPV6) === 0 ? 4 : 6;
  return `${ipText(bytes, srcOff, version)} ${srcPort} ${ipText(bytes, dstOff, version)} ${dstPort}`;
}
