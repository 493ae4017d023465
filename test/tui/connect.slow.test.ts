/** The terminal over a running service: the screens of a local one, a server that is killed and comes back, and refusals. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { packageRoot } from '../../src/core/package.ts';
import { hostileCapture, STEERING } from '../helpers/hostile-calls.ts';
import { freePort, until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import type { Size } from './tmux.ts';
import { assertScreen, skipWithoutTmux, Tmux } from './tmux.ts';

const ROOT = packageRoot();
const PROGRAM = [process.execPath, join(ROOT, 'dist/program/calltap.js')];
const DEMO = join(ROOT, 'fixtures/demo/demo.pcap');
const SCREENS = join(ROOT, 'test/tui/screens');
const KEY = 'SERVICE_API_KEY=a-key-of-this-test';
const options = { skip: skipWithoutTmux };

class Service {
  readonly port: number;
  readonly #capture: string;
  readonly #more: readonly string[];
  #child: ChildProcess | null = null;

  constructor(t: TestContext, port: number, capture: string, more: readonly string[]) {
    this.port = port;
    this.#capture = capture;
    this.#more = more;
    t.after(() => this.kill());
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Answers, and has read its capture. */
  async start(): Promise<void> {
    const [node = '', program = ''] = PROGRAM;
    const { CALLTAP_CONFIG: _, ...env } = process.env;
    const [name = '', value = ''] = KEY.split('=');
    const api = ['--api', `127.0.0.1:${this.port}`];
    this.#child = spawn(node, [program, this.#capture, ...api, ...this.#more], {
      env: { ...env, [name]: value },
      stdio: 'ignore',
    });
    await until(
      async () => {
        const answer = await fetch(`${this.url}/v1/stats`, { headers: { authorization: `Bearer ${value}` } }).catch(
          () => null,
        );
        const stats = (await answer?.json().catch(() => null)) as { source_exhausted?: boolean } | null | undefined;
        return stats?.source_exhausted === true;
      },
      () => 'the service never answered',
    );
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  }
}

async function service(t: TestContext, capture = DEMO, ...more: string[]): Promise<Service> {
  const made = new Service(t, await freePort(), capture, more.length === 0 ? ['--ask'] : more);
  await made.start();
  return made;
}

function connect(t: TestContext, size: Size, words: readonly string[], ...env: string[]): Tmux {
  return new Tmux(t, [...PROGRAM, '--connect', ...words], size, env);
}

/** All but the first line, which names the source. */
function isAsLocally(name: string, lines: readonly string[]): void {
  const golden = readFileSync(join(SCREENS, `${name}.txt`), 'utf8').split('\n');
  assertScreen(lines.slice(1), golden.slice(1).join('\n'));
}

test('the same screens as of the capture itself, with a key', options, async (t) => {
  const { url } = await service(t);
  for (const size of [
    [80, 24],
    [120, 40],
    [200, 60],
  ] as const) {
    const name = size.join('x');
    const tmux = connect(t, size, [url], KEY);
    const calls = await tmux.settled(/^1 of 21 /m);
    assert.equal(calls[0]?.startsWith(`calltap ${url}   21 dialogs (0 active)   9638 packets`), true, calls[0]);
    isAsLocally(`calls-${name}`, calls);
    await tmux.press('e');
    isAsLocally(`newest-failure-${name}`, await tmux.settled(/503 Service Unavailable/));
    await tmux.press('?');
    isAsLocally(`help-${name}`, await tmux.settled(/Keys of: Call/));
  }
});

