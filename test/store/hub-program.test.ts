/**
 * `calltap hub` as operators run it: an agent ships a capture and serves it, the hub answers from the store and from the agent, goes
 * on while either is away, and ends by a signal.
 */
import assert from 'node:assert/strict';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { Stats } from '../../src/contract/index.ts';
import { assertRefused, finished, run, start } from '../cli/run-program.ts';
import { asJson, type Json } from '../helpers/json.ts';
import { freePort, listen, until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { skipWithoutStore, startMigratedStore, startStore } from '../helpers/store.ts';
import { call, overHttp } from '../mcp/agent-kit.ts';
import { movedToNow } from './moved-capture.ts';

const skip = skipWithoutStore();
const CALL = encodeURIComponent('packet-loss@pbx.example.com');
const LOOPBACK = '127.0.0.1:0';

type Service = { readonly child: ChildProcessWithoutNullStreams; readonly base: string };

/** Runs until the test ends; resolves when its API listens. */
async function serving(t: TestContext, args: readonly string[]): Promise<Service> {
  const child = start(args);
  t.after(() => child.kill('SIGKILL'));
  const [, base = ''] = await listen(child).said(/^api listening on (\S+)$/m);
  return { child, base };
}

async function read(base: string, path: string): Promise<Json> {
  const response = await fetch(`${base}${path}`);
  return asJson(await response.json());
}

async function bytes(base: string, path: string): Promise<Buffer> {
  const response = await fetch(`${base}${path}`);
  assert.equal(response.status, 200, `${path}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

const ADDED = new Set(['host', 'hosts', 'clocks', 'frame', 'frame_ref', 'created_at', 'uuid']);

/** Without what a hub adds, and what each answer makes anew. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, of) => (ADDED.has(key) ? undefined : of)));
}

test('a hub answers for its agent, and goes on without it and without the store', { skip }, async (t) => {
  const folder = temporaryFolder(t);
  const store = await startMigratedStore(t);
  const key = join(folder, 'key');
  writeFileSync(key, 'of-sbc1\n');
  const capture = movedToNow('fixtures/demo/demo.pcap', join(folder, 'demo.pcap'), 0.5);
  const ship = ['--ship', `${store.url}/calltap`, '--ship-spool', join(folder, 'spool'), '--ship-host', 'sbc1'];
  const agentPort = await freePort();
  const asAgent = [capture, '--api', `127.0.0.1:${agentPort}`, '--api-key-file', key, '--ask', '--retain-audio'];
  const shown = await run([capture, ...ship, '--ship-messages', 'full']);
  assert.equal(shown.code, 0, shown.stderr);
  const agent = await serving(t, asAgent);
  const own = await serving(t, [capture, '--api', LOOPBACK, '--ask', '--retain-audio']);

  const config = join(folder, 'hub.toml');
  const entry = (name: string, port: number): string =>
    `[agents.${name}]\nurl = "http://127.0.0.1:${port}"\nkey_file = "${key}"\n`;
  writeFileSync(config, entry('sbc1', agentPort) + entry('sbc2', await freePort()));
  const hub = await serving(t, [
    ...['hub', '--store', `${store.url}/calltap`, '--api', LOOPBACK, '--console', '--mcp', '--config', config],
  ]);
  const { base } = hub;
  for (const path of [`/v1/dialogs/${CALL}/report`, `/v1/dialogs/${CALL}/lint`, `/ask/calls/${CALL}/sipp`])
    assert.deepEqual(plain(await read(base, path)), plain(await read(own.base, path)), path);
  for (const path of [`/ask/calls/${CALL}/capture`, `/ask/calls/${CALL}/audio`, `/v1/dialogs/${CALL}/audio`])
    assert.equal(Buffer.compare(await bytes(base, path), await bytes(own.base, path)), 0, path);
  const named = encodeURIComponent('host:sbc1:packet-loss@pbx.example.com');
  assert.ok((await bytes(base, `/ask/calls/${named}/capture`)).length > 0);
  const stats = (await read(base, '/v1/stats')) as unknown as Stats;
  assert.deepEqual(
    stats.agents?.map(({ host, reachable, stored, missing }) => [host, reachable, stored, missing]),
    [
      ['sbc1', true, stats.dialogs.total, 0],
      ['sbc2', false, undefined, undefined],
    ],
  );
  assert.equal((await fetch(`${base}/console/`)).status, 200);
  const told = await call(await overHttp(t, base, '2026-07-28'), 'get_call', { call: 'packet-loss@pbx.example.com' });
  assert.equal(told.isRefusal, false);

  agent.child.kill('SIGKILL');
  const away = await until(
    async () => {
      const problem = await read(base, `/v1/dialogs/${CALL}/lint`);
      // Its connections may be reset first.
      return /nobody listens there/.test(JSON.stringify(problem)) && problem;
    },
    () => 'the agent is still there',
  );
  assert.equal(away['type'], 'urn:calltap:problem:agent-away');
  assert.equal(away['detail'], 'sbc1: nobody listens there; start the service, or check the address.');
  assert.deepEqual(plain(await read(base, `/v1/dialogs/${CALL}`)), plain(await read(own.base, `/v1/dialogs/${CALL}`)));

  await store.kill();
  const problem = await read(base, `/v1/dialogs/${CALL}`);
  assert.equal(problem['type'], 'urn:calltap:problem:store-away', JSON.stringify(problem));
  const trouble = await until(
    async () => (await read(base, '/v1/stats'))['store_trouble'],
    () => 'the statistics do not say it',
  );
  assert.match(JSON.stringify(trouble), /^"The store did not answer/);
  await store.start();
  const back = await until(
    async () => {
      const response = await fetch(`${base}/v1/dialogs/${CALL}`);
      return response.status === 200 && asJson(await response.json());
    },
    () => 'the store is not found again',
  );
  assert.equal(back['call_id'], 'packet-loss@pbx.example.com');

  const ended = finished(hub.child);
  hub.child.kill('SIGTERM');
  assert.deepEqual(await ended.then(({ code, signal }) => [code, signal]), [0, null]);
});

test('a store that is away, or has no tables, is one line at the start', { skip }, async (t) => {
  const nobody = `http://127.0.0.1:${await freePort()}/calltap`;
  const line = assertRefused(await run(['hub', '--store', nobody, '--api', LOOPBACK]), 1);
  assert.match(line, /^calltap: --store http:\/\/127\.0\.0\.1:\d+\/calltap: nobody listens there; start ClickHouse/);
  const { url } = await startStore(t);
  const empty = assertRefused(await run(['hub', '--store', `${url}/calltap`, '--api', LOOPBACK]), 1);
  assert.match(empty, /run calltap hub --migrate|does not know the database|refuses/);
});
