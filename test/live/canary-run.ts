/**
 * Runs canaries beside calltap and judges: nobody died or did anything else than without it, their calls were hit, and
 * each message is in a dialog or counted as given up. Only node's own modules are imported.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CanaryAgent } from './canary-agent.ts';
import { CANARIES } from './canary-list.ts';
import { othersProbing } from './canary-others.ts';

const LIMIT_MS = 150_000;
/** Runs that are looked at together: calltap answers once for all of them, and they fit into its queues. */
const BATCH = 10;
/** Of these so many run beside one another: most of a run is waiting. */
const AT_ONCE = 4;
const QUIET_LOOKS = 4;
const LOOK_MS = 60;
/** calltap remembers the kernel's counters for 100 ms. */
const COUNTERS_MS = 150;

export type CanaryResult = {
  readonly name: string;
  runs: number;
  /** Ended by a signal, with another code than 0, or not at all: how, and what it said. */
  readonly deaths: string[];
  /** Messages that the canaries exchanged by their TLS calls, and those that calltap shows. */
  exchanged: number;
  seen: number;
  /** Of the kernel's counters, what moved: the proof that the calls were hit. */
  readonly hits: Map<string, number>;
  /** Losses that are counted. */
  readonly givenUp: Map<string, number>;
  /** What calltap does not show and did not count, and what it shows and nobody said. */
  readonly faults: string[];
};

type Ended = { readonly how: string; readonly output: string };

async function run(path: string, prefix: string): Promise<Ended> {
  const child = spawn(path, [prefix], { stdio: ['ignore', 'pipe', 'pipe'], timeout: LIMIT_MS, killSignal: 'SIGKILL' });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString('latin1')).slice(-4000);
    });
  const how = await new Promise<string>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(signal ?? (code === 0 ? '' : `exit ${code}`)));
  });
  return { how, output };
}

function sum(counts: Iterable<number>): number {
  let n = 0;
  for (const count of counts) n += count;
  return n;
}

function add(into: Map<string, number>, more: ReadonlyMap<string, number>): void {
  for (const [name, n] of more) into.set(name, (into.get(name) ?? 0) + n);
}

/** Waits until the messages are all there, or no more come. */
async function look(agent: CanaryAgent, prefix: string, expected: number): Promise<ReadonlyMap<string, number>> {
  let seen = await agent.seen(prefix);
  for (let quiet = 0; quiet < QUIET_LOOKS && sum(seen.values()) < expected; ) {
    await sleep(LOOK_MS);
    const now = await agent.seen(prefix);
    quiet = sum(now.values()) === sum(seen.values()) ? quiet + 1 : 0;
    seen = now;
  }
  return seen;
}

/** Runs the canary so often; the messages of each run that ended well. Run i's Call-IDs begin with `prefix` and i. */
async function runBatch(result: CanaryResult, folder: string, agent: CanaryAgent | null, prefix: string, runs: number) {
  const exchanged = new Map<number, number>();
  let next = 0;
  const runNext = async (): Promise<void> => {
    for (let i = next++; i < runs; i = next++) {
      const { how, output } = await run(join(folder, result.name), `${prefix}${i}`);
      result.runs++;
      const [, requests, answers] = /^canary \S+: (\d+) requests, (\d+) answers/m.exec(output) ?? [];
      if (how === '' && requests !== undefined && answers !== undefined) {
        exchanged.set(i, Number(requests) + Number(answers));
        continue;
      }
      const others = agent === null ? [] : othersProbing(agent.pid);
      const also = others.length === 0 ? '' : `; probes of others are here too: ${others.join(', ')}`;
      result.deaths.push(`run ${i}: ${how}: ${output.trim().slice(0, 300)}${also}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runNext));
  result.exchanged += sum(exchanged.values());
  return exchanged;
}

/** Judges a batch: every run was hit, and what is not seen was given up and counted. */
async function judge(result: CanaryResult, agent: CanaryAgent, prefix: string, exchanged: ReadonlyMap<number, number>) {
  const messages = await look(agent, prefix, sum(exchanged.values()));
  await sleep(COUNTERS_MS);
  const { hits, losses } = await agent.moved();
  add(result.hits, hits);
  add(result.givenUp, losses);
  const seen = new Map<number, number>();
  const strange: [string, number][] = [];
  for (const [callId, n] of messages) {
    const [, i] = /^(\d+)\.\d+\.\d+$/.exec(callId.slice(prefix.length)) ?? [];
    if (i !== undefined) seen.set(Number(i), (seen.get(Number(i)) ?? 0) + n);
    // A request that was sent again on another connection may be there once more.
    if (i === undefined || n > 3) strange.push([callId, n]);
  }
  if (strange.length > 0) result.faults.push(`nobody said ${JSON.stringify(strange.slice(0, 5))}`);
  let missing = 0;
  for (const [i, expected] of exchanged) {
    const own = seen.get(i) ?? 0;
    result.seen += own;
    missing += Math.max(0, expected - own);
    if (own === 0) result.faults.push(`run ${i}: none of ${expected} messages seen: its calls were not hit`);
  }
  const calls = hits.get('calls') ?? 0;
  if (calls < exchanged.size) result.faults.push(`${calls} calls were hit in ${exchanged.size} runs`);
  const givenUp = sum([...losses].filter(([what]) => !what.includes('bytes')).map(([, n]) => n));
  const isWhole = CANARIES.find(({ name }) => name === result.name)?.isWhole ?? false;
  if (missing > (isWhole ? 0 : givenUp))
    result.faults.push(`${missing} messages of ${exchanged.size} runs not seen, ${givenUp} counted as given up`);
}

/** `runs` runs of one canary; `prefix` is this round's. */
export async function runCanary(
  name: string,
  folder: string,
  agent: CanaryAgent | null,
  runs: number,
  prefix: string,
): Promise<CanaryResult> {
  const none = { runs: 0, deaths: [], exchanged: 0, seen: 0, hits: new Map(), givenUp: new Map(), faults: [] };
  const result: CanaryResult = { name, ...none };
  for (let first = 0; first < runs; first += BATCH) {
    // The last sign stands in no other prefix: `fiber` and `fiber-hand` are told apart.
    const own = `${prefix}-${name}-${first / BATCH}_`;
    const exchanged = await runBatch(result, folder, agent, own, Math.min(BATCH, runs - first));
    if (agent !== null) await judge(result, agent, own, exchanged);
  }
  if (agent !== null && !agent.isAlive) result.faults.push('calltap itself has ended');
  return result;
}

/** Whether all was as it has to be. */
export function isRight(result: CanaryResult): boolean {
  return result.deaths.length === 0 && result.faults.length === 0 && result.exchanged > 0;
}

/** One line: what is claimed, and the figures. */
export function line(result: CanaryResult, mode: string): string {
  const { name, runs, deaths, exchanged, seen, givenUp, faults } = result;
  const shown = mode === 'none' ? `${exchanged} messages` : `${seen} of ${exchanged} messages seen`;
  const counted = [...givenUp].map(([what, n]) => `${what.replace('uprobe_', '')} ${n}`);
  const first = [deaths[0], faults[0]].flatMap((why) => why?.replaceAll(/\s+/g, ' ').slice(0, 500) ?? []);
  const words = [`${deaths.length} of ${runs} died`, shown, ...counted, ...first].join(', ');
  return `${isRight(result) ? 'ok' : 'not ok'} ${name} ${mode}: ${words}`;
}
