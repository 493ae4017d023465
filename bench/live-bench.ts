/**
 * The live benchmark: calltap and its peers on one cable under the same load, one after another in the same run; the API
 * meanwhile; HEP; and what a host full of other traffic costs.
 *
 * A reader's figure is its CPU time over the packets that reached its interface, and what it says it lost.
 */
import { spawnSync } from 'node:child_process';
import { cpus, loadavg, release } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../src/core/package.ts';
import type { Running } from '../test/live/lab.ts';
import { Agent, Lab, missing } from '../test/live/lab.ts';
import { hepTable } from './live-hep.ts';
import { cpuByThread, cpuSince } from './process-cpu.ts';
import type { Sent } from './soak.ts';
import { buildBlast, metricsOf, sentOf, sumOf } from './soak.ts';

const SECONDS = 6;
/** The API is asked before: a server that has just started compiles what it runs. Told apart from the rest. */
const WARM_SECONDS = 3;
/** Several sources, each below the limit of 100 requests a second that stands. */
const ASK = {
  rate: 500,
  sources: 6,
  paths: ['/v1/dialogs?limit=50', '/v1/streams?limit=50', '/v1/dialogs?state=InCall'],
};

type Reading = {
  readonly reader: string;
  readonly load: string;
  /** That the interface got. */
  readonly arrived: number;
  readonly perSec: number;
  /** As the reader says; null where it says nothing. */
  readonly dropped: number | null;
  /** Of what arrived, where the reader tells what it kept. */
  readonly keptShare: number | null;
  readonly cpuSec: number;
  /** Of which the main thread, the reader's thread of calltap, and V8's. */
  readonly threads: ReadonlyMap<string, number>;
  readonly api: string;
};

function arrivedAt(lab: Lab): number {
  return Number(lab.do('a', 'cat', ['/sys/class/net/eth0/statistics/rx_packets']));
}

type Reader = {
  readonly name: string;
  readonly program: string;
  readonly start: (lab: Lab) => Promise<{ running: Running; agent: Agent | null }>;
  readonly stop: NodeJS.Signals;
  /** From what it printed and wrote, after its end. */
  readonly dropped: (lab: Lab, output: string) => number | null;
  readonly kept: (lab: Lab, output: string) => number | null;
};

