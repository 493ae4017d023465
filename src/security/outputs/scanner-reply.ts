/**
 * The SIP response to a scanner's request, made from the request alone (RFC 3261 section 8.2.6).
 */
import { HEADER } from '../../protocols/sip/header-name.ts';
import { parseSip } from '../../protocols/sip/message.ts';

/** Bytes of an answer to a scanner: one packet. @cap */
const MAX_REPLY_BYTES = 1400;

/** Phrases of RFC 3261 section 21; other codes get the phrase of their class. */
const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  480: 'Temporarily Unavailable',
  486: 'Busy Here',
  500: 'Server Internal Error',
  503: 'Service Unavailable',
  600: 'Busy Everywhere',
  603: 'Decline',
};
const CLASSES = ['', '', 'OK', 'Moved Temporarily', 'Bad Request', 'Server Internal Error', 'Decline'] as const;

export type ScannerReply = {
  readonly bytes: Buffer;
  /** Port it goes to: where the request came from with `rport` (RFC 3581), else the one in the top Via. */
  readonly port: number;
};

/**
 * The response with `status` to the request at buf[start..end), or null when it cannot be answered: a header that every
 * request has is missing, it is an ACK, or the answer would be too long for one datagram. `address` and `sourcePort` say
 * where the request came from; `tag` becomes the To tag.
 */
export function scannerReply(
  buf: Uint8Array,
  start: number,
  end: number,
  status: number,
  address: string,
  sourcePort: number,
  tag: string,
): ScannerReply | null {
  const parsed = parseSip(buf, start, end);
  if (!parsed.ok || !parsed.value.isRequest) return null;
  const m = parsed.value;
  const vias = m.values(HEADER.VIA);
  const [top, ...others] = vias;
  const [from, to, callId, cseq] = [HEADER.FROM, HEADER.TO, HEADER.CALL_ID, HEADER.CSEQ].map((id) => m.value(id));
  if (top === undefined || !from || !to || !callId || !cseq) return null;
  if (/\bACK\s*$/.test(cseq)) return null;
  const hasRport = /;\s*rport\b/i.test(top);
  const sentBy = /^SIP\s*\/\s*2\.0\s*\/\s*UDP\s+(?:\[[^\]]*\]|[^\s:;]+)(?:\s*:\s*([0-9]{1,5}))?/i.exec(top);
  const viaPort = Number(sentBy?.[1] ?? 5060);
  const port = hasRport ? sourcePort : viaPort;
  if (port < 1 || port > 65_535) return null;
  const answered = hasRport ? top.replace(/;\s*rport\b(?:\s*=\s*[0-9]*)?/i, `;rport=${sourcePort}`) : top;
  const reason = REASONS[status] ?? CLASSES[Math.floor(status / 100)] ?? '';
  const lines = [
    `SIP/2.0 ${status} ${reason}`,
    `Via: ${answered};received=${address}`,
    ...others.map((via) => `Via: ${via}`),
    `From: ${from}`,
    `To: ${/;\s*tag\s*=/i.test(to) ? to : `${to};tag=${tag}`}`,
    `Call-ID: ${callId}`,
    `CSeq: ${cseq}`,
    'Content-Length: 0',
  ];
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
  return bytes.length > MAX_REPLY_BYTES ? null : { bytes, port };
}
