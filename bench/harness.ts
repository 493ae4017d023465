/** The offline benchmark: corpora with known truth, calltap and its peers on the same file, one table a corpus. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Plan } from './measure.ts';
import { contest } from './measure.ts';
import type { Counts, Peer } from './peers.ts';
import { calltapPeers, PEERS } from './peers.ts';
import type { Report } from './table.ts';
import { markdown, report } from './table.ts';

const PROFILES = ['small', 'carrier535k', 'carrier20k', 'carrier5m', 'long', 'mixed', 'sip'] as const;
const DEFAULT_PROFILES = ['carrier535k', 'carrier20k', 'carrier5m', 'long', 'mixed', 'sip'];
const QUICK_PROFILES = ['carrier535k', 'mixed'];
const SEED = '1';
const GEN_SOURCE = /^gen(_\w+)?\.[ch]$/;

const USAGE = `usage: npm run bench -- [--profile A,B] [--runs N] [--peers A,B] [--brief] [--limit SEC] [--quick] [--json FILE]
  --profile  ${PROFILES.join(', ')} (default: ${DEFAULT_PROFILES.join(', ')})
  --runs     measured runs a tool, after one warm-up (default 5)
  --peers    programs beside calltap: ${PEERS.map((p) => p.program).join(', ')}, or none (default: all installed)
  --brief    of calltap's own commands --stats-json alone
  --limit    seconds after which a run is stopped and gives no figure (default 60)
  --quick    ${QUICK_PROFILES.join(' and ')}, 3 runs, limit 20
  --json     where the figures go (default bench/out/bench.json)
`;

interface Options {
  readonly profiles: readonly string[];
  readonly peers: readonly string[];
  readonly isBrief: boolean;
  readonly runs: number;
  readonly limitSec: number;
  readonly json: string;
}

function readOptions(argv: readonly string[], benchDir: string): Options | string {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      profile: { type: 'string' },
      runs: { type: 'string' },
      peers: { type: 'string' },
      limit: { type: 'string' },
      json: { type: 'string' },
      brief: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
    },
  });
  const profiles = values.profile?.split(',') ?? (values.quick ? QUICK_PROFILES : DEFAULT_PROFILES);
  const unknown = profiles.find((p) => !PROFILES.some((known) => known === p));
  if (unknown !== undefined) return `--profile ${unknown} is none of ${PROFILES.join(', ')}`;
  const peers = values.peers === 'none' ? [] : (values.peers?.split(',') ?? PEERS.map((p) => p.program));
  const stranger = peers.find((p) => !PEERS.some((known) => known.program === p));
  if (stranger !== undefined) return `--peers ${stranger} is none of ${PEERS.map((p) => p.program).join(', ')}, none`;
  const runs = Number(values.runs ?? (values.quick ? 3 : 5));
  const limitSec = Number(values.limit ?? (values.quick ? 20 : 60));
  if (!Number.isInteger(runs) || runs < 1) return '--runs is no whole number from 1';
  if (!Number.isInteger(limitSec) || limitSec < 1) return '--limit is no whole number of seconds from 1';
  return {
    profiles,
    peers,
    isBrief: values.brief,
    runs,
    limitSec,
    json: values.json ?? join(benchDir, 'out', 'bench.json'),
  };
}

function command(program: string, args: readonly string[]): void {
  const done = spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (done.status === 0) return;
  throw new Error(`${program} ${args.join(' ')}: ${done.error?.message ?? `status ${String(done.status)}`}`);
}

function build(benchDir: string, out: string, sources: readonly string[]): void {
  const flags = ['-std=c11', '-O2', '-Wall', '-Wextra', '-Werror'];
  command('cc', [...flags, ...sources.map((s) => join(benchDir, s)), '-o', join(benchDir, 'out', out)]);
}

/** Names of the generator's truth, in the bench's own words. */
const TRUTH_NAMES: Readonly<Record<keyof Counts, string>> = {
  packets: 'packets',
  sipMessages: 'sip_messages',
  dialogs: 'dialogs',
  streams: 'streams',
  rtpPackets: 'rtp_packets',
  rtpLost: 'rtp_lost',
};