test(
  'every screen and key: legs, report, quality, comparisons, tables, a filter, and each file',
  options,
  async (t) => {
    const folder = temporaryFolder(t);
    const { url } = await service(t);
    const filter = ['--filter', 'callid:transfer@*,busy*', '--sort', 'created'];
    const tmux = connect(t, [140, 40], [url, ...filter], `--chdir=${folder}`, KEY);
    await tmux.settled(/1 of 2 /);
    await tmux.press('Space', 'j', 'Space');
    await tmux.shows(/^! Final code/m);
    await tmux.press('Escape', 'k', 'Enter', 'x');
    await tmux.shows(/^A {2}transfer@[^\n]*\n(?:[^\n]*\n)*?B {2}transfer-target@/m);
    await tmux.press('r');
    await tmux.shows(/^Final response {2}200 OK$/m);
    await tmux.press('Escape', 'v');
    await tmux.shows(/^MOS {5}4\.5\|/m);
    await tmux.press('Escape', 'Space', 'j', 'Space');
    await tmux.shows(/^- INVITE sip:/m);
    await tmux.press('Escape', 'x');
    for (const [key, said] of [
      ['p', /transfer@pbx\.example\.com\.pcapng: \d+ bytes$/m],
      ['m', /transfer@pbx\.example\.com\.md$/m],
      ['t', /transfer@pbx\.example\.com\.txt$/m],
      ['l', /transfer@pbx\.example\.com\.ladder\.txt$/m],
      ['j', /transfer@pbx\.example\.com\.json$/m],
      ['x', /transfer@pbx\.example\.com-sipp\/uac\.xml and uas\.xml$/m],
    ] as const) {
      await tmux.press('s', key);
      await tmux.shows(said);
    }
    assert.equal(readFileSync(join(folder, 'transfer@pbx.example.com.pcapng')).readUInt32LE(0), 0x0a0d0d0a);
    assert.equal(readdirSync(folder).length, 6);
    await tmux.press('Escape');
    await tmux.settled(/1 of 2 /);
    await tmux.press('/', 'C-u', 'Enter');
    await tmux.settled(/1 of 21 /);
    await tmux.press('F');
    await tmux.shows(/^ {6}2 auth-loop /m);
    await tmux.press('Enter');
    await tmux.shows(/^Filter: finding:auth-loop\n[\s\S]*1 of 2 /m);
    await tmux.press('R');
    await tmux.shows(/^2020 +198\.51\.100\.41 +Failed +1 +1 /m);
    await tmux.press('Escape', 'S');
    await tmux.shows(/^Nothing looks for attackers/m);
    await tmux.press('Escape', '/', 'C-u');
    tmux.type('from:2oo1');
    await tmux.press('Enter');
    await tmux.shows(/21 dialogs were looked at/);
    assert.doesNotMatch(readFileSync(`/proc/${tmux.pid}/maps`, 'utf8'), /calltap\.node/, 'nothing native is loaded');
    await tmux.press('q');
    await tmux.shows(/ended 0\nmodes as before\n/);
  },
);

test('ended by a signal, or with its terminal: nothing of it stays', options, async (t) => {
  const { url } = await service(t);
  const tmux = connect(t, [80, 24], [url], KEY);
  await tmux.settled(/^1 of 21 /m);
  process.kill(tmux.pid, 'SIGTERM');
  await tmux.shows(/ended 143\nmodes as before\n/);
  const gone = connect(t, [80, 24], [url], KEY);
  await gone.settled(/^1 of 21 /m);
  const { pid } = gone;
  gone.kill();
  await until(
    () => !existsSync(`/proc/${pid}`),
    () => `${pid} still runs`,
  );
});

