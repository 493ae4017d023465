/** Runs commands through bench/out/run and keeps what each run cost; medians over the runs. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Claim, Counts, Peer } from './peers.ts';
import { disagreements } from './peers.ts';

export interface Cost {
  readonly wallSec: number;
  readonly userSec: number;
  readonly sysSec: number;
  readonly peakRssKib: number;
  readonly exitCode: number;
  readonly overLimit: boolean;
}

/** A row of the table: figures, or the reason why there are none. */
export type Outcome =
  | {
      readonly kind: 'measured';
      readonly costs: readonly Cost[];
      readonly claim: Claim;
      readonly elapsedSec: readonly number[];
    }
  | { readonly kind: 'refused'; readonly reason: string };

export interface Row {
  readonly peer: string;
  readonly outcome: Outcome;
}

export interface Plan {
  readonly outDir: string;
  readonly runs: number;
  readonly limitSec: number;
  /** A tool slower than this on its warm-up is not run again: that run is its figure. */
  readonly slowSec: number;
  readonly say: (line: string) => void;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

function isCost(value: unknown): value is Cost {
  return typeof value === 'object' && value !== null && 'wallSec' in value && 'peakRssKib' in value;
}

/** One run; its output is left in `answer`. */
function runOnce(plan: Plan, peer: Peer, args: readonly string[], answer: string): Cost {
  const errors = join(plan.outDir, 'stderr.txt');
  const runner = join(plan.outDir, 'run');
  const child = spawnSync(runner, [answer, errors, String(plan.limitSec), String(peer.cores), peer.program, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const cost: unknown = child.status === 0 ? JSON.parse(child.stdout) : undefined;
  if (isCost(cost)) return cost;
  throw new Error(`bench/out/run failed: ${child.error?.message ?? `status ${String(child.status)}`}`);
}

function refuse(reason: string): Outcome {
  return { kind: 'refused', reason };
}

/** Claim of a finished run, or why it gives no figure. */
function judge(plan: Plan, peer: Peer, cost: Cost, answer: string, truth: Required<Counts>): Claim | Outcome {
  if (cost.overLimit) return refuse(`over the ${plan.limitSec} s limit`);
  if (cost.exitCode !== 0) {
    const lines = readFileSync(join(plan.outDir, 'stderr.txt'), 'utf8').trim().split('\n');
    const telling = lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? '';
    return refuse(`exit code ${cost.exitCode}: ${telling.slice(0, 120)}`);
  }
  const claim = peer.read(readFileSync(answer, 'latin1'));
  if (claim === undefined) return refuse('answer not understood');
  if (claim.elapsedSec !== undefined && claim.elapsedSec > cost.wallSec) return refuse('its own clock exceeds the run');
  const wrong = disagreements(claim, truth);
  return wrong.length === 0 ? claim : refuse(`wrong answer: ${wrong.join('; ')}`);
}

interface Contender {
  readonly peer: Peer;
  readonly costs: Cost[];
  readonly elapsed: number[];
  readonly claim: Claim;
  readonly once: boolean;
}

/** Warm-up, which is also the check of a long or silent answer. */
function warmUp(plan: Plan, peer: Peer, file: string, truth: Required<Counts>): Contender | Outcome {
  const answer = join(plan.outDir, 'answer.txt');
  const cost = runOnce(plan, peer, peer.args(file), answer);
  let seen = cost;
  if (peer.proof !== undefined && !cost.overLimit) seen = runOnce(plan, peer, peer.proof(file), answer);
  const claim = judge(plan, peer, cost.exitCode === 0 ? seen : cost, answer, truth);
  if ('kind' in claim) return claim;
  const once = cost.wallSec > plan.slowSec;
  return { peer, costs: once ? [cost] : [], elapsed: [], claim, once };
}

/** All tools on one corpus, alternating, so that a slow minute of the machine hits them alike. */
export function contest(plan: Plan, peers: readonly Peer[], file: string, truth: Required<Counts>): readonly Row[] {
  const refused = new Map<string, Outcome>();
  const contenders: Contender[] = [];
  for (const peer of peers) {
    plan.say(`  warm-up: ${peer.name}`);
    const ready = warmUp(plan, peer, file, truth);
    if ('kind' in ready) refused.set(peer.name, ready);
    else contenders.push(ready);
  }
  for (let round = 0; round < plan.runs; round += 1) {
    for (const c of contenders) {
      if (c.once || refused.has(c.peer.name)) continue;
      const silent = c.peer.longAnswer === true || c.peer.proof !== undefined;
      const answer = silent ? '/dev/null' : join(plan.outDir, 'answer.txt');
      const cost = runOnce(plan, c.peer, c.peer.args(file), answer);
      if (silent && (cost.overLimit || cost.exitCode !== 0)) refused.set(c.peer.name, refuse('failed while measuring'));
      if (!silent) {
        const claim = judge(plan, c.peer, cost, answer, truth);
        if ('kind' in claim) refused.set(c.peer.name, claim);
        else if (claim.elapsedSec !== undefined) c.elapsed.push(claim.elapsedSec);
      }
      c.costs.push(cost);
    }
    plan.say(`  round ${round + 1} of ${plan.runs}`);
  }
  const measured = new Map(contenders.map((c) => [c.peer.name, c]));
  return peers.map((peer): Row => {
    const reason = refused.get(peer.name);
    const c = measured.get(peer.name);
    if (reason !== undefined || c === undefined) return { peer: peer.name, outcome: reason ?? refuse('not run') };
    return { peer: peer.name, outcome: { kind: 'measured', costs: c.costs, claim: c.claim, elapsedSec: c.elapsed } };
  });
}
