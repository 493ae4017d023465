/**
 * Hosts of a test: network namespaces that carry this process's number. Programs run in them, and everything is stopped and
 * removed when the test ends.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../helpers/patience.ts';
import { waitingAt } from '../helpers/sockets.ts';

export type Running = {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
};

/** Who says when all is over: a TestContext. */
export type Owner = { after: (close: () => Promise<void>) => void };

/** Those that stand, and whether they are taken down when the runner ends this process for having no end. */
const standing = new Set<{ remove(): void }>();
let isGuarded = false;

function guard(): void {
  if (isGuarded) return;
  isGuarded = true;
  process.once('SIGTERM', () => {
    for (const lab of standing) lab.remove();
    process.exit(128 + 15);
  });
}

export class Namespaces<Host extends string> {
  readonly folder = mkdtempSync(join(tmpdir(), 'calltap-lab-'));
  /** One that an earlier run has left behind carries another name. */
  readonly #name = `ct${process.pid}${randomBytes(3).toString('hex')}`;
  readonly #hosts: readonly Host[];
  readonly #running: Running[] = [];

  constructor(owner: Owner, hosts: readonly Host[]) {
    this.#hosts = hosts;
    guard();
    standing.add(this);
    owner.after(() => this.#close());
    for (const host of hosts) run('ip', ['netns', 'add', this.ns(host)]);
  }

  /** Its name for `ip`. */
  protected ns(host: Host): string {
    return this.#name + host;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** A command that has to succeed; its standard output. */
  do(host: Host, program: string, args: readonly string[], input = ''): string {
    return run('ip', ['netns', 'exec', this.ns(host), program, ...args], input);
  }

  /** A program that goes on; stopped with the lab. `fourth`: a channel to a Node that listens to its parent. */
  start(
    host: Host,
    program: string,
    args: readonly string[],
    stdin: 'ignore' | 'pipe' = 'ignore',
    fourth: 'ignore' | 'ipc' = 'ignore',
  ): Running {
    return this.#start('ip', ['netns', 'exec', this.ns(host), program, ...args], stdin, fourth);
  }

  /** The same with Node, outside of all namespaces. */
  startHere(args: readonly string[]): Running {
    return this.#start(process.execPath, args, 'ignore', 'ignore');
  }

  #start(program: string, args: readonly string[], stdin: 'ignore' | 'pipe', fourth: 'ignore' | 'ipc'): Running {
    const child = spawn(program, args, { stdio: [stdin, 'pipe', 'pipe', fourth], cwd: this.folder });
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

  /** How many sockets wait on a port, of both families. */
  waiting(host: Host, port: number, transport: 'udp' | 'tcp', address?: string): number {
    const text = this.do(host, 'cat', [`/proc/net/${transport}`, `/proc/net/${transport}6`]);
    return waitingAt({ transport, text }, port, address);
  }

  /** Waits until something listens. */
  async listening(host: Host, port: number, transport: 'udp' | 'tcp' = 'udp', sockets = 1): Promise<void> {
    await until(
      () => this.waiting(host, port, transport) >= sockets,
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
    for (const host of this.#hosts) {
      const { stdout = '' } = spawnSync('ip', ['netns', 'pids', this.ns(host)], { encoding: 'latin1' });
      for (const pid of stdout.split('\n').filter(Boolean)) {
        try {
          process.kill(Number(pid), 'SIGKILL');
        } catch {
          // It has ended meanwhile.
        }
      }
      spawnSync('ip', ['netns', 'del', this.ns(host)]);
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A command that has to succeed; its standard output. */
export function run(program: string, args: readonly string[], input = ''): string {
  const done = spawnSync(program, args, { encoding: 'latin1', input, maxBuffer: 64 * 1024 * 1024 });
  assert.equal(done.status, 0, `${program} ${args.join(' ')}: ${done.error?.message ?? done.stderr}`);
  return done.stdout;
}
