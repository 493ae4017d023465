/** Signed tokens: the form, the claims, and every way in which one does not count. */

import assert from 'node:assert/strict';
import type { KeyObject } from 'node:crypto';
import { test } from 'node:test';
import type { TokenChecks, TokenRefusal } from '../../../../src/serve/auth/token.ts';
import { MAX_TOKEN_CHARS, mintToken, signingKey, verifyToken } from '../../../../src/serve/auth/token.ts';
import { base64url, forge, forgeClaims, NOW_SECS } from './forged-token.ts';

const KEY = 'first secret';
const CHECKS: TokenChecks = { audience: 'api', nowSecs: NOW_SECS, isRevoked: () => false };

function verify(token: string, checks: Partial<TokenChecks> = {}, keys: readonly string[] = [KEY]) {
  return verifyToken(token, keys.map(signingKey), { ...CHECKS, ...checks });
}

function refused(token: string, reason: TokenRefusal, checks: Partial<TokenChecks> = {}): void {
  const result = verify(token, checks);
  assert.deepEqual(result, { ok: false, reason }, token);
}

test('a minted token is s2, payload and HMAC-SHA256 over "s2." and the payload, base64url without padding', () => {
  const token = mintToken({ id: 'job-1', expSecs: NOW_SECS + 60, audience: 'api', scope: 'full' }, signingKey(KEY));
  const payload = '{"id":"job-1","exp":1800000060,"aud":"api","scope":"full"}';
  assert.equal(token, forge(payload, KEY));
  assert.match(token, /^s2\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$/);
  const known = forge('{"id":"a","exp":1,"aud":"api"}', 'k');
  assert.equal(known, 's2.eyJpZCI6ImEiLCJleHAiOjEsImF1ZCI6ImFwaSJ9.RdnPPWxOUw_-eC8XQTcPs5aE7_y74LE9qyaGVBc3dbE');
});

test('what was minted verifies, with its claims', () => {
  for (const scope of ['full', 'metrics'] as const) {
    const claims = { id: 'Ümläut "quoted"', expSecs: NOW_SECS + 1, audience: 'api', scope } as const;
    assert.deepEqual(verify(mintToken(claims, signingKey(KEY))), { ok: true, value: claims });
  }
});

test('an absent scope is full', () => {
  const result = verify(forgeClaims({}, KEY));
  assert.equal(result.ok && result.value.scope, 'full');
});

test('every key verifies, in any place', () => {
  const token = forgeClaims({}, KEY);
  assert.ok(verify(token, {}, ['other', KEY]).ok);
  assert.ok(verify(token, {}, [KEY, 'other']).ok);
  assert.ok(verify(token, {}, ['a', 'b', KEY, 'c']).ok);
  assert.deepEqual(verify(token, {}, ['a', 'b']), { ok: false, reason: 'bad-signature' });
  assert.deepEqual(verify(token, {}, []), { ok: false, reason: 'bad-signature' });
});

test('every key is asked, also after one matched', () => {
  const asked: string[] = [];
  const keys = new Proxy<readonly KeyObject[]>(['x', KEY, 'y', 'z'].map(signingKey), {
    get(target, name) {
      if (typeof name === 'string' && /^[0-9]+$/.test(name)) asked.push(name);
      return Reflect.get(target, name);
    },
  });
  assert.ok(verifyToken(forgeClaims({}, KEY), keys, CHECKS).ok);
  assert.deepEqual(asked, ['0', '1', '2', '3']);
});

test('a token stops when the clock reaches exp', () => {
  refused(forgeClaims({ exp: NOW_SECS }, KEY), 'expired');
  refused(forgeClaims({ exp: NOW_SECS - 1 }, KEY), 'expired');
  refused(forgeClaims({ exp: 0 }, KEY), 'expired');
  refused(forgeClaims({ exp: -5 }, KEY), 'expired');
  assert.ok(verify(forgeClaims({ exp: NOW_SECS + 1 }, KEY)).ok);
});

test('the audience must match the surface', () => {
  refused(forgeClaims({ aud: 'mcp' }, KEY), 'wrong-audience');
  refused(forgeClaims({ aud: 'API' }, KEY), 'wrong-audience');
  refused(forgeClaims({ aud: '' }, KEY), 'wrong-audience');
  refused(forgeClaims({}, KEY), 'wrong-audience', { audience: 'mcp' });
  assert.ok(verify(forgeClaims({ aud: 'mcp' }, KEY), { audience: 'mcp' }).ok);
});

test('a revoked id', () => {
  refused(forgeClaims({ id: 'gone' }, KEY), 'revoked', { isRevoked: (id) => id === 'gone' });
  assert.ok(verify(forgeClaims({ id: 'here' }, KEY), { isRevoked: (id) => id === 'gone' }).ok);
});

test('revocation is asked about nothing that was not signed', () => {
  const isRevoked = (): boolean => assert.fail('asked');
  refused(forgeClaims({}, 'wrong key'), 'bad-signature', { isRevoked });
  refused('s2.AAAA.AAAA', 'malformed', { isRevoked });
  refused(forgeClaims({ exp: 1 }, KEY), 'expired', { isRevoked });
});

