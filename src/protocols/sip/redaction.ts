/**
 * Takes what proves an identity or opens a call out of a message's text before it leaves the process: digest
 * credentials and challenges (RFC 3261 section 22), media keys (RFC 4568, k= of RFC 4566, ice-pwd of RFC 8839), and
 * passwords in URIs (RFC 3261 section 19.1.1).
 */

import { asBuffer } from '../../core/byte-text.ts';

/** What stands in place of a secret, and in front of it behind the colon of a header. */
type Hiding = { readonly blank: string; readonly hide: (secret: string) => string };
const REMOVED: Hiding = { blank: ' ', hide: () => '[removed]' };
/** As many characters; blanks and folds stay, or who reads a scheme and what follows it would find no header. */
const MASKED: Hiding = { blank: '', hide: (secret) => secret.replace(/[^ \t\r\n]/g, 'x') };

/** The name of a header at the start of a line, blanks before it; also inside a body that quotes a message. */
const NAME = /^[ \t]*([a-z0-9-]+)[ \t]*:/gim;
const SECRET_NAMES: ReadonlySet<string> = new Set([
  ...['authorization', 'authenticate', 'authentication-info', 'www-authenticate', 'response-key'],
  ...['proxy-authorization', 'proxy-authenticate', 'proxy-authentication-info'],
]);
const IN_URI = /([?&;](?:proxy-)?authorization=)[^&> \t\r\n;]*/gi;
const KEY_LINE = /^([ \t]*(?:a=crypto:\d+[ \t]+\S+[ \t]+|k=|a=key-mgmt:|a=ice-pwd:|a=3ge2ae:))[^\n]*/gim;
/** Stands in the name of every header that holds credentials, and in a URI that gives them. */
const OF_CREDENTIALS = /auth|response-key/i;
/** "sip:", a user part and a colon. */
const MIN_WORD = 6;

/** The message without its secrets; line ends and everything else as they were. Linear in the text, whatever stands in it. */
export function withoutSecrets(text: string): string {
  return hideSecrets(text, REMOVED);
}

/**
 * The bytes of a message with its secrets masked: as many bytes, so that its Content-Length stays right. A character a
 * byte, for the names of secrets and all that ends them are ASCII.
 */
export function maskSecrets(bytes: Uint8Array): Buffer {
  return Buffer.from(hideSecrets(asBuffer(bytes).toString('latin1'), MASKED), 'latin1');
}

function hideSecrets(text: string, hiding: Hiding): string {
  /** The line end is no part of the secret. */
  const hideLine = (match: string, kept: string): string => {
    const end = match.endsWith('\r') ? match.length - 1 : match.length;
    return `${kept}${hiding.hide(match.slice(kept.length, end))}${match.slice(end)}`;
  };
  const said = OF_CREDENTIALS.test(text) ? withoutHeaders(text, hiding).replace(IN_URI, hideLine) : text;
  return withoutPasswords(said, hiding).replace(KEY_LINE, hideLine);
}

function isSecret(name: string): boolean {
  return SECRET_NAMES.has(name) || (name.startsWith('p-') && name.includes('auth'));
}

/** Headers that hold credentials lose their values, and the lines these continue on. */
function withoutHeaders(text: string, { blank, hide }: Hiding): string {
  let out = '';
  let from = 0;
  NAME.lastIndex = 0;
  for (let m = NAME.exec(text); m !== null; m = NAME.exec(text)) {
    if (!isSecret((m[1] ?? '').toLowerCase())) continue;
    const start = NAME.lastIndex;
    const next = valueEnd(text, start);
    const end = text[next - 1] === '\r' ? next - 1 : next;
    out += `${text.slice(from, start)}${blank}${hide(text.slice(start, end))}`;
    from = end;
    NAME.lastIndex = next;
  }
  return out + text.slice(from);
}

/** In front of the line feed that ends the value at `at`: one that no blank follows. */
function valueEnd(text: string, at: number): number {
  let feed = text.indexOf('\n', at);
  while (feed >= 0 && (text[feed + 1] === ' ' || text[feed + 1] === '\t')) feed = text.indexOf('\n', feed + 1);
  return feed < 0 ? text.length : feed;
}

/** Between the first colon after `sip:` or `sips:` and the @ that ends the word (RFC 3261 section 19.1.1). */
function withoutPasswords(text: string, { hide }: Hiding): string {
  let out = '';
  let from = 0;
  let behind = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', behind)) {
    let start = at;
    while (start > behind && isOfWord(text.charCodeAt(start - 1))) start--;
    behind = at + 1;
    const colon = at - start < MIN_WORD ? -1 : passwordColon(text.slice(start, at));
    if (colon < 0) continue;
    out += `${text.slice(from, start + colon + 1)}${hide(text.slice(start + colon + 1, at))}`;
    from = at;
  }
  return out + text.slice(from);
}

/** What a user part or a password may hold: no blank, quote or angle bracket. */
function isOfWord(c: number): boolean {
  return c > 0x20 && c !== 0x22 && c !== 0x3c && c !== 0x3e;
}

/** Offset of the colon in front of the password in a word; -1 where it is missing. */
function passwordColon(word: string): number {
  // Nearly every word: the colon of the scheme is all that it has.
  if (word.indexOf(':') === word.lastIndexOf(':')) return -1;
  for (const scheme of word.matchAll(/sips?:/gi)) {
    const user = scheme.index + scheme[0].length;
    const colon = word.indexOf(':', user);
    if (colon < 0) return -1;
    if (colon > user && colon + 1 < word.length) return colon;
  }
  return -1;
}
