/**
 * Identity tokens: fresh, expired in either direction, compact, and what is no token; nothing a sender writes ends the
 * line.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptOf } from '../../../fixtures/build/calls-setup.ts';
import { parseIdentity } from '../../../src/protocols/sip/identity.ts';
import { SCAN, scanSip } from '../../../src/protocols/sip/scanner/scan.ts';
import { FRESH_SEC, freshness, stirShakenLines } from '../../../src/watch/stir-shaken.ts';

const NOW_SEC = 1_741_078_800;

function part(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

function token(claims: unknown, header: unknown = { alg: 'ES256', ppt: 'shaken', typ: 'passport' }): string {
  return `${part(header)}.${part(claims)}.${part('signature')};info=<https://example.com/c.pem>;alg=ES256;ppt=shaken`;
}

const CLAIMS = { attest: 'A', dest: { tn: ['12155551213'] }, iat: NOW_SEC, orig: { tn: '12155551212' }, origid: 'x' };

test('the claims of a token', () => {
  const read = parseIdentity(token(CLAIMS));
  assert.deepEqual(read, {
    ok: true,
    value: {
      ppt: 'shaken',
      attest: 'A',
      originator: '12155551212',
      destinations: ['12155551213'],
      issuedAtSec: NOW_SEC,
    },
  });
  const compact = parseIdentity('e30..c2ln;info=<https://example.com/c>;alg=ES256;ppt=shaken');
  assert.ok(compact.ok && compact.value.issuedAtSec === null && compact.value.ppt === 'shaken');
});

test('what is no token has a reason', () => {
  const reason = (value: string): string => {
    const read = parseIdentity(value);
    return read.ok ? 'ok' : read.reason;
  };
  for (const value of ['', 'abc', 'a.b', 'a.b.c.d', 'a b.c.d', '\u0000.a.b'])
    assert.equal(reason(value), 'not_a_token');
  for (const claims of ['[]', 'null', '{', '"x"']) assert.equal(reason(`${part('{}')}.${part(claims)}.x`), 'not_json');
  assert.equal(reason(`${'a'.repeat(9000)}.b.c`), 'too_long');
  const odd = parseIdentity(token({ iat: 'soon', orig: [], dest: { tn: 7 }, attest: 4 }));
  assert.ok(odd.ok);
  assert.deepEqual(odd.value, { ppt: 'shaken', attest: null, originator: null, destinations: [], issuedAtSec: null });
});

test('sixty seconds from the packet, before it or after it', () => {
  const at = NOW_SEC * 1e6;
  assert.equal(freshness(NOW_SEC - FRESH_SEC, at), 'NotChecked');
  assert.equal(freshness(NOW_SEC - FRESH_SEC - 1, at), 'Expired');
  assert.equal(freshness(NOW_SEC + FRESH_SEC, at), 'NotChecked');
  assert.equal(freshness(NOW_SEC + FRESH_SEC + 1, at), 'Expired');
  assert.equal(freshness(null, at), 'NotChecked');
});

function linesOf(method: string, identities: readonly string[], atUs = NOW_SEC * 1e6): string[] {
  const call = scriptOf('stir');
  const m = call.request(method, 0, { headers: identities.map((value) => ['Identity', value] as const) });
  const scan = scanSip(Buffer.from(m.bytes), 0, m.bytes.length);
  assert.equal(scan.code, SCAN.OK);
  return stirShakenLines(m.bytes, scan, atUs);
}

test('one line a token of an INVITE, none for anything else', () => {
  const [line, ...rest] = linesOf('INVITE', [token(CLAIMS)]);
  assert.deepEqual(rest, []);
  assert.equal(
    line,
    `STIR/SHAKEN NotChecked call_id="stir@calltap.example.com" ppt="shaken" attest="A" orig="12155551212" dest="12155551213" iat="${NOW_SEC}"`,
  );
  assert.match(linesOf('INVITE', [token({ ...CLAIMS, iat: NOW_SEC - 61 })])[0] ?? '', /^STIR\/SHAKEN Expired /);
  assert.equal(linesOf('INVITE', [token(CLAIMS), token(CLAIMS)]).length, 2);
  assert.deepEqual(linesOf('INVITE', []), []);
  assert.deepEqual(linesOf('OPTIONS', [token(CLAIMS)]), []);
  assert.match(linesOf('INVITE', ['nonsense'])[0] ?? '', /unreadable=not_a_token$/);
});

test('what a sender writes stays in its quotes', () => {
  const [line = ''] = linesOf('INVITE', [token({ ...CLAIMS, orig: { tn: '1"\r\nSTIR/SHAKEN \u001b[2J\u0085' } })]);
  assert.match(line, /^[\x20-\x7e]+$/);
  assert.ok(line.includes('\\"'));
});
