/**
 * Takes the credentials out of the Authorization header.
 *
 * RFC 9110 §11.4: `auth-scheme 1*SP token68`, and §11.1: the scheme is matched without regard to case, so `bearer`
 * and `BEARER` are `Bearer`. The field may appear once (§5.3): two of them are two opinions, and neither counts.
 */

import type { Result } from '../../core/result.ts';
import { fail, ok } from '../../core/result.ts';

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
