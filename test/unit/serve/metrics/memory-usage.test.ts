/** A system that does not say how much memory is resident ends nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guardMemoryUsage } from '../../../../src/serve/metrics/memory-usage.ts';

test('memory is told as far as it is known, and what cannot be asked is 0', (t) => {
  const { memoryUsage } = process;
  t.after(() => {
    process.memoryUsage = memoryUsage;
  });
  guardMemoryUsage();
  assert.ok(process.memoryUsage().rss > 0);
  assert.ok(process.memoryUsage.rss() > 0);
  // As without /proc.
  const fail = (): never => {
    throw new Error('ENOENT: no such file or directory, uv_resident_set_memory');
  };
  process.memoryUsage = Object.assign(fail, { rss: fail });
  guardMemoryUsage();
  const { rss, heapUsed, heapTotal } = process.memoryUsage();
  assert.equal(rss, 0);
  assert.equal(process.memoryUsage.rss(), 0);
  assert.ok(heapUsed > 0 && heapUsed <= heapTotal);
});
