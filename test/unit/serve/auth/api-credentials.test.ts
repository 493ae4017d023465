/** The static key beside the tokens, comparisons of unequal lengths, and what counts as having credentials at all. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiCredentials } from '../../../../src/serve/auth/api-credentials.ts';
import { matchesDigest, secretDigest } from '../../../../src/serve/auth/authorization.ts';
import { repositoryFile } from '../../../contract/repository.ts';
import { forgeClaims, NOW_SECS } from './forged-token.ts';

const nowMs = (): number => NOW_SECS * 1000;
const never = (): boolean => false;

test('without a static key and without a signing key there are no credentials', () => {
  assert.equal(createApiCredentials({ apiKey: null, signingKeys: [], isRevoked: never }), null);
  assert.ok(createApiCredentials({ apiKey: 'k', signingKeys: [], isRevoked: never }));
  assert.ok(createApiCredentials({ apiKey: null, signingKeys: ['k'], isRevoked: never }));
});

test('static key and token stand beside each other', () => {
  const both = createApiCredentials({ apiKey: 'static', signingKeys: ['sign'], isRevoked: never, nowMs });
  assert.deepEqual(both?.check(['Bearer static']), { ok: true, value: 'full' });
  assert.deepEqual(both?.check([`Bearer ${forgeClaims({}, 'sign')}`]), { ok: true, value: 'full' });
  assert.deepEqual(both?.check([`Bearer ${forgeClaims({ scope: 'metrics' }, 'sign')}`]), {
    ok: true,
    value: 'metrics',
  });
  assert.deepEqual(both?.check(['Bearer sign']), { ok: false, reason: 'unknown' }, 'a signing key is no credential');
  assert.deepEqual(both?.check([`Bearer ${forgeClaims({}, 'static')}`]), { ok: false, reason: 'bad-signature' });
  const keyOnly = createApiCredentials({ apiKey: 'static', signingKeys: [], isRevoked: never, nowMs });
  assert.deepEqual(keyOnly?.check([`Bearer ${forgeClaims({}, '')}`]), { ok: false, reason: 'unknown' });
});

test('a static key that looks like a token is still the static key', () => {
  const apiKey = 's2.abc.def';
  const credentials = createApiCredentials({ apiKey, signingKeys: ['x'], isRevoked: never });
  assert.deepEqual(credentials?.check([`Bearer ${apiKey}`]), { ok: true, value: 'full' });
});

test('secrets of any two lengths are compared without an exception, and only the same one matches', () => {
  const secrets = ['', 'a', 'ab', 'a'.repeat(31), 'a'.repeat(32), 'a'.repeat(33), 'a'.repeat(100_000), 'ä', 'a\0', 'A'];
  for (const kept of secrets) {
    const digest = secretDigest(kept);
    assert.equal(digest.length, 32);
    for (const presented of secrets) {
      assert.equal(matchesDigest(presented, digest), presented === kept, `${presented.length} against ${kept.length}`);
    }
  }
});

test('secrets are compared in one place, by timingSafeEqual over two digests', () => {
  const users = AUTH_FILES.filter((name) => repositoryFile(`src/serve/auth/${name}.ts`).includes('timingSafeEqual'));
  assert.deepEqual(users, ['authorization']);
  const comparing = AUTH_FILES.filter((name) => /matchesDigest\(/.test(repositoryFile(`src/serve/auth/${name}.ts`)));
  assert.deepEqual(comparing.sort(), ['api-credentials', 'authorization', 'token']);
});
const AUTH_FILES: readonly string[] = ['api-credentials', 'authorization', 'configured', 'revocation', 'token'];
