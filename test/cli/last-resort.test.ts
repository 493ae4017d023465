/** An error that nothing caught: the file of -O is whole, what was asked for is printed, and the program ends with 1. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ask, DEMO, ROOT } from '../conformance/service.ts';
import { optionsPacket } from '../helpers/hep-service.ts';
import { until, untilHolds } from '../helpers/patience.ts';
import { PROGRAM } from './run-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'calltap-crash-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Errors a moment after the file was read: by a timer, by a promise that nobody awaits, one after another. */
const SABOTAGE = `
  process.on('SIGUSR2', () => {
    setImmediate(() => { throw new RangeError('sabotage'); });
    Promise.reject(new Error('and another'));
  });
`;
const sabotaged = (...args: readonly string[]): string[] => [
  '--import',
  `data:text/javascript,${encodeURIComponent(SABOTAGE)}`,
  PROGRAM,
  ...args,
];

test('a server prints what was asked for, closes -O and ends with 1', async () => {
  const output = join(folder, 'kept.pcapng');
  const child = spawn(process.execPath, sabotaged('-I', DEMO, '--api', '127.0.0.1:0', '--stats-json', '-O', output), {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
    // Statistics are printed once the file is read: nothing is printed a second time.
    if (out.endsWith('}\n')) child.kill('SIGUSR2');
  });
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  assert.equal(code, 1, err);
  assert.equal(out.match(/"capture_packets"|"schema_version"/g)?.length ?? 0, 1, out);
  assert.match(err, /calltap: an unexpected error ends the program; please report it:\n\S*Error: /);
  assert.equal(err.match(/unexpected error/g)?.length, 1, err);
  const again = spawnSync(process.execPath, [PROGRAM, '-I', output], { cwd: ROOT, encoding: 'utf8' });
  const first = spawnSync(process.execPath, [PROGRAM, '-I', DEMO], { cwd: ROOT, encoding: 'utf8' });
  assert.equal(again.status, 0, again.stderr);
  assert.equal(again.stdout, first.stdout);
});

test('a live capture prints the calls that it has seen', async () => {
  const child = spawn(process.execPath, sabotaged('-L', '127.0.0.1:0', '-E', '--api', '127.0.0.1:0', '--json'), {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const closed = once(child, 'close');
  const portOf = (words: RegExp): number => Number(words.exec(err)?.[1] ?? 0);
  const hep = (): number => portOf(/hep listening on udp:\/\/127\.0\.0\.1:(\d+)/);
  const api = (): number => portOf(/http:\/\/127\.0\.0\.1:(\d+)/);
  await untilHolds(() => hep() > 0 && api() > 0);
  const socket = createSocket('udp4');
  socket.send(optionsPacket('seen-before-the-end'), hep(), '127.0.0.1');
  await until(
    async () => (await ask(api(), '/v1/dialogs')).text.includes('seen-before-the-end'),
    () => 'no call',
  );
  socket.close();
  child.kill('SIGUSR2');
  const [code] = (await closed) as [number | null];
  assert.equal(code, 1, err);
  assert.match(err, /unexpected error ends the program/);
  assert.match(out, /seen-before-the-end/);
});
