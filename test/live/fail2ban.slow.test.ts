/** The kit in deploy/ with a real fail2ban and nftables: it stops exactly the attackers, and no text of theirs is an address. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { quoted } from '../../src/security/outputs/security-line.ts';
import { run } from '../cli/run-program.ts';
import { ATTACKERS, attack, legitimate, Script } from '../helpers/attack.ts';
import { until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { Recorder } from '../helpers/recorder.ts';
import { BanHost } from './ban-host.ts';
import type { Order } from './ban-peers.ts';
import { PORTS } from './ban-peers.ts';
import { ADDRESS, Lab, missing } from './lab.ts';
import { repositoryRoot } from './native-program.ts';

const FILTER = join(repositoryRoot(), 'deploy/fail2ban/filter.d/calltap.conf');
const PEERS = join(import.meta.dirname, 'ban-peers.js');

const skip = missing('fail2ban-regex', 'fail2ban-server', 'nft', 'systemd-tmpfiles', 'logrotate');

/** Whom the filter would ban, a line each. */
function found(t: TestContext, lines: readonly string[]): string[] {
  const log = join(temporaryFolder(t), 'log');
  writeFileSync(log, `${lines.join('\n')}\n`);
  return execFileSync('fail2ban-regex', ['-o', 'id', log, FILTER], { encoding: 'utf8' }).trim().split('\n');
}

test('the filter takes either form of a line, and the network before the address', { skip }, (t) => {
  const lines = [
    'SCANNER from=192.0.2.1 method=OPTIONS ua="friendly-scanner"',
    'SCANNER from=2001:db8:1::1 net=2001:db8:1::/64 method=REGISTER ua="x"',
    'SCANNER from=2001:db8:1:2:3:4:5:6 net=2001:db8:1:2::/64 method=REGISTER ua="x"',
    'SCANNER from=2002:c000:201::1 net=2002:c000:201::/48 method=REGISTER ua="x"',
    'SCANNER from=2001:db8:3::7 net=2001:db8:3::7/128 method=REGISTER ua="x"',
    'SCANNER from=2001:db8:3::1 method=REGISTER ua="x"',
    'REG_FLOOD from=192.0.2.2 count=51',
    'REG_FLOOD from=2001:db8:4::1 net=2001:db8:4::/64 count=51',
    'REG_FLOOD from=2001:db8:5::1 count=51',
  ];
  const at = '2026-11-21T10:00:00.000Z calltap[4711]: ';
  assert.deepEqual(
    found(
      t,
      lines.map((line) => at + line),
    ),
    [
      '192.0.2.1',
      '2001:db8:1::/64',
      '2001:db8:1:2::/64',
      '2002:c000:201::/48',
      '2001:db8:3::7',
      '2001:db8:3::1',
      '192.0.2.2',
      '2001:db8:4::/64',
      '2001:db8:5::1',
    ],
  );
});

