/**
 * What a request's credentials guess (RFC 3261 section 22, RFC 7616 section 3.4).
 *
 * Equal user, realm, nonce and response are one guess however often they are sent. Two responses to the same input of
 * the digest (user, realm, nonce, uri, and with qop also cnonce and count) prove two passwords. To another nonce the same
 * password gives another response, so that those prove nothing of themselves.
 */
import { hashBytes } from '../core/hash.ts';
import type { SipScan } from '../protocols/sip/scanner/scan.ts';

/** Each header of the kind, with the lines it continues on. */
const HEADERS = /^(?:proxy-)?authorization[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)/gim;
const PARAMETERS = /(?<![\w-])(username|realm|nonce|uri|qop|nc|cnonce|response)[ \t]*=[ \t]*(?:"([^"]*)"?|([^\s,]*))/gi;

const GUESS: ReadonlySet<string> = new Set(['username', 'realm', 'nonce', 'response']);
const INPUT: ReadonlySet<string> = new Set(['username', 'realm', 'nonce', 'uri']);
const INPUT_WITH_QOP: ReadonlySet<string> = new Set([...INPUT, 'qop', 'nc', 'cnonce']);

/** Credentials of one request; reusable. All are keyed hashes, 0 for a missing one. */
export class Credentials {
  /** User, realm, nonce and response. */
  guess = 0;
  /** What the response was computed from, but for the password. */
  input = 0;
  /** The user that they name. */
  account = 0;

  /** Reads every Authorization and Proxy-Authorization of the request. */
  read(buf: Buffer, scan: SipScan): void {
    this.guess = 0;
    this.input = 0;
    this.account = 0;
    if (!scan.hasAuthorization || scan.headersStart < 0) return;
    const end = scan.bodyStart > scan.headersStart ? scan.bodyStart : scan.messageEnd;
    const headers = buf.toString('latin1', scan.headersStart, Math.max(end, scan.headersStart));
    let guess = '';
    let input = '';
    let account = '';
    for (const [, text = ''] of headers.matchAll(HEADERS)) {
      const parameters = [...text.matchAll(PARAMETERS)].map(
        ([, name = '', quoted, plain]) => [name.toLowerCase(), quoted ?? plain ?? ''] as const,
      );
      const counts = parameters.some(([name]) => name === 'qop') ? INPUT_WITH_QOP : INPUT;
      for (const [name, value] of parameters) {
        if (GUESS.has(name)) guess += `${name}=${value}\n`;
        if (counts.has(name)) input += `${name}=${value}\n`;
        if (name === 'username') account += `${value}\n`;
      }
      // Another scheme: the whole of it is the guess.
      if (!parameters.some(([name]) => name === 'response')) guess += text;
    }
    this.guess = hashText(guess) || 1;
    this.input = hashText(input) || 1;
    this.account = account === '' ? 0 : hashText(account) || 1;
  }
}

function hashText(text: string): number {
  const bytes = Buffer.from(text, 'latin1');
  return hashBytes(bytes, 0, bytes.length);
}
