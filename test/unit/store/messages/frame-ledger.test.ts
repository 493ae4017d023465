/** The frames of each dialog's messages: found again, given back, and counted when there is no room. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameLedger } from '../../../../src/store/messages/frame-ledger.ts';

const message = (frame: number, source = 0, parts: readonly [number, number][] = []) => ({
  source,
  frame,
  parts: parts.length === 0 ? null : parts.map(([of, ordinal]) => ({ source: of, frame: ordinal })),
});

function framesOf(ledger: FrameLedger, slot: number): string[] {
  const found: string[] = [];
  ledger.visit(slot, (source, ordinal) => found.push(`${source}:${ordinal}`));
  return found.reverse();
}

test('dialogs have their own frames, those of a message in parts too', () => {
  const ledger = new FrameLedger();
  ledger.add(5, message(10));
  ledger.add(70_000, message(2 ** 40, 3));
  ledger.add(
    5,
    message(12, 1, [
      [1, 13],
      [2, 0],
    ]),
  );
  assert.deepEqual(framesOf(ledger, 5), ['0:10', '1:12', '1:13', '2:0']);
  assert.deepEqual(framesOf(ledger, 70_000), [`3:${2 ** 40}`]);
  assert.deepEqual(framesOf(ledger, 6), []);
  assert.deepEqual(framesOf(ledger, 1_000_000), []);
});

test('a message without a frame leaves none', () => {
  const ledger = new FrameLedger();
  ledger.add(0, message(-1));
  assert.equal(ledger.size, 0);
});

test('an evicted dialog gives its room to others', () => {
  const ledger = new FrameLedger(64);
  for (const frame of [1, 2, 3, 4]) ledger.add(0, message(frame));
  ledger.add(1, message(5));
  assert.deepEqual([ledger.unkept, framesOf(ledger, 1)], [1, []]);
  ledger.forget(0);
  ledger.forget(0);
  ledger.add(0, message(6));
  ledger.add(1, message(7));
  assert.deepEqual([ledger.size, framesOf(ledger, 0), framesOf(ledger, 1)], [2, ['0:6'], ['0:7']]);
});
