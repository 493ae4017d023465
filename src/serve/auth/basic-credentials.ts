/** Who may ask the standalone metrics server: one user and password, presented as HTTP Basic (RFC 7617). */

import { readAuthorization } from './authorization.ts';
import { matchesDigest, secretDigest } from './secret.ts';

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
