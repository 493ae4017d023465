/**
 * A dialog's messages read in full for the lint rules, with the look-ups that rules over several messages need.
 */

import { endpointText, ipText } from '../../core/ip.ts';
import { LINT_BYTES, LINT_HEADER_BYTES } from '../../core/limits.ts';
import type { Steps } from '../../core/steps.ts';
import { TRANSPORTS } from '../../core/words.ts';
import type { Sdp } from '../../protocols/sdp/model.ts';
import { parseSdp } from '../../protocols/sdp/sdp.ts';
import { parseSip } from '../../protocols/sip/message.ts';
import { NOTE } from '../../protocols/sip/notes.ts';
import { paramValue } from '../../protocols/sip/params.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { ROW } from '../../store/messages/message-rows.ts';
import type { Messages } from '../../store/stores.ts';
import { keptRows } from '../message-list.ts';
import type { LintCall, LintMessage, LintStream } from './rule.ts';

const WIRE = 0;
const REPEATS = ROW.RETRANSMISSION | ROW.COPY | ROW.DUPLICATE;

/** Reads the kept messages, each once, until they hold more than a document may look at. A step a message. */
export function* lintCall(d: Dialog, log: Messages, streams: readonly LintStream[]): Steps<LintCall> {
  const messages: LintMessage[] = [];
  let budget = LINT_BYTES;
  let unread = 0;
  for (const [index, row] of keptRows(d, log).entries()) {
    yield;
    if (!log.has(row) || (log.flags(row) & (REPEATS | ROW.SNAPPED)) !== 0) continue;
    if (budget <= 0) {
      unread++;
      continue;
    }
    const m = readMessage(log, row, index);
    if (m === null) continue;
    budget -= m.bytes + m.sip.headers.length * LINT_HEADER_BYTES;
    messages.push(m);
  }
  const transactions = new Map<string, Transaction>();
  const transactionOf = new Map<LintMessage, Transaction>();
  const byCseq = new Map<number, LintMessage[]>();
  const hosts = new Set<string>();
  for (const m of messages) {
    const key = `${m.cseq} ${m.method} ${m.branch}`;
    const transaction = transactions.get(key) ?? { request: null, responses: [] };
    transactions.set(key, transaction);
    transactionOf.set(m, transaction);
    if (m.isRequest) transaction.request ??= m;
    else transaction.responses.push(m);
    const list = byCseq.get(m.cseq);
    if (list === undefined) byCseq.set(m.cseq, [m]);
    else list.push(m);
    hosts.add(m.srcAddress).add(m.dstAddress);
  }
  return {
    messages,
    unread,
    streams,
    hosts: hosts.size,
    requestOf: (m) => transactionOf.get(m)?.request ?? null,
    responsesTo: (m) => transactionOf.get(m)?.responses ?? [],
    ofCseq: (cseq) => byCseq.get(cseq) ?? [],
  };
}

/** Messages of the same CSeq and top branch. */
type Transaction = { request: LintMessage | null; readonly responses: LintMessage[] };

function readMessage(log: Messages, row: number, index: number): LintMessage | null {
  const bytes = log.bytes(row);
  const parsed = parseSip(bytes, 0, bytes.length);
  if (!parsed.ok || (parsed.value.notes & NOTE.truncatedHeaders) !== 0) return null;
  const sip = parsed.value;
  const ends = log.endpoints(row);
  const version = (log.flags(row) & ROW.IPV6) !== 0 ? 6 : 4;
  const srcAddress = ipText(ends.bytes, ends.srcOff, version);
  const dstAddress = ipText(ends.bytes, ends.dstOff, version);
  const topVia = sip.vias[0] ?? null;
  return {
    index,
    sip,
    isRequest: sip.isRequest,
    method: sip.method,
    status: sip.status,
    cseq: sip.cseq?.number ?? -1,
    tsUs: log.tsUs(row),
    src: endpointText(srcAddress, ends.srcPort),
    dst: endpointText(dstAddress, ends.dstPort),
    srcAddress,
    dstAddress,
    transport: TRANSPORTS[log.transport(row)] ?? '',
    isWire: log.origin(row) === WIRE,
    bytes: bytes.length,
    topVia,
    branch: topVia?.branch ?? '',
    fromTag: paramValue(sip.from?.params ?? [], 'tag') ?? '',
    toTag: paramValue(sip.to?.params ?? [], 'tag') ?? '',
    sdp: readSdp(sip.body, sip.bodyParts()),
  };
}

function readSdp(body: Uint8Array, parts: readonly { mediaType: string; start: number; end: number }[]): Sdp | null {
  const part = parts.find((p) => p.mediaType === 'application/sdp');
  if (part === undefined) return null;
  const sdp = parseSdp(body, part.start, part.end);
  return sdp.ok ? sdp.value : null;
}
