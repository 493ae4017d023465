/** Decides whether two secrets are equal, in a time that tells nothing about either of them. */

import { createHash, timingSafeEqual } from 'node:crypto';

/** What is kept of a secret in order to compare with it: always 32 bytes. */
export function secretDigest(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}

/** Compares what a client presented with a kept digest. Both sides are hashed, so lengths do not differ either. */
export function matchesDigest(presented: string, digest: Buffer): boolean {
  return timingSafeEqual(secretDigest(presented), digest);
}
