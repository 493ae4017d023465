// SIP as text, as far as the partner of a tried program needs it: whole messages out of a stream, requests, answers.

const HEAD_END = '\r\n\r\n';

/** The value of a header line of a message; '' when there is none. */
export function header(message, name) {
  return new RegExp(`^${name}[ \\t]*:[ \\t]*(.*?)[ \\t]*\\r?$`, 'im').exec(message)?.[1] ?? '';
}

/** What makes a message the one that was sent: its start line without a URI, its Call-ID and its CSeq. */
export function identity(message) {
  const [first, second] = message.split(/[ \r\n]/, 2);
  const start = first === 'SIP/2.0' ? second : first;
  return `${start} ${header(message, 'Call-ID') || header(message, 'i')} ${header(message, 'CSeq')}`;
}

/** Takes the pieces of a stream; calls `each` with every whole message. Lengths are those of ASCII. */
export class Messages {
  #text = '';
  #each;

  constructor(each) {
    this.#each = each;
  }

  push(chunk) {
    this.#text += chunk;
    for (;;) {
      // Empty lines between messages keep connections open.
      this.#text = this.#text.replace(/^[\r\n]+/, '');
      const end = this.#text.indexOf(HEAD_END);
      if (end < 0) return;
      const head = this.#text.slice(0, end + HEAD_END.length);
      const length = Number(header(head, 'Content-Length') || header(head, 'l') || 0);
      if (this.#text.length < head.length + length) return;
      const message = this.#text.slice(0, head.length + length);
      this.#text = this.#text.slice(message.length);
      this.#each(message);
    }
  }
}

const METHODS = ['OPTIONS', 'MESSAGE', 'REGISTER'];

/**
 * The request of a number, from `local` to `remote` ("address:port"): the three methods in turn. A MESSAGE has a body,
 * up to 1,100 bytes long.
 */
export function request({ prefix, number, local, remote }) {
  const method = METHODS[number % METHODS.length];
  const body = method === 'MESSAGE' ? 'x'.repeat(10 * (number % 110)) : '';
  const user = `alice@${remote}`;
  return [
    `${method} sip:${method === 'REGISTER' ? '' : 'bob@'}${remote};transport=tls SIP/2.0`,
    `Via: SIP/2.0/TLS ${local};branch=z9hG4bK${prefix}.${number};rport`,
    'Max-Forwards: 70',
    `From: <sip:${user}>;tag=${number}`,
    `To: <sip:${method === 'REGISTER' ? user : `bob@${remote}`}>`,
    `Call-ID: ${prefix}-${number}`,
    `CSeq: ${number + 1} ${method}`,
    `Contact: <sip:alice@${local};transport=tls>`,
    ...(method === 'REGISTER' ? ['Expires: 600'] : []),
    ...(body === '' ? [] : ['Content-Type: text/plain']),
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

const REPEATED = /^(Via|From|Call-ID|CSeq|v|f|i)[ \t]*:/i;

/** The 200 to a request; one to REGISTER binds what it asked for. */
export function answer(message) {
  const lines = message.slice(0, message.indexOf(HEAD_END)).split('\r\n');
  const isRegister = /^REGISTER /.test(message);
  const kept = lines.flatMap((line) => {
    if (REPEATED.test(line)) return [line];
    if (/^(To|t)[ \t]*:/i.test(line)) return [line.includes(';tag=') ? line : `${line};tag=partner`];
    return isRegister && /^(Contact|m)[ \t]*:/i.test(line) ? [line] : [];
  });
  const expires = isRegister ? [`Expires: ${header(message, 'Expires') || 600}`] : [];
  return ['SIP/2.0 200 OK', ...kept, ...expires, 'Content-Length: 0', '', ''].join('\r\n');
}
