/** What a row of the store says is wrong with its call: whoever may insert rows writes it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explanationIn } from '../../../../src/explore/clickhouse/stored-document.ts';

const FINDING = { finding: 'note', ground: 'seen', depth: 0, texts: ['x'] };
const read = (explanation: unknown, hints: string[] = []) =>
  explanationIn({ explanation: explanation === '' ? '' : JSON.stringify(explanation), hints });

test('an explanation of the contract is shown as it is, and what the contract does not name is left out', () => {
  assert.deepEqual(read([FINDING]), [FINDING]);
  assert.deepEqual(read([{ ...FINDING, look: 'evil', more: 1 }]), [FINDING]);
});

test('a hostile one is cut to what a page shows, or not read', () => {
  assert.equal(read(Array.from({ length: 5_000 }, () => FINDING)).length, 64);
  const [one] = read([{ ...FINDING, texts: Array(9_000).fill('y'.repeat(50)), messages: Array(9_000).fill(1) }]);
  assert.deepEqual([one?.texts.length, one?.messages?.length], [256, 500]);
  assert.equal(read([{ ...FINDING, texts: ['z'.repeat(90_000)] }])[0]?.texts[0]?.length, 2_048);
  assert.deepEqual(read([{ ...FINDING, texts: ['z'.repeat(2_000_000)] }]), []);
  assert.deepEqual(read([{ ...FINDING, depth: 1e300 }]), []);
  assert.equal(read('', Array(9_000).fill('x'))[0]?.texts.length, 256);
});
