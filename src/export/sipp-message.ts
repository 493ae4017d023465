/**
 * One captured message as a scenario needs it: without secrets, and whether SIPp can send it and read it again. SIPp
 * copies methods, CSeqs and headers into buffers of fixed length, some without a check; what would not fit is refused.
 */
import type { CallMessage } from '../analysis/call-messages.ts';
import { fail, ok, type Result } from '../core/result.ts';
import { HEADER, headerIdOf } from '../protocols/sip/header-name.ts';
import { withoutSecrets } from '../protocols/sip/redaction.ts';
import { SCAN, type SipScan, scanSip } from '../protocols/sip/scanner/scan.ts';

/** Bytes of a message in a SIPp scenario, of its headers, of one header: above these SIPp writes past its buffers. @cap */
const MAX_SIPP_MESSAGE_BYTES = 32_768;
const MAX_SIPP_HEADERS_BYTES = 16_384;
const MAX_SIPP_HEADER_BYTES = 1_900;

/** Bytes of a method in a SIPp scenario. @cap */
const MAX_SIPP_METHOD_BYTES = 28;

/** Why a message is left out. */
export type SippRefusal = 'gone' | 'unreadable' | 'method' | 'status' | 'start_line' | 'headers' | 'too_long';

/** Offsets into the text; `end` is that of the trimmed value. */
export type HeaderLine = {
  readonly id: number;
  readonly start: number;
  readonly nameEnd: number;
  readonly valueStart: number;
  readonly end: number;
};

export type Replayed = {
  readonly index: number;
  readonly tsUs: number;
  readonly isByCaller: boolean;
  readonly isRequest: boolean;
  readonly status: number;
  /** Of a response that of its CSeq. */
  readonly method: string;
  /** A byte a character. */
  readonly text: string;
  readonly scan: SipScan;
  readonly lines: readonly HeaderLine[];
  readonly transaction: string;
  readonly fromTag: string;
  readonly toTag: string;
};

const METHOD = /^[\w.!%*+~-]+$/;
/** Headers that stand in every message that SIPp takes. */
const NEEDED = [HEADER.VIA, HEADER.FROM, HEADER.TO, HEADER.CALL_ID, HEADER.CSEQ];
/** Headers that SIPp looks for in what it receives, and copies. */
const COPIED = [
  ...[...NEEDED, HEADER.CONTACT, HEADER.RECORD_ROUTE, HEADER.CONTENT_LENGTH, HEADER.CONTENT_TYPE],
  ...[HEADER.WWW_AUTHENTICATE, HEADER.PROXY_AUTHENTICATE],
];
/** A challenge holds no secret, and whoever answers needs it. */
const CHALLENGES = [HEADER.WWW_AUTHENTICATE, HEADER.PROXY_AUTHENTICATE];

export function replayedMessage(
  m: CallMessage,
  isByCaller: boolean,
  showSecrets: boolean,
): Result<Replayed, SippRefusal> {
  if (!m.isKept) return fail('gone');
  const found = m.read();
  if (found === null) return fail('unreadable');
  const { scan: first, bytes } = found;
  if (first.messageEnd - first.messageStart > MAX_SIPP_MESSAGE_BYTES) return fail('too_long');
  const captured = bytes.toString('latin1', first.messageStart, first.bodyEnd);
  // Without secrets the offsets are others.
  const text = showSecrets ? captured : withoutCredentials(captured, first);
  const scan = scanSip(Buffer.from(text, 'latin1'), 0, text.length);
  if (scan.code !== SCAN.OK || scan.messageStart !== 0) return fail('unreadable');
  const lines = linesOf(text, scan);
  const refusal = refusalOf(text, scan, lines);
  if (refusal !== null) return fail(refusal);
  const method = scan.isRequest
    ? text.slice(scan.methodStart, scan.methodEnd)
    : text.slice(scan.cseqMethodStart, scan.cseqMethodEnd);
  const { index, tsUs, hop } = m;
  const { isRequest, status } = scan;
  return ok({ index, tsUs, isByCaller, isRequest, status, method, text, scan, lines, ...hop });
}

/** As withoutSecrets() says, challenges aside. */
function withoutCredentials(text: string, scan: SipScan): string {
  const start = scan.messageStart;
  let out = '';
  let from = 0;
  for (const line of linesOf(text, scan, start)) {
    if (!CHALLENGES.includes(line.id)) continue;
    out += withoutSecrets(text.slice(from, line.start)) + text.slice(line.start, line.end);
    from = line.end;
  }
  return out + withoutSecrets(text.slice(from));
}

function linesOf(text: string, scan: SipScan, shift = 0): HeaderLine[] {
  const lines: HeaderLine[] = [];
  scan.forEachHeader((nameStart, nameEnd, valueStart, valueEnd) => {
    const [start, end] = [nameStart - shift, nameEnd - shift];
    const id = headerIdOf(text.slice(start, end));
    lines.push({ id, start, nameEnd: end, valueStart: valueStart - shift, end: valueEnd - shift });
  });
  return lines;
}

function refusalOf(text: string, scan: SipScan, lines: readonly HeaderLine[]): SippRefusal | null {
  if (scan.isRequest) {
    const method = text.slice(scan.methodStart, scan.methodEnd);
    if (!METHOD.test(method) || method.length > MAX_SIPP_METHOD_BYTES) return 'method';
    // SIPp takes no message without these words; a blank ends the method.
    if (text[scan.methodEnd] !== ' ' || !text.slice(0, scan.startLineEnd).endsWith(' SIP/2.0')) return 'start_line';
  } else {
    if (scan.status < 100 || scan.status > 699) return 'status';
    if (!/^SIP\/2\.0 [1-6]\d\d(?:\s|$)/.test(text.slice(0, scan.startLineEnd))) return 'start_line';
  }
  const cseqMethod = scan.cseqMethodStart < 0 ? '' : text.slice(scan.cseqMethodStart, scan.cseqMethodEnd);
  if (!METHOD.test(cseqMethod) || cseqMethod.length > MAX_SIPP_METHOD_BYTES || scan.cseq < 0) return 'headers';
  if (NEEDED.some((id) => !lines.some((line) => line.id === id && line.end > line.valueStart))) return 'headers';
  // SIPp searches on from behind an empty value, where the headers may have ended.
  const last = lines.at(-1);
  if (last !== undefined && last.end <= last.valueStart && COPIED.includes(last.id)) return 'headers';
  if (scan.bodyStart > MAX_SIPP_HEADERS_BYTES) return 'too_long';
  return lines.some((line) => COPIED.includes(line.id) && line.end - line.start > MAX_SIPP_HEADER_BYTES)
    ? 'too_long'
    : null;
}
