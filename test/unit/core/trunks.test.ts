/** What names a trunk and our own side, and what cannot. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TrunkPlace } from '../../../src/core/trunks.ts';
import { MAX_TRUNKS, readLocal, readTrunkPlace, Trunks, trunksOf } from '../../../src/core/trunks.ts';

function place(text: string, name: string): TrunkPlace {
  const read = readTrunkPlace(text, name);
  assert.ok(read.ok, read.ok ? '' : read.reason);
  return read.value;
}

function trunks(...places: readonly (readonly [string, string])[]): Trunks {
  const local = readLocal('192.0.2.0/28');
  assert.ok(local.ok);
  return new Trunks(
    places.map(([text, name]) => place(text, name)),
    [local.value],
  );
}

test('a trunk has addresses, networks and domains; the nearest network and domain win', () => {
  const t = trunks(
    ['203.0.113.7', 'acme'],
    ['203.0.113.0/24', 'wide'],
    ['2001:db8::/32', 'six'],
    ['carrier.example', 'acme'],
    ['eu.carrier.example', 'europe'],
  );
  assert.deepEqual(t.names, ['acme', 'wide', 'six', 'europe']);
  assert.equal(t.of('203.0.113.7'), 'acme');
  assert.equal(t.of('203.0.113.8'), 'wide');
  assert.equal(t.of('2001:db8::1'), 'six');
  assert.equal(t.of('198.51.100.1'), null);
  assert.equal(t.ofDomain('sip.carrier.EXAMPLE'), 'acme');
  assert.equal(t.ofDomain('sbc.eu.carrier.example'), 'europe');
  assert.equal(t.ofDomain('notcarrier.example'), null);
  assert.equal(t.ofDomain(''), null);
  assert.equal(t.ofDomain(`${'a.'.repeat(500)}carrier.example`), null);
});

test('our own side is what is named so', () => {
  const t = trunks();
  assert.ok(t.isLocal('192.0.2.3'));
  assert.ok(!t.isLocal('192.0.2.16'));
  assert.ok(!t.isLocal('2001:db8::1'));
  assert.ok(!t.isLocal('carrier.example'));
});

test('what cannot be a trunk says why', () => {
  const reason = (text: string, name: string): string => {
    const read = readTrunkPlace(text, name);
    return read.ok ? '' : read.reason;
  };
  assert.match(reason('203.0.113.7', 'other'), /no trunk can be called other/);
  assert.match(reason('203.0.113.7', ''), /the name is missing/);
  assert.match(reason('carrier.example', '\u001b[2J'), /a name has at most/);
  assert.match(reason('203.0.113.7/99', 'acme'), /is not an address, a network or a domain/);
  assert.match(reason('a b', 'acme'), /is not an address, a network or a domain/);
  const many = Array.from({ length: MAX_TRUNKS + 1 }, (_, i) => place('203.0.113.7', `t${i}`));
  const read = trunksOf(many, []);
  assert.match(read.ok ? '' : read.reason, /more than 200 trunks/);
});
