/** When a receiver is said to miss what is sent, and when it is well: datagrams that go out prove nothing alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SendingTrouble } from '../../../../src/actions/hep-out/hep-out.ts';

test('one line at the first failure, one when a datagram was followed by five quiet seconds', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const told: (string | null)[] = [];
  const trouble = new SendingTrouble((reason) => told.push(reason));
  trouble.sent();
  t.mock.timers.tick(60_000);
  assert.deepEqual(told, []);
  // A dead collector and a message every ten seconds: each goes out, and is refused a moment later.
  for (let i = 0; i < 5; i++) {
    trouble.sent();
    t.mock.timers.tick(10);
    trouble.failed('refused');
    t.mock.timers.tick(9_990);
  }
  assert.deepEqual(told, ['refused']);
  trouble.sent();
  t.mock.timers.tick(4_999);
  assert.deepEqual(told, ['refused']);
  trouble.sent();
  t.mock.timers.tick(1);
  assert.deepEqual(told, ['refused', null]);
  trouble.failed('unreachable');
  trouble.sent();
  trouble.close();
  t.mock.timers.tick(60_000);
  assert.deepEqual(told, ['refused', null, 'unreachable']);
});
