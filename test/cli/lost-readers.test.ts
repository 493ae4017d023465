/** A service outlives whoever reads its outputs: a log daemon that was started anew, a full disk under a log. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen, until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { attackCapture } from '../helpers/recorder.ts';
import { PROGRAM } from './run-program.ts';

const STARTED = /api listening on (\S+)\n/;

/** Alerts of an attack come while the service is asked. */
function attackFile(t: TestContext): string {
  const file = join(temporaryFolder(t), 'attack.pcap');
  writeFileSync(file, attackCapture());
  return file;
}

/** Serves the attack; `stdout` is a descriptor or a pipe. Standard input holds the capture back until it is closed. */
function serve(t: TestContext, file: string, stdout: 'pipe' | number) {
  const args = [PROGRAM, '-I', '-', '-I', file, '--fail2ban', '--api', '127.0.0.1:0'];
  const child = spawn(process.execPath, args, { stdio: ['pipe', stdout, 'pipe'], env: {} });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** The smallest capture: a pcap header alone. */
const EMPTY = Uint8Array.from('d4c3b2a1020004000000000000000000ffff000001000000'.match(/../g) ?? [], (x) =>
  Number.parseInt(x, 16),
);

async function sample(url: string, pattern: RegExp): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
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
  const told = stderr
    .text()
    .split('\n')
    .filter((line) => line.includes('standard output'));
  assert.deepEqual(told, ['calltap: standard output: cannot be written (ENOSPC); lines that are lost are counted']);
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
  assert.equal(await (await fetch(`${url}/health`)).text(), 'ok');
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});
