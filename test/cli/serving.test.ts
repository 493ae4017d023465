/** Serving: the address is told on standard error, requests are answered, and a signal ends it within two seconds. */
import assert from 'node:assert/strict';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { asJson } from '../helpers/json.ts';
import { answered, listen, SOON_MS, until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { assertRefused, DEMO, finished, printed, type Run, start } from './run-program.ts';

type Server = { readonly child: ChildProcessWithoutNullStreams; readonly done: Promise<Run>; readonly base: string };

/** Waits for the line that names the address; fails with what was said instead. */
async function serving(args: readonly string[], label = 'api'): Promise<Server> {
  const child = start(args);
  const done = finished(child);
  const line = new RegExp(`^${label} listening on (http://127\\.0\\.0\\.1:[1-9]\\d*)\n`, 'm');
  const [, base = ''] = await listen(child).said(line);
  return { child, done, base };
}

async function stop(server: Server, signal: NodeJS.Signals): Promise<Run> {
  const begin = performance.now();
  server.child.kill(signal);
  const r = await server.done;
  const took = performance.now() - begin;
  assert.equal(r.signal, null, 'it ends by itself');
  assert.equal(r.code, 0, r.stderr);
  assert.ok(took < SOON_MS, `stopped after ${Math.round(took)} ms`);
  return r;
}

async function stats(base: string): Promise<ReturnType<typeof asJson>> {
  return asJson(await (await answered(`${base}/v1/stats`)).json());
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`--api with port 0 serves the capture until ${signal}`, async () => {
    const server = await serving(['-I', DEMO, '--api', '127.0.0.1:0']);
    await until(
      async () => (await stats(server.base))['source_exhausted'] === true,
      () => 'it is not read to the end',
    );
    assert.equal(asJson((await stats(server.base))['dialogs'])['total'], 21);
    assert.equal(await (await answered(`${server.base}/health`)).text(), 'ok');
    const r = await stop(server, signal);
    assert.equal(r.stdout, '');
    assert.match(r.stderr, /^api listening on http:\/\/127\.0\.0\.1:\d+\n$/);
  });
}

test('what an option prints is printed once all is read, and serving goes on', async () => {
  const args = ['-I', DEMO, '--api', '127.0.0.1:0'];
  const offline = await printed(['-I', DEMO, '--json']);
  const server = await serving([...args, '--json']);
  let lines = 0;
  server.child.stdout.on('data', (chunk: Buffer) => {
    lines += chunk.toString('latin1').split('\n').length - 1;
  });
  await until(
    () => lines === 21,
    () => `${lines} lines are printed`,
  );
  assert.equal(await (await answered(`${server.base}/health`)).text(), 'ok');
  const r = await stop(server, 'SIGTERM');
  assert.equal(r.stdout, offline);
  const unknown = start([...args, '--call-report', 'nobody@example.com']);
  const ended = await finished(unknown);
  assert.equal(ended.code, 1);
  assert.match(
    ended.stderr,
    /calltap: --call-report nobody@example\.com: .*the capture has no such call; run without --call-report to list the calls\n$/,
  );
});

test('SIGUSR1 opens no debugger and ends nothing', async () => {
  const server = await serving(['-I', DEMO, '--api', '127.0.0.1:0']);
  server.child.kill('SIGUSR1');
  await wait(300);
  assert.equal(await (await answered(`${server.base}/health`)).text(), 'ok');
  assert.doesNotMatch((await stop(server, 'SIGTERM')).stderr, /debugger/i);
});

test('a client that holds its connection does not hold the end', async () => {
  const server = await serving(['-I', DEMO, '--api', '127.0.0.1:0']);
  const { port, hostname } = new URL(server.base);
  const idle = connect({ port: Number(port), host: hostname });
  idle.on('error', () => undefined);
  await once(idle, 'connect');
  idle.write('GET /v1/stats HTTP/1.1\r\nHost: 127.0.0.1\r\n');
  await stop(server, 'SIGTERM');
  idle.destroy();
});

