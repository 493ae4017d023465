/** Refused HEP packets by reason and sender, in bounded memory. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HepRefusals } from '../../../../src/sources/hep/refusals.ts';

it('refusals have a reason and a sender', () => {
  const refusals = new HepRefusals();
  const a = Uint8Array.of(9, 9, 192, 0, 2, 1);
  for (let i = 0; i < 3; i++) refusals.count('auth_failed', a, 2, 4);
  refusals.count('truncated', a, 2, 4);
  refusals.count('truncated', new Uint8Array(16), 0, 6);
  assert.equal(refusals.total, 5);
  assert.equal(refusals.get('truncated'), 2);
  assert.equal(refusals.get('not_hep'), 0);
  assert.deepEqual(refusals.top(9), [
    { sender: '192.0.2.1', total: 4, reasons: { auth_failed: 3, truncated: 1 } },
    { sender: '::', total: 1, reasons: { truncated: 1 } },
  ]);
  assert.equal(refusals.top(1).length, 1);
});

it('senders beyond the table count by reason alone', () => {
  const refusals = new HepRefusals();
  for (let i = 0; i < 1_000; i++) refusals.count('not_hep', Uint8Array.of(10, 0, i >> 8, i & 255), 0, 4);
  assert.equal(refusals.total, 1_000);
  assert.equal(refusals.top(9_999).length + refusals.untracked, 1_000);
  assert.ok(refusals.top(9_999).length <= 256);
});
