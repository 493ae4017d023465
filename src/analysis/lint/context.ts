/**
 * A dialog's messages read in full for the lint rules, with the look-ups that rules over several messages need.
 */

import { grouped } from '../../core/maps.ts';
import type { Steps } from '../../core/turns.ts';
import { TRANSPORTS } from '../../core/words.ts';
import type { Sdp } from '../../protocols/sdp/model.ts';
import { parseSdp } from '../../protocols/sdp/sdp.ts';
import { NOTE } from '../../protocols/sip/notes.ts';
import { paramValue } from '../../protocols/sip/params.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { Messages } from '../../store/stores.ts';
import type { CallMessage } from '../call-messages.ts';
import { messagesOf } from '../call-messages.ts';
import type { LintCall, LintMessage, LintStream } from './rule.ts';

/**
 * Bytes of the messages of one dialog that its lint reads, a header line counted as `LINT_HEADER_BYTES` more.
 *
 * @cap option 50 MiB, lint_messages_unread: with `--api`: messages that the lint reads, `MAX_DOCUMENTS` at a time, parsed
 */
export const LINT_BYTES = 4 * 1024 * 1024;

/** Bytes that a header line counts beside its text. @cap */
const LINT_HEADER_BYTES = 128;

const WIRE = 0;

/** Reads the kept messages, each once, until they hold more than a document may look at. A step a message. */
export function* lintCall(d: Dialog, log: Messages, streams: readonly LintStream[]): Steps<LintCall> {
  const messages: LintMessage[] = [];
  let budget = LINT_BYTES;
  let unread = 0;
  for (const kept of messagesOf(d, log)) {
    yield;
    if (!kept.isKept || !kept.isFirst || kept.isSnapped) continue;
    if (budget <= 0) {
      unread++;
      continue;
    }
    const m = readMessage(kept);
    if (m === null) continue;
    budget -= m.bytes + m.sip.headers.length * LINT_HEADER_BYTES;
    messages.push(m);
  }
  const transactions = new Map<string, Transaction>();
  const transactionOf = new Map<LintMessage, Transaction>();
  const byCseq = grouped(messages, (m) => m.cseq);
  const hosts = new Set<string>();
  for (const m of messages) {
    const key = `${m.cseq} ${m.method} ${m.branch}`;
    const transaction = transactions.get(key) ?? { request: null, responses: [] };
    transactions.set(key, transaction);
    transactionOf.set(m, transaction);
    if (m.isRequest) transaction.request ??= m;
    else transaction.responses.push(m);
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

function readMessage(m: CallMessage): LintMessage | null {
  const sip = m.parse();
  if (sip === null || (sip.notes & NOTE.truncatedHeaders) !== 0) return null;
  const topVia = sip.vias[0] ?? null;
  return {
    index: m.index,
    sip,
    isRequest: sip.isRequest,
    method: sip.method,
    status: sip.status,
    cseq: sip.cseq?.number ?? -1,
    tsUs: m.tsUs,
    src: m.srcText,
    dst: m.dstText,
    srcAddress: m.src.host,
    dstAddress: m.dst.host,
    transport: TRANSPORTS[m.transport] ?? '',
    isWire: m.origin === WIRE,
    bytes: m.byteLength,
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
