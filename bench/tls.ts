/**
 * What a TLS probe costs a call: unprobed, at the exported entry, one call deeper, and bpftrace, in one run.
 *
 *   node dist/bench/tls.js [ROUNDS]        needs root, cc, libssl-dev; bpftrace when it is to be compared
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { allocateCaptureMemory } from '../src/sources/capture-memory.ts';
import { loadNative, packageRoot } from '../src/sources/native.ts';
import type { NativeTlsCapture, TlsSite } from '../src/sources/native-tls.ts';
import { symbolOffsets } from '../test/live/tls-kernel-lab.ts';

const BYTES = 600;
const CALLS = 20_000;
const RATE = 100_000;
const RATE_SECONDS = 5;

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

/** Probes with a reader that only counts. */
function capture(): { tls: NativeTlsCapture; count: () => number; counter: (name: string) => number } {
  const memory = allocateCaptureMemory(64, 0);
  let records = 0;
  const binding = loadNative();
  const tls = new binding.TlsCapture(
    {
      slabs: memory.slabs,
      descriptors: memory.descriptors,
      sourceId: 0,
      ringBytes: 16 << 20,
      maxCallBytes: 0,
      maxConnections: 0,
      sipOnly: true,
    },
    (_, n) => {
      records += n;
    },
  );
  const refusal = tls.open();
  if (refusal !== '') throw new Error(refusal);
  tls.start();
  const names = binding.info().tlsCounterNames;
  return {
    tls,
    count: () => records,
    counter: (name) => {
      const values = new BigUint64Array(names.length);
      tls.counters(values);
      return Number(values[names.indexOf(name)]);
    },
  };
}

/** Where a function's first call goes, in the file; x86-64. */
function firstCall(path: string, offset: number): number {
  const code = Buffer.alloc(256);
  const fd = openSync(path, 'r');
  readSync(fd, code, 0, code.length, offset);
  closeSync(fd);
  const at = code.indexOf(0xe8);
  if (at < 0) throw new Error('no call found');
  return offset + at + 5 + code.readInt32LE(at + 1);
}

function sites(libssl: string): { entry: TlsSite[]; fast: TlsSite[] | string } {
  const at = symbolOffsets(libssl);
  const offset = (name: string): number => at.get(name) ?? 0;
  const rest: TlsSite[] = [
    { kind: 'openssl-handshake', offset: offset('SSL_do_handshake') },
    { kind: 'openssl-new', offset: offset('SSL_new') },
    { kind: 'openssl-free', offset: offset('SSL_free') },
  ];
  const entry: TlsSite[] = [
    { kind: 'openssl-read', offset: offset('SSL_read') },
    { kind: 'openssl-read-ex', offset: offset('SSL_read_ex') },
    { kind: 'openssl-write', offset: offset('SSL_write') },
    { kind: 'openssl-write-ex', offset: offset('SSL_write_ex') },
    ...rest,
  ];
  if (process.arch !== 'x64') return { entry, fast: 'the deeper site is looked for on x86-64 only' };
  const [read, readEx] = [firstCall(libssl, offset('SSL_read')), firstCall(libssl, offset('SSL_read_ex'))];
  const [write, writeEx] = [firstCall(libssl, offset('SSL_write')), firstCall(libssl, offset('SSL_write_ex'))];
  if (read !== readEx || write !== writeEx) return { entry, fast: 'this library has no common deeper function' };
  return {
    entry,
    fast: [{ kind: 'openssl-read-ex', offset: read }, { kind: 'openssl-write-ex', offset: write }, ...rest],
  };
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

async function main(rounds: number): Promise<void> {
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
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      '/CN=x',
      '-keyout',
      'k.pem',
      '-out',
      'c.pem',
    ],
    { cwd: folder, stdio: 'ignore' },
  );
  const worker = new Worker(program, folder);
  await worker.line();
  const { tls, count, counter } = capture();
  const { entry, fast } = sites(libssl);
  const best = new Map<string, number | string>();
  const note = (name: string, ns: number | string): void => {
    const known = best.get(name);
    best.set(name, typeof ns === 'number' && typeof known === 'number' ? Math.min(ns, known) : ns);
  };
  const probed = async (list: TlsSite[]): Promise<number> => {
    const { id, error } = tls.attach({ path: libssl, sites: list });
    if (id === 0) throw new Error(error);
    await worker.callNs();
    const ns = await worker.callNs();
    tls.detach(id);
    return ns;
  };
  for (let i = 0; i < rounds; i++) {
    note('unprobed', await worker.callNs());
    note('entry', await probed(entry));
    note('fast', typeof fast === 'string' ? fast : await probed(fast));
    note('bpftrace', await withBpftrace(libssl, () => worker.callNs()));
  }
  const floor = best.get('unprobed');
  process.stdout.write(`| variant | µs an SSL call (${BYTES} bytes) | added |\n|---|---:|---:|\n`);
  for (const [name, ns] of best)
    process.stdout.write(
      typeof ns === 'number' && typeof floor === 'number'
        ? `| ${name} | ${(ns / 1000).toFixed(2)} | ${((ns - floor) / 1000).toFixed(2)} |\n`
        : `| ${name} | ${ns} | |\n`,
    );
  const { id } = tls.attach({ path: libssl, sites: typeof fast === 'string' ? entry : fast });
  const [before, lost] = [count(), counter('lost_events')];
  const made = await worker.ask(`rate ${RATE} ${RATE_SECONDS} ${BYTES}`);
  await sleep(500);
  process.stdout.write(`\n${made} s: ${count() - before} events arrived, ${counter('lost_events') - lost} lost\n`);
  tls.detach(id);
  tls.close();
  worker.end();
  rmSync(folder, { recursive: true, force: true });
}

await main(Number(process.argv[2] ?? 3));
