/** An unexpected error ends the piece of work that it happened in, with a line and a counter, and nothing else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Faults } from '../../../src/core/faults.ts';

test('errors and rejections are counted by place, and said once a minute for each', async () => {
  const clock = { nowMs: 0 };
  const lines: string[] = [];
  const faults = new Faults(() => clock.nowMs);
  faults.say = (line) => lines.push(line);
  faults.run('tick', () => {
    throw new Error('first');
  });
  faults.run('tick', () => Promise.reject(new Error('second')));
  faults.run('key', () => Promise.reject(new TypeError('of a key')));
  faults.run('row', () => 'no error');
  await turn();
  assert.deepEqual([faults.counts.get('tick'), faults.counts.get('key'), faults.counts.get('row')], [2, 1, 0]);
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /^fault in a tick, which is left out; please report it: Error: first at /);
  assert.match(lines[1] ?? '', /^fault in a key, .*TypeError: of a key/);
  clock.nowMs = 60_000;
  faults.note('tick', 'not even an error');
  assert.match(lines[2] ?? '', /it: not even an error$/);
});
