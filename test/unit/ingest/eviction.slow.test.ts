/** A million messages of strangers push out no call that was answered, and no phone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_DIALOGS } from '../../../src/config/options.ts';
import { assertAllKept, busy, CALLS, PHONES } from './busy-store.ts';
import { request, STRANGER_V4 } from './flood.ts';

test('100 answered calls and 50 phones survive a million messages of strangers', () => {
  const { kit, flood } = busy();
  for (let i = 0; i < 250_000; i++) {
    flood.send(request('OPTIONS'), i, STRANGER_V4);
    flood.send(request('INVITE'), i + 1e6, STRANGER_V4);
    flood.send(request('OPTIONS'), i + 2e6, 0x0b000000 + (i % 100_000));
    flood.send(request('INVITE'), i + 3e6, 0x0c000000 + (i % 100_000));
  }
  assertAllKept(kit, 'a million');
  assert.equal(kit.dialogs.size, MAX_DIALOGS);
  assert.equal(kit.dialogs.evicted, 1_000_000 + CALLS.length + PHONES.length - MAX_DIALOGS);
  // One of 100,001 prefixes sent half of all: it has not taken what the others have.
  const ofOne = [...kit.dialogs.oldestFirst()].filter((d) => /^x00(0|1)/.test(d.callId)).length;
  assert.ok(ofOne < MAX_DIALOGS / 2, `${ofOne} of the one source`);
});
