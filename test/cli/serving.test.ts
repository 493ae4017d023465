/** Serving: the address is told on standard error, requests are answered, and a signal ends it within two seconds. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { asJson } from '../helpers/json.ts';
import { answered, until } from '../helpers/patience.ts';
import { assertRefused, DEMO, finished, printed, start } from './run-program.ts';
import { serving, stop } from './served-program.ts';

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
