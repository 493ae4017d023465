/** `calltap mcp` and a service with `--mcp` as programs: how they end, what they say, and what they write to the log. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createApiCredentials } from '../../src/serve/auth/api-credentials.ts';
import { startApi } from '../api/running-api.ts';
import { assertRefused, DEMO, finished, PROGRAM, run, start } from '../cli/run-program.ts';
import { hostileCapture, STEERING } from '../helpers/hostile-calls.ts';
import { openSession } from '../helpers/open-session.ts';
import { listen } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { call, overHttp } from './agent-kit.ts';

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
});

test('it ends with its standard input, whatever that is', async (t) => {
  const file = join(temporaryFolder(t), 'requests');
  writeFileSync(file, `${INITIALIZE}\n`);
  const session = openSession(['-I', DEMO, '--api', '127.0.0.1:0', '--ask']);
  t.after(() => session.close());
  await session.read([DEMO], () => undefined);
  const { base } = await startApi(t, { readers: session.explorer, ask: { log: () => undefined } });
  const args = [[DEMO], ['--connect', base]] as const;
  for (const source of args)
    for (const path of [file, '/dev/null']) {
      const input = openSync(path, 'r');
      const child = spawn(process.execPath, [PROGRAM, 'mcp', ...source], { stdio: [input, 'ignore', 'pipe'] });
      closeSync(input);
      const errors: Buffer[] = [];
      child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk));
      const [code]: unknown[] = await once(child, 'close');
      assert.deepEqual([code, Buffer.concat(errors).toString()], [0, ''], `${source.join(' ')} < ${path}`);
    }
  const piped = await run(['mcp', DEMO], Buffer.from(`${INITIALIZE}\n`));
  assert.deepEqual([piped.code, piped.stderr], [0, '']);
});

test('a service that cannot be asked is one line and exit code 1', async (t) => {
  const { base } = await startApi(t, { ask: { log: () => undefined } });
  const { base: silent } = await startApi(t);
  const credentials = createApiCredentials({ apiKey: 'right-key', signingKeys: [], isRevoked: () => false });
  assert.ok(credentials !== null);
  const { base: locked } = await startApi(t, { credentials, ask: { log: () => undefined } });
  const wrong = join(temporaryFolder(t), 'key');
  writeFileSync(wrong, 'wrong-key\n');
  const refused = async (url: string, ...more: string[]): Promise<string> =>
    assertRefused(await run(['mcp', '--connect', url, ...more]), 1);
  assert.match(await refused(`${base}/mcp`), /it serves nothing below \/mcp; leave the path out/);
  assert.match(await refused(silent), /it does not serve \/ask; add "ask = true"/);
  assert.match(await refused(locked), /it asks for a key; set SERVICE_API_KEY/);
  assert.match(
    await refused(locked, '--api-key-file', wrong),
    /it refuses the key .*; give its key in SERVICE_API_KEY,/,
  );
  assert.match(await refused('http://127.0.0.1:1'), /nobody listens there; start the service/);
});

test('what the log says of a call cannot steer a terminal', async (t) => {
  const { path, texts } = hostileCapture(temporaryFolder(t));
  const child = start([path, '--api', '127.0.0.1:0', '--mcp']);
  t.after(() => child.kill('SIGKILL'));
  const done = finished(child);
  const [, base = ''] = await listen(child).said(/api listening on (\S+)\n/);
  const client = await overHttp(t, base, '2025-11-25');
  const read = [];
  for (const text of texts)
    if (!(await call(client, 'call_messages', { call: `id:${text}` })).isRefusal) read.push(text);
  assert.ok(read.some((text) => STEERING.test(text)));
  child.kill('SIGTERM');
  const { stderr } = await done;
  assert.equal(stderr.match(/^calltap: loopback read messages of "/gm)?.length, read.length);
  assert.doesNotMatch(stderr, STEERING);
});
