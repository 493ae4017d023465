/**
 * How fast builds are, one line each in docs/lab/trend.csv: ratios to tcpdump in the same minutes, memory, and the longest turn.
 *
 *   npm run bench -- trend [ROUNDS] [--minutes M] [--dry]
 *
 * What costs a little in every commit shows here alone. The machine is to be quiet; it takes a quarter of an hour, ten minutes of which are
 * the calls before turns are measured (`--minutes`, 10). `--dry` prints the line and writes none.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bench } from './harness.ts';
import { wireFigures } from './live-bench.ts';
import { hepFigures } from './live-hep.ts';
import { turnsUnderCalls } from './ship.ts';
import { buildBlast } from './soak.ts';
import type { Report } from './table.ts';

const PROFILES = ['carrier5m', 'sip', 'long'] as const;
const WIRE_RATE = 500_000;
const HEP_RATE = 200_000;

/** Of a line, in order. Ratios are calltap's speed to tcpdump's; `live` is its processor time for a packet to tcpdump's. */
const COLUMNS = [
  ...['date', 'commit', 'rounds', 'carrier5m', 'sip', 'long', 'carrier5m_mib', 'sip_mib'],
  ...['live', 'live_dropped', 'hep_us', 'hep_lost', 'turn_ms', 'collector_ms'],
] as const;
type Line = Record<(typeof COLUMNS)[number], string>;

/** Returns the exit code. */
export async function trendBench(root: string, argv: readonly string[]): Promise<number> {
  const options = { minutes: { type: 'string', default: '10' }, dry: { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
  const [rounds, minutes] = [Number(positionals[0] ?? '7'), Number(values.minutes)];
  if (!Number.isInteger(rounds) || rounds < 1 || !(minutes > 0)) {
    process.stderr.write('bench: ROUNDS is a whole number from 1 on, --minutes a number above 0\n');
    return 2;
  }
  const line: Line = {
    ...{ date: new Date().toISOString().slice(0, 10), commit: commitOf(root), rounds: `${rounds}` },
    ...files(root, rounds),
    ...(await live()),
    ...(await turns(minutes)),
  };
  const text = `${COLUMNS.map((name) => line[name]).join()}\n`;
  process.stdout.write(`${COLUMNS.join()}\n${text}`);
  if (values.dry) return 0;
  const path = join(root, 'docs/lab/trend.csv');
  if (!existsSync(path)) writeFileSync(path, `${COLUMNS.join()}\n`);
  appendFileSync(path, text);
  return 0;
}

/** With a plus where the work tree has changes. */
function commitOf(root: string): string {
  const git = (...args: string[]): string => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim();
  return (
    git('rev-parse', '--short=8', 'HEAD') + (git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '+')
  );
}

function files(root: string, rounds: number) {
  const json = join(root, 'bench/out/trend.json');
  const args = ['--profile', PROFILES.join(), '--peers', 'tcpdump', '--brief', '--runs', `${rounds}`, '--json', json];
  if (bench(root, args) !== 0) throw new Error('calltap got no figure');
  const { reports }: { reports: readonly Report[] } = JSON.parse(readFileSync(json, 'utf8'));
  const figure = (profile: (typeof PROFILES)[number]) => {
    const found = reports.find((one) => one.profile === profile)?.figures.find(({ peer }) => peer === 'calltap');
    if (found?.ofFloor === undefined) throw new Error(`no ratio of ${profile}`);
    return { ratio: found.ofFloor.toFixed(3), mib: found.peakRssMib.toFixed(0) };
  };
  const [carrier, sip] = [figure('carrier5m'), figure('sip')];
  return {
    ...{ carrier5m: carrier.ratio, sip: sip.ratio, long: figure('long').ratio },
    ...{ carrier5m_mib: carrier.mib, sip_mib: sip.mib },
  };
}

async function live() {
  const { ns, floorNs, dropped } = await wireFigures(WIRE_RATE);
  const { mainUs, receiverUs, othersUs, messages, analysed } = await hepFigures(HEP_RATE, buildBlast());
  return {
    ...{ live: (ns / floorNs).toFixed(2), live_dropped: `${dropped}` },
    ...{ hep_us: (mainUs + receiverUs + othersUs).toFixed(2), hep_lost: `${messages - analysed}` },
  };
}

async function turns(minutes: number) {
  const { longestMs, longestGcMs } = await turnsUnderCalls(60 * minutes);
  return { turn_ms: longestMs.toFixed(1), collector_ms: longestGcMs.toFixed(1) };
}
