/** Two hosts joined by a cable, and calltap on one of them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { packageRoot } from '../../src/core/package.ts';
import { until } from '../helpers/patience.ts';
import type { Owner, Running } from './namespaces.ts';
import { Namespaces, run } from './namespaces.ts';

export type { Running } from './namespaces.ts';

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

export class Lab extends Namespaces<Host> {
  constructor(owner: Owner) {
    super(owner, ['a', 'b']);
    this.connect();
  }

  /** The cable: new at the start, and after a test has taken it away. */
  connect(): void {
    const { a, b } = ADDRESS;
    run('ip', ['link', 'add', 'eth0', 'netns', this.ns('a'), 'type', 'veth', 'peer', 'eth0', 'netns', this.ns('b')]);
    for (const [host, address] of [
      ['a', a],
      ['b', b],
    ] as const) {
      const on = (...args: string[]) => run('ip', ['-n', this.ns(host), ...args]);
      on('link', 'set', 'lo', 'up');
      on('addr', 'add', `${address.v4}/24`, 'dev', 'eth0');
      on('addr', 'add', `${address.v6}/64`, 'dev', 'eth0', 'nodad');
      on('link', 'set', 'eth0', 'up');
    }
  }
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

  /** Those of these Call-IDs that are there, however many others there are. One program asks for all of them. */
  dialogs(callIds: readonly string[]): Json[] {
    const ask = `(async () => {
      const found = [];
      for (const url of process.argv.slice(1)) {
        const r = await fetch(url);
        if (r.ok) found.push(await r.json());
      }
      process.stdout.write(JSON.stringify(found));
    })()`;
    const urls = callIds.map((callId) => `${this.#url}/v1/dialogs/${encodeURIComponent(callId)}`);
    const found: unknown = JSON.parse(this.#lab.do('a', process.execPath, ['-e', ask, ...urls]));
    assert.ok(Array.isArray(found));
    return found;
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
