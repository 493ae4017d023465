/**
 * The port of servers over many hosts: calls from the store, and from the agents what they alone have. A hub writes nothing.
 */

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Persistence, Stats } from '../../contract/index.ts';
import {
  BucketCounts,
  JITTER_MS_BOUNDS,
  LOSS_PERCENT_BOUNDS,
  MOS_BOUNDS,
  PDD_SECONDS_BOUNDS,
} from '../../core/counters.ts';
import { faults } from '../../core/faults.ts';
import { DIALOG_STATES, type DialogStateName } from '../../core/words.ts';
import type { MetricFamily } from '../../view/metrics/family.ts';
import type { MetricsSnapshot } from '../../view/metrics/snapshot.ts';
import type { Agents } from '../agents/agents.ts';
import { callAnswers } from '../agents/call-answers.ts';
import { fleetOf } from '../agents/fleet.ts';
import type { StoreExplorer } from '../clickhouse/store-explorer.ts';
import type { Port } from '../port.ts';
import { Heartbeats } from './heartbeats.ts';
import { agentRuns, hubFamilies } from './runs.ts';

/** It cannot be opened. */
const CLOSED: Persistence = { enabled: false, authorized: false };

/** Whoever opened the store and the agents closes them. */
export function createHubExplorer(store: StoreExplorer, agents: Agents): Port {
  const answers = callAnswers(agents, store);
  const fleet = fleetOf(agents);
  const heartbeats = new Heartbeats(store);
  // The first scrape has them too.
  faults.run('link', () => heartbeats.read());
  const instance = randomUUID();
  const startedMs = Date.now();
  const stats = async (): Promise<Stats> => {
    const [{ answer: sums, missing }, { rows, trouble }] = await Promise.all([fleet.stats(), heartbeats.read()]);
    const { degraded } = sums.capture_quality;
    return {
      ...sums,
      capture_quality: { ...sums.capture_quality, degraded: degraded || trouble !== null },
      capture_identity: { node: hostname(), instance, dialog_generation: 0, stream_generation: 0 },
      uptime_sec: Math.floor((Date.now() - startedMs) / 1000),
      agents: agentRuns(rows, agents.hosts, missing, Date.now()),
      ...(trouble === null ? {} : { store_trouble: trouble }),
    };
  };
  return {
    ...store,
    ...answers,
    // Frames are needed, which the agent has.
    html: (callIds, asked, signal) => (asked.isAnonymized === true ? answers : store).html(callIds, asked, signal),
    stats,
    security: async () => (await fleet.security()).answer,
    captureReport: async () => (await fleet.captureReport()).answer,
    // Agents are live: it is as late here as it is there.
    pulse: async () => ({ ...(await fleet.pulse()).answer, nowUs: Date.now() * 1000 }),
    metrics: () => snapshotOf([...hubFamilies(heartbeats.newest, agents, Date.now()), ...(store.families?.() ?? [])]),
    persistence: () => CLOSED,
    setPersistence: () => CLOSED,
  };
}

/** A hub captures nothing: the families that every calltap has are there, without counts. */
function snapshotOf(families: readonly MetricFamily[]): MetricsSnapshot {
  return {
    // The keys are those of the list; fromEntries widens them to string.
    dialogEntries: Object.fromEntries(DIALOG_STATES.map((name) => [name, 0])) as Record<DialogStateName, number>,
    messagesByMethod: new Map(),
    streamsActive: 0,
    streamsByStatus: { established: 0, orphaned: 0 },
    capturePackets: 0,
    reassemblyTimeouts: 0,
    pddSeconds: new BucketCounts(PDD_SECONDS_BOUNDS).snapshot(),
    mos: new BucketCounts(MOS_BOUNDS).snapshot(),
    jitterMs: new BucketCounts(JITTER_MS_BOUNDS).snapshot(),
    lossPercent: new BucketCounts(LOSS_PERCENT_BOUNDS).snapshot(),
    families,
  };
}
