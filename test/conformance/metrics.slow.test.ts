/** The metrics of both servers as promtool reads them. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { ask, DEMO, startService } from './service.ts';

const promtool = spawnSync('promtool', ['--version']).error === undefined;

test('promtool finds nothing but the unit that the interface itself abbreviates', {
  skip: promtool ? false : 'promtool is not installed (package prometheus)',
}, async (t) => {
  const service = await startService(['-I', DEMO, '--metrics', '127.0.0.1:0']);
  t.after(() => service.stop());
  for (const port of [service.port, service.metricsPort ?? 0]) {
    const { status, text } = await ask(port, '/metrics');
    assert.equal(status, 200);
    const { stdout, stderr, error } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    assert.equal(error, undefined);
    const lines = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
    assert.deepEqual(lines, ['service_jitter_ms metric names should not contain abbreviated units']);
  }
});
