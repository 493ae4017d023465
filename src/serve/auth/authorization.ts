/**
 * Takes the credentials out of the Authorization header, and compares them in a time that tells nothing about a secret.
 *
 * RFC 9110 §11.4: `auth-scheme 1*SP token68`, and §11.1: the scheme is matched without regard to case, so `bearer`
 * and `BEARER` are `Bearer`. The field may appear once (§5.3): two of them are two opinions, and neither counts.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Result } from '../../core/result.ts';
import { fail, ok } from '../../core/result.ts';

/** What is kept of a secret in order to compare with it: always 32 bytes. */
export function secretDigest(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}

/** Compares what a client presented with a kept digest. Both sides are hashed, so lengths do not differ either. */
export function matchesDigest(presented: string, digest: Buffer): boolean {
  return timingSafeEqual(secretDigest(presented), digest);
}

export type AuthorizationRefusal = 'missing' | 'malformed' | 'other-scheme';

/** Scheme, blanks, then visible ASCII; a static key may hold more than token68 allows. */
const FORM = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) +([\x21-\x7e]+)$/;

/** The credentials that `values`, all Authorization fields of a request, hold for this scheme. */
export function readAuthorization(
  values: readonly string[],
  scheme: 'bearer' | 'basic',
): Result<string, AuthorizationRefusal> {
  const [value] = values;
  if (value === undefined) return fail('missing');
  if (values.length > 1) return fail('malformed');
  const [, name, credentials] = FORM.exec(value) ?? [];
  if (name === undefined || credentials === undefined) {
    return fail(value.toLowerCase().startsWith(scheme) ? 'malformed' : 'other-scheme');
  }
  return name.toLowerCase() === scheme ? ok(credentials) : fail('other-scheme');
}

export type BasicCredentials = {
  /** True when the Authorization fields of a request hold the user and the password. */
  accepts(authorization: readonly string[]): boolean;
};

/** `userPass` is `user:password`; the first colon ends the user, the password may hold more of them. */
export function createBasicCredentials(userPass: string): BasicCredentials {
  const digest = secretDigest(userPass);
  return {
    accepts(authorization) {
      const basic = readAuthorization(authorization, 'basic');
      if (!basic.ok) return false;
      const bytes = Buffer.from(basic.value, 'base64');
      // Node skips what is no base64; only the one spelling of the bytes counts.
      return bytes.toString('base64') === basic.value && matchesDigest(bytes.toString('utf8'), digest);
    },
  };
}
