/** The standalone metrics server: one page, as-cased states, loopback only, a bounded end. */

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { ServiceError } from '../../../src/core/error.ts';
import { createMetricsPage } from '../../../src/metrics/registry.ts';
import type { MetricsSnapshot } from '../../../src/metrics/snapshot.ts';
import type { MetricsServer } from '../../../src/metrics/standalone.ts';
import { createMetricsServer } from '../../../src/metrics/standalone.ts';
import { metricsSnapshot } from '../../api/fake-readers.ts';
import { assertDocument } from '../../api/strict-contract.ts';

function server(read: () => MetricsSnapshot = metricsSnapshot, faults: unknown[] = []): MetricsServer {
  const page = createMetricsPage({ read, stateCase: 'as-cased', version: '1' });
  return createMetricsServer(page, { onFault: (error) => faults.push(error), credentials: null });
}

test('it serves /metrics and refuses the rest with problems', async (t) => {
  const metrics = server();
  t.after(() => metrics.close());
  const base = `http://${await metrics.listen({ host: '127.0.0.1', port: 0 })}`;
  const found = await fetch(`${base}/metrics?x=1`);
  assert.equal(found.status, 200);
  assert.match(await found.text(), /service_dialogs_total\{state="InCall"\} 1/);
  assert.equal((await fetch(`${base}/metrics`, { method: 'HEAD' })).status, 200);
  for (const [path, method, status] of [
    ['/', 'GET', 404],
    ['/v1/dialogs', 'GET', 404],
    ['/metrics', 'POST', 405],
  ] as const) {
    const response = await fetch(base + path, { method });
    assert.equal(response.status, status);
    assertDocument('Problem', await response.json());
  }
});

test('a fault while reading is a 500', async (t) => {
  const faults: unknown[] = [];
  const metrics = server(() => {
    throw new Error('secret');
  }, faults);
  t.after(() => metrics.close());
  const response = await fetch(`http://${await metrics.listen({ host: '127.0.0.1', port: 0 })}/metrics`);
  assert.equal(response.status, 500);
  const body = await response.text();
  assertDocument('Problem', JSON.parse(body));
  assert.ok(!body.includes('secret'));
  assert.equal(faults.length, 1);
});

test('it binds loopback only, and a taken port is one line', async (t) => {
  const first = server();
  t.after(() => first.close());
  const port = Number((await first.listen({ host: '127.0.0.1', port: 0 })).split(':')[1]);
  const second = server();
  t.after(() => second.close());
  await assert.rejects(second.listen({ host: '0.0.0.0', port: 0 }), (error) => {
    assert.ok(error instanceof ServiceError);
    assert.equal(error.code, 'METRICS_BIND_NOT_LOOPBACK');
    assert.match(error.message, /0\.0\.0\.0.*--metrics-auth/);
    return true;
  });
  await assert.rejects(second.listen({ host: '127.0.0.1', port }), /cannot listen \(EADDRINUSE\)/);
});

test('close ends within two seconds with a silent connection', async () => {
  const metrics = server();
  const port = Number((await metrics.listen({ host: '127.0.0.1', port: 0 })).split(':')[1]);
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  const started = performance.now();
  await metrics.close();
  assert.ok(performance.now() - started < 2000);
});