test('hostile text injects no address: 1,000 values through fail2ban-regex', { skip }, (t) => {
  const parts = [
    'from=9.9.9.9',
    'net=9.9.9.0/24',
    ' net=2001:db8:9::/64 ',
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
  const heads = [
    ['from=192.0.2.77', '192.0.2.77'],
    ['from=2001:db8::7', '2001:db8::7'],
    ['from=2001:db8:7::1 net=2001:db8:7::/64', '2001:db8:7::/64'],
  ] as const;
  const lines: string[] = [];
  for (let n = 0; n < 1000; n++) {
    const text = [n, n >> 2, n >> 4, n >> 6].map((k) => parts[k % parts.length] ?? '').join(n % 3 === 0 ? '' : ' ');
    const [head] = heads[n % heads.length] ?? heads[0];
    lines.push(`${new Date().toISOString()} calltap[7]: SCANNER ${head} method=OPTIONS ua=${quoted(text)}`);
  }
  assert.deepEqual(
    found(t, lines),
    lines.map((_, n) => heads[n % heads.length]?.[1]),
  );
});

test('a line from the journal counts too, and what people are told does not', { skip }, (t) => {
  const line = 'calltap[7]: SCANNER from=192.0.2.9 method=OPTIONS ua="x"';
  const six = 'calltap[7]: REG_FLOOD from=2001:db8::9 net=2001:db8::/64 count=51';
  // fail2ban puts what journald knows before the message; the time it takes from journald.
  const lines = [
    `voice calltap[7]: 2026-11-21T10:00:00.000Z ${line}`,
    `voice calltap[7]: 2026-11-21T10:00:00.000Z ${six}`,
    `voice calltap[7]: calltap: alert: scanner from=192.0.2.10 behaviour=known-tool count=1; ua=${quoted(line)}`,
    `voice other[8]: 2026-11-21T10:00:00.000Z ${line}`,
  ];
  assert.deepEqual(found(t, lines), ['192.0.2.9', '2001:db8::/64']);
});

/** The lines the program prints for ten minutes of attacks that ended just now. */
async function attackLines(dir: string): Promise<string[]> {
  const script = new Script();
  legitimate(script, 700);
  attack(script);
  const recorder = new Recorder((Date.now() / 1000 - 720) * 1e6);
  script.play(recorder);
  const file = join(dir, 'attack.pcap');
  writeFileSync(file, recorder.capture.pcap());
  const result = await run(['-I', file, '--fail2ban']);
  assert.equal(result.code, 0, result.stderr);
  return result.stdout.split('\n').filter((line) => / calltap\[\d+\]: /.test(line));
}

test('what the program prints of ten minutes of attacks bans exactly the attackers', { skip }, async (t) => {
  const lab = new Lab(t);
  const host = new BanHost(lab, 'a');
  const lines = await attackLines(lab.folder);
  await host.start();
  const named = lines.map((line) => {
    const [, from = '', net = from] = /from=(\S+)(?: net=(\S+))?/.exec(line) ?? assert.fail(line);
    return { from, net };
  });
  assert.deepEqual([...new Set(named.map(({ from }) => from))].sort(), ATTACKERS);
  // One line is no proof.
  const twice = named.filter(({ net }, n) => named.findIndex((other) => other.net === net) < n).map(({ net }) => net);
  assert.ok(new Set(twice).size >= 5, lines.join('\n'));
  writeFileSync(host.path('/var/log/calltap/security.log'), `${lines.join('\n')}\n`);
  await host.hasBanned(...new Set(twice));
});

const BAD_4 = '10.90.0.66';
const BAD_6 = 'fd90:bad::66';
/** Another address of the banned /64, that of the last line. */
const SAME_64 = 'fd90:bad::dead:beef:1:2';
const NET_6 = 'fd90:bad::/64';
/** Banned alone: its line names no network. */
const ALONE_6 = 'fd90:5::5';
const BANNED = [BAD_4, BAD_6, SAME_64, ALONE_6];
const PHONES = ['10.90.0.67', 'fd90:bad:0:1::66', 'fd90:5::6', 'fd90:bee::1'];
/** One whose name was forged once, and a trunk that the administrator has named. */
const ONCE = '10.90.0.68';
const TRUNK = 'fd90:9::9';

/** Peers on b and listeners on a; `send` resolves when all of it is sent, `heard` says what arrived. */
class Stage {
  readonly #lab: Lab;
  readonly #listener;
  readonly #talker;

  constructor(lab: Lab) {
    this.#lab = lab;
    const more = [...BANNED, ...PHONES, ONCE, TRUNK].map((address) =>
      address.includes(':') ? `addr add ${address}/128 dev eth0 nodad` : `addr add ${address}/24 dev eth0`,
    );
    lab.do('b', 'ip', ['-batch', '-'], `${more.join('\n')}\n`);
    lab.do('a', 'ip', ['route', 'add', 'fd90::/16', 'dev', 'eth0']);
    this.#listener = lab.start('a', process.execPath, [PEERS, 'hear']);
    this.#talker = lab.start('b', process.execPath, [PEERS, 'talk'], 'pipe');
  }

  async ready(): Promise<void> {
    await this.#lab.said(this.#listener, /^ready$/m);
    await this.#lab.said(this.#talker, /^ready$/m);
  }

  async send(orders: readonly Order[]): Promise<void> {
    for (const order of orders) this.#talker.child.stdin?.write(`${JSON.stringify(order)}\n`);
    await this.#all(
      orders.map(({ text }) => `sent ${text}`),
      () => this.#talker.output(),
    );
  }

  heard(order: Order): boolean {
    const { from, over, port, text } = order;
    return this.#listener.output().includes(`heard ${from} ${over} ${port} ${text}\n`);
  }

  /** Waits until all of it has arrived. */
  async arrive(orders: readonly Order[]): Promise<void> {
    await this.#all(
      orders.map(({ from, over, port, text }) => `heard ${from} ${over} ${port} ${text}`),
      () => this.#listener.output(),
    );
  }

  async #all(lines: readonly string[], text: () => string): Promise<void> {
    const missingOnes = (): string[] => lines.filter((line) => !text().includes(`${line}\n`));
    await until(
      () => missingOnes().length === 0,
      () => `missing: ${missingOnes().join('; ')}: ${this.#talker.output()}`,
    );
  }
}

