/**
 * Two hosts joined by a cable, in network namespaces that carry this process's number: programs run in them, and
 * everything is stopped and removed when the test ends.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { packageRoot } from '../../src/core/package.ts';
import { until } from '../helpers/patience.ts';

const MAIN = join(packageRoot(), 'dist/program/calltap.js');

export type Host = 'a' | 'b';
export const ADDRESS = {
  a: { v4: '10.90.0.1', v6: 'fd90::1' },
  b: { v4: '10.90.0.2', v6: 'fd90::2' },
} as const;

/** Why a test of real programs cannot run here; false when it can. */
export function missing(...programs: readonly string[]): string | false {
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  const path = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  for (const name of ['ip', ...programs]) {
    const isThere = path.some((folder) => {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
    if (!isThere) return `${name} is not installed`;
  }
  refusal ??= namespaceRefusal();
  return refusal;
}

let refusal: string | false | undefined;

/** A container's root may lack the right; anything else that is in the way is a fault that the tests show. */
function namespaceRefusal(): string | false {
  const name = `ct${process.pid}${randomBytes(3).toString('hex')}`;
  const { status, stderr } = spawnSync('ip', ['netns', 'add', name], { encoding: 'latin1' });
  spawnSync('ip', ['netns', 'del', name]);
  return status !== 0 && /not permitted|denied/.test(stderr) ? `no network namespaces: ${stderr.trim()}` : false;
}

export type Running = {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
};

/** Those that stand, and whether they are taken down when the runner ends this process for having no end. */
const standing = new Set<Lab>();
let isGuarded = false;

function guard(): void {
  if (isGuarded) return;
  isGuarded = true;
  process.once('SIGTERM', () => {
    for (const lab of standing) lab.remove();
    process.exit(128 + 15);
  });
}

export class Lab {
  readonly folder = mkdtempSync(join(tmpdir(), 'calltap-lab-'));
  /** One that an earlier run has left behind carries another name. */
  readonly #name = `ct${process.pid}${randomBytes(3).toString('hex')}`;
  readonly #running: Running[] = [];

  /** `after` is told what to do when the test has ended: that of a TestContext. */
  constructor(owner: { after: (close: () => Promise<void>) => void }) {
    guard();
    standing.add(this);
    owner.after(() => this.#close());
    for (const host of ['a', 'b'] as const) run('ip', ['netns', 'add', this.#ns(host)]);
    this.connect();
  }

  /** The cable: new at the start, and after a test has taken it away. */
  connect(): void {
    const { a, b } = ADDRESS;
    run('ip', ['link', 'add', 'eth0', 'netns', this.#ns('a'), 'type', 'veth', 'peer', 'eth0', 'netns', this.#ns('b')]);
    for (const [host, address] of [
      ['a', a],
      ['b', b],
    ] as const) {
      const on = (...args: string[]) => run('ip', ['-n', this.#ns(host), ...args]);
      on('link', 'set', 'lo', 'up');
      on('addr', 'add', `${address.v4}/24`, 'dev', 'eth0');
      on('addr', 'add', `${address.v6}/64`, 'dev', 'eth0', 'nodad');
      on('link', 'set', 'eth0', 'up');
    }
  }

  #ns(host: Host): string {
    return this.#name + host;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** A command that has to succeed; its standard output. */
  do(host: Host, program: string, args: readonly string[], input = ''): string {
    return run('ip', ['netns', 'exec', this.#ns(host), program, ...args], input);
  }

  /** A program that goes on; stopped with the lab. `fourth`: a channel to a Node that listens to its parent. */
  start(
    host: Host,
    program: string,
    args: readonly string[],
    stdin: 'ignore' | 'pipe' = 'ignore',
    fourth: 'ignore' | 'ipc' = 'ignore',
  ): Running {
    const child = spawn('ip', ['netns', 'exec', this.#ns(host), program, ...args], {
      stdio: [stdin, 'pipe', 'pipe', fourth],
      cwd: this.folder,
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (d: Buffer) => {
        text = (text + d.toString('latin1')).slice(-200_000);
      });
    const ended = once(child, 'close').then(() => child.exitCode);
    const running = { child, output: () => text, ended };
    this.#running.push(running);
    return running;
  }

  /** Waits until a program has said something. */
  async said(running: Running, what: RegExp): Promise<RegExpExecArray> {
    return until(
      () => what.exec(running.output()),
      () => `it never said ${what}: ${running.output()}`,
    );
  }

  /** Waits until something listens. */
  async listening(host: Host, port: number, transport: 'udp' | 'tcp' = 'udp', sockets = 1): Promise<void> {
    const table = [`/proc/net/${transport}`, `/proc/net/${transport}6`];
    const hex = `:${port.toString(16).toUpperCase().padStart(4, '0')} `;
    await until(
      () => this.do(host, 'cat', table).split(hex).length > sockets,
      () => `fewer than ${sockets} listen on ${transport} port ${port}`,
    );
  }

  async stop(running: Running, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    running.child.kill(signal);
    return running.ended;
  }

  async #close(): Promise<void> {
    await Promise.all(
      this.#running.map(async ({ child }) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        const late = setTimeout(() => child.kill('SIGKILL'), 5000);
        await ended;
        clearTimeout(late);
      }),
    );
    this.remove();
  }

  /** Takes it down with whatever still runs in it: children of a program outlive it. */
  remove(): void {
    standing.delete(this);
    for (const host of ['a', 'b'] as const) {
      const { stdout = '' } = spawnSync('ip', ['netns', 'pids', this.#ns(host)], { encoding: 'latin1' });
      for (const pid of stdout.split('\n').filter(Boolean)) {
        try {
          process.kill(Number(pid), 'SIGKILL');
        } catch {
          // It has ended meanwhile.
        }
      }
      spawnSync('ip', ['netns', 'del', this.#ns(host)]);
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function run(program: string, args: readonly string[], input = ''): string {
  const done = spawnSync(program, args, { encoding: 'latin1', input, maxBuffer: 64 * 1024 * 1024 });
  assert.equal(done.status, 0, `${program} ${args.join(' ')}: ${done.error?.message ?? done.stderr}`);
  return done.stdout;
}

export type Json = Record<string, unknown>;

/** calltap on host a, asked through its own API. */
export class Agent {
  readonly running: Running;
  readonly #lab: Lab;
  #url = '';

  /** `by` is a program that starts the agent: setpriv with its options, say. */
  constructor(lab: Lab, args: readonly string[], by: readonly string[] = []) {
    this.#lab = lab;
    const [program = '', ...rest] = [...by, process.execPath, MAIN, ...args, '--api', '127.0.0.1:0'];
    this.running = lab.start('a', program, rest);
  }

  static async start(lab: Lab, args: readonly string[], ready: RegExp, by: readonly string[] = []): Promise<Agent> {
    const agent = new Agent(lab, args, by);
    await lab.said(agent.running, ready);
    agent.#url = (await lab.said(agent.running, /api listening on (\S+)/))[1] ?? '';
    return agent;
  }

  get url(): string {
    return this.#url;
  }

  /** The body at a path; `null` when the answer is no 200. */
  text(path: string): string {
    return this.bytes(path).toString('utf8');
  }

  bytes(path: string): Buffer {
    // An agent whose machine does other things may say that it is busy.
    const ask = `(async () => {
      for (let i = 0; i < 100; i++) {
        const r = await fetch(process.argv[1]);
        if (r.status !== 503) return process.stdout.write(r.ok ? Buffer.from(await r.arrayBuffer()) : 'null');
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    })()`;
    return Buffer.from(this.#lab.do('a', process.execPath, ['-e', ask, this.#url + path]), 'latin1');
  }

  /** The document at a path; null when the answer is no 200. */
  get(path: string): Json | null {
    const value: unknown = JSON.parse(this.text(path));
    return typeof value === 'object' && value !== null ? { ...value } : null;
  }

  dialog(callId: string): Json | null {
    return this.get(`/v1/dialogs/${encodeURIComponent(callId)}`);
  }

  /** The dialog once `is` holds of it. */
  async dialogWhen(callId: string, is: (d: Json) => boolean): Promise<Json> {
    let seen: Json | null = null;
    return until(
      () => {
        seen = this.dialog(callId);
        return seen !== null && is(seen) ? seen : null;
      },
      () => `${callId} is ${JSON.stringify(seen)}`,
    );
  }
}
