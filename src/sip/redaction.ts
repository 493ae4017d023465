/**
 * Takes what proves an identity or opens a call out of a message's text before it leaves the process: digest
 * credentials and challenges (RFC 3261 section 22), media keys (RFC 4568, k= of RFC 4566, ice-pwd of RFC 8839), and
 * passwords in URIs (RFC 3261 section 19.1.1).
 */

const REMOVED = '[removed]';

/** The header in any case, with the lines it continues on; also inside a body that quotes a message. */
const HEADERS =
  /^([ \t]*(?:proxy-)?(?:authorization|authenticate|authentication-info)|[ \t]*www-authenticate|[ \t]*p-[a-z-]*-?auth[a-z-]*|[ \t]*response-key)([ \t]*):[^\n]*(?:\n[ \t][^\n]*)*/gim;
const IN_URI = /([?&;](?:proxy-)?authorization=)[^&>\s;]*/gi;
const PASSWORD = /(sips?:[^\s:@<>"]{1,256}):[^\s@<>"]{1,256}@/gi;
const CRYPTO = /^([ \t]*a=crypto:\d+[ \t]+\S+[ \t]+)[^\n]*/gim;
const KEY_LINE = /^([ \t]*(?:k=|a=key-mgmt:|a=ice-pwd:|a=3ge2ae:))[^\n]*/gim;

/** The message without its secrets; line ends and everything else as they were. */
export function withoutSecrets(text: string): string {
  const keepEnd = (match: string, kept: string): string => `${kept}${REMOVED}${match.endsWith('\r') ? '\r' : ''}`;
  return text
    .replace(HEADERS, (match, name: string, blank: string) => keepEnd(match, `${name}${blank}: `))
    .replace(IN_URI, `$1${REMOVED}`)
    .replace(PASSWORD, `$1:${REMOVED}@`)
    .replace(CRYPTO, (match, kept: string) => keepEnd(match, kept))
    .replace(KEY_LINE, (match, kept: string) => keepEnd(match, kept));
}
