/**
 * Mints and verifies signed bearer tokens; without state, and whatever is not exactly right is refused.
 *
 *     s2 . base64url(payload) . base64url(HMAC-SHA256(key, "s2." base64url(payload)))     no padding (RFC 4648 §5)
 *     payload: {"id":"<jti>","exp":<Unix seconds>,"aud":"api"|"mcp","scope":"full"|"metrics"}      scope optional
 */

import type { KeyObject } from 'node:crypto';
import { createHmac, createSecretKey } from 'node:crypto';
import { parseJson } from '../../core/json.ts';
import type { Result } from '../../core/result.ts';
import { fail, ok } from '../../core/result.ts';
import { matchesDigest, secretDigest } from './authorization.ts';

/** Characters of a token; a minted one has about 200. @cap */
export const MAX_TOKEN_CHARS = 4_096;

export type TokenAudience = 'api' | 'mcp';
export type TokenScope = 'full' | 'metrics';

export type TokenClaims = {
  /** The jti; what a revocation names. */
  readonly id: string;
  /** Unix seconds; the token ends when the clock reaches it. */
  readonly expSecs: number;
  readonly audience: TokenAudience;
  readonly scope: TokenScope;
};

/** `malformed` covers the older `s1` form as well: it names no audience. */
export type TokenRefusal = 'malformed' | 'bad-signature' | 'unknown-scope' | 'wrong-audience' | 'expired' | 'revoked';

export type TokenChecks = {
  readonly audience: TokenAudience;
  readonly nowSecs: number;
  readonly isRevoked: (id: string) => boolean;
};

const PREFIX = 's2.';

/** A signature is 32 bytes: 43 characters without padding. */
const FORM = /^s2\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/;

/** Claims a payload may hold. A claim nobody here knows could narrow the token, so it refuses it. */
const CLAIMS: ReadonlySet<string> = new Set(['id', 'exp', 'aud', 'scope']);

const AUDIENCES: readonly string[] = ['api', 'mcp'] satisfies readonly TokenAudience[];
const SCOPES: readonly string[] = ['full', 'metrics'] satisfies readonly TokenScope[];

/** A signing key, ready for use. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret, 'utf8'));
}

export function mintToken(claims: TokenClaims, key: KeyObject): string {
  const { id, expSecs, audience, scope } = claims;
  const payload = JSON.stringify({ id, exp: expSecs, aud: audience, scope });
  const signed = PREFIX + Buffer.from(payload, 'utf8').toString('base64url');
  return `${signed}.${signature(signed, key)}`;
}

/** The claims of a token that may be used now, else why it may not; nothing in it is believed before its signature. */
export function verifyToken(
  token: string,
  keys: readonly KeyObject[],
  checks: TokenChecks,
): Result<TokenClaims, TokenRefusal> {
  const match = token.length > MAX_TOKEN_CHARS ? null : FORM.exec(token);
  const [, payload, presented] = match ?? [];
  if (payload === undefined || presented === undefined) return fail('malformed');
  if (!isSigned(PREFIX + payload, presented, keys)) return fail('bad-signature');
  const claims = parsePayload(payload);
  if (!claims.ok) return claims;
  if (claims.value.audience !== checks.audience) return fail('wrong-audience');
  if (claims.value.expSecs <= checks.nowSecs) return fail('expired');
  return checks.isRevoked(claims.value.id) ? fail('revoked') : claims;
}

/**
 * Compares with the signature of every key, also after one has matched. The texts are compared, not the bytes: the
 * last character of base64url has two bits to spare, and another spelling of the same bytes is another token.
 */
function isSigned(signed: string, presented: string, keys: readonly KeyObject[]): boolean {
  const digest = secretDigest(presented);
  let matches = 0;
  for (const key of keys) matches += Number(matchesDigest(signature(signed, key), digest));
  return matches > 0;
}

function signature(signed: string, key: KeyObject): string {
  return createHmac('sha256', key).update(signed, 'utf8').digest('base64url');
}

function parsePayload(encoded: string): Result<TokenClaims, TokenRefusal> {
  const bytes = Buffer.from(encoded, 'base64url');
  if (bytes.toString('base64url') !== encoded) return fail('malformed');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail('malformed');
  }
  const json = parseJson(text);
  if (!json.ok) return fail('malformed');
  const payload = json.value;
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return fail('malformed');
  if (Object.keys(payload).some((name) => !CLAIMS.has(name))) return fail('malformed');
  const { id, exp, aud, scope = 'full' }: Record<string, unknown> = { ...payload };
  if (typeof id !== 'string' || id === '') return fail('malformed');
  if (typeof exp !== 'number' || !Number.isSafeInteger(exp)) return fail('malformed');
  if (typeof aud !== 'string' || typeof scope !== 'string') return fail('malformed');
  if (!isAudience(aud)) return fail('wrong-audience');
  return isScope(scope) ? ok({ id, expSecs: exp, audience: aud, scope }) : fail('unknown-scope');
}

function isAudience(text: string): text is TokenAudience {
  return AUDIENCES.includes(text);
}

function isScope(text: string): text is TokenScope {
  return SCOPES.includes(text);
}
