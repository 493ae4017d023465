/**
 * The console under load: Chromium on a live agent that keeps 100,000 calls and gets new and changing ones, beside clients
 * of /v1. Says what a user sees, what it costs the browser, what /v1 answers meanwhile, and that the capture lost nothing.
 *
 * The agent, the calls and the clients run on the first processor, the browser on the second: what is measured of the page
 * is the page, and what is measured of the agent is the agent.
 */
import { cpus, loadavg, release } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../src/core/package.ts';
import { until } from '../test/helpers/patience.ts';
import { Agent, Lab, missing } from '../test/live/lab.ts';
import { comeFirst } from './come-first.ts';
import type { Browsed } from './console-browser.ts';
import type { PageCost } from './console-meter.ts';
import { compiled } from './live-bench.ts';
import { cpuByThread, cpuSince } from './process-cpu.ts';
import type { Sent } from './soak.ts';
import { buildBlast, metricsOf, sentOf, sumOf } from './soak.ts';

const KEPT = 100_000;
/** Calls a second while it is filled, and then: each of seven messages and an RTP packet a direction, five seconds long. */
const FILL_CALLS_PER_SEC = 2_500;
const LIVE_CALLS_PER_SEC = 286;
const HOLD_STEPS = 250;
/** The clients ask for so long before the browser comes: what they get then is told apart. */
const WARM_SEC = 15;
/** Beyond the walk: the browser's start, and the end of the list. */
const SPARE_SEC = 45;
const CLIENTS = 10;
const BOUNDS = { frameMs: 33, mainThread: 0.6, heapMB: 60, apiMs: 50 };
const AGENT_CPU = ['taskset', '-c', '0'];
const BROWSER_CPU = ['taskset', '-c', '1'];

type Asked = { readonly path: string; readonly answers: Sent };

function startClients(lab: Lab, port: string, seconds: number, callIds: readonly string[]) {
  const program = compiled('ask');
  const loads: [string, number, string[]][] = [
    ['/v1/dialogs?limit=50', 20, ['/v1/dialogs?limit=50']],
    ['/v1/dialogs/{call_id}', 20, callIds.map((id) => `/v1/dialogs/${encodeURIComponent(id)}`)],
    ['/v1/stats', 5, ['/v1/stats']],
  ];
  return loads.map(([path, perSec, paths]) => {
    const args = ['127.0.0.1', port, `${WARM_SEC}`, `${seconds}`, `${perSec}`, `${CLIENTS}`, ...paths];
    const running = lab.start('a', AGENT_CPU[0] ?? '', [...AGENT_CPU.slice(1), program, ...args]);
    return running.ended.then((): Asked => ({ path, answers: sentOf(running.output()) }));
  });
}

function blast(lab: Lab, seconds: number, callsPerSec: number, holdSteps: number) {
  const calls = ['--calls', `${callsPerSec}`, '--talk', '1', '--hold', `${holdSteps}`];
  const args = ['--seconds', `${seconds}`, '--iface', 'eth0', ...calls];
  return lab.start('b', AGENT_CPU[0] ?? '', [...AGENT_CPU.slice(1), buildBlast(), ...args]);
}

const messages = (agent: Agent): number => sumOf(metricsOf(agent.text('/metrics')), 'service_messages_total');

/** All counters of losses that are not zero, but calls that made room for `sent` ones when the store was full. */
function lossesOf(agent: Agent, sent: number): string[] {
  const { losses, capture_quality: quality } = agent.get('/v1/stats') ?? {};
  const counters = Object.entries({ ...Object(losses), ...Object(quality) });
  const madeRoom = Math.max(0, sent - KEPT);
  return counters.flatMap(([name, n]) => {
    const isFine = n === 0 || n === false || (name === 'dialogs_evicted' && n === madeRoom);
    return isFine ? [] : [`${name} ${String(n)}`];
  });
}

function page(name: string, cost: PageCost): string {
  const ms = [cost.p50Ms, cost.p95Ms, cost.p99Ms, cost.maxMs].map((value) => value.toFixed(1)).join(' / ');
  const share = (value: number): string => `${(value * 100).toFixed(1)} %`;
  return `| ${name} | ${cost.frames} in ${cost.seconds.toFixed(0)} s | ${ms} | ${cost.late} | ${share(cost.mainThread)} | ${share(cost.tasks)} | ${cost.browserCores.toFixed(2)} | ${cost.heapMB.toFixed(1)} (${cost.heapMostMB.toFixed(1)}) | ${cost.nodes} |`;
}

const median = (values: readonly number[]): string =>
  ([...values].sort((a, b) => a - b)[values.length >> 1] ?? 0).toFixed(0);

