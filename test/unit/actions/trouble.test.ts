/** Troubles are told once as each begins and once when none is left; waits double, with chance in them, up to a most. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backOffMs, OnceTold, troubleOf } from '../../../src/actions/trouble.ts';

test('each trouble is told once as it begins, and the end once when none is left', () => {
  const said: (string | null)[] = [];
  const troubles = new OnceTold((reason) => said.push(reason));
  troubles.tell(null);
  troubles.tell('away', 'store');
  troubles.tell('still away', 'store');
  troubles.tell('full', 'disk');
  troubles.tell(null, 'store');
  troubles.tell(null, 'store');
  assert.deepEqual(said, ['away', 'full']);
  troubles.tell('away again', 'store');
  troubles.tell(null, 'disk');
  troubles.tell(null, 'store');
  assert.deepEqual(said, ['away', 'full', 'away again', null]);
});

test('waits double from the first to the last, and none is shorter than half of its time', () => {
  for (const [tries, mostMs] of [
    [0, 2_000],
    [1, 4_000],
    [4, 32_000],
    [5, 60_000],
    [1_000_000, 60_000],
  ] as const) {
    const waits = Array.from({ length: 200 }, () => backOffMs(tries, 2_000, 60_000));
    assert.ok(waits.every((ms) => ms >= mostMs / 2 && ms <= mostMs));
    assert.ok(new Set(waits).size > 1);
  }
});

test('a certificate that nobody trusts is said with the option that helps', () => {
  assert.match(troubleOf('SELF_SIGNED_CERT_IN_CHAIN', '--ship-ca'), /^nobody whom --ship-ca names/);
  assert.equal(troubleOf('ECONNREFUSED', '--ship-ca'), 'nobody listens there');
  assert.equal(troubleOf('EHOSTUNREACH', '--ship-ca'), 'it cannot be reached (EHOSTUNREACH)');
});
