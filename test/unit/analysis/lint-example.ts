/**
 * Examples of lint rules in short: each step is one message, a template with what differs from it.
 *
 *     INVITE                          a request of the caller      < BYE           a request of the callee
 *     200                             the response to it           486 INVITE      to the last INVITE
 *
 * Behind the start, parted by ` | `: `-Name` without that header, `+Name: value` one more, `Name: value` another value,
 * `~text` the body, an SDP unless a Content-Type says otherwise (`\n` ends a line), `=line` another start line,
 * `%tcp` on TCP, `%lf` with bare line feeds, `%later 500` milliseconds later.
 */

export type ExampleMessage = {
  readonly bytes: Uint8Array;
  readonly isByCaller: boolean;
  readonly transport: 'UDP' | 'TCP';
  readonly atMs: number;
};

const CALLER = '192.0.2.1:5060';
const CALLEE = '192.0.2.2:5060';
export const EXAMPLE_ENDS = { caller: CALLER, callee: CALLEE } as const;

const SDP =
  'v=0\no=- 1000001 1 IN IP4 192.0.2.1\ns=-\nc=IN IP4 192.0.2.1\nt=0 0\nm=audio 4000 RTP/AVP 0\na=rtpmap:0 PCMU/8000\n';
/** What `~offer` and `~answer` stand for. */
const BODIES: Readonly<Record<string, string>> = {
  offer: SDP,
  answer: SDP.replaceAll('192.0.2.1', '192.0.2.2').replace('1000001', '2000001'),
};

type Sent = { readonly method: string; readonly cseq: number; readonly branch: string; readonly isByCaller: boolean };

export function exampleMessages(steps: readonly string[]): ExampleMessage[] {
  const sent: Sent[] = [];
  const out: ExampleMessage[] = [];
  let atMs = 0;
  let cseq = 0;
  let isEstablished = false;
  for (const step of steps) {
    const [start = '', ...edits] = step.split(' | ');
    const words = start.replace(/^< /, '').split(' ');
    const status = /^\d/.test(words[0] ?? '') ? Number(words[0]) : 0;
    let of: Sent;
    if (status > 0) {
      const last = sent.findLast((s) => words[1] === undefined || s.method === words[1]);
      of = last ?? { method: 'INVITE', cseq: 1, branch: 'z9hG4bK-lost', isByCaller: true };
      isEstablished ||= status >= 200 && status < 300;
    } else {
      const method = words[0] ?? '';
      const invite = sent.find((s) => s.method === 'INVITE');
      const isSame = (method === 'ACK' || method === 'CANCEL') && invite !== undefined;
      const isNewBranch = !isSame || (method === 'ACK' && isEstablished);
      of = {
        method,
        cseq: isSame ? invite.cseq : ++cseq,
        branch: isNewBranch ? `z9hG4bK-example-${out.length}` : invite.branch,
        isByCaller: !start.startsWith('<'),
      };
      sent.push(of);
    }
    const later = edits.find((e) => e.startsWith('%later '));
    atMs += later === undefined ? 20 : Number(later.slice(7));
    out.push(write(of, status, isEstablished, edits, atMs));
  }
  return out;
}

function write(
  of: Sent,
  status: number,
  isEstablished: boolean,
  edits: readonly string[],
  atMs: number,
): ExampleMessage {
  const isTcp = edits.includes('%tcp');
  const isRequest = status === 0;
  const host = of.isByCaller ? CALLER : CALLEE;
  const peer = of.isByCaller ? CALLEE : CALLER;
  const isNamed = status > 100 || (isEstablished && of.method !== 'INVITE') || of.method === 'BYE';
  const caller = '<sip:alice@example.com>;tag=caller';
  const callee = `<sip:bob@example.com>${isNamed || !of.isByCaller ? ';tag=callee' : ''}`;
  const headers: [string, string][] = [
    ['Via', `SIP/2.0/${isTcp ? 'TCP' : 'UDP'} ${host};branch=${of.branch}`],
    ['From', of.isByCaller ? caller : callee],
    ['To', of.isByCaller ? callee : caller],
    ['Call-ID', 'example'],
    ['CSeq', `${of.cseq} ${of.method}`],
  ];
  if (isRequest) headers.splice(1, 0, ['Max-Forwards', '70']);
  const hasContact = ['INVITE', 'SUBSCRIBE', 'REGISTER', 'REFER', 'NOTIFY', 'UPDATE'].includes(of.method);
  if (hasContact && (isRequest || (status > 100 && status < 300)))
    headers.push(['Contact', `<sip:${isRequest ? host : peer}>${of.method === 'REGISTER' ? ';expires=60' : ''}`]);
  const bodyEdit = edits.find((e) => e.startsWith('~'))?.slice(1);
  const body = (BODIES[bodyEdit ?? ''] ?? bodyEdit ?? '').replaceAll('\\n', '\n').replaceAll('\n', '\r\n');
  if (body !== '') headers.push(['Content-Type', 'application/sdp']);
  headers.push(['Content-Length', String(Buffer.byteLength(body))]);
  let start = isRequest ? `${of.method} sip:${peer} SIP/2.0` : `SIP/2.0 ${status} ${status === 200 ? 'OK' : 'Text'}`;
  for (const edit of edits) {
    if (/^[~%]/.test(edit)) continue;
    if (edit.startsWith('=')) start = edit.slice(1);
    else if (edit.startsWith('-')) remove(headers, edit.slice(1));
    else {
      const isMore = edit.startsWith('+');
      const colon = edit.indexOf(':');
      const name = edit.slice(isMore ? 1 : 0, colon);
      const value = edit.slice(colon + 1).trim();
      const at = headers.findIndex(([n]) => n === name);
      if (isMore || at < 0) headers.splice(headers.length - 1, 0, [name, value]);
      else headers[at] = [name, value];
    }
  }
  const text = [start, ...headers.map(([n, v]) => `${n}: ${v}`), '', body].join('\r\n');
  return {
    bytes: Buffer.from(edits.includes('%lf') ? text.replaceAll('\r\n', '\n') : text),
    isByCaller: isRequest === of.isByCaller,
    transport: isTcp ? 'TCP' : 'UDP',
    atMs,
  };
}

function remove(headers: [string, string][], name: string): void {
  const at = headers.findIndex(([n]) => n === name);
  if (at >= 0) headers.splice(at, 1);
}
