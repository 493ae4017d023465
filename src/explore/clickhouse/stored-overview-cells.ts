/**
 * The cells of a span over all hosts. A call that several hosts saw counts once, by the part that saw its first message, as a list
 * counts it; how it sounded is the worst of what any host heard.
 */
import type { Static } from 'typebox';
import { Type } from 'typebox';
import type { OverviewCell, OverviewSpan } from '../../contract/index.ts';
import { rounded } from '../../core/rounded.ts';
import { timestampText } from '../../core/timestamp.ts';
import type { Steps } from '../../core/turns.ts';
import { EFFECTIVE_FAILURES } from '../../store/dialogs/call-outcome.ts';
import type { Quantiles } from '../../view/overview-figures.ts';
import { overviewFigures } from '../../view/overview-figures.ts';
import type { CellSpan } from '../../view/overview-span.ts';
import { CELLS, startsOf } from '../../view/overview-span.ts';
import { MAX_CODES } from '../../watch/code-counts.ts';
import { KEY } from './parts.ts';
import { AMOUNT_OR_NULL, COUNT, COUNTS, rowShape } from './row-shapes.ts';
import { SqlParameters } from './sql.ts';
import type { StoreReader } from './store-reader.ts';

export const MINUTE_US = 60e6;
/** A call is looked for among those that began so long before a span. A call that talks for longer is not counted from then on. @cap */
export const HUB_TALK_US = 86_400e6;

/** Codes beyond it are no codes of SIP: they count as this one. */
const GREATEST_CODE = 1_023;
/** Whoever may insert can write other scores. */
const [LEAST_MOS, GREATEST_MOS] = [1, 5];
/** States from which a call does not return, and those in which it talks. */
export const ENDED = `('Completed', 'Failed', 'Canceled', 'Redirected')`;
const TALKING = `('InCall', 'Transferring')`;
/** `quantilesExact` counts ranks from 0 and rounds down: from so much less it comes to the nearest rank. */
const LESS = 1e-10;
const [P05, P50, P95] = [0.05 - LESS, 0.5 - LESS, 0.95 - LESS];
const ROWS = 2 * CELLS;

/** Until when runs of agents said that they are there, by `host boot`, in milliseconds since the epoch; those that are now for ever. */
export type RunEnds = ReadonlyMap<string, number>;
export const FOR_EVER_MS = Date.UTC(2299, 0, 1);

const FIGURES_ROW = rowShape({
  is_sum: COUNT,
  cell: Type.Integer(),
  attempts: COUNT,
  answered: COUNT,
  effective: COUNT,
  failed: COUNT,
  canceled: COUNT,
  codes: COUNTS,
  pdd_count: COUNT,
  pdd_p50: AMOUNT_OR_NULL,
  pdd_p95: AMOUNT_OR_NULL,
  mos_count: COUNT,
  mos_p05: AMOUNT_OR_NULL,
  mos_p50: AMOUNT_OR_NULL,
});
type FiguresRow = Static<typeof FIGURES_ROW>;

const TALK_ROW = rowShape({ cell: Type.Integer(), talking: COUNT, most_talking: COUNT });
type TalkRow = Static<typeof TALK_ROW>;

const NOTHING: Omit<FiguresRow, 'is_sum' | 'cell'> = {
  ...{ attempts: 0, answered: 0, effective: 0, failed: 0, canceled: 0, codes: {} },
  ...{ pdd_count: 0, pdd_p50: 0, pdd_p95: 0, mos_count: 0, mos_p05: 0, mos_p50: 0 },
};

/** Rejects with a refusal. */
export async function spanOfStore(reader: StoreReader, span: CellSpan, ends: RunEnds): Promise<OverviewSpan> {
  const [figures, talks] = await Promise.all([figuresIn(reader, span, ends), talksIn(reader, span, ends)]);
  return reader.inTurns(spanSteps(span, figures, talks));
}

