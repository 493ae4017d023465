/** Who may ask the API: a static key or a signed token, presented as `Authorization: Bearer` and in no other way. */

import type { Result } from '../../core/result.ts';
import { fail, ok } from '../../core/result.ts';
import type { AuthorizationRefusal } from './authorization.ts';
import { matchesDigest, readAuthorization, secretDigest } from './authorization.ts';
import type { TokenAudience, TokenRefusal, TokenScope } from './token.ts';
import { signingKey, verifyToken } from './token.ts';

/** `unknown` is a value that is neither the static key nor looks like a token. */
export type BearerRefusal = AuthorizationRefusal | TokenRefusal | 'unknown';

export type ApiCredentials = {
  /** What the Authorization fields of a request allow, or why they allow nothing. */
  check(authorization: readonly string[]): Result<TokenScope, BearerRefusal>;
  /** Whose they are, for a log: `key`, or `token ID`. */
  nameOf(authorization: readonly string[]): string;
};

export type ApiSecrets = {
  readonly apiKey: string | null;
  /** Every key verifies. */
  readonly signingKeys: readonly string[];
  /** Whom tokens must be for; the API if absent. */
  readonly audience?: TokenAudience;
  readonly isRevoked: (id: string) => boolean;
  readonly nowMs?: () => number;
};

/** Null when there is neither a static key nor a signing key: then the API cannot tell its clients apart. */
export function createApiCredentials(secrets: ApiSecrets): ApiCredentials | null {
  const { apiKey, audience = 'api', isRevoked, nowMs = Date.now } = secrets;
  if (apiKey === null && secrets.signingKeys.length === 0) return null;
  const digest = apiKey === null ? null : secretDigest(apiKey);
  const keys = secrets.signingKeys.map(signingKey);
  const verify = (value: string) =>
    verifyToken(value, keys, { audience, nowSecs: Math.floor(nowMs() / 1000), isRevoked });
  return {
    nameOf(authorization) {
      const bearer = readAuthorization(authorization, 'bearer');
      if (!bearer.ok) return 'nobody';
      if (digest !== null && matchesDigest(bearer.value, digest)) return 'key';
      const token = verify(bearer.value);
      return token.ok ? `token ${token.value.id}` : 'nobody';
    },
    check(authorization) {
      const bearer = readAuthorization(authorization, 'bearer');
      if (!bearer.ok) return bearer;
      // The static key carries no claims: it reaches everything and does not end.
      if (digest !== null && matchesDigest(bearer.value, digest)) return ok('full');
      if (keys.length === 0) return fail('unknown');
      const token = verify(bearer.value);
      if (token.ok) return ok(token.value.scope);
      return token.reason === 'malformed' && !/^s[0-9]+\./.test(bearer.value) ? fail('unknown') : token;
    },
  };
}