test('an unknown scope', () => {
  for (const scope of ['', 'Full', 'admin', 'metrics ', 'full metrics']) {
    refused(forgeClaims({ scope }, KEY), 'unknown-scope');
  }
});

test('claims of the wrong type, missing and unknown ones', () => {
  const wrong: readonly Readonly<Record<string, unknown>>[] = [
    { id: 1 },
    { id: '' },
    { id: null },
    { id: undefined },
    { exp: String(NOW_SECS + 60) },
    { exp: NOW_SECS + 60.5 },
    { exp: null },
    { exp: true },
    { exp: 1e300 },
    { exp: undefined },
    { aud: ['api'] },
    { aud: null },
    { aud: undefined },
    { scope: null },
    { scope: ['full'] },
    { scope: true },
    { nbf: 0 },
    { Id: 'x' },
  ];
  for (const claims of wrong) refused(forgeClaims(claims, KEY), 'malformed');
});

test('payloads that are no such object, all signed right', () => {
  const fine = `"id":"a","exp":${NOW_SECS + 60},"aud":"api"`;
  const wrong: readonly (string | Buffer)[] = [
    '',
    'null',
    '[]',
    '"x"',
    '1',
    '{',
    `{${fine}`,
    `{${fine}}x`,
    `{${fine},}`,
    `[{${fine}}]`,
    `\ufeff{${fine}}`,
    `{${fine},"__proto__":{}}`,
    `{${fine},"__proto__":{"scope":"full"}}`,
    `{${fine},"constructor":"x"}`,
    `{"aud":"mcp",${fine}}`,
    `{${fine},"scope":"metrics","scope":"full"}`,
    `{${fine},"\\u0069d":"b"}`,
    Buffer.concat([Buffer.from(`{"id":"a`), Buffer.from([0xff]), Buffer.from(`","exp":${NOW_SECS + 60},"aud":"api"}`)]),
  ];
  for (const payload of wrong) refused(forge(payload, KEY), 'malformed');
  // The same with nothing wrong, also with blanks, escapes and colons where JSON allows them.
  assert.ok(verify(forge(`{${fine}}`, KEY)).ok);
  assert.ok(verify(forge(`{ "id" : "a\\"b\\\\:" ,\n"exp":${NOW_SECS + 60}, "aud":"api" }`, KEY)).ok);
});

test('the older s1 form and other prefixes, though signed right', () => {
  const payload = JSON.stringify({ id: 'a', exp: NOW_SECS + 60, aud: 'api' });
  for (const prefix of ['s1', 's3', 'S2', '', 's2 ', 's22']) refused(forge(payload, KEY, prefix), 'malformed');
});

test('the wrong number of parts, padding, other alphabets, other lengths', () => {
  const token = forgeClaims({}, KEY);
  const [prefix = '', payload = '', mac = ''] = token.split('.');
  const forms = [
    '',
    's2',
    's2.',
    's2..',
    `${prefix}.${payload}`,
    `${prefix}.${payload}.`,
    `${prefix}..${mac}`,
    `${token}.`,
    `${token}.${mac}`,
    `.${token}`,
    ` ${token}`,
    `${token} `,
    `${token}\n`,
    `${token}=`,
    `${prefix}.${payload}==.${mac}`,
    `${prefix}.${payload}.${mac.slice(0, -1)}`,
    `${prefix}.${payload}.${mac}A`,
    `${prefix}.${payload}.${mac.slice(0, -1)}+`,
    `${prefix}.${payload}.${Buffer.from(mac, 'base64url').toString('hex')}`,
  ];
  for (const text of forms) refused(text, 'malformed');
});

test('another spelling of the same signature bytes is another token', () => {
  const token = forgeClaims({}, KEY);
  const last = token.at(-1) ?? '';
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const bytes = Buffer.from(token.split('.')[2] ?? '', 'base64url');
  const twins = [...alphabet].filter(
    (each) => each !== last && Buffer.from((token.slice(0, -1) + each).split('.')[2] ?? '', 'base64url').equals(bytes),
  );
  assert.equal(twins.length, 3, 'base64url leaves two bits of 43 characters unused');
  for (const twin of twins) refused(token.slice(0, -1) + twin, 'bad-signature');
});

test('a payload whose base64url has bits to spare counts only in its one spelling, though signed', () => {
  const payload = `{"id":"ab","exp":${NOW_SECS + 60},"aud":"api"}`;
  assert.notEqual(Buffer.byteLength(payload) % 3, 0, 'this length leaves bits unused');
  const encoded = base64url(payload);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const twin = [...alphabet]
    .map((each) => encoded.slice(0, -1) + each)
    .find((each) => each !== encoded && Buffer.from(each, 'base64url').toString() === payload);
  assert.ok(twin);
  const key = signingKey(KEY);
  const signed = forge(payload, KEY);
  assert.ok(verifyToken(signed, [key], CHECKS).ok);
  refused(forge(Buffer.from(twin, 'base64url'), KEY).replace(encoded, twin), 'bad-signature');
});

test('a token longer than any minted one is not looked at', () => {
  const token = forgeClaims({ id: 'x'.repeat(MAX_TOKEN_CHARS) }, KEY);
  refused(token, 'malformed');
  refused(`s2.${'A'.repeat(1_000_000)}.${'A'.repeat(43)}`, 'malformed');
});
