/** What the process says of itself: its event loop is late by what somebody held it, not by the time between two looks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopDelaySec, ProcessMetrics } from '../../../../src/serve/metrics/process-metrics.ts';

const HELD_MS = 700;
const delayOf = (metrics: ProcessMetrics): number => {
  const family = metrics.families().find(({ name }) => name === 'nodejs_eventloop_delay_max_seconds');
  return family?.samples[0]?.value ?? assert.fail('no such metric');
};

test('an idle loop has no delay, and one that was held has as much as it was', async (t) => {
  assert.equal(loopDelaySec(0), 0);
  assert.ok(loopDelaySec(100.4e6) < 0.001, 'the time between two looks is none');
  const metrics = new ProcessMetrics('0.0.0');
  t.after(() => metrics.close());
  // Two looks: Node counts from the first after a scrape.
  await sleep(300);
  const end = performance.now() + HELD_MS;
  while (performance.now() < end);
  // The look was due before this ends; a scrape in front of it would have taken it for the first.
  await sleep(200);
  const delay = delayOf(metrics);
  assert.ok(delay >= (HELD_MS - 200) / 1_000, `${delay} s`);
});
