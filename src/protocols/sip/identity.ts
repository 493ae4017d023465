/**
 * Reads the Identity header: a PASSporT of STIR/SHAKEN (RFC 8224 section 4, RFC 8225, RFC 8588). Only what it says
 * is read; no signature is checked and no certificate fetched.
 *
 *   Identity: <header>.<payload>.<signature>;info=<https://...>;alg=ES256;ppt=shaken
 */
import type { Result } from '../../core/result.ts';
import { fail, ok } from '../../core/result.ts';

/** Characters of an Identity token, and destinations in it. @cap */
const MAX_IDENTITY_CHARS = 8_192;
const MAX_IDENTITY_DESTINATIONS = 16;

export type Passport = {
  readonly ppt: string | null;
  /** A, B or C (RFC 8588 section 4). */
  readonly attest: string | null;
  readonly originator: string | null;
  readonly destinations: readonly string[];
  /** Seconds since the epoch; null in the compact form, which leaves the payload out. */
  readonly issuedAtSec: number | null;
};

const IDENTITY_REASONS = ['too_long', 'not_a_token', 'not_json'] as const;
export type IdentityReason = (typeof IDENTITY_REASONS)[number];

export function parseIdentity(value: string): Result<Passport, IdentityReason> {
  if (value.length > MAX_IDENTITY_CHARS) return fail('too_long');
  const token = (value.split(';', 1)[0] ?? '').trim();
  const parts = token.split('.');
  const isToken = parts.length === 3 && parts.every((p) => /^[A-Za-z0-9_-]*$/.test(p));
  if (!isToken) return fail('not_a_token');
  const [head = '', payload = ''] = parts;
  if (payload === '')
    return ok({ ppt: pptOf(value), attest: null, originator: null, destinations: [], issuedAtSec: null });
  const header = jsonObject(head);
  const claims = jsonObject(payload);
  if (header === null || claims === null) return fail('not_json');
  const { iat, attest, orig, dest } = claims;
  return ok({
    ppt: text(header['ppt']) ?? pptOf(value),
    attest: text(attest),
    originator: numberOf(orig),
    destinations: destinationsOf(dest),
    issuedAtSec: typeof iat === 'number' && Number.isFinite(iat) ? iat : null,
  });
}

function pptOf(value: string): string | null {
  return /;[ \t]*ppt[ \t]*=[ \t]*"?([A-Za-z0-9_-]{1,32})/i.exec(value)?.[1] ?? null;
}

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function jsonObject(base64url: string): Json | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(base64url, 'base64url').toString('utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** `{"tn":"12155551212"}` or `{"uri":"sip:alice@example.com"}`. */
function numberOf(value: unknown): string | null {
  return isObject(value) ? (text(value['tn']) ?? text(value['uri'])) : null;
}

function destinationsOf(value: unknown): string[] {
  if (!isObject(value)) return [];
  const lists = [value['tn'], value['uri']].map((v) => (Array.isArray(v) ? v : [v]));
  return lists
    .flat()
    .filter((v): v is string => typeof v === 'string')
    .slice(0, MAX_IDENTITY_DESTINATIONS);
}