test(
  'a service that is killed and comes back: it is said, what is shown stays, and it goes on by itself',
  options,
  async (t) => {
    const running = await service(t);
    const tmux = connect(t, [120, 30], [running.url, '--filter', 'state:Failed'], KEY);
    await tmux.settled(/1 of 4 /);
    await tmux.press('Enter');
    await tmux.settled(/503 Service Unavailable/);
    await running.kill();
    const lost =
      /^calltap: no answer from http:\/\/127\.0\.0\.1:\d+ since \d\d:\d\d:\d\d, trying again: nobody listens there$/m;
    await tmux.shows(lost);
    assert.match(tmux.colored().split('\n')[0] ?? '', /\u001b\[[\d;]*31m/, 'the first line is red');
    await tmux.press('r');
    await tmux.shows(/^http:\/\/127\.0\.0\.1:\d+: nobody listens there; start the service/m);
    await tmux.shows(/INVITE was refused with 503 Service Unavailable/);
    await tmux.press('Escape');
    await tmux.shows(/^Filter: state:Failed\n[\s\S]*1 of 4 /m);
    await running.start();
    await tmux.shows(/^calltap http:\/\/127\.0\.0\.1:\d+ {3}21 dialogs/m);
    await tmux.shows(/^Filter: state:Failed\n[\s\S]*1 of 4 /m);
    await tmux.press('Enter', 'r');
    await tmux.shows(/^Final response {2}503 Service Unavailable$/m);
    await tmux.press('q', 'q', 'q');
    await tmux.shows(/ended 0/);
  },
);

test(
  'without an address: that of a configuration and its key, and what to do where /ask is off',
  options,
  async (t) => {
    const folder = temporaryFolder(t);
    const config = join(folder, 'calltap.toml');
    const running = await service(t);
    const silent = await service(t, DEMO, '--retain-audio');
    writeFileSync(join(folder, 'key'), 'a-key-of-this-test\n');
    const written = (port: number): void =>
      writeFileSync(config, `[api]\nlisten = "127.0.0.1:${port}"\nask = true\nkey_file = "${join(folder, 'key')}"\n`);
    written(running.port);
    const tmux = connect(t, [200, 20], ['--config', config]);
    const rows = await tmux.settled(/^1 of 21 /m);
    assert.ok(rows[0]?.startsWith(`calltap ${running.url} (${config})   21 dialogs`), rows[0]);
    written(silent.port);
    const off = connect(t, [250, 10], ['--config', config]);
    await off.shows(
      /^calltap: --connect .*: it does not serve \/ask; add "ask = true" below \[api\] in its configuration/m,
    );
    await off.shows(/^ended 1$/m);
  },
);

test('what cannot be shown, or may not be sent, is one line', options, async (t) => {
  const { url, port } = await service(t);
  const lines = async (what: RegExp, code: number, words: readonly string[], ...env: string[]): Promise<void> => {
    const tmux = connect(t, [250, 10], words, ...env);
    await tmux.shows(what);
    await tmux.shows(new RegExp(`^ended ${code}$`, 'm'));
  };
  await lines(
    /^calltap: --connect: TERM=dumb cannot place the cursor; run it in a terminal, or ask \/ask/m,
    2,
    [url],
    'TERM=dumb',
    KEY,
  );
  await lines(/^calltap: --connect http:[^ ]+: it asks for a key; set SERVICE_API_KEY/m, 1, [url]);
  await lines(/: it refuses the key \(The key is not accepted\); /m, 1, [url], 'SERVICE_API_KEY=wrong');
  await lines(/: nobody listens there; start the service/m, 1, [`http://127.0.0.1:${await freePort()}`], KEY);
  await lines(
    /: the key would go over http to 0\.0\.0\.0, which is not this host; write https/m,
    1,
    [`0.0.0.0:${port}`],
    KEY,
  );
  await lines(/^calltap: --connect ftp:\/\/x: it begins with neither http nor https; /m, 2, ['ftp://x'], KEY);
  await lines(
    /^calltap: --ca [^ ]+: it holds no certificate; /m,
    2,
    ['https://127.0.0.1', '--ca', DEMO.replace('demo.pcap', 'README.md')],
    KEY,
  );
});

test('hostile calls of a service: each opens, and no byte of theirs steers the terminal', options, async (t) => {
  const folder = temporaryFolder(t);
  const { path, texts, owned } = hostileCapture(folder);
  const { url } = await service(t, path);
  const tmux = connect(t, [120, 40], [url], KEY);
  await tmux.settled(new RegExp(`1 of ${texts.length} `));
  const recorded = tmux.record(join(folder, 'bytes'));
  await tmux.press('C-l');
  for (let i = 0; i < texts.length; i++) {
    await tmux.press('Enter');
    await tmux.shows(/Esc Back/);
    await tmux.press('r', 'Escape', 'Enter', 'Escape', 'Escape');
    await tmux.shows(/Enter Show/);
    await tmux.press('j');
  }
  await tmux.press('q');
  await tmux.shows(/ended 0/);
  const written = (await recorded()).toString().replace(/\r?\n?(ended|modes as before)[\s\S]*$/, '');
  const left = written.replace(/\u001b\[(\?(2026|25|7|1049)[hl]|\d+;\d+H|2J|[\d;]*m)/g, '');
  assert.ok(left.length > 10_000, `${left.length}`);
  assert.doesNotMatch(left, STEERING);
  assert.equal(existsSync(owned), false);
});
