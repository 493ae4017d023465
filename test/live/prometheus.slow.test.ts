/** A real Prometheus scrapes both metrics pages: the API's with a bearer token, the standalone one with HTTP Basic. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../cli/run-program.ts';
import { DEMO, startService } from '../conformance/service.ts';
import { asJson, asRows } from '../helpers/json.ts';
import { freePort } from '../helpers/patience.ts';

const isInstalled = spawnSync('prometheus', ['--version']).error === undefined;

test('a Prometheus scrapes the API with a metrics token and the standalone server with Basic', {
  skip: isInstalled ? false : 'prometheus is not installed (package prometheus)',
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const keyFile = file('key', 'the signing key of this test\n');
  const token = await minted(['--api-signing-key-file', keyFile, '--token-scope', 'metrics']);
  const tokenFile = file('token', token);
  const basicFile = file('basic', 'prom:se:cret\n');
  const passwordFile = file('password', 'se:cret');
  const service = await startService(
    ['-I', DEMO, '--api-signing-key-file', keyFile, '--metrics', '127.0.0.1:0', '--metrics-auth-file', basicFile],
    { untilRead: false },
  );
  const port = await freePort();
  const config = file(
    'prometheus.yml',
    `global:
  scrape_interval: 1s
  scrape_timeout: 1s
scrape_configs:
  - job_name: api
    authorization: { type: Bearer, credentials_file: ${tokenFile} }
    static_configs: [{ targets: ['127.0.0.1:${service.port}'] }]
  - job_name: standalone
    basic_auth: { username: prom, password_file: ${passwordFile} }
    static_configs: [{ targets: ['127.0.0.1:${service.metricsPort}'] }]
  - job_name: stranger
    static_configs: [{ targets: ['127.0.0.1:${service.metricsPort}'] }]
`,
  );
  const prometheus = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let errors = '';
  prometheus.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
  });
  t.after(async () => {
    const ended = new Promise((resolve) => prometheus.once('exit', resolve));
    prometheus.kill('SIGKILL');
    await ended;
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Values of an instant query, by the job of their series. */
  async function query(expression: string): Promise<Map<string, number>> {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`);
      const data = asJson(asJson(await answer.json())['data']);
      return new Map(
        asRows(data['result']).map(({ metric, value }) => {
          const [, text] = Array.isArray(value) ? value : [];
          return [String(asJson(metric)['job']), Number(text)] as const;
        }),
      );
    } catch {
      return new Map();
    }
  }

  const deadline = performance.now() + 60_000;
  let up = await query('up');
  while (up.get('api') !== 1 || up.get('standalone') !== 1 || up.get('stranger') !== 0) {
    assert.ok(performance.now() < deadline, `targets: ${JSON.stringify([...up])} ${errors}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
    up = await query('up');
  }
  // Each of the two is scraped at its own time.
  for (const [expression, value] of [
    ['service_capture_packets_total', 9638],
    ['service_dialogs_total{state=~"completed|Completed"}', 15],
  ] as const) {
    let found = await query(expression);
    while (found.get('api') !== value || found.get('standalone') !== value) {
      assert.ok(performance.now() < deadline, `${expression}: ${JSON.stringify([...found])}, not ${value}`);
      await new Promise((resolve) => setTimeout(resolve, 250));
      found = await query(expression);
    }
  }
  const quantile = await query('histogram_quantile(0.5, service_mos_bucket)');
  assert.ok((quantile.get('api') ?? 0) > 4 && (quantile.get('api') ?? 0) <= 4.5);
});

/** The token alone; its id goes to standard error. */
async function minted(args: readonly string[]): Promise<string> {
  const { stdout, code } = await run(['--mint-token', ...args]);
  assert.equal(code, 0);
  return stdout.trim();
}
