/**
 * What shipping costs: calltap on a cable under calls of known number, with `--ship` and without in turns, to a store that
 * takes everything at once.
 *
 *   npm run bench -- ship [RUNS] [--rate=2260] [--seconds=12] [--messages=headers] [--hold=150] [--talk=10] [--warm=4] [--stacks]
 *
 * A call has seven messages and a stream of `--talk` packets, and lasts three seconds with `--hold=150`: a row two seconds
 * after it began, and one after its end. The last look at a call comes 32 seconds later: with `--warm=40` there are as many as
 * there are calls. Costs are processor time, so that other programs on the machine count little: the difference to the median
 * run without `--ship`, over the calls. A hold is the processor time of one turn of the loop; beside it stands the longest turn
 * by the clock, and how long the thread waited for a processor in all. `--stacks` says what ran in the longest turns. A run with
 * fewer rows a call than another had them made too late, as the machine did other things: it does not count.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { packageRoot } from '../src/core/package.ts';
import { until } from '../test/helpers/patience.ts';
import type { Running } from '../test/live/lab.ts';
import { Lab, missing } from '../test/live/lab.ts';
import { median } from './measure.ts';
import { cpuByThread, cpuSince, waitedMs } from './process-cpu.ts';
import { buildBlast, metricsOf, sentOf, sumOf } from './soak.ts';
import type { TurnFigures } from './turn-meter.ts';

/** Until the last rows of calls that ended are made and on the disk. */
const SETTLE_MS = 4_000;

type Plan = {
  readonly runs: number;
  readonly rate: number;
  readonly seconds: number;
  readonly messages: string;
  readonly hold: string;
  readonly talk: string;
  /** Seconds of calls before those that are measured: what runs is compiled then. */
  readonly warm: number;
  readonly showsStacks: boolean;
};
type Run = {
  readonly legs: number;
  /** Processor time in seconds. */
  readonly main: number;
  readonly all: number;
  /** The main thread's wait for a processor. */
  readonly waitedMs: number;
  readonly turns: TurnFigures;
  readonly rows: number;
  readonly losses: number;
  readonly drops: number;
};

class ShipBench {
  readonly #plan: Plan;
  readonly #blast: string;

  constructor(plan: Plan, blast: string) {
    this.#plan = plan;
    this.#blast = blast;
  }

  async run(ships: boolean): Promise<Run> {
    const closers: (() => Promise<void>)[] = [];
    const lab = new Lab({ after: (close) => closers.push(close) });
    try {
      return await this.#runIn(lab, ships);
    } finally {
      for (const close of closers) await close();
    }
  }

  async #runIn(lab: Lab, ships: boolean): Promise<Run> {
    const { seconds, warm } = this.#plan;
    const agent = await this.#startAgent(lab, ships);
    const url = (await lab.said(agent, /api listening on (\S+)/))[1] ?? '';
    const metrics = () => metricsOf(lab.do('a', 'curl', ['-s', `${url}/metrics`]));
    const pid = agent.child.pid ?? 0;
    await this.#calls(lab, warm);
    const before = metrics();
    const waitedBefore = waitedMs(pid);
    const [start, figures] = [cpuByThread(pid), await this.#turns(agent, 'reset')];
    if (figures !== null) throw new Error('figures before the run');
    const legs = await this.#calls(lab, seconds);
    const used = cpuSince(pid, start);
    const turns = await this.#turns(agent, 'read');
    const waited = waitedMs(pid) - waitedBefore;
    const after = metrics();
    const since = (family: string, labels?: readonly string[]): number =>
      sumOf(after, family, labels) - sumOf(before, family, labels);
    return {
      ...{ legs, main: used.get('main') ?? 0, all: sum(used), waitedMs: waited },
      turns: turns ?? fail('the meter gave no figures'),
      rows: since('calltap_ship_made_total', ['calls']),
      losses: sumOf(after, 'calltap_ship_lost_total') + sumOf(after, 'calltap_ship_left_out_total'),
      drops: sumOf(after, 'calltap_live_total', ['kernel_drops', 'iface_missed', 'queue_dropped']),
    };
  }

  async #startAgent(lab: Lab, ships: boolean): Promise<Running> {
    const dist = join(packageRoot(), 'dist');
    const args = ['--import', join(dist, 'bench/turn-meter.js'), join(dist, 'program/calltap.js'), '-d', 'eth0'];
    args.push('--api', '127.0.0.1:0');
    if (ships) {
      const sink = lab.start('a', process.execPath, [join(dist, 'bench/ship-sink.js')]);
      const port = (await lab.said(sink, /^(\d+)\n/))[1] ?? '';
      args.push('--ship', `http://127.0.0.1:${port}/calltap`, '--ship-spool', lab.path('spool'));
      args.push('--ship-messages', this.#plan.messages);
    }
    const by = this.#plan.showsStacks ? ['env', 'CALLTAP_TURN_PROFILE=1'] : ['env'];
    const [program = '', ...rest] = [...by, process.execPath, ...args];
    const agent = lab.start('a', program, rest, 'ignore', 'ipc');
    await lab.said(agent, /capturing on eth0/);
    return agent;
  }

