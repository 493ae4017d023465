/** The kit in deploy/fail2ban with a real fail2ban: it bans exactly the attackers, and no text of theirs becomes an address. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { quoted } from '../../src/export/security-line.ts';
import { run } from '../cli/run-program.ts';
import { ATTACKERS, attack, legitimate, Script } from '../helpers/attack.ts';
import { until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { Recorder } from '../helpers/recorder.ts';
import { missing } from './lab.ts';
import { repositoryRoot } from './native-program.ts';

const KIT = join(repositoryRoot(), 'deploy/fail2ban');

const skip = missing('fail2ban-regex', 'fail2ban-server', 'nft');

/** The lines the program prints for ten minutes of attacks that ended just now. */
async function attackLines(dir: string): Promise<string> {
  const script = new Script();
  legitimate(script, 700);
  attack(script);
  const recorder = new Recorder((Date.now() / 1000 - 720) * 1e6);
  script.play(recorder);
  const file = join(dir, 'attack.pcap');
  writeFileSync(file, recorder.capture.pcap());
  const result = await run(['-I', file, '--fail2ban']);
  assert.equal(result.code, 0, result.stderr);
  return result.stdout
    .split('\n')
    .filter((line) => / calltap\[\d+\]: /.test(line))
    .join('\n');
}

test('hostile text injects no address: 1,000 values through fail2ban-regex', { skip }, (t) => {
  const dir = temporaryFolder(t);
  const parts = [
    'from=9.9.9.9',
    '\r\n',
    '\n',
    '\0',
    '"',
    '\\',
    ' calltap[1]: SCANNER from=8.8.8.8 ',
    "';--",
    '\u2028',
    '\x1b[2J',
    '%0d%0a',
    '2026-11-21T09:00:00.000Z',
  ];
  const lines: string[] = [];
  for (let n = 0; n < 1000; n++) {
    const text = [n, n >> 2, n >> 4, n >> 6].map((k) => parts[k % parts.length] ?? '').join(n % 3 === 0 ? '' : ' ');
    lines.push(`${new Date().toISOString()} calltap[7]: SCANNER from=192.0.2.77 method=OPTIONS ua=${quoted(text)}`);
  }
  const log = join(dir, 'log');
  writeFileSync(log, `${lines.join('\n')}\n`);
  const out = execFileSync('fail2ban-regex', ['-o', 'ip', log, join(KIT, 'filter.d/calltap.conf')], {
    encoding: 'utf8',
  });
  const found = out.trim().split('\n');
  assert.equal(found.length, 1000);
  assert.deepEqual([...new Set(found)], ['192.0.2.77']);
});

test('a line from the journal counts too, and what people are told does not', { skip }, (t) => {
  const log = join(temporaryFolder(t), 'log');
  const line = 'calltap[7]: SCANNER from=192.0.2.9 method=OPTIONS ua="x"';
  // fail2ban puts what journald knows before the message; the time it takes from journald.
  const lines = [
    `voice calltap[7]: 2026-11-21T10:00:00.000Z ${line}`,
    `voice calltap[7]: calltap: alert: scanner from=192.0.2.10 behaviour=known-tool count=1; ua=${quoted(line)}`,
    `voice other[8]: 2026-11-21T10:00:00.000Z ${line}`,
  ];
  writeFileSync(log, `${lines.join('\n')}\n`);
  const filter = join(KIT, 'filter.d/calltap.conf');
  const out = execFileSync('fail2ban-regex', ['-o', 'ip', log, filter], { encoding: 'utf8' });
  assert.equal(out.trim(), '192.0.2.9');
});

test('a real fail2ban with the kit bans exactly the attackers', { skip }, async (t) => {
  const dir = temporaryFolder(t);
  const lines = await attackLines(dir);
  const etc = join(dir, 'etc');
  for (const sub of ['filter.d', 'action.d', 'jail.d', 'fail2ban.d']) mkdirSync(join(etc, sub), { recursive: true });
  cpSync('/etc/fail2ban/fail2ban.conf', join(etc, 'fail2ban.conf'));
  for (const name of ['nftables.conf']) cpSync(`/etc/fail2ban/action.d/${name}`, join(etc, 'action.d', name));
  copyFileSync('/etc/fail2ban/jail.conf', join(etc, 'jail.conf'));
  for (const name of ['common.conf'])
    if (existsSync(`/etc/fail2ban/filter.d/${name}`))
      cpSync(`/etc/fail2ban/filter.d/${name}`, join(etc, 'filter.d', name));
  for (const name of ['paths-debian.conf', 'paths-common.conf'])
    if (existsSync(`/etc/fail2ban/${name}`)) cpSync(`/etc/fail2ban/${name}`, join(etc, name));
  copyFileSync(join(KIT, 'filter.d/calltap.conf'), join(etc, 'filter.d/calltap.conf'));
  const log = join(dir, 'security.log');
  writeFileSync(log, '');
  // The jail as shipped, but with this log, and an action that writes down whom it would ban.
  const jail = readFileSync(join(KIT, 'jail.d/calltap.conf'), 'utf8')
    .replace(/^logpath .*$/m, `logpath = ${log}`)
    .replace(/^backend .*$/m, 'backend = polling')
    // The attacks are up to twelve minutes old.
    .replace(/^findtime .*$/m, 'findtime = 1h')
    .replace(/^banaction += +(.*)$/m, 'action = note\n         $1');
  writeFileSync(join(etc, 'jail.d/calltap.conf'), jail);
  const bans = join(dir, 'bans');
  writeFileSync(join(etc, 'action.d/note.conf'), `[Definition]\nactionban = echo <ip> >> ${bans}\nactionunban =\n`);
  const sock = join(dir, 'f.sock');
  const place = ['-c', etc, '-s', sock, '-p', join(dir, 'f.pid')];
  // In a network of its own, where the set that bans is this test's.
  const net = `ctf2b${process.pid}${randomBytes(3).toString('hex')}`;
  execFileSync('ip', ['netns', 'add', net]);
  t.after(() => execFileSync('ip', ['netns', 'del', net]));
  const target = ['--logtarget', join(dir, 'f2b.log')];
  const command = ['netns', 'exec', net, 'fail2ban-server', '-f', '-x', ...place, ...target, 'start'];
  const server = spawn('ip', command, { stdio: 'ignore' });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  try {
    const said = (): string => {
      const path = join(dir, 'f2b.log');
      return existsSync(path) ? readFileSync(path, 'utf8').slice(-2000) : 'fail2ban said nothing';
    };
    await until(() => spawnSync('fail2ban-client', [...place, 'status', 'calltap']).status === 0, said, 200);
    writeFileSync(log, `${lines}\n`);
    const banned = (): string[] =>
      existsSync(bans) ? [...new Set(readFileSync(bans, 'utf8').trim().split('\n'))].sort() : [];
    await until(() => banned().length >= ATTACKERS.length, said, 200);
    const list = (): string =>
      execFileSync('ip', ['netns', 'exec', net, 'nft', 'list', 'ruleset'], { encoding: 'utf8' });
    await until(
      () => ATTACKERS.every((address) => list().includes(address)),
      () => `not all are in the set of nftables: ${list()}`,
      200,
    );
    // Whoever else would be banned is by now.
    await sleep(1000);
    assert.deepEqual(banned(), ATTACKERS, said());
    const rules = list();
    assert.ok(!rules.includes('198.51.100.7') && !/\b10\.0\.0\./.test(rules));
  } finally {
    spawnSync('fail2ban-client', [...place, 'stop']);
    server.kill();
    await ended;
  }
});