/** One text from each source to each port, UDP and TCP. */
function everywhere(sources: readonly string[], word: string): Order[] {
  return sources.flatMap((from) =>
    (['udp', 'tcp'] as const).flatMap((over) =>
      PORTS[over].map((port) => {
        const to = from.includes(':') ? ADDRESS.a.v6 : ADDRESS.a.v4;
        return { from, to, over, port, text: `${word}-${from}-${over}${port}` };
      }),
    ),
  );
}

const LINES = [
  `SCANNER from=${BAD_4} method=OPTIONS ua="net=10.90.0.0/24 from=10.90.0.67"`,
  `SCANNER from=${BAD_6} net=${NET_6} method=REGISTER ua="x"`,
  `REG_FLOOD from=${ALONE_6} count=51`,
  `SCANNER from=${TRUNK} net=fd90:9::/64 method=INVITE ua="x"`,
];

test('the kit as shipped stops UDP and TCP, IPv4 and IPv6, until it unbans them', { skip }, async (t) => {
  const lab = new Lab(t);
  const stage = new Stage(lab);
  const host = new BanHost(lab, 'a');
  // What the page tells an administrator to write.
  writeFileSync(host.path('/etc/fail2ban/jail.local'), '[DEFAULT]\nignoreip = 198.51.100.0/24 fd90:9::/64\n');
  await host.start();
  await stage.ready();
  const everybody = [...BANNED, ...PHONES, ONCE, TRUNK];
  const before = everywhere(everybody, 'before');
  await stage.send(before);
  await stage.arrive(before);

  host.report(`SCANNER from=${ONCE} method=INVITE ua="x"`, ...LINES);
  host.report(...LINES);
  await host.hasBanned(BAD_4, NET_6, ALONE_6);

  // On connections that stand and in new datagrams, and from an address of the /64 that no line names.
  const innocent = [...PHONES, ONCE, TRUNK];
  const assertStops = async (word: string): Promise<Order[]> => {
    const stopped = everywhere(BANNED, word);
    const passing = everywhere(innocent, `${word}-not`);
    const dropped = host.dropped();
    await stage.send(stopped);
    await stage.send(passing);
    await stage.arrive(passing);
    assert.deepEqual(
      stopped.filter((order) => stage.heard(order)),
      [],
    );
    // Each datagram; a connection sends again when it thinks fit.
    const datagrams = stopped.filter(({ over }) => over === 'udp').length;
    assert.ok(host.dropped() - dropped >= datagrams, `${host.dropped() - dropped} of ${datagrams}`);
    return stopped;
  };
  await assertStops('banned');

  // Restarts, and an end that leaves the table behind.
  const rules = (): string => host.run('nft', '-s', 'list', 'ruleset').replace(/elements = \{[^}]*\}/g, '');
  const first = rules();
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    await host.stop(signal);
    assert.equal(host.run('nft', 'list', 'ruleset') === '', signal === 'SIGTERM');
    await host.start();
    await host.hasBanned(BAD_4, NET_6, ALONE_6);
    assert.equal(rules(), first);
  }
  const stopped = await assertStops('again');

  // The end of a ban: what TCP still tries arrives, and so do new datagrams.
  host.client('set', 'calltap', 'unbanip', BAD_4, NET_6);
  await host.hasBanned(ALONE_6);
  const freed = everywhere([BAD_4, BAD_6, SAME_64], 'freed');
  await stage.send(freed);
  await stage.arrive(freed);
  await stage.arrive(stopped.filter(({ from, over }) => over === 'tcp' && from !== ALONE_6));
  assert.deepEqual(
    stopped.filter((order) => order.over === 'udp' && stage.heard(order)),
    [],
  );

  // The log is rotated, and read on.
  host.run('useradd', '--system', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin', 'calltap');
  host.run('logrotate', '-f', '-s', '/run/logrotate.status', '/etc/logrotate.d/calltap');
  host.report(LINES[0] ?? '', LINES[0] ?? '');
  await host.hasBanned(BAD_4, ALONE_6);

  // A firewall that was emptied behind its back: who goes on is banned again.
  host.run('nft', 'flush', 'ruleset');
  await until(
    () => {
      host.report(LINES[0] ?? '', LINES[2] ?? '');
      return host.elements().length === 2;
    },
    () => host.said(),
    1000,
  );
  await host.hasBanned(BAD_4, ALONE_6);
  assert.doesNotMatch(host.said(), /Failed to execute|Unable to restore/);
});