  /** Calls for so many seconds, and until their rows are made; how many. */
  async #calls(lab: Lab, seconds: number): Promise<number> {
    const { rate, hold, talk } = this.#plan;
    const load = ['--seconds', `${seconds}`, '--calls', `${rate}`, '--talk', talk, '--sides', '1', '--hold', hold];
    const blast = lab.start('b', this.#blast, ['--iface', 'eth0', ...load]);
    if ((await blast.ended) !== 0) throw new Error(blast.output());
    await sleep(SETTLE_MS);
    return sentOf(blast.output())['calls'] ?? 0;
  }

  async #turns({ child }: Running, what: 'reset' | 'read'): Promise<TurnFigures | null> {
    const answers: unknown[] = [];
    child.once('message', (answer) => answers.push(answer));
    child.send(what);
    const answer = await until(
      () => answers[0] ?? null,
      () => 'the meter says nothing',
    );
    return typeof answer === 'object' && answer !== null && 'longestMs' in answer ? figuresOf(answer) : null;
  }
}

/** How long calls at the usual rate hold the loop of a capture alone, after so many seconds of them. */
export async function turnsUnderCalls(warm: number): Promise<TurnFigures> {
  const blast = buildBlast();
  const plan = { runs: 1, rate: 2260, seconds: 12, messages: 'headers', hold: '150', talk: '10', showsStacks: false };
  try {
    return (await new ShipBench({ ...plan, warm }, blast).run(false)).turns;
  } finally {
    rmSync(blast, { force: true });
  }
}

function figuresOf(answer: object): TurnFigures {
  return Object(answer);
}

function fail(reason: string): never {
  throw new Error(reason);
}

function sum(byThread: ReadonlyMap<string, number>): number {
  return [...byThread.values()].reduce((a, b) => a + b, 0);
}

const HEAD = [
  ...['run', 'calls', 'main µs a call', 'all µs a call', 'more main', 'more all'],
  ...['rows a call', 'longest hold ms', 'over 10', 'collector ms', 'by the clock ms', 'waited ms', 'lost', 'dropped'],
];

function row(name: string, run: Run, base: Run | null): string {
  const us = (seconds: number): string => ((seconds * 1e6) / run.legs).toFixed(1);
  const { turns } = run;
  const more = (of: 'main' | 'all'): string => (base === null ? '' : us(run[of] - base[of]));
  const cells = [
    ...[name, `${run.legs}`, us(run.main), us(run.all)],
    ...[more('main'), more('all')],
    ...[(run.rows / run.legs).toFixed(2), turns.longestMs.toFixed(1), `${turns.over10}`],
    ...[`${turns.longestGcMs.toFixed(1)} ${turns.longestGc}`, turns.longestWallMs.toFixed(1)],
    ...[run.waitedMs.toFixed(0), `${run.losses}`, `${run.drops}`],
  ];
  return `| ${cells.join(' | ')} |\n`;
}

/** What has the median of all that is compared. */
function typical(runs: readonly Run[]): Run {
  const of = (read: (run: Run) => number): number => median(runs.map(read));
  const [first = fail('no run')] = runs;
  const [main, all] = [of((run) => run.main), of((run) => run.all)];
  return { ...first, main, all };
}

function tellHolds({ holds }: TurnFigures): void {
  for (const { ms, gcMs, stack } of holds.slice(0, 6))
    process.stdout.write(`    ${ms.toFixed(1)} ms (collector ${gcMs.toFixed(1)}) ${stack ?? ''}\n`);
}

export async function shipBench(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      rate: { type: 'string', default: '2260' },
      seconds: { type: 'string', default: '12' },
      messages: { type: 'string', default: 'headers' },
      hold: { type: 'string', default: '150' },
      talk: { type: 'string', default: '10' },
      warm: { type: 'string', default: '4' },
      stacks: { type: 'boolean', default: false },
    },
  });
  const why = missing('cc', 'curl');
  if (why !== false) {
    process.stderr.write(`bench: ${why}\n`);
    return 1;
  }
  const { messages, hold, talk, stacks: showsStacks } = values;
  const [rate, seconds, runs] = [Number(values.rate), Number(values.seconds), Number(positionals[0] ?? '3')];
  const warm = Number(values.warm);
  const blast = buildBlast();
  const bench = new ShipBench({ ...{ runs, rate, seconds, messages, hold, talk, warm, showsStacks } }, blast);
  const plain: Run[] = [];
  const shipping: Run[] = [];
  process.stdout.write(`| ${HEAD.join(' | ')} |\n|---|${'---:|'.repeat(HEAD.length - 1)}\n`);
  try {
    for (let i = 0; i < runs; i++) {
      plain.push(await bench.run(false));
      process.stdout.write(row('without', plain.at(-1) ?? fail('no run'), null));
      shipping.push(await bench.run(true));
      const last = shipping.at(-1) ?? fail('no run');
      process.stdout.write(row('--ship', last, typical(plain)));
      if (showsStacks) tellHolds(last.turns);
    }
  } finally {
    rmSync(blast, { force: true });
  }
  const base = typical(plain);
  const more = shipping.map((run) => ((run.main - base.main) * 1e6) / run.legs);
  const all = shipping.map((run) => ((run.all - base.all) * 1e6) / run.legs);
  const times = median(shipping.map((run) => run.main / run.legs)) / (base.main / base.legs);
  process.stdout.write(
    `\nMore for a call: main thread ${median(more).toFixed(1)} µs (least ${Math.min(...more).toFixed(1)}), ` +
      `all threads ${median(all).toFixed(1)} (${Math.min(...all).toFixed(1)})\n` +
      `The main thread has ${times.toFixed(2)} times the work of capture alone\n`,
  );
  return 0;
}
