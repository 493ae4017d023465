/**
 * What a hub tells of its agents: each run with what is missing of it, and how long ago each host was heard of.
 */
import type { AgentRun } from '../../contract/index.ts';
import { saidText } from '../../net/failures.ts';
import type { MetricFamily, MetricSample } from '../../view/metrics-snapshot.ts';
import { numberFamily } from '../../view/metrics-snapshot.ts';
import type { Agents, Missing } from '../agents/agents.ts';
import type { AgentRow } from '../clickhouse/stored-lists.ts';
import type { Heard } from './heartbeats.ts';

/** Rows are kept so long (deploy/store/schema.sql). */
const KEPT_MS = 30 * 86_400_000;
/** Reasons that a run shows. */
const REASONS = 50;

/** The newest runs first, then the hosts of `[agents]` that the store does not know. */
export function agentRuns(
  rows: readonly AgentRow[],
  hosts: readonly string[],
  missing: readonly Missing[],
  nowMs: number,
): AgentRun[] {
  const why = new Map(missing.map((each) => [each.host, each.why]));
  const reach = (host: string): Pick<AgentRun, 'reachable' | 'why'> => {
    if (!hosts.includes(host)) return { reachable: false, why: 'It is not in [agents] of this hub.' };
    const reason = why.get(host);
    return reason === undefined ? { reachable: true } : { reachable: false, why: reason };
  };
  const seen = new Set<string>();
  const runs = rows.map((row): AgentRun => {
    const isNewest = !seen.has(row.host);
    seen.add(row.host);
    return { ...toRun(row, nowMs), ...(isNewest ? reach(row.host) : {}) };
  });
  return [...runs, ...hosts.filter((host) => !seen.has(host)).map((host) => ({ host, ...reach(host) }))];
}

function toRun(row: AgentRow, nowMs: number): AgentRun {
  const { host, boot, at, startedAt, product, api, callsBegun, storedCalls, firstNumber, lastNumber } = row;
  const begun = Math.max(callsBegun, lastNumber);
  const expired = storedCalls > 0 && Date.parse(startedAt) < nowMs - KEPT_MS ? firstNumber - 1 : 0;
  return {
    host,
    boot,
    started_at: startedAt,
    last_heartbeat: at,
    delay_sec: delaySec(row, nowMs),
    product,
    api,
    calls_begun: callsBegun,
    stored: storedCalls,
    missing: begun - expired - storedCalls,
    losses: Object.fromEntries(
      Object.entries(row.losses)
        .filter(([, lost]) => lost > 0)
        .slice(0, REASONS),
    ),
  };
}

function delaySec({ at }: AgentRow, nowMs: number): number {
  return Math.max(0, nowMs - Date.parse(at)) / 1000;
}

/** Hosts that `[agents]` names come first: a page shows so many label values. */
export function hubFamilies({ rows, trouble }: Heard, agents: Agents, nowMs: number): MetricFamily[] {
  const newest = new Map<string, AgentRow>();
  for (const row of rows) if (!newest.has(row.host)) newest.set(row.host, row);
  const named = agents.hosts.flatMap((host) => newest.get(host) ?? []);
  const others = [...newest.values()].filter((row) => !agents.hosts.includes(row.host));
  const gauge = (name: string, help: string, of: (row: AgentRow) => number): MetricFamily => ({
    name: `calltap_hub_${name}`,
    help,
    type: 'gauge',
    labelNames: ['host'],
    samples: [...named, ...others].map(
      (row): MetricSample => ({ labels: { host: saidText(row.host) }, value: of(row) }),
    ),
  });
  return [
    numberFamily('gauge', 'calltap_hub_agents_named', 'Agents that [agents] names.', agents.hosts.length),
    numberFamily('gauge', 'calltap_hub_agents_seen', 'Hosts whose heartbeat the store has.', newest.size),
    numberFamily('gauge', 'calltap_hub_store_up', '1 while the store answers, else 0.', trouble === null ? 1 : 0),
    gauge('heartbeat_age_seconds', 'Since the newest heartbeat of a host.', (row) => delaySec(row, nowMs)),
    gauge('agent_rows_made', 'Rows that the newest run of a host made.', ({ rowsMade }) => rowsMade),
    gauge('agent_rows_stored', 'Rows of it that the store acknowledged.', ({ rowsStored }) => rowsStored),
    numberFamily('counter', 'calltap_hub_agent_questions_total', 'Questions to agents.', agents.questions),
    numberFamily('counter', 'calltap_hub_agent_failures_total', 'Questions without an answer.', agents.failures),
  ];
}
