/** deploy/logrotate/calltap: logrotate takes it, and a running calltap goes on in a new file after its real rotation. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { start } from '../cli/run-program.ts';
import { listen, until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { repositoryRoot } from './native-program.ts';

const SHIPPED = readFileSync(join(repositoryRoot(), 'deploy/logrotate/calltap'), 'utf8');
const PROGRAM = existsSync('/usr/sbin/logrotate') ? '/usr/sbin/logrotate' : 'logrotate';

function skip(): string | false {
  if (process.getuid?.() !== 0) return 'live capture, and the owner of what is rotated, need root';
  return spawnSync(PROGRAM, ['--version']).error === undefined ? false : 'no logrotate';
}

test('logrotate takes the configuration, and calltap its signal', { skip: skip() }, async (t) => {
  const dir = temporaryFolder(t);
  const capture = join(dir, 'voice.pcapng');
  const log = join(dir, 'security.log');
  writeFileSync(log, 'line\n');
  const child = start(['-d', 'lo', '--portrange', '5998', '-O', capture]);
  t.after(() => child.kill('SIGKILL'));
  const { text, said } = listen(child);
  await said(/capturing on lo/);
  // An empty file is not rotated; its head is written within a second.
  await until(() => existsSync(capture) && statSync(capture).size > 0, text);

  // As shipped, but for where things are here, who owns them, and what passes the signal on.
  const reload = /systemctl reload calltap\.service/;
  assert.match(SHIPPED, reload);
  const config = join(dir, 'rotate.conf');
  const shipped = SHIPPED.replaceAll('/var/lib/calltap', dir)
    .replace('/var/log/calltap', dir)
    .replace('su calltap calltap', 'su root root')
    .replace(reload, `kill -HUP ${child.pid}`);
  writeFileSync(config, shipped);
  chmodSync(config, 0o644);
  const run = (args: readonly string[]): string => {
    const done = spawnSync(PROGRAM, [...args, '-s', join(dir, 'state'), config], { encoding: 'utf8' });
    assert.equal(done.status, 0, done.stderr);
    return done.stderr;
  };
  const dry = run(['-d']);
  assert.doesNotMatch(dry, /^error|unknown option|pcapng does not exist|insecure/im);
  assert.match(dry, /considering log .*voice\.pcapng/);
  assert.match(dry, /considering log .*security\.log/);

  run(['-f']);
  await until(
    () => existsSync(capture),
    () => 'no new file',
  );
  assert.equal(readFileSync(`${capture}.1`).readUInt32BE(0), 0x0a0d0d0a, 'the old one is whole');
  assert.equal(readFileSync(log, 'utf8'), '', 'the log is cut, not moved');
  assert.equal(readFileSync(`${log}.1`, 'utf8'), 'line\n');
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
  assert.equal(readFileSync(capture).readUInt32BE(0), 0x0a0d0d0a);
});
