/** What the process says of itself: the longest turns of its event loop by what ran, and what it takes of the machine. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOOP_WORK, loopTurns } from '../../../../src/core/loop-turns.ts';
import { ProcessMetrics } from '../../../../src/serve/metrics/process-metrics.ts';

test('the longest turn of each kind of work is on the page, zero included', () => {
  const metrics = new ProcessMetrics('0.0.0');
  loopTurns.note('answer', 70);
  loopTurns.ended[0] = (loopTurns.ended[0] ?? 0) + 1;
  loopTurns.onTurn({ heldMs: 75, cpuMs: 60 });
  const families = metrics.families();
  const samplesOf = (name: string): unknown => families.find((family) => family.name === name)?.samples;
  const rows = (seconds: number): unknown =>
    LOOP_WORK.map((work) => ({ labels: [work], value: work === 'answer' ? seconds : 0 }));
  assert.deepEqual(samplesOf('calltap_loop_held_seconds'), rows(0.075));
  assert.deepEqual(samplesOf('calltap_loop_held_cpu_seconds'), rows(0.06));
  assert.deepEqual(samplesOf('calltap_loop_overlong_turns_total'), [{ labels: [], value: 0 }]);
});