test('what comes through a pipe is served while it comes, and a silent pipe does not hold the end', async () => {
  const capture = readFileSync(DEMO);
  const server = await serving(['-I', '-', '--api', '127.0.0.1:0']);
  assert.equal(asJson((await stats(server.base))['dialogs'])['total'], 0);
  server.child.stdin.write(capture.subarray(0, 3000));
  await until(
    async () => Number(asJson((await stats(server.base))['dialogs'])['total']) > 0,
    () => 'no dialog is there',
  );
  assert.equal((await stats(server.base))['source_exhausted'], false);
  const r = await stop(server, 'SIGTERM');
  assert.match(r.stderr, /^api listening on [^\n]+\n$/, 'the stop itself is no fault of the capture');
});

test('a second file is not begun once a signal came', async () => {
  const server = await serving(['-I', '-', '-I', DEMO, '--api', '127.0.0.1:0']);
  const r = await stop(server, 'SIGTERM');
  assert.match(r.stderr, /^api listening on [^\n]+\n$/);
});

test('--metrics serves the metrics alone', async () => {
  const server = await serving(['-I', DEMO, '--metrics', '127.0.0.1:0'], 'metrics');
  const page = await (await answered(`${server.base}/metrics`)).text();
  assert.match(page, /^# TYPE service_dialogs_total counter$/m);
  await stop(server, 'SIGTERM');
});

test('api listening is the last line of a start, and every refusal comes before a listener is told of', async (t) => {
  const taken = createServer();
  await once(taken.listen(0, '127.0.0.1'), 'listening');
  t.after(() => taken.close());
  const inUse = `127.0.0.1:${(taken.address() as AddressInfo).port}`;
  const listeners = ['--api', '127.0.0.1:0', '--metrics', '127.0.0.1:0'];
  const live = ['-L', '127.0.0.1:0', '-E'];
  const noCapture = join(temporaryFolder(t), 'none.pcap');
  writeFileSync(noCapture, 'no capture at all, but long enough to have the header of one');
  const refusals: readonly (readonly [readonly string[], RegExp])[] = [
    [['-I', DEMO, '--api', '127.0.0.1:0', '--metrics', inUse], /--metrics .*EADDRINUSE/],
    [['-I', DEMO, '--api', inUse, '--metrics', '127.0.0.1:0'], /--api .*EADDRINUSE/],
    [['-I', DEMO, ...listeners, '-O', '/nonexistent/x'], /-O \/nonexistent\/x: /],
    [['-I', DEMO, ...listeners, '-O', DEMO], /-O /],
    [['-I', DEMO, '-I', '/nonexistent/y', ...listeners], /\/nonexistent\/y: there is no such file/],
    [['-I', noCapture, ...listeners], /none\.pcap: it is not a pcap/],
    [['-I', DEMO, ...listeners, '--lint-suppress', 'no-such-rule'], /--lint-suppress/],
    [['-L', inUse, '-E', ...listeners], /-L tcp:.*in use/],
    [[...live, ...listeners, '-O', '/nonexistent/x'], /-O \/nonexistent\/x: /],
    [[...live, ...listeners, '--user', 'no-such-user'], /--user no-such-user: /],
  ];
  for (const [args, why] of refusals) {
    const child = start(args);
    child.stdin.end();
    const { code, stdout, stderr } = await finished(child);
    assert.ok(code === 1 || code === 2, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, /^calltap: [^\n]+\n$/, 'one line');
    assert.match(stderr, why);
  }
  const output = join(temporaryFolder(t), 'out.pcap');
  const server = await serving([...live, ...listeners, '-O', output]);
  const { stderr } = await stop(server, 'SIGTERM');
  const [before = '', after = ''] = stderr.split(/^api listening on .*\n/m);
  assert.match(before, /^running as .*\n(?:hep .*\n)+metrics listening on .*\n$/);
  assert.doesNotMatch(after, /listening|running/);
});

test('an address in use, or a capture that cannot be read, ends the start', async () => {
  const server = await serving(['-I', DEMO, '--api', '127.0.0.1:0']);
  const taken = start(['-I', DEMO, '--api', new URL(server.base).host]);
  taken.stdin.end();
  assert.match(assertRefused(await finished(taken), 1), /cannot listen \(EADDRINUSE\)/);
  await stop(server, 'SIGTERM');
  const missing = start(['-I', '/nonexistent/x.pcap', '--api', '127.0.0.1:0']);
  missing.stdin.end();
  const r = await finished(missing);
  assert.equal(r.code, 1);
  assert.match(r.stderr, /^calltap: \/nonexistent\/x\.pcap: there is no such file; check the path\n$/m);
});