/** A step a cell. */
function* spanSteps(span: CellSpan, rows: readonly FiguresRow[], talks: readonly TalkRow[]): Steps<OverviewSpan> {
  const figures = new Map(rows.map((row) => [row.is_sum === 1 ? null : row.cell, row]));
  const talk = new Map(talks.map((row) => [row.cell, row]));
  const cells: OverviewCell[] = [];
  for (const start of startsOf(span)) {
    const cell = start / span.cellMinutes;
    const { talking = 0, most_talking = 0 } = talk.get(cell) ?? {};

    cells.push({ at: textOf(start), ...figuresOf(figures.get(cell) ?? NOTHING), talking, most_talking });
    yield;
  }
  const whole = figuresOf(figures.get(null) ?? NOTHING);
  return { from: textOf(span.from), to: textOf(span.to), figures: whole, cells };
}

export const textOf = (minute: number): string => timestampText(minute * MINUTE_US);

function figuresOf(row: Omit<FiguresRow, 'is_sum' | 'cell'>): OverviewSpan['figures'] {
  const quantiles: Quantiles = {};
  if (row.pdd_count > 0)
    quantiles.pdd_ms = { count: row.pdd_count, p50: rounded(row.pdd_p50 ?? 0, 0), p95: rounded(row.pdd_p95 ?? 0, 0) };
  if (row.mos_count > 0)
    quantiles.mos = { count: row.mos_count, p05: rounded(row.mos_p05 ?? 0, 2), p50: rounded(row.mos_p50 ?? 0, 2) };
  // How many packets a stream lost is in no column.
  return overviewFigures({ ...row, expected: 0, lost: 0, codes: codesOf(row.codes) }, quantiles);
}

/** The most frequent codes one by one; further ones as their class, as an agent counts them. */
function codesOf(counts: FiguresRow['codes']): Map<number, number> {
  const codes = Object.entries(counts)
    .map(([code, calls]) => [Number(code), calls] as const)
    .sort(([a, n], [b, m]) => m - n || a - b);
  const kept = new Map(codes.slice(0, MAX_CODES));
  for (const [code, calls] of codes.slice(MAX_CODES)) {
    const first = Math.floor(code / 100) * 100;
    kept.set(first, (kept.get(first) ?? 0) + calls);
  }
  return kept;
}

/** Of calls that began from `fromUs` on and before `toUs`, on the key of the table and to the microsecond. */
export function begun(fromUs: number, toUs: number, parameters: SqlParameters): string {
  const [from, to] = [parameters.time(fromUs), parameters.time(toUs)];
  return `hour >= toStartOfHour(${from}) AND hour < ${to} AND created_at >= ${from} AND created_at < ${to} AND method = 'INVITE'`;
}

/** Until when the run of a row was there. */
function runEndSql(ends: RunEnds, parameters: SqlParameters): string {
  // Arrays of nothing have no type.
  const runs = parameters.add(['', ...ends.keys()], 'Array(String)');
  const until = parameters.add([0, ...ends.values()], 'Array(UInt64)');
  return `toInt64(transform(concat(host, ' ', boot), ${runs}, ${until}, toUInt64(0)))`;
}

const cellUsOf = ({ cellMinutes }: CellSpan, parameters: SqlParameters): string =>
  parameters.add(cellMinutes * MINUTE_US, 'Int64');

