/** A service outlives whoever reads its outputs: a log daemon that was started anew, a full disk under a log. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { answered, listen, until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { attackCapture, Recorder } from '../helpers/recorder.ts';
import { PROGRAM } from './run-program.ts';

const STARTED = /api listening on (\S+)\n/;

/** Alerts of an attack come while the service is asked. */
function attackFile(t: TestContext): string {
  const file = join(temporaryFolder(t), 'attack.pcap');
  writeFileSync(file, attackCapture());
  return file;
}

/** Serves the attack; `stdout` is a descriptor or a pipe. Standard input holds the capture back until it is closed. */
function serve(t: TestContext, file: string, stdout: 'pipe' | number, stderr: 'pipe' | number = 'pipe') {
  const args = [PROGRAM, '-I', '-', '-I', file, '--fail2ban', '--api', '127.0.0.1:0'];
  const child = spawn(process.execPath, args, { stdio: ['pipe', stdout, stderr], env: {} });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** The smallest capture: a pcap header alone. */
const EMPTY = Uint8Array.from('d4c3b2a1020004000000000000000000ffff000001000000'.match(/../g) ?? [], (x) =>
  Number.parseInt(x, 16),
);

async function sample(url: string, pattern: RegExp): Promise<number> {
  const page = await (await answered(`${url}/metrics`)).text();
  return Number(pattern.exec(page)?.[1] ?? 0);
}

const LOST = /^calltap_security_lines_total\{event="lost"\} (\d+)$/m;
const WRITTEN = /^calltap_security_lines_total\{event="written"\} (\d+)$/m;
const ALERTS = /^calltap_security_alerts_total\{type="scanner"\} (\d+)$/m;

async function alerts(url: string): Promise<void> {
  await until(
    async () => (await sample(url, ALERTS)) > 5,
    () => 'no alerts',
  );
}

test('lines for fail2ban that nobody takes are counted and said once, and serving goes on', {
  skip: existsSync('/dev/full') ? false : 'no /dev/full',
}, async (t) => {
  const full = openSync('/dev/full', 'w');
  const child = serve(t, attackFile(t), full);
  closeSync(full);
  const stderr = listen(child);
  child.stdin?.end(EMPTY);
  const [, url = ''] = await stderr.said(STARTED);
  await alerts(url);
  assert.ok((await sample(url, LOST)) > 5);
  assert.equal(await sample(url, WRITTEN), 0);
  await stderr.said(/standard output.*\n/);
  const told = stderr
    .text()
    .split('\n')
    .filter((line) => line.includes('standard output'));
  assert.deepEqual(told, ['calltap: standard output: cannot write (ENOSPC); counting lost lines']);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('readers of both outputs go away', async (t) => {
  const child = serve(t, attackFile(t), 'pipe');
  const { stdin, stdout, stderr } = child;
  assert.ok(stdin !== null && stdout !== null && stderr !== null);
  const [, url = ''] = await listen(child).said(STARTED);
  stderr.destroy();
  stdout.destroy();
  await sleep(100);
  stdin.end(EMPTY);
  await alerts(url);
  assert.ok((await sample(url, LOST)) > 5);
  assert.equal(await (await answered(`${url}/health`)).text(), 'ok');
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

/** More scanners than a pipe and what may wait for it have room for lines about. */
const SCANNERS = 12_000;

function manyScanners(): Uint8Array {
  const recorder = new Recorder(1_700_000_000 * 1e6);
  for (let i = 0; i < SCANNERS; i++)
    recorder.ask(i / 1000, { from: `198.18.${i >> 8}.${i & 255}`, method: 'OPTIONS', agent: 'friendly-scanner' });
  return recorder.capture.pcap();
}

async function stats(url: string): Promise<Record<string, unknown>> {
  const body: unknown = await (await answered(`${url}/v1/stats`)).json();
  assert.ok(typeof body === 'object' && body !== null);
  return { ...body };
}

async function linesLost(url: string): Promise<{ stdout: number; stderr: number }> {
  const losses = { ...Object((await stats(url))['losses']) };
  return { stdout: Number(losses['stdout_lines_lost']), stderr: Number(losses['stderr_lines_lost']) };
}

/** Everything was analysed. */
async function allSeen(url: string): Promise<void> {
  await until(
    async () => (await stats(url))['source_exhausted'] === true,
    () => 'it never came to the end of the capture',
  );
  assert.deepEqual(Object((await stats(url))['dialogs']).total, SCANNERS);
}

test('a reader of standard output that stalls: analysis and answers go on, what it does not take is counted, the rest comes in order', async (t) => {
  const file = join(temporaryFolder(t), 'scanners.pcap');
  writeFileSync(file, manyScanners());
  // A file takes all, however late this process is with reading.
  const log = join(dirname(file), 'log');
  const errors = openSync(log, 'w');
  const child = serve(t, file, 'pipe', errors);
  closeSync(errors);
  const said = (what: RegExp): Promise<RegExpExecArray> =>
    until(
      () => what.exec(readFileSync(log, 'utf8')),
      () => `it never said ${what}`,
    );
  const { stdin, stdout } = child;
  assert.ok(stdin !== null && stdout !== null);
  const [, url = ''] = await said(STARTED);
  stdin.end(EMPTY);
  await allSeen(url);
  const lost = await sample(url, LOST);
  const written = await sample(url, WRITTEN);
  assert.ok(lost > 500 && written > 100, `${lost} lost, ${written} written`);
  assert.deepEqual(await linesLost(url), { stdout: lost, stderr: 0 });
  await said(/standard output: cannot write \(its reader takes nothing\); counting lost lines/);
  let text = '';
  stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [, again] = await said(/standard output: written again; (\d+) lines were lost so far/);
  assert.equal(Number(again), lost);
  const lines = (): string[] => text.split('\n').slice(0, -1);
  await until(
    async () => lines().length === (await sample(url, WRITTEN)),
    () => `${lines().length} lines came, ${lost} were lost`,
  );
  const sources = lines().map((line) => {
    const [, high, low] = / SCANNER from=198\.18\.(\d+)\.(\d+) /.exec(line) ?? assert.fail(line);
    return Number(high) * 256 + Number(low);
  });
  // Keyed hashes of 32 bits tell requests apart: in 1 of 60 runs two of so many meet, and the later is not reported.
  assert.ok(SCANNERS - lost - sources.length <= 2, `${sources.length} lines came, ${lost} were lost`);
  // Node takes some of the pipe before it is told to, on a busy machine after lines were lost: there is room for later ones.
  for (const [i, source] of sources.entries())
    assert.ok(source > (sources[i - 1] ?? -1), `line ${i} is of ${source}, the one before of ${sources[i - 1]}`);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

/** Runs its arguments with a terminal for both outputs, which it reads until the API listens and never again. */
const STOPPED_TERMINAL = `
import os, subprocess, sys
ours, theirs = os.openpty()
child = subprocess.Popen(sys.argv[1:], stdout=theirs, stderr=theirs)
said = b''
while b'\\n' not in said.partition(b'api listening')[2]:
    said += os.read(ours, 1000)
print(child.pid, said.decode(), flush=True)
print('ended with', child.wait(), flush=True)
`;

test('a terminal that is stopped: analysis and answers go on, and a signal ends it', {
  skip: existsSync('/usr/bin/python3') ? false : 'no python3, which has a call for terminals',
}, async (t) => {
  const file = join(temporaryFolder(t), 'scanners');
  execFileSync('mkfifo', [file]);
  const args = [process.execPath, PROGRAM, '-I', file, '--fail2ban', '--api', '127.0.0.1:0'];
  const python = spawn('/usr/bin/python3', ['-c', STOPPED_TERMINAL, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => python.kill('SIGKILL'));
  let text = '';
  python.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [, pid, url = ''] = await until(
    () => /^(\d+) [\s\S]*api listening on (\S+)\r\n/.exec(text),
    () => `it never listened: ${text}`,
  );
  t.after(() => {
    if (!/ended with/.test(text)) process.kill(Number(pid), 'SIGKILL');
  });
  await writeFile(file, manyScanners());
  await allSeen(url);
  const { stdout, stderr } = await linesLost(url);
  assert.ok(stdout > 500 && stderr > 500, `${stdout} and ${stderr} lost`);
  process.kill(Number(pid), 'SIGTERM');
  await until(
    () => /ended with 0\n$/.test(text),
    () => `it waits for its terminal: ${text}`,
  );
});
