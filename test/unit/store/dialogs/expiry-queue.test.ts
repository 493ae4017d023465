/** Lapses come in time order, and a refreshed dialog does not lapse at its old time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Dialog } from '../../../../src/store/dialogs/dialog.ts';
import { DialogColumns } from '../../../../src/store/dialogs/dialog-columns.ts';
import { ExpiryQueue } from '../../../../src/store/dialogs/expiry-queue.ts';
import { dialogInit } from './dialog-init.ts';

function dialog(callId: string): Dialog {
  return new Dialog(dialogInit(callId, { methodId: 5, methodText: 'REGISTER' }), 0, 0, new DialogColumns(1), 0);
}

test('whatever order they are pushed in, they lapse in time order and only once', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 200 }), (times) => {
      const queue = new ExpiryQueue<Dialog>();
      times.forEach((t, i) => {
        const d = dialog(String(i));
        d.expiresUs = t;
        queue.push(d, t);
      });
      const lapsed: number[] = [];
      for (const now of [300, 700, 1000]) {
        queue.sweep(now, (_d, at) => {
          assert.ok(at <= now);
          lapsed.push(at);
        });
      }
      assert.deepEqual(
        lapsed,
        [...times].sort((a, b) => a - b),
      );
      assert.equal(queue.size, 0);
    }),
  );
});

test('a refresh moves the time; a gone dialog never lapses', () => {
  const queue = new ExpiryQueue<Dialog>();
  const refreshed = dialog('a');
  const gone = dialog('b');
  for (const d of [refreshed, gone]) {
    d.expiresUs = 100;
    queue.push(d, 100);
  }
  refreshed.expiresUs = 200;
  queue.push(refreshed, 200);
  gone.expiresUs = Number.NaN;
  const lapsed: string[] = [];
  queue.sweep(150, (d) => lapsed.push(d.callId));
  assert.equal(lapsed.length, 0);
  queue.compact();
  queue.sweep(200, (d) => lapsed.push(d.callId));
  assert.deepEqual(lapsed, ['a']);
});
