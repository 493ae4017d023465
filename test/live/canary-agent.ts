/**
 * calltap beside canaries: it observes every process of the host and was there before they start. Only node's own
 * modules are imported: this also runs in guests, from a folder of its own.
 */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A machine without KVM, or one that does other things, takes its time. */
const PATIENCE_MS = 600_000;
/** More than a batch of runs can bring. */
const MAX_ROWS = 10_000;

/** The ways of probing that are tried: the best of this kernel, and each older one. */
export const MODES: Readonly<Record<string, object | null>> = {
  /** Without calltap: the canary itself. */
  none: null,
  best: {},
  multi: { probes: 'multi' },
  perf: { probes: 'perf' },
  'sys-exit': { sysExit: true },
  oldest: { probes: 'perf', sysExit: true, oldHelpers: true },
};

/** Programs that map the libraries, one each. */
export const ANCHORS: readonly string[] = ['deep', 'fiber-static', 'gnutls-fiber', 'wolfssl-fiber'];

type Counts = ReadonlyMap<string, number>;

export class CanaryAgent {
  /** What it says of its way of probing. */
  readonly way: string;
  readonly #url: string;
  readonly #child: ChildProcess;
  readonly #anchors: readonly ChildProcess[];
  #last: { hits: Counts; losses: Counts } = { hits: new Map(), losses: new Map() };

  private constructor(child: ChildProcess, anchors: readonly ChildProcess[], way: string, url: string) {
    this.#child = child;
    this.#anchors = anchors;
    this.way = way;
    this.#url = url;
  }

  /** `by`: words that start calltap as another user. Starts programs that map the canaries' libraries, and calltap of the checkout `root` once they run. */
  static async start(
    root: string,
    folder: string,
    names: readonly string[],
    force: object,
    by: readonly string[] = [],
  ): Promise<CanaryAgent> {
    const there = names.filter((name) => existsSync(join(folder, name)));
    const anchors = there.map((name) => spawn(join(folder, name), ['wait'], { stdio: ['pipe', 'pipe', 'inherit'] }));
    for (const anchor of anchors) await said(anchor, /up/);
    const main = join(root, 'dist/program/calltap.js');
    const [program = '', ...args] = [...by, process.execPath, main];
    const child = spawn(program, [...args, '--uprobe', '--api', '127.0.0.1:0', '--api-max-rows', String(MAX_ROWS)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        CANARY_ADDON: join(root, 'build/Release/calltap.node'),
        CANARY_FORCE: JSON.stringify(force),
        NODE_OPTIONS: `--import=${join(import.meta.dirname, 'canary-force.js')}`,
      },
    });
    const text = await said(child, /uprobe ready.*api listening on \S+\n/s).catch((error: unknown) => {
      for (const started of [child, ...anchors]) started.kill('SIGKILL');
      throw error;
    });
    const way = /uprobe: (.*, addresses by .*)/.exec(text)?.[1];
    const url = /api listening on (\S+)/.exec(text)?.[1];
    if (way === undefined || url === undefined) throw new Error(`calltap does not start: ${text}`);
    const agent = new CanaryAgent(child, anchors, way, url);
    await agent.moved();
    return agent;
  }

  async #text(path: string): Promise<string> {
    for (const end = performance.now() + PATIENCE_MS; ; await sleep(100)) {
      const answer = await fetch(this.#url + path);
      if (answer.ok) return answer.text();
      if (![429, 503].includes(answer.status) || performance.now() > end)
        throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    }
  }

  /** The counters of the kernel's half. */
  async #counters(): Promise<Counts> {
    const text = await this.#text('/metrics');
    return new Map(
      [...text.matchAll(/^calltap_uprobe_total\{event="(\w+)"\} (\d+)$/gm)].map((m) => [m[1] ?? '', Number(m[2])]),
    );
  }

  /** Every loss of the probes by its name in /v1/stats. */
  async #losses(): Promise<Counts> {
    const { losses } = JSON.parse(await this.#text('/v1/stats')) as { losses: Record<string, number> };
    return new Map(Object.entries(losses).filter(([name]) => name.startsWith('uprobe_')));
  }

  /** What moved since the last time, or since the start: counters of the kernel's half, and losses. */
  async moved(): Promise<{ readonly hits: Counts; readonly losses: Counts }> {
    const now = { hits: await this.#counters(), losses: await this.#losses() };
    const out = { hits: difference(this.#last.hits, now.hits), losses: difference(this.#last.losses, now.losses) };
    this.#last = now;
    return out;
  }

  /** Messages by Call-ID of the runs whose prefixes begin with `prefix`: it is in the caller's name too, since other programs' dialogs may be many. */
  async seen(prefix: string): Promise<Counts> {
    type Row = { call_id: string; msg_count: number; input_origin?: string };
    const text = await this.#text(`/v1/dialogs?limit=${MAX_ROWS}&from=^${prefix}`);
    const { dialogs } = JSON.parse(text) as { dialogs: Row[] };
    const own = dialogs.filter((d) => d.call_id.startsWith(prefix) && d.input_origin === 'uprobe');
    return new Map(own.map((d) => [d.call_id, d.msg_count]));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Whether it still runs. */
  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('close', resolve));
    if (this.isAlive) {
      this.#child.kill('SIGTERM');
      await ended;
    }
    for (const anchor of this.#anchors) anchor.kill('SIGKILL');
  }
}

function difference(before: Counts, after: Counts): Counts {
  const rows = [...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const);
  return new Map(rows.filter(([, more]) => more > 0));
}

/** Waits until a child has said something; what it said so far. */
async function said(child: ChildProcess, what: RegExp): Promise<string> {
  let text = '';
  const take = (chunk: Buffer): void => {
    text = (text + chunk.toString('latin1')).slice(-100_000);
  };
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(20)) {
    if (what.test(text)) return text;
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it ended: ${text}`);
  }
  throw new Error(`it never said ${what}: ${text}`);
}