function figuresIn(reader: StoreReader, span: CellSpan, ends: RunEnds): Promise<FiguresRow[]> {
  const parameters = new SqlParameters();
  const cellUs = cellUsOf(span, parameters);
  const isOver = `(state IN ${ENDED} OR ${runEndSql(ends, parameters)} < ${FOR_EVER_MS})`;
  const [delays, scores] = [`quantilesExact(${P50}, ${P95})(delay)`, `quantilesExact(${P05}, ${P50})(score)`];
  const isAnswered = 'final BETWEEN 200 AND 299';
  return reader.rows(
    FIGURES_ROW,
    `SELECT grouping(cell) AS is_sum, cell, count() AS attempts, countIf(${isAnswered}) AS answered,
       countIf(${isAnswered} OR final IN (${EFFECTIVE_FAILURES.join(', ')})) AS effective, sum(fails) AS failed,
       sum(cancels) AS canceled, sumMapIf(map(final, toUInt64(1)), final >= 300) AS codes,
       count(delay) AS pdd_count, ${delays}[1] AS pdd_p50, ${delays}[2] AS pdd_p95,
       count(score) AS mos_count, ${scores}[1] AS mos_p05, ${scores}[2] AS mos_p50
     FROM (
       SELECT intDiv(toUnixTimestamp64Micro(min(created_at)), ${cellUs}) AS cell,
         argMin(least(code, ${GREATEST_CODE}), created_at) AS final, argMin(state = 'Failed', created_at) AS fails,
         argMin(state = 'Canceled', created_at) AS cancels, argMin(pdd_ms, created_at) AS delay,
         minIf(worst_mos, worst_mos BETWEEN ${LEAST_MOS} AND ${GREATEST_MOS} AND ${isOver}) AS score
       FROM calls FINAL WHERE ${begun(span.from * MINUTE_US, span.to * MINUTE_US, parameters)} GROUP BY call_hash
     )
     GROUP BY cell WITH ROLLUP LIMIT ${ROWS}`,
    parameters,
    ROWS,
  );
}

/**
 * Calls that talked. From the answer on, which is told from the first message: who is asked for credentials is answered later by the
 * time that takes. Of a call that has not ended, until its agent was last there.
 */
function talksIn(reader: StoreReader, span: CellSpan, ends: RunEnds): Promise<TalkRow[]> {
  const parameters = new SqlParameters();
  const [fromUs, toUs] = [span.from * MINUTE_US, span.to * MINUTE_US];
  const cellUs = cellUsOf(span, parameters);
  const [from, to] = [parameters.add(fromUs, 'Int64'), parameters.add(toUs, 'Int64')];
  const runEnd = runEndSql(ends, parameters);
  const talked = `code BETWEEN 200 AND 299 OR state IN ${TALKING}`;
  const talks = (where: string): string =>
    `SELECT call_hash, created_at, toUnixTimestamp64Micro(created_at) + 1000 * ifNull(setup_ms, 0) AS answered_us,
       multiIf(state IN ${TALKING}, greatest(toUnixTimestamp64Micro(updated_at), least(1000 * ${runEnd}, answered_us + ${HUB_TALK_US})),
         isNotNull(talk_ms), answered_us + 1000 * assumeNotNull(talk_ms), toUnixTimestamp64Micro(updated_at)) AS ended_us
     FROM calls FINAL WHERE ${where} AND (${talked})`;
  // Of the many calls before a span few go on in it: they are looked for in all versions, and only these are merged.
  const before = begun(fromUs - HUB_TALK_US, fromUs, parameters);
  const goesOn = `updated_at >= ${parameters.time(fromUs)} OR state IN ${TALKING}`;
  return reader.rows(
    TALK_ROW,
    `SELECT cell, countIf(until >= (cell + 1) * ${cellUs}) AS talking,
       maxIntersections(greatest(since, cell * ${cellUs}), least(until, (cell + 1) * ${cellUs})) AS most_talking
     FROM (
       SELECT argMin(answered_us, created_at) AS since, argMin(ended_us, created_at) AS until
       FROM (
         ${talks(begun(fromUs, toUs, parameters))}
         UNION ALL
         ${talks(`${before} AND (${KEY}) IN (SELECT ${KEY} FROM calls WHERE ${before} AND (${goesOn}))`)}
       )
       GROUP BY call_hash HAVING since < until AND since < ${to} AND until > ${from}
     )
     ARRAY JOIN range(intDiv(greatest(since, ${from}), ${cellUs}), intDiv(least(until, ${to}) - 1, ${cellUs}) + 1) AS cell
     GROUP BY cell LIMIT ${ROWS}`,
    parameters,
    ROWS,
  );
}
