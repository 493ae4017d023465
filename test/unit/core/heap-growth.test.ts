/** How far the heap may grow between two collections: by a quarter when idle, by as many bytes under load whatever its size. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { growthPercent } from '../../../src/core/heap-growth.ts';

const MIB = 1024 * 1024;
const STEER = pathToFileURL(new URL('../../../src/core/heap-growth.js', import.meta.url).pathname).href;

/** Keeps 200,000 objects, replaces the oldest and gives way now and then; prints how often all that lives was marked. */
function program(first: string): string {
  return `
    import { PerformanceObserver, constants } from 'node:perf_hooks';
    import { setFlagsFromString } from 'node:v8';
    ${first}
    let marked = 0;
    new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) marked++;
    }).observe({ entryTypes: ['gc'] });
    const kept = new Array(200_000).fill(null);
    for (let i = 0; i < 6_000_000; i++) {
      kept[i % kept.length] = { id: 'call-' + i, parts: [i, i + 1, i + 2] };
      if (i % 50_000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.stdout.write(String(marked));
  `;
}

function marks(first: string): number {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program(first)], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return Number(stdout);
}

test('an idle heap grows by a quarter, a busy one by 96 MiB and no less than a quarter', () => {
  assert.equal(growthPercent(40 * MIB, false), 25);
  assert.equal(growthPercent(48 * MIB, true), 200);
  assert.equal(growthPercent(384 * MIB, true), 25);
  assert.equal(growthPercent(900 * MIB, true), 25);
});

test('a small heap grows at most fivefold', () => {
  assert.equal(growthPercent(MIB, true), 400);
  assert.equal(growthPercent(0, true), 400);
});

test('a busy program marks what lives at most half as often', () => {
  const quarter = marks("setFlagsFromString('--heap-growing-percent=25');");
  const steered = marks(`(await import(${JSON.stringify(STEER)})).steerHeapGrowth();`);
  assert.ok(steered > 0 && steered * 2 <= quarter, `${steered} of ${quarter}`);
});
