/**
 * The overview over all hosts, of the calls and minutes that agents ship. Its figures are those of an agent (view/overview.ts); a call
 * counts once, whoever saw it. Figures are asked for a few at a time.
 */
import type { AskOverview, AskOverviewQuery } from '../../contract/index.ts';
import { usOf } from '../../core/timestamp.ts';
import { LOSSES, QUALITY } from '../../view/loss-table.ts';
import { DAY_MINUTES, earlier, minutesOf, spanOf, widened } from '../../view/overview-span.ts';
import { minuteOf } from '../../watch/trunks/trunk-spans.ts';
import type { Asking } from './filter-sql.ts';
import { COUNT, COUNTS, rowShape, TEXT, TIME } from './row-shapes.ts';
import { SqlParameters } from './sql.ts';
import type { StoreReader } from './store-reader.ts';
import type { RunEnds } from './stored-overview-cells.ts';
import { FOR_EVER_MS, MINUTE_US, spanOfStore, textOf } from './stored-overview-cells.ts';
import { pairsOf } from './stored-overview-pairs.ts';
import { troublesOf } from './stored-overview-troubles.ts';
import { overviewTrunksOf } from './stored-overview-trunks.ts';
import { AGENT_SILENT_US } from './stored-trunks.ts';

const MINUTE_SEC = 60;
const HOUR_MINUTES = 60;

/** Rejects with a refusal. */
export async function overviewOf(reader: StoreReader, asking: Asking, asked: AskOverviewQuery): Promise<AskOverview> {
  const wanted = spanOf(asked, asking.nowUs);
  const [runs, first] = await Promise.all([runsOf(reader), firstMinute(reader)]);
  const answer: AskOverview = {
    schema_version: 1,
    is_counting: true,
    cell_sec: MINUTE_SEC,
    troubles: [],
    capture: healthOf(runs, wanted?.from ?? 0),
  };
  if (wanted === null || first === null) return answer;
  const span = wanted;
  const ends = endsOf(runs, asking.nowUs);
  const begins = Math.floor(first / span.cellMinutes) * span.cellMinutes;
  if (begins > span.from) answer.kept_from = textOf(begins);
  answer.cell_sec = span.cellMinutes * MINUTE_SEC;
  const [shown, trunks] = await Promise.all([
    spanOfStore(reader, span, ends),
    overviewTrunksOf(reader, asking, span, asked.by ?? 'asr'),
  ]);
  answer.span = shown;
  answer.trunks = trunks;
  const [pairs, troubles] = await Promise.all([pairsOf(reader, widened(span, HOUR_MINUTES)), troublesOf(reader, span)]);
  answer.pairs = pairs;
  answer.troubles = troubles;
  for (const [name, before] of [
    ['span_before', earlier(span, minutesOf(span))],
    ['day_before', earlier(span, DAY_MINUTES)],
  ] as const)
    if (begins <= before.from) answer[name] = await spanOfStore(reader, before, ends);
  return answer;
}

/** The minute in which the earliest dialog began that is kept; null without any. */
async function firstMinute(reader: StoreReader): Promise<number | null> {
  const { n, at } = await reader.row(
    rowShape({ n: COUNT, at: TIME }),
    'SELECT count() AS n, min(created_at) AS at FROM calls WHERE hour = (SELECT min(hour) FROM calls)',
    new SqlParameters(),
  );
  return n === 0 ? null : minuteOf(usOf(at));
}

const RUN_ROW = rowShape({ host: TEXT, boot: TEXT, at: TIME, losses: COUNTS });
type Run = {
  readonly host: string;
  readonly boot: string;
  readonly atUs: number;
  readonly losses: Record<string, number>;
};

/** Runs that are looked at: those with the newest heartbeats. @cap */
const HUB_RUNS = 1_000;

async function runsOf(reader: StoreReader): Promise<Run[]> {
  const rows = await reader.rows(
    RUN_ROW,
    `SELECT left(host, 256) AS host, left(boot, 256) AS boot, at, losses FROM agents FINAL ORDER BY at DESC, host, boot LIMIT ${HUB_RUNS}`,
    new SqlParameters(),
    HUB_RUNS,
  );
  return rows.map(({ at, ...row }) => ({ ...row, atUs: usOf(at) }));
}

function endsOf(runs: readonly Run[], nowUs: number): RunEnds {
  const isThere = (atUs: number): boolean => atUs >= nowUs - AGENT_SILENT_US;
  return new Map(
    runs.map(({ host, boot, atUs }) => [
      `${host} ${boot}`,
      isThere(atUs) ? FOR_EVER_MS : Math.max(0, Math.floor(atUs / 1000)),
    ]),
  );
}

/** Whether the agents saw all, and shipped it; else the greatest loss of a run that was there since the span began. */
function healthOf(runs: readonly Run[], from: number): AskOverview['capture'] {
  const losses = runs
    .filter(({ atUs }) => atUs >= from * MINUTE_US)
    .flatMap(({ host, losses: all }) => Object.entries(all).flatMap(([name, n]) => (n > 0 ? { host, name, n } : [])))
    .flatMap((loss) => {
      const means = meaningOf(loss.name);
      return means === null ? [] : { ...loss, means };
    });
  const worst = losses.reduce<(typeof losses)[number] | null>((a, b) => (a === null || b.n > a.n ? b : a), null);
  if (worst === null) return { is_well: true };
  const { host, name, n, means } = worst;
  return { is_well: false, reason: `${host}: ${name.replaceAll('_', ' ')}: ${n}. ${means}` };
}

/** What a loss means for figures; null where they are whole without what was lost. */
function meaningOf(name: string): string | null {
  const row = LOSSES.find((loss) =>
    loss.name.endsWith('*') ? name.startsWith(loss.name.slice(0, -1)) : loss.name === name,
  );
  if (row === undefined) return null;
  if (row.quality !== undefined) return QUALITY[row.quality].means;
  return name.startsWith('ship_') ? row.means : null;
}