function readTruth(path: string): Required<Counts> {
  const document: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const fields = new Map<string, unknown>(Object.entries(document ?? {}));
  const value = (name: keyof Counts): number => {
    const v = fields.get(TRUTH_NAMES[name]);
    if (typeof v !== 'number') throw new Error(`${path}: no ${TRUTH_NAMES[name]}`);
    return v;
  };
  return {
    packets: value('packets'),
    sipMessages: value('sipMessages'),
    dialogs: value('dialogs'),
    streams: value('streams'),
    rtpPackets: value('rtpPackets'),
    rtpLost: value('rtpLost'),
  };
}

/** Makes the corpus unless this very generator made it before. */
function corpus(benchDir: string, profile: string, stamp: string): string {
  const file = join(benchDir, 'corpus', `${profile}.pcap`);
  const stampFile = `${file}.stamp`;
  if (existsSync(stampFile) && existsSync(file) && readFileSync(stampFile, 'utf8') === stamp) return file;
  process.stderr.write(`generating ${profile}\n`);
  command(join(benchDir, 'out', 'gen'), [profile, file, SEED]);
  writeFileSync(stampFile, stamp);
  return file;
}

function installed(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((dir) => dir !== '' && existsSync(join(dir, program)));
}

/** Benchmarks the checkout at `root`; returns the exit code: 1 when calltap itself was refused a figure. */
export function bench(root: string, argv: readonly string[]): number {
  const benchDir = join(root, 'bench');
  if (argv.includes('--help')) {
    process.stdout.write(USAGE);
    return 0;
  }
  let options: Options | string;
  try {
    options = readOptions(argv, benchDir);
  } catch (error) {
    options = error instanceof Error ? error.message : String(error);
  }
  if (typeof options === 'string') {
    process.stderr.write(`bench: ${options}\n${USAGE}`);
    return 2;
  }
  const { peers: wanted, limitSec } = options;
  mkdirSync(join(benchDir, 'out'), { recursive: true });
  mkdirSync(join(benchDir, 'corpus'), { recursive: true });
  const genSources = readdirSync(benchDir)
    .filter((name) => GEN_SOURCE.test(name))
    .sort();
  const compiled = genSources.filter((name) => name.endsWith('.c'));
  build(benchDir, 'gen', compiled);
  build(benchDir, 'run', ['run.c']);
  const hash = createHash('sha256').update(SEED);
  for (const source of genSources) hash.update(readFileSync(join(benchDir, source)));
  const stamp = hash.digest('hex');

  const all = calltapPeers(process.execPath, join(root, 'dist', 'program', 'calltap.js'));
  const ours = options.isBrief ? all.slice(0, 1) : all;
  const chosen = PEERS.filter((p) => wanted.includes(p.program));
  const absent = chosen.filter((p) => !installed(p.program)).map((p) => p.program);
  const peers: readonly Peer[] = [...ours, ...chosen.filter((p) => !absent.includes(p.program))];
  const plan: Plan = {
    outDir: join(benchDir, 'out'),
    runs: options.runs,
    limitSec,
    slowSec: Math.min(10, limitSec / 2),
    say: (text) => process.stderr.write(`${text}\n`),
  };
  const cpu = `${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores`;
  const machine = `${cpu}, kernel ${release()}, Node ${process.version}`;
  process.stdout.write(`Median of ${plan.runs} runs after a warm-up, page cache hot. ${machine}.\n\n`);
  if (absent.length > 0) process.stdout.write(`Not installed, skipped: ${absent.join(', ')}.\n\n`);
  const reports: Report[] = [];
  for (const profile of options.profiles) {
    const file = corpus(benchDir, profile, stamp);
    plan.say(profile);
    const truth = readTruth(`${file}.truth.json`);
    const done = report(profile, truth, contest(plan, peers, file, truth));
    reports.push(done);
    process.stdout.write(`${markdown(done)}\n`);
  }
  writeFileSync(options.json, `${JSON.stringify({ machine, runs: plan.runs, absent, reports }, null, 2)}\n`);
  const names = new Set(ours.map((p) => p.name));
  return reports.some((r) => r.refusals.some((f) => names.has(f.peer))) ? 1 : 0;
}
