/** Alerts reach a syslog daemon's socket, facility local0, and a daemon that is not there costs a counter. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Syslog, syslogMessage } from '../../src/security/outputs/syslog.ts';
import { loadNative } from '../../src/sources/native.ts';
import { run } from '../cli/run-program.ts';
import { until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { attackCapture } from '../helpers/recorder.ts';

const skip = spawnSync('python3', ['--version']).error === undefined ? false : 'no python3';

/** Receives datagrams as a syslog daemon does, and prints each on a line. */
const DAEMON = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('ready', flush=True)
while True:
    print(s.recv(65536).decode(), flush=True)
`;

type Daemon = { readonly lines: () => string[]; readonly stop: () => Promise<void> };

async function daemon(t: TestContext, path: string): Promise<Daemon> {
  const child = spawn('python3', ['-c', DAEMON, path], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  let text = '';
  child.stdout.on('data', (d: Buffer) => {
    text += d.toString();
  });
  t.after(() => child.kill('SIGKILL'));
  await until(
    () => text.includes('ready'),
    () => 'the daemon is not ready',
  );
  return {
    lines: () => text.split('\n').slice(1, -1),
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

test('priorities are those of local0', () => {
  const at = new Date(2026, 10, 1, 3, 4, 5);
  assert.equal(syslogMessage('warning', 'x', 7, at), '<132>Nov  1 03:04:05 calltap[7]: x');
  assert.equal(syslogMessage('alert', 'y', 7, at), '<129>Nov  1 03:04:05 calltap[7]: y');
});

test('a scan in a capture arrives as warnings', { skip }, async (t) => {
  const dir = temporaryFolder(t);
  const path = join(dir, 'log');
  const { lines } = await daemon(t, path);
  const file = join(dir, 'attack.pcap');
  writeFileSync(file, attackCapture());
  const result = await run(['-I', file, '--kill-scanner', '--alert', 'syslog', '--syslog', '--syslog-socket', path]);
  assert.equal(result.code, 0, result.stderr);
  await until(
    () => lines().length > 10,
    () => lines().join('\n'),
  );
  for (const line of lines())
    assert.match(line, /^<132>\w{3} [ \d]\d \d\d:\d\d:\d\d calltap\[\d+\]: (scanner|registration flood) from=/);
});

test('a daemon that goes and comes back is found again; what it misses is counted', { skip }, async (t) => {
  const path = join(temporaryFolder(t), 'log');
  const native = loadNative();
  const socket = { open: native.openSyslog, send: native.sendSyslog, close: native.closeSocket };
  const syslog = new Syslog(socket, path, 1, () => undefined);
  t.after(() => syslog.close());
  assert.equal(syslog.isOpen, false);
  syslog.send('warning', 'nobody hears this');
  assert.deepEqual([syslog.sent, syslog.lost], [0, 1]);
  const first = await daemon(t, path);
  syslog.send('warning', 'one');
  await first.stop();
  if (existsSync(path)) rmSync(path);
  const second = await daemon(t, path);
  syslog.send('alert', 'two');
  const [line = ''] = await until(
    () => second.lines().length > 0 && second.lines(),
    () => 'nothing arrives',
  );
  assert.match(line, /^<129>.*: two$/);
  assert.deepEqual([syslog.sent, syslog.lost], [2, 1]);
});