async function measure(lab: Lab, seconds: number, endRows: number, print: (line: string) => void): Promise<number> {
  const caps = ['--max-streams', '400000', '--message-log-bytes', '1G', '--api-max-conn', '400'];
  const agent = await Agent.start(lab, ['-d', 'eth0', '--console', ...caps], /capturing on eth0/, AGENT_CPU);
  const pid = agent.running.child.pid ?? 0;
  const filling = blast(lab, KEPT / FILL_CALLS_PER_SEC, FILL_CALLS_PER_SEC, 0);
  await filling.ended;
  const filled = sentOf(filling.output());
  await until(
    () => messages(agent) === filled['call_messages'],
    () => `${messages(agent)} messages of ${filled['call_messages']}`,
  );
  print(
    `${filled['calls']} calls in ${filled['seconds']?.toFixed(0)} s; lost: ${lossesOf(agent, KEPT).join(', ') || 'nothing'}`,
  );
  const newest = agent.get('/v1/dialogs?limit=20')?.['dialogs'];
  const callIds = (Array.isArray(newest) ? newest : []).map((row: unknown) => String(Object(row)['call_id']));
  const live = blast(lab, seconds + WARM_SEC + SPARE_SEC, LIVE_CALLS_PER_SEC, HOLD_STEPS);
  await sleep(HOLD_STEPS * 20);
  const clients = startClients(lab, new URL(agent.url).port, seconds, callIds);
  await sleep(WARM_SEC * 1000);
  const threads = cpuByThread(pid);
  const begun = performance.now();
  const program = join(packageRoot(), 'dist', 'bench', 'console-browser.js');
  const [taskset = '', ...pinned] = BROWSER_CPU;
  const browser = lab.start('a', taskset, [
    ...pinned,
    process.execPath,
    program,
    agent.url,
    `${seconds}`,
    `${endRows}`,
  ]);
  const asked = await Promise.all(clients);
  const used = cpuSince(pid, threads);
  const wall = (performance.now() - begun) / 1000;
  await browser.ended;
  const browsed = JSON.parse(browser.output().trim().split('\n').at(-1) ?? '') as Browsed;
  await live.ended;
  const sent = sentOf(live.output());
  const sentAll = (filled['call_messages'] ?? 0) + (sent['call_messages'] ?? 0);
  await until(
    () => messages(agent) >= sentAll,
    () => `${messages(agent)} messages of ${sentAll}`,
  );
  const lost = lossesOf(agent, (filled['calls'] ?? 0) + (sent['calls'] ?? 0));
  print(
    `${sent['calls']} calls and ${sent['call_messages']} messages in ${sent['seconds']?.toFixed(0)} s beside it; ` +
      `${messages(agent)} of ${sentAll} messages counted; lost: ${lost.join(', ') || 'nothing'}`,
  );
  const cores = [...used]
    .filter(([, sec]) => sec > wall / 200)
    .map(([name, sec]) => `${name} ${(sec / wall).toFixed(3)}`);
  print(`agent, cores by thread: ${cores.join(', ')}; load average ${loadavg()[0]?.toFixed(1)}`);
  print(
    `\n| page | frames | p50 / p95 / p99 / max ms | over 50 ms | main thread | its tasks | browser, cores | heap MB (most) | nodes |`,
  );
  print('|---|---:|---:|---:|---:|---:|---:|---:|---:|');
  print(page('used', browsed.used));
  print(page(`${browsed.end.rows} rows read`, browsed.end.cost));
  const { walked } = browsed;
  print(
    `\nfirst rows ${browsed.firstRowsMs.toFixed(0)} ms; ${walked.rounds} rounds, a call opens in ${median(walked.openMs)} ms, ` +
      `the list is back in ${median(walked.backMs)} ms; ${browsed.listed} rows listed, ${browsed.inPage} in the page; ` +
      `reports: ${browsed.reports.join('; ') || 'none'}`,
  );
  print(
    '\n| /v1 meanwhile | asked | p99 before ms | p50 / p99 / p999 / max ms | not 200, unanswered |\n|---|---:|---:|---:|---:|',
  );
  for (const { path, answers: a } of asked)
    print(
      `| ${path} | ${a['asked']} | ${a['warmP99']} | ${a['p50']} / ${a['p99']} / ${a['p999']} / ${a['max']} | ${a['not200']}, ${a['unanswered']} |`,
    );
  const worstApi = Math.max(...asked.map(({ answers }) => answers['p99'] ?? Number.NaN));
  const misses = [
    [browsed.used.p95Ms < BOUNDS.frameMs, `frames p95 < ${BOUNDS.frameMs} ms`],
    [browsed.used.mainThread < BOUNDS.mainThread, `main thread < ${BOUNDS.mainThread * 100} %`],
    [browsed.used.heapMB < BOUNDS.heapMB && browsed.end.cost.heapMB < BOUNDS.heapMB, `heap < ${BOUNDS.heapMB} MB`],
    [worstApi < BOUNDS.apiMs, `/v1 p99 < ${BOUNDS.apiMs} ms`],
    [lost.length === 0 && messages(agent) === sentAll, 'nothing is lost'],
  ].flatMap(([isMet, what]) => (isMet === true ? [] : [String(what)]));
  print(misses.length === 0 ? '\nEvery bound is met.' : `\nNot met: ${misses.join('; ')}.`);
  return misses.length === 0 ? 0 : 1;
}

/** `npm run bench -- console [SECONDS [ROWS]]`: an exit code, 1 where a bound is missed. */
export async function consoleLoad([seconds = '60', rows = '20000']: readonly string[]): Promise<number> {
  const why = missing('cc', 'chromium', 'taskset');
  if (why !== false) {
    process.stderr.write(`bench: ${why}\n`);
    return 2;
  }
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  print(`${cpus()[0]?.model ?? ''}, ${cpus().length} cores, kernel ${release()}, Node ${process.version}`);
  comeFirst(process.pid);
  const closers: (() => Promise<void>)[] = [];
  const lab = new Lab({ after: (close) => closers.push(close) });
  try {
    return await measure(lab, Number(seconds), Number(rows), print);
  } finally {
    for (const close of closers) await close();
  }
}