function number(text: string, what: RegExp): number | null {
  const found = what.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

const CALLTAP: Reader = {
  name: 'calltap -d, --api',
  program: process.execPath,
  start: async (lab) => {
    const agent = await Agent.start(lab, ['-d', 'eth0', '--api-max-conn', '200'], /capturing on eth0/);
    return { running: agent.running, agent };
  },
  stop: 'SIGTERM',
  dropped: () => null,
  kept: () => null,
};

/** Without a server, whose load shedding looks at the event loop a hundred times a second. */
const CALLTAP_ALONE: Reader = {
  ...CALLTAP,
  name: 'calltap -d',
  start: async (lab) => {
    const running = lab.start('a', process.execPath, [join(packageRoot(), 'dist/program/calltap.js'), '-d', 'eth0']);
    await lab.said(running, /capturing on eth0/);
    return { running, agent: null };
  },
  dropped: (_, output) => number(output, /kernel_dropped_packets (\d+)/) ?? 0,
};

const PEERS: readonly Reader[] = [
  {
    name: 'tcpdump -w /dev/null',
    program: 'tcpdump',
    start: async (lab) => {
      const running = lab.start('a', 'tcpdump', ['-i', 'eth0', '-B', '65536', '-w', '/dev/null']);
      await lab.said(running, /listening on/);
      return { running, agent: null };
    },
    stop: 'SIGINT',
    dropped: (_, output) => number(output, /(\d+) packets? dropped by kernel/),
    kept: (_, output) => number(output, /(\d+) packets? captured/),
  },
  {
    name: 'dumpcap -w file',
    program: 'dumpcap',
    start: async (lab) => {
      const running = lab.start('a', 'dumpcap', ['-i', 'eth0', '-B', '64', '-s', '96', '-w', lab.path('dump.pcapng')]);
      await lab.said(running, /Capturing on/);
      return { running, agent: null };
    },
    stop: 'SIGINT',
    dropped: (_, output) => number(output, /received\/dropped on interface[^:]*: \d+\/(\d+)/),
    kept: (_, output) => number(output, /received\/dropped on interface[^:]*: (\d+)\//),
  },
  {
    name: 'sngrep -r -O file',
    program: 'sngrep',
    start: async (lab) => {
      const file = lab.path('sngrep.pcap');
      const running = lab.start('a', 'sngrep', ['-d', 'eth0', '-B', '64', '-r', '-N', '-q', '-O', file]);
      await sleep(2000);
      return { running, agent: null };
    },
    stop: 'SIGINT',
    dropped: () => null,
    kept: (lab) =>
      number(
        spawnSync('capinfos', ['-c', '-M', lab.path('sngrep.pcap')], { encoding: 'utf8' }).stdout,
        /packets: *(\d+)/,
      ),
  },
];

type Load = {
  readonly name: string;
  /** Of the flood: its rate and what follows it. */
  readonly flood: readonly string[];
  readonly callsPerSec: number;
  readonly asks: boolean;
};

type Tools = { readonly blast: string; readonly flood: string; readonly ask: string };

/** Runs one reader under one load. */
async function measure(reader: Reader, load: Load, tools: Tools): Promise<Reading> {
  const closers: (() => Promise<void>)[] = [];
  const lab = new Lab({ after: (close) => closers.push(close) });
  try {
    const { running, agent } = await reader.start(lab);
    const pid = running.child.pid ?? 0;
    await sleep(500);
    const cpuBefore = cpuByThread(pid);
    const arrivedBefore = arrivedAt(lab);
    const seconds = `${SECONDS + (load.asks ? WARM_SECONDS : 0)}`;
    const flood = lab.start('a', tools.flood, ['eth0', seconds, ...load.flood]);
    const calls = ['--seconds', seconds, '--iface', 'eth0', '--calls', `${load.callsPerSec}`, '--talk', '40'];
    const blast = load.callsPerSec > 0 ? lab.start('b', tools.blast, calls) : null;
    const asked = agent !== null && load.asks ? startAsking(lab, tools.ask, agent) : null;
    await Promise.all([flood.ended, blast?.ended]);
    await sleep(300);
    const sent = sentOf(flood.output());
    // What the flood makes is no packet that a driver counted.
    const arrived = arrivedAt(lab) - arrivedBefore + (sent['frames'] ?? 0);
    const threads = cpuSince(pid, cpuBefore);
    const cpu = [...threads.values()].reduce((a, b) => a + b, 0);
    await asked?.ended;
    const dropped = agent === null ? null : droppedBy(agent);
    running.child.kill(reader.stop);
    await running.ended;
    const kept = reader.kept(lab, running.output());
    return {
      reader: reader.name,
      load: load.name,
      arrived,
      perSec: arrived / (sent['seconds'] ?? 1),
      dropped: dropped ?? reader.dropped(lab, running.output()),
      keptShare: kept === null ? null : kept / arrived,
      cpuSec: cpu,
      threads,
      api: asked === null ? '' : latency(asked.output()),
    };
  } finally {
    for (const close of closers) await close();
  }
}

function droppedBy(agent: Agent): number {
  const m = metricsOf(agent.text('/metrics'));
  return sumOf(m, 'calltap_live_total', ['kernel_drops', 'unread_at_stop', 'iface_missed', 'queue_dropped']);
}

function startAsking(lab: Lab, ask: string, agent: Agent): Running {
  const port = new URL(agent.url).port;
  const times = [`${WARM_SECONDS}`, `${SECONDS - 0.5}`];
  return lab.start('a', ask, ['127.0.0.1', port, ...times, `${ASK.rate}`, `${ASK.sources}`, ...ASK.paths]);
}

function latency(output: string): string {
  const answer: Sent = sentOf(output);
  const not200 = (answer['not200'] ?? 0) > 0 ? `, ${answer['not200']} not 200` : '';
  const lost = (answer['unanswered'] ?? 0) > 0 ? `, ${answer['unanswered']} without answer` : '';
  return `${answer['p50']} / ${answer['p99']} / ${answer['max']}${not200}${lost}; before: ${answer['warmP99']}`;
}

function table(readings: readonly Reading[]): string {
  const rows = readings.map((r) => {
    const ns = nsOf(r);
    return [
      r.load,
      r.reader,
      `${(r.perSec / 1000).toFixed(0)}`,
      `${r.arrived}`,
      r.dropped === null ? 'does not say' : `${r.dropped}`,
      r.keptShare === null ? '' : `${(r.keptShare * 100).toFixed(1)} %`,
      ns.toFixed(ns < 100 ? 1 : 0),
      [...r.threads].flatMap(([name, sec]) => (sec * 100 >= r.cpuSec ? [`${name} ${sec.toFixed(3)}`] : [])).join(', '),
      r.api,
    ];
  });
  const head = [
    'load',
    'reader',
    'k packets/s',
    'arrived',
    'dropped',
    'kept',
    'CPU ns a packet',
    'CPU s by thread',
    'API p50 / p99 / max ms; p99 of the first seconds',
  ];
  return [head, head.map((_, i) => (i < 2 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function installed(reader: Reader): boolean {
  return reader.program === process.execPath || missing(reader.program) === false;
}

/** A program of one file. */
export function compiled(name: string): string {
  const bench = join(packageRoot(), 'bench');
  const out = join(bench, 'out', name);
  const flags = ['-std=c11', '-O2', '-Wall', '-Wextra', '-Werror', '-pthread'];
  const done = spawnSync('cc', [...flags, join(bench, `${name}.c`), '-o', out], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(done.stderr);
  return out;
}

/** What a word of the command line asks for: rates in thousands a second, or readers by the beginning of their name. */
function chosen(argv: readonly string[]): { rates: readonly number[]; readers: readonly Reader[] } {
  const rates = argv.filter((word) => /^\d+$/.test(word)).map((word) => Number(word) * 1000);
  const names = argv.filter((word) => !/^\d+$/.test(word));
  const all = [CALLTAP, CALLTAP_ALONE, ...PEERS].filter(installed);
  return { rates, readers: names.length === 0 ? all : all.filter((r) => names.some((n) => r.name.startsWith(n))) };
}

function toolsOf(): Tools {
  return { blast: buildBlast(), flood: compiled('flood'), ask: compiled('ask') };
}

/** A stream has 50 packets a second; a call of some seconds is set up and torn down with seven messages. */
function wireLoad(rate: number): Load {
  return {
    name: `RTP ${rate / 1000}k/s in ${rate / 50} streams, ${rate / 10_000} calls/s`,
    flood: [`${rate}`, 'rtp', `${rate / 50}`],
    callsPerSec: rate / 10_000,
    asks: true,
  };
}

/** What calltap and tcpdump take of a packet at this rate, ns of processor time, and what calltap dropped. */
export async function wireFigures(rate: number): Promise<{ ns: number; floorNs: number; dropped: number }> {
  const tools = toolsOf();
  const [floor = CALLTAP_ALONE] = PEERS;
  const ours = await measure(CALLTAP_ALONE, wireLoad(rate), tools);
  const theirs = await measure(floor, wireLoad(rate), tools);
  return { ns: nsOf(ours), floorNs: nsOf(theirs), dropped: ours.dropped ?? Number.NaN };
}

function nsOf({ arrived, cpuSec }: Reading): number {
  return arrived > 0 ? (cpuSec * 1e9) / arrived : Number.NaN;
}

/**
 * Runs everything, or the parts of the first word (wire, filter, hep), and of them the rates and readers that follow;
 * prints Markdown. An exit code.
 */
export async function liveBench(argv: readonly string[]): Promise<number> {
  const why = missing('cc');
  if (why !== false) {
    process.stderr.write(`bench: ${why}\n`);
    return 1;
  }
  const tools = toolsOf();
  const only = argv[0] ?? 'wire,filter,hep';
  const { rates, readers } = chosen(argv.slice(1));
  const ratesOf = (usual: readonly number[]) => (rates.length === 0 ? usual : rates);
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const load = (): string => loadavg()[0]?.toFixed(1) ?? '';
  print(`${cpus()[0]?.model ?? ''}, ${cpus().length} cores, kernel ${release()}, Node ${process.version}.`);
  if (only.includes('wire')) {
    const loads = ratesOf([100_000, 300_000, 500_000]).map(wireLoad);
    const readings: Reading[] = [];
    for (const l of loads) for (const r of readers) readings.push(await measure(r, l, tools));
    print(`\nOn a cable, ${SECONDS} s each; load average ${load()}.\n\n${table(readings)}`);
  }
  if (only.includes('filter')) {
    const loads: Load[] = ratesOf([200_000, 900_000]).flatMap((rate) =>
      ['udp', 'tcp'].map((kind) => ({
        name: `no VoIP: ${kind.toUpperCase()} ${rate / 1000}k/s`,
        flood: [`${rate}`, kind],
        callsPerSec: 0,
        asks: false,
      })),
    );
    const readings: Reading[] = [];
    for (const l of loads)
      for (const r of readers.filter((reader) => reader === CALLTAP || reader === CALLTAP_ALONE || reader === PEERS[0]))
        readings.push(await measure(r, l, tools));
    print(`\nOther traffic; load average ${load()}.\n\n${table(readings)}`);
  }
  if (only.includes('hep')) {
    print(`\nHEP 3 by UDP, calls of seven messages; load average ${load()}.\n`);
    for await (const line of hepTable(ratesOf([50_000, 100_000, 150_000, 200_000, 250_000]), tools.blast)) print(line);
  }
  return 0;
}
