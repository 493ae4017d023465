/** The Authorization header: RFC 9110 form, one scheme a listener, one field a request; Basic as RFC 7617 has it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBasicCredentials, readAuthorization } from '../../../../src/serve/auth/authorization.ts';

test('the scheme is matched without regard to case (RFC 9110 §11.1), the credentials as they are', () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
    assert.deepEqual(readAuthorization([`${scheme} AbC.d-e_f`], 'bearer'), { ok: true, value: 'AbC.d-e_f' });
  }
  assert.deepEqual(readAuthorization(['Bearer   x'], 'bearer'), { ok: true, value: 'x' }, '1*SP');
});

test('everything else is a reason', () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [[], 'missing'],
    [['Bearer a', 'Bearer a'], 'malformed'],
    [['Bearer'], 'malformed'],
    [['Bearer '], 'malformed'],
    [['Bearer a b'], 'malformed'],
    [['Bearer\ta'], 'malformed'],
    [['Bearer a\u00e4'], 'malformed'],
    [['Bearer a,Bearer b c'], 'malformed'],
    [[''], 'other-scheme'],
    [['a'], 'other-scheme'],
    [['Basic YTpi'], 'other-scheme'],
    [['Token a'], 'other-scheme'],
    [['Bearers a'], 'other-scheme'],
    [[' Bearer a'], 'other-scheme'],
  ];
  for (const [values, reason] of cases) {
    assert.deepEqual(readAuthorization(values, 'bearer'), { ok: false, reason }, JSON.stringify(values));
  }
});

const basic = (text: string): readonly string[] => [`Basic ${Buffer.from(text).toString('base64')}`];

test('Basic: user and password, the password with colons and UTF-8', () => {
  assert.ok(createBasicCredentials('prom:secret').accepts(basic('prom:secret')));
  assert.ok(createBasicCredentials('prom:se:cr:et').accepts(basic('prom:se:cr:et')));
  assert.ok(createBasicCredentials('prom:gehäuse').accepts(basic('prom:gehäuse')));
  assert.ok(createBasicCredentials('a:b').accepts(['bAsIc YTpi']));
});

test('Basic: everything else is refused', () => {
  const credentials = createBasicCredentials('prom:secret');
  const encoded = Buffer.from('prom:secret').toString('base64');
  const wrong: readonly (readonly string[])[] = [
    [],
    basic('prom:secre'),
    basic('prom:secrets'),
    basic('prom:'),
    basic(':secret'),
    basic('prom'),
    basic('PROM:secret'),
    basic(''),
    ['Bearer prom:secret'],
    ['Basic prom:secret'],
    ['Basic'],
    [`Basic ${encoded}`, `Basic ${encoded}`],
    [`Basic ${encoded.replaceAll('=', '')}`],
    [`Basic ${encoded}=`],
    [`Basic ${encoded.slice(0, 4)}!${encoded.slice(4)}`],
  ];
  assert.ok(encoded.endsWith('='));
  for (const fields of wrong) assert.equal(credentials.accepts(fields), false, JSON.stringify(fields));
});
