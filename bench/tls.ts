/**
 * What TLS probes cost and what they keep up with, on the machine it runs on.
 *
 *   npm run bench -- tls cost [ROUNDS]       unprobed, entry and RET instructions by either way, bpftrace, in one run
 *   npm run bench -- tls https [ROUNDS]      a connection that is told to be no SIP, beside an empty program at its probes
 *   npm run bench -- tls idle [SECONDS]      the program while nobody talks, and while programs start
 *   npm run bench -- tls records [RATE...]   SSL calls a second up to the records that JavaScript is given
 *   npm run bench -- tls program [RATE...]   phone calls over TCP through the whole program
 *
 * Needs root, cc, libssl-dev; bpftrace when it is to be compared, iproute2 for `program`. Without CAP_SYS_NICE (setpriv
 * --bounding-set=-sys_nice) the reader's thread has the priority of any other.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TlsSite } from '../src/sources/tls/native-tls.ts';
import { chosenSites, exportedSites, ProbeCapture, selfSigned } from '../test/helpers/tls-probes.ts';
import { httpsTable } from './tls-https.ts';
import { idleTable } from './tls-idle.ts';
import { programTable } from './tls-program.ts';
import { buildProgram, makeCalls, privateLibssl, TlsWorker } from './tls-worker.ts';

const BYTES = 600;
const CALLS = 20_000;
const ROUNDS = 3;
const HTTPS_ROUNDS = 21;
const IDLE_SECONDS = 60;
/** Calls a second of all workers together: a server has several, and one thread alone is late when others work too. */
const RATES = [100_000, 200_000, 300_000];
const PROGRAM_RATES = [25_000, 50_000, 75_000, 100_000];
const RATE_SECONDS = 5;
const RATE_WORKERS = 4;

/** The program to observe, a folder with its certificate, the library it uses. */
type Observed = { readonly program: string; readonly folder: string; readonly libssl: string };

function print(line: string): void {
  process.stdout.write(`${line}\n`);
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

/** An open capture with the rings of `--uprobe`; by the best way, or by a lesser one on purpose. */
function openCapture(onRecords: (count: number) => void, probes?: 'multi' | 'perf'): ProbeCapture {
  const force = probes === undefined ? {} : { force: { probes } };
  const tls = new ProbeCapture({ sipOnly: true, ...force }, 32, (_, count) => onRecords(count));
  if (tls.refusal !== '') throw new Error(tls.refusal);
  return tls;
}

/** The middle one; of two the smaller. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? 0;
}

const MICROSECOND = 1000;

/** Microseconds an SSL call of one thread, least and median of the rounds, every variant in each of them. */
async function cost({ program, folder, libssl }: Observed, rounds: number): Promise<void> {
  const worker = await TlsWorker.start(program, folder);
  const callNs = async (): Promise<number> =>
    Number((await worker.ask(`calls ${CALLS} ${BYTES} memory`)).split(' ')[1]);
  const taken = new Map<string, number[]>();
  const refused = new Map<string, string>();
  const note = (name: string, ns: number | string): void => {
    if (typeof ns === 'string') refused.set(name, ns);
    else taken.set(name, [...(taken.get(name) ?? []), ns / MICROSECOND]);
  };
  const probed = async (list: readonly TlsSite[], by: ProbeCapture): Promise<number> => {
    const id = by.attach(libssl, list);
    await callNs();
    const ns = await callNs();
    by.native.detach(id);
    return ns;
  };
  const [multi, perf] = [openCapture(() => {}, 'multi'), openCapture(() => {}, 'perf')];
  for (let i = 0; i < rounds; i++) {
    note('unprobed', await callNs());
    note('entry and RET, multi links', await probed(exportedSites(libssl), multi));
    note('entry and RET, perf events', await probed(exportedSites(libssl), perf));
    note('bpftrace', await withBpftrace(libssl, callNs));
  }
  const floor = taken.get('unprobed') ?? [];
  print(`| variant, ${rounds} rounds | µs an SSL call (${BYTES} bytes): least | median | added: least | median |`);
  print('|---|---:|---:|---:|---:|');
  for (const [name, us] of taken) {
    const [least, middle] = [Math.min(...us), median(us)];
    const row = [least, middle, least - Math.min(...floor), middle - median(floor)].map((n) => n.toFixed(2));
    print(`| ${name} | ${row.join(' | ')} |`);
  }
  for (const [name, why] of refused) print(`| ${name} | ${why} | | | |`);
  for (const each of [multi, perf]) each.native.close();
  worker.end();
}

async function https({ program, folder, libssl }: Observed, rounds: number): Promise<void> {
  const worker = await TlsWorker.start(program, folder);
  const capture = openCapture(() => {});
  const parts = { worker, libssl, bare: buildProgram('tls_bare'), capture };
  for await (const line of httpsTable(parts, rounds)) print(line);
  capture.native.close();
  worker.end();
}

/** Kernel, ring, reader and slabs, without analysis: whether every call's record arrives. */
async function records({ program, folder, libssl }: Observed, rates: readonly number[]): Promise<void> {
  const workers = await Promise.all(Array.from({ length: RATE_WORKERS }, () => TlsWorker.start(program, folder)));
  let arrived = 0;
  const tls = openCapture((count) => (arrived += count));
  tls.attach(libssl, chosenSites(libssl));
  print('| asked k/s | made k/s | SSL calls | records arrived | lost, counted |\n|---:|---:|---:|---:|---:|');
  for (const rate of rates) {
    const [before, lost] = [arrived, tls.counter('lost_events')];
    const made = await makeCalls(workers, 'rate', rate, `${RATE_SECONDS} ${BYTES}`);
    await sleep(500);
    const row = [rate / 1000, (made.calls / made.seconds / 1000).toFixed(0), made.calls, arrived - before];
    print(`| ${[...row, tls.counter('lost_events') - lost].join(' | ')} |`);
  }
  tls.native.close();
  for (const each of workers) each.end();
}

async function main(what: string, numbers: readonly number[]): Promise<number> {
  if (!['cost', 'https', 'idle', 'records', 'program'].includes(what) || numbers.some((n) => !(n > 0))) {
    process.stderr.write(
      'usage: npm run bench -- tls cost|https [ROUNDS] | idle [SECONDS] | records [RATE...] | program [RATE...]\n',
    );
    return 2;
  }
  const program = buildProgram('tls_call');
  const folder = mkdtempSync(join(tmpdir(), 'calltap-bench-'));
  try {
    selfSigned(folder);
    const libssl = privateLibssl(folder);
    const observed = { program, folder, libssl };
    const rates = (otherwise: readonly number[]): readonly number[] => (numbers.length > 0 ? numbers : otherwise);
    if (what === 'cost') await cost(observed, numbers[0] ?? ROUNDS);
    else if (what === 'https') await https(observed, numbers[0] ?? HTTPS_ROUNDS);
    else if (what === 'idle') for await (const line of idleTable(numbers[0] ?? IDLE_SECONDS, ROUNDS)) print(line);
    else if (what === 'records') await records(observed, rates(RATES));
    else for await (const line of programTable(program, folder, rates(PROGRAM_RATES), RATE_SECONDS)) print(line);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}

process.exitCode = await main(process.argv[2] ?? '', process.argv.slice(3).map(Number));
