/**
 * What a TLS probe costs a call: unprobed, at the exported entry, one call deeper, and bpftrace, in one run.
 *
 *   node dist/bench/tls.js [ROUNDS] [RATE]      needs root, cc, libssl-dev; bpftrace when it is to be compared
 *
 * ROUNDS of the comparison (3; 0 leaves it out), then RATE calls a second (100,000) for five seconds.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../src/sources/native.ts';
import type { TlsSite } from '../src/sources/native-tls.ts';
import { chosenSites, exportedSites, ProbeCapture, selfSigned } from '../test/helpers/tls-probes.ts';

const BYTES = 600;
const CALLS = 20_000;
/** Calls a second of all workers together: a server has several, and one thread alone is late when others work too. */
const RATE = 100_000;
const RATE_SECONDS = 5;
const RATE_WORKERS = 4;

/** A child that answers one line a command. */
class Worker {
  readonly #child: ChildProcess;
  #waiting: ((line: string) => void) | undefined;
  #text = '';

  constructor(program: string, cwd: string) {
    this.#child = spawn(program, [], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString();
      const end = this.#text.indexOf('\n');
      if (end < 0) return;
      const line = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 1);
      this.#waiting?.(line);
    });
  }

  line(): Promise<string> {
    return new Promise((resolve) => (this.#waiting = resolve));
  }

  ask(command: string): Promise<string> {
    const answer = this.line();
    this.#child.stdin?.write(`${command}\n`);
    return answer;
  }

  async callNs(): Promise<number> {
    return Number((await this.ask(`calls ${CALLS} ${BYTES}`)).split(' ')[1]);
  }

  end(): void {
    this.#child.stdin?.end();
  }
}

const BPFTRACE = (lib: string): string =>
  ['SSL_write', 'SSL_read']
    .map(
      (f) =>
        `uprobe:${lib}:${f} { @b[tid] = arg1; } uretprobe:${lib}:${f} /@b[tid]/ ` +
        `{ printf("%d %s\\n", pid, str(@b[tid], 200)); delete(@b[tid]); }`,
    )
    .join(' ');

/** bpftrace with 200-byte strings, or why not. */
async function withBpftrace(libssl: string, measure: () => Promise<number>): Promise<number | string> {
  if (spawnSync('bpftrace', ['--version']).status !== 0) return 'not installed';
  const child = spawn('bpftrace', ['-e', BPFTRACE(libssl)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, BPFTRACE_STRLEN: '200' },
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await sleep(4000);
  if (child.exitCode !== null || child.signalCode !== null) return said.trim().split('\n')[0] ?? 'ended';
  const ns = await measure();
  child.kill('SIGINT');
  await new Promise((resolve) => child.on('exit', resolve));
  return ns;
}

/** So many calls a second by all of them together; what was made of it, and how long that took. */
async function load(workers: readonly Worker[], rate: number): Promise<{ made: number; seconds: number }> {
  const each = rate / RATE_WORKERS;
  const said = await Promise.all(workers.map((worker) => worker.ask(`rate ${each} ${RATE_SECONDS} ${BYTES}`)));
  const [made, seconds] = [1, 3].map((i) => said.map((line) => Number(line.split(' ')[i])));
  return { made: (made ?? []).reduce((a, b) => a + b, 0), seconds: Math.max(...(seconds ?? [])) };
}

async function main(rounds: number, rate: number): Promise<void> {
  const root = packageRoot();
  const out = join(root, 'bench/out');
  mkdirSync(out, { recursive: true });
  const program = join(out, 'tls_call');
  execFileSync('cc', [
    '-std=c11',
    '-O2',
    '-Wall',
    '-Wextra',
    '-Werror',
    join(root, 'bench/tls_call.c'),
    '-lssl',
    '-lcrypto',
    '-o',
    program,
  ]);
  const libssl = realpathSync(
    /=> (\S*libssl\S*)/.exec(execFileSync('ldd', [program], { encoding: 'utf8' }))?.[1] ?? '',
  );
  const folder = mkdtempSync(join(tmpdir(), 'calltap-bench-'));
  selfSigned(folder);
  const worker = new Worker(program, folder);
  await worker.line();
  let records = 0;
  // The rings of `--uprobe`.
  const tls = new ProbeCapture({ sipOnly: true }, 32, (_, count) => {
    records += count;
  });
  if (tls.refusal !== '') throw new Error(tls.refusal);
  const entry = exportedSites(libssl);
  const { sites, isInternal } = chosenSites(libssl);
  const best = new Map<string, number | string>();
  const note = (name: string, ns: number | string): void => {
    const known = best.get(name);
    best.set(name, typeof ns === 'number' && typeof known === 'number' ? Math.min(ns, known) : ns);
  };
  const probed = async (list: TlsSite[]): Promise<number> => {
    const id = tls.attach(libssl, list);
    await worker.callNs();
    const ns = await worker.callNs();
    tls.native.detach(id);
    return ns;
  };
  for (let i = 0; i < rounds; i++) {
    note('unprobed', await worker.callNs());
    note('entry', await probed(entry));
    note('fast', isInternal ? await probed(sites) : 'this library has no proven deeper function');
    note('bpftrace', await withBpftrace(libssl, () => worker.callNs()));
  }
  const floor = best.get('unprobed');
  if (rounds > 0) process.stdout.write(`| variant | µs an SSL call (${BYTES} bytes) | added |\n|---|---:|---:|\n`);
  for (const [name, ns] of best)
    process.stdout.write(
      typeof ns === 'number' && typeof floor === 'number'
        ? `| ${name} | ${(ns / 1000).toFixed(2)} | ${((ns - floor) / 1000).toFixed(2)} |\n`
        : `| ${name} | ${ns} | |\n`,
    );
  const id = tls.attach(libssl, sites);
  const [before, lost] = [records, tls.counter('lost_events')];
  const workers = Array.from({ length: RATE_WORKERS }, () => new Worker(program, folder));
  await Promise.all(workers.map((each) => each.line()));
  const { made, seconds } = await load(workers, rate);
  await sleep(500);
  const lostNow = tls.counter('lost_events') - lost;
  process.stdout.write(
    `\n${rate} calls a second wanted, ${Math.round(made / seconds)} made: ${made} in ${seconds.toFixed(1)} s; ` +
      `${records - before} events arrived, ${lostNow} lost\n`,
  );
  tls.native.detach(id);
  tls.native.close();
  for (const each of [worker, ...workers]) each.end();
  rmSync(folder, { recursive: true, force: true });
}

await main(Number(process.argv[2] ?? 3), Number(process.argv[3] ?? RATE));
