/** Whatever is done to a valid token, it does not verify; whatever is presented, the answer is a reason, not an exception. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createApiCredentials } from '../../../../src/serve/auth/api-credentials.ts';
import { mintToken, signingKey, verifyToken } from '../../../../src/serve/auth/token.ts';
import { forge, NOW_SECS } from './forged-token.ts';

const KEYS = ['one', 'two', 'three'];
const KEY_OBJECTS = KEYS.map(signingKey);
const CHECKS = { audience: 'api', nowSecs: NOW_SECS, isRevoked: () => false } as const;

const token = fc
  .record({
    id: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    expSecs: fc.integer({ min: NOW_SECS + 1, max: NOW_SECS * 2 }),
    audience: fc.constant('api' as const),
    scope: fc.constantFrom('full' as const, 'metrics' as const),
  })
  .chain((claims) => fc.constantFrom(...KEY_OBJECTS).map((key) => mintToken(claims, key)));

const TOKEN_CHAR = fc.constantFrom(...'ABCabc019-_.=+/ \n\0é');

const mutation = fc.oneof(
  fc.record({ kind: fc.constant('replace'), at: fc.nat(), with: TOKEN_CHAR }),
  fc.record({ kind: fc.constant('insert'), at: fc.nat(), with: TOKEN_CHAR }),
  fc.record({ kind: fc.constant('delete'), at: fc.nat(), with: fc.constant('') }),
  fc.record({ kind: fc.constant('swap'), at: fc.nat(), with: fc.constant('') }),
  fc.record({ kind: fc.constant('cut'), at: fc.nat(), with: fc.constant('') }),
  fc.record({ kind: fc.constant('repeat'), at: fc.nat(), with: fc.constant('') }),
);

function mutate(text: string, { kind, at, with: piece }: { kind: string; at: number; with: string }): string {
  const i = text.length === 0 ? 0 : at % text.length;
  const [head, tail] = [text.slice(0, i), text.slice(i)];
  switch (kind) {
    case 'replace':
      return head + piece + tail.slice(1);
    case 'insert':
      return head + piece + tail;
    case 'delete':
      return head + tail.slice(1);
    case 'swap':
      return head + (tail[1] ?? '') + (tail[0] ?? '') + tail.slice(2);
    case 'cut':
      return head;
    default:
      return head + tail + tail;
  }
}

test('a valid token verifies, and no mutation of it does', () => {
  fc.assert(
    fc.property(token, fc.array(mutation, { minLength: 1, maxLength: 4 }), (valid, mutations) => {
      assert.ok(verifyToken(valid, KEY_OBJECTS, CHECKS).ok, valid);
      const changed = mutations.reduce(mutate, valid);
      if (changed !== valid) assert.equal(verifyToken(changed, KEY_OBJECTS, CHECKS).ok, false, changed);
    }),
    { numRuns: 3000 },
  );
});

test('every single-character change of one token is refused', () => {
  const valid = mintToken({ id: 'a', expSecs: NOW_SECS + 9, audience: 'api', scope: 'metrics' }, signingKey('one'));
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
  let tried = 0;
  for (let i = 0; i < valid.length; i++) {
    for (const char of alphabet) {
      if (char === valid[i]) continue;
      tried++;
      const changed = valid.slice(0, i) + char + valid.slice(i + 1);
      assert.equal(verifyToken(changed, KEY_OBJECTS, CHECKS).ok, false, changed);
    }
  }
  assert.equal(tried, valid.length * 64);
});

test('parts of two valid tokens do not make a third', () => {
  fc.assert(
    fc.property(token, token, (a, b) => {
      const [, payload = '', mac = ''] = a.split('.');
      const [, otherPayload = '', otherMac = ''] = b.split('.');
      if (payload === otherPayload) return;
      assert.equal(verifyToken(`s2.${payload}.${otherMac}`, KEY_OBJECTS, CHECKS).ok, false);
      assert.equal(verifyToken(`s2.${otherPayload}.${mac}`, KEY_OBJECTS, CHECKS).ok, false);
    }),
    { numRuns: 1000 },
  );
});

test('any signed payload is a claim set or a reason', () => {
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('api', 'mcp', 'full', 'metrics', NOW_SECS + 5));
  const object = fc.dictionary(fc.constantFrom('id', 'exp', 'aud', 'scope', 'sub', '__proto__'), value);
  const payload = fc.oneof(
    object.map((each) => JSON.stringify(each)),
    fc.json({ maxDepth: 3 }),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  );
  fc.assert(
    fc.property(payload, (each) => {
      const result = verifyToken(forge(each, 'two'), KEY_OBJECTS, CHECKS);
      if (!result.ok) return;
      // What passed is exactly what the interface describes.
      const { id, exp, aud, scope = 'full', ...rest } = JSON.parse(each.toString());
      assert.deepEqual(result.value, { id, expSecs: exp, audience: aud, scope });
      assert.deepEqual(rest, {});
      assert.ok(typeof id === 'string' && aud === 'api' && Number.isInteger(exp) && exp > NOW_SECS);
      assert.ok(['full', 'metrics'].includes(scope));
    }),
    { numRuns: 3000 },
  );
});

test('any Authorization header is a scope or a reason', () => {
  const credentials = createApiCredentials({ apiKey: 'static-key', signingKeys: KEYS, isRevoked: () => false });
  assert.ok(credentials);
  const field = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ unit: 'binary', maxLength: 60 }).map((each) => `Bearer ${each}`),
    fc.constantFrom('Bearer', 'Bearer ', 'bearer static-ke', 'Bearer static-keyy', 'Basic c3RhdGljLWtleQ==', ''),
  );
  fc.assert(
    fc.property(fc.array(field, { maxLength: 3 }), (fields) => {
      assert.equal(credentials.check(fields).ok, false, JSON.stringify(fields));
    }),
    { numRuns: 2000 },
  );
  assert.ok(credentials.check(['Bearer static-key']).ok);
});
