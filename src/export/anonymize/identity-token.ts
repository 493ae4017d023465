/**
 * The Identity header (RFC 8224): the claims of its token are replaced as they are elsewhere, so that what is said of a call stays
 * true; its signature goes.
 */
import type { Stays, Tokens } from './tokens.ts';
import type { Values } from './values.ts';

const TOKEN = /^([\s]*)([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]*)/;
/** Characters of a token that is read. @cap */
const MAX_TOKEN_CHARS = 8_192;
/** Claims that name nobody, and what they say. */
const PLAIN_CLAIMS: ReadonlySet<string> = new Set(['alg', 'typ', 'ppt', 'attest', 'iat', 'exp', 'nbf']);
const PLAIN: Stays = {
  words: new Set(['es256', 'passport', 'jwt', 'shaken', 'div', 'rph', 'rcd', 'a', 'b', 'c']),
  digits: 0,
};
/** Levels of claims in each other. @cap */
const MAX_DEPTH = 6;

export function replaceIdentity(text: string, values: Values): string {
  const found = text.length > MAX_TOKEN_CHARS ? null : TOKEN.exec(text);
  if (found === null) return `${secretBefore(text, values.tokens)}`;
  const [all, blank = '', head = '', claims = '', signature = ''] = found;
  const token = [part(head, values), part(claims, values), signature === '' ? '' : values.tokens.secret(signature)];
  return blank + token.join('.') + values.parameters(text.slice(all.length), (gap) => values.tokens.text(gap));
}

/** All of it that stands before the parameters. */
function secretBefore(text: string, tokens: Tokens): string {
  const semicolon = text.indexOf(';');
  return semicolon < 0
    ? tokens.secret(text)
    : tokens.secret(text.slice(0, semicolon)) + tokens.text(text.slice(semicolon));
}

/** One part, as JSON of which the texts are replaced; another filler where it is none. */
function part(base64url: string, values: Values): string {
  if (base64url === '') return '';
  const json = Buffer.from(base64url, 'base64url').toString('latin1');
  const other = replaced(json, values);
  return other === null ? values.tokens.secret(base64url) : Buffer.from(other, 'latin1').toString('base64url');
}

function replaced(json: string, values: Values): string | null {
  try {
    const parsed: unknown = JSON.parse(json);
    if (typeof parsed !== 'object' || parsed === null) return null;
    return JSON.stringify(claim(parsed, '', values, 0));
  } catch {
    return null;
  }
}

function claim(value: unknown, name: string, values: Values, depth: number): unknown {
  if (typeof value === 'string') return PLAIN_CLAIMS.has(name) ? values.tokens.text(value, PLAIN) : values.uris(value);
  if (typeof value === 'number') return PLAIN_CLAIMS.has(name) ? value : 0;
  if (depth >= MAX_DEPTH || typeof value !== 'object' || value === null)
    return typeof value === 'boolean' ? value : null;
  if (Array.isArray(value)) return value.map((one) => claim(one, name, values, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      isClaim(key) ? key : values.tokens.text(key),
      claim(one, key, values, depth + 1),
    ]),
  );
}

function isClaim(key: string): boolean {
  return PLAIN_CLAIMS.has(key) || ['orig', 'dest', 'origid', 'tn', 'uri', 'x5u', 'rcd', 'nam', 'crn'].includes(key);
}
