/**
 * What a hub tells of its agents: each run with what is missing of it, and how long ago each host was heard of.
 */
import type { AgentRun } from '../../contract/index.ts';
import { saidText } from '../../net/failures.ts';
import type { LabelledName, MetricFamily } from '../../view/metrics/family.ts';
import { countsOf, numberOf } from '../../view/metrics/family.ts';
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
  const byHost = (name: LabelledName, of: (row: AgentRow) => number): MetricFamily =>
    countsOf(
      name,
      [...named, ...others].map((row) => [saidText(row.host), of(row)]),
    );
  return [
    numberOf('calltap_hub_agents_named', agents.hosts.length),
    numberOf('calltap_hub_agents_seen', newest.size),
    numberOf('calltap_hub_store_up', trouble === null ? 1 : 0),
    byHost('calltap_hub_heartbeat_age_seconds', (row) => delaySec(row, nowMs)),
    byHost('calltap_hub_agent_rows_made', ({ rowsMade }) => rowsMade),
    byHost('calltap_hub_agent_rows_stored', ({ rowsStored }) => rowsStored),
    numberOf('calltap_hub_agent_questions_total', agents.questions),
    numberOf('calltap_hub_agent_failures_total', agents.failures),
  ];
}
