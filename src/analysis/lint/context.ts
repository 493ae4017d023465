/**
 * A dialog's messages read in full for the lint rules, with the look-ups that rules over several messages need.
 */

import { endpointText, ipText } from '../../core/ip.ts';
import { TRANSPORTS } from '../../core/words.ts';
import type { Sdp } from '../../sdp/model.ts';
import { parseSdp } from '../../sdp/sdp.ts';
import { parseSip } from '../../sip/message.ts';
import { NOTE } from '../../sip/notes.ts';
import { paramValue } from '../../sip/params.ts';
import type { Dialog } from '../../store/dialog.ts';
import type { MessageLog } from '../../store/message-log.ts';
import { NO_ROW, ROW } from '../../store/message-log.ts';
import type { LintCall, LintMessage, LintStream } from './rule.ts';

const WIRE = 0;
const REPEATS = ROW.RETRANSMISSION | ROW.COPY | ROW.DUPLICATE;

export function lintCall(d: Dialog, log: MessageLog, streams: readonly LintStream[]): LintCall {
  const messages: LintMessage[] = [];
  let index = 0;
  for (let row = d.headRow; row !== NO_ROW && log.has(row); row = log.next(row), index++) {
    if ((log.flags(row) & (REPEATS | ROW.SNAPPED)) !== 0) continue;
    const m = readMessage(log, row, index);
    if (m !== null) messages.push(m);
  }
  const byTransaction = new Map<string, LintMessage[]>();
  const byCseq = new Map<number, LintMessage[]>();
  const hosts = new Set<string>();
  for (const m of messages) {
    put(byTransaction, transactionOf(m), m);
    put(byCseq, m.cseq, m);
    hosts.add(m.srcAddress).add(m.dstAddress);
  }
  return {
    messages,
    streams,
    hosts: hosts.size,
    requestOf: (m) => byTransaction.get(transactionOf(m))?.find((r) => r.isRequest) ?? null,
    responsesTo: (m) => byTransaction.get(transactionOf(m))?.filter((r) => !r.isRequest) ?? [],
    ofCseq: (cseq) => byCseq.get(cseq) ?? [],
  };
}

function transactionOf(m: LintMessage): string {
  return `${m.cseq} ${m.method} ${m.branch}`;
}

function put<K>(map: Map<K, LintMessage[]>, key: K, m: LintMessage): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [m]);
  else list.push(m);
}

function readMessage(log: MessageLog, row: number, index: number): LintMessage | null {
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
