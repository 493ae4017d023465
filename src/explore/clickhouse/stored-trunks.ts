/**
 * Trunks over all hosts, of the minutes that agents ship. Sums and quantiles merge without loss. The state of a trunk is what the
 * agents that are there say: refusing where one says so, else up where one reaches it, else down where one does not.
 */
import type { Static } from 'typebox';
import { Type } from 'typebox';
import type {
  AskFindings,
  AskTrunk,
  AskTrunks,
  AskTrunksQuery,
  TrunkDown,
  TrunkQuantiles,
  TrunkTroubled,
} from '../../contract/index.ts';
import { parseCidr } from '../../core/cidr.ts';
import { timestampText } from '../../core/timestamp.ts';
import { OTHER_TRUNK } from '../../core/trunks.ts';
import type { Steps } from '../../core/turns.ts';
import { mosOfR, R_MAX } from '../../protocols/rtp/emodel.ts';
import { byTrunk } from '../../view/ask-findings.ts';
import { trunkFigures, trunksInOrder } from '../../view/ask-trunks.ts';
import { binsOfSum, quantilesOf } from '../../view/quantiles.ts';
import { TrunkFigures } from '../../watch/trunks/trunk-figures.ts';
import { MAX_TRUNK_ROWS } from '../../watch/trunks/trunk-store.ts';
import type { Asking } from './filter-sql.ts';
import { AMOUNT_OR_NULL, COUNT, COUNTS, rowShape, TEXT, TIME } from './row-shapes.ts';
import { SqlParameters } from './sql.ts';
import type { StoreReader } from './store-reader.ts';

const MINUTE_US = 60e6;
const DAY_MINUTES = 1_440;
/** Of one trunk, with both ends of the day. */
const MINUTES = 2 * (DAY_MINUTES + 1);
/** An agent writes a heartbeat every ten seconds. What one said that is silent for longer is no state of now. */
export const AGENT_SILENT_US = 300e6;
/** Between what values lie, and how many places they are shown with. */
export type Scale = { readonly least: number; readonly greatest: number; readonly places: number };
export const DELAYS: Scale = { least: 0, greatest: Number.POSITIVE_INFINITY, places: 0 };
export const SCORES: Scale = { least: mosOfR(0), greatest: mosOfR(R_MAX), places: 2 };

const SUMMED = {
  trunk: TEXT,
  direction: Type.Enum(['in', 'out']),
  most_talking: COUNT,
  attempts: COUNT,
  codes: COUNTS,
  talks: COUNT,
  talk_sec: AMOUNT_OR_NULL,
  retransmissions: COUNT,
  expected: COUNT,
  lost: COUNT,
  options_asked: COUNT,
  options_answered: COUNT,
  round_trip_ms: AMOUNT_OR_NULL,
  registrations_failed: COUNT,
  pdd_count: COUNT,
  pdd_sum: AMOUNT_OR_NULL,
  pdd_zero: COUNT,
  pdd_bins: COUNTS,
  mos_count: COUNT,
  mos_sum: AMOUNT_OR_NULL,
  mos_zero: COUNT,
  mos_bins: COUNTS,
};
const SPAN_ROW = rowShape({ ...SUMMED, first: TIME, last: TIME });
const MINUTE_ROW = rowShape({ ...SUMMED, at: TIME });
type Sums = Omit<Static<typeof MINUTE_ROW>, 'at'>;
const STATE_ROW = rowShape({
  trunk: TEXT,
  direction: TEXT,
  is_up: COUNT,
  is_down: COUNT,
  is_refusing: COUNT,
  up_since: TIME,
  down_since: TIME,
  refusing_since: TIME,
  by: TEXT,
  outages: COUNT,
});
/** Where nothing says since when. */
const NEVER = /^1970-01-01T00:00:00(?:\.0+)?Z$/;
/** Of all hosts: as many of each direction as one host has. */
export const STORED_TRUNKS = 2 * MAX_TRUNK_ROWS;

const SUMS = `sum(m.attempts) AS attempts, sumMap(m.codes) AS codes, sum(m.talks) AS talks, sum(m.talk_sec) AS talk_sec,
  sum(m.retransmissions) AS retransmissions, sum(m.expected) AS expected, sum(m.lost) AS lost,
  sum(m.options_asked) AS options_asked, sum(m.options_answered) AS options_answered, sum(m.round_trip_ms) AS round_trip_ms,
  sum(m.registrations_failed) AS registrations_failed,
  sum(m.pdd_count) AS pdd_count, sum(m.pdd_sum) AS pdd_sum, sum(m.pdd_zero) AS pdd_zero, sumMap(m.pdd_bins) AS pdd_bins,
  sum(m.mos_count) AS mos_count, sum(m.mos_sum) AS mos_sum, sum(m.mos_zero) AS mos_zero, sumMap(m.mos_bins) AS mos_bins`;

/** Something came or went: a trunk with a name ships its state without that too. */
const IS_BUSY =
  'm.attempts + m.options_asked + m.options_answered + m.talks + m.retransmissions + m.registrations_failed > 0';

/** Of the last day, or of the last minutes that are asked for. Rejects with a refusal. */
export async function trunksOf(reader: StoreReader, { nowUs }: Asking, asked: AskTrunksQuery): Promise<AskTrunks> {
  const fromUs = Math.floor(nowUs / MINUTE_US - (asked.minutes ?? DAY_MINUTES) + 1) * MINUTE_US;
  const parameters = new SqlParameters();
  // Whoever may insert can write what is neither.
  const conditions = [`m.minute >= ${parameters.time(fromUs)}`, `m.direction IN ('in', 'out')`];
  if (asked.trunk !== undefined) conditions.push(`m.trunk = ${parameters.add(asked.trunk, 'String')}`);
  const where = conditions.join(' AND ');
  // Hosts talk at the same time: what each had at most in a minute adds up over hosts, and of minutes the greatest counts.
  const sums = await reader.rows(
    SPAN_ROW,
    `SELECT trunk, direction, max(talking) AS most_talking, minIf(at, ${IS_BUSY}) AS first, maxIf(at, ${IS_BUSY}) AS last, ${SUMS}
     FROM (SELECT m.trunk AS trunk, m.direction AS direction, m.minute AS at, sum(m.most_talking) AS talking, ${SUMS}
           FROM minute AS m FINAL WHERE ${where} GROUP BY trunk, direction, at) AS m
     GROUP BY trunk, direction ORDER BY attempts DESC LIMIT ${STORED_TRUNKS}`,
    parameters,
    STORED_TRUNKS,
  );
  const states = await statesOf(reader, nowUs, asked.trunk ?? null);
  const minutes =
    asked.series === true && asked.trunk !== undefined ? await minutesOf(reader, where, parameters) : null;
  const trunks = (await reader.inTurns(trunksIn(sums, states, minutes))).filter(isListed);
  return {
    schema_version: 1,
    is_counting: true,
    from: timestampText(fromUs),
    rows_folded: 0,
    trunks: trunks.sort(trunksInOrder),
  };
}

function* trunksIn(
  sums: readonly Static<typeof SPAN_ROW>[],
  states: ReadonlyMap<string, State>,
  minutes: readonly Static<typeof MINUTE_ROW>[] | null,
): Steps<AskTrunk[]> {
  const trunks: AskTrunk[] = [];
  for (const row of sums) {
    const { trunk, direction } = row;
    const state = states.get(`${direction} ${trunk}`);
    const ofMinutes: AskTrunk['minutes'] = [];
    for (const minute of minutes ?? []) {
      if (minute.direction !== direction) continue;
      ofMinutes.push({ at: exact(minute.at), ...figuresOf(minute) });
      yield;
    }
    trunks.push({
      trunk,
      direction,
      is_configured: isConfigured(trunk),
      state: state?.state ?? 'unknown',
      ...(state?.since === undefined ? {} : { since: state.since }),
      troubles: state?.troubles ?? [],
      outages: state?.outages ?? 0,
      ...(NEVER.test(row.first) ? {} : { first_seen: exact(row.first), last_seen: exact(row.last) }),
      figures: figuresOf(row),
      ...(minutes === null ? {} : { minutes: ofMinutes }),
    });
    yield;
  }
  return trunks;
}

/** Nobody needs a row for what nobody sends to a trunk that only calls. */
function isListed({ trunk, direction, first_seen }: AskTrunk, _: number, all: readonly AskTrunk[]): boolean {
  return (
    first_seen !== undefined || direction === 'in' || !all.some((one) => one.trunk === trunk && one.direction === 'in')
  );
}

/** Names of the configuration are no addresses. */
export function isConfigured(trunk: string): boolean {
  return trunk !== OTHER_TRUNK && !parseCidr(trunk).ok;
}

const exact = (at: string): string => at.replace(/Z$/, '.000000Z');

function minutesOf(
  reader: StoreReader,
  where: string,
  parameters: SqlParameters,
): Promise<Static<typeof MINUTE_ROW>[]> {
  return reader.rows(
    MINUTE_ROW,
    `SELECT m.trunk AS trunk, m.direction AS direction, m.minute AS at, sum(m.most_talking) AS most_talking, ${SUMS}
     FROM minute AS m FINAL WHERE ${where} GROUP BY trunk, direction, at ORDER BY at DESC LIMIT ${MINUTES}`,
    parameters,
    MINUTES,
  );
}

export type State = Pick<AskTrunk, 'state' | 'since' | 'outages' | 'troubles'>;

/**
 * By direction and trunk. Of each host the run that saw the trunk last speaks: of its rows the newest version, so that no FINAL is
 * needed. Hosts that saw the same outage counted it each: the most that one counted stands.
 */
export async function statesOf(
  reader: StoreReader,
  nowUs: number,
  trunk: string | null,
): Promise<ReadonlyMap<string, State>> {
  const parameters = new SqlParameters();
  const ofTrunk = trunk === null ? '' : ` AND trunk = ${parameters.add(trunk, 'String')}`;
  const rows = await reader.rows(
    STATE_ROW,
    `SELECT trunk, direction, max(told.1 = 'up') AS is_up, max(told.1 = 'down') AS is_down,
       max(told.1 = 'refusing') AS is_refusing, minIf(told.2, told.1 = 'up') AS up_since,
       minIf(told.2, told.1 = 'down') AS down_since, minIf(told.2, told.1 = 'refusing') AS refusing_since,
       if(is_refusing = 1, minIf(host, told.1 = 'refusing'), minIf(host, told.1 = 'down')) AS by, max(told.3) AS outages
     FROM (
       SELECT trunk, direction, host, argMax(said, (newest, boot)) AS told
       FROM (
         SELECT trunk, direction, host, boot, max(minute) AS newest, argMax((state, since, outages), version) AS said
         FROM minute WHERE minute >= ${parameters.time(nowUs - DAY_MINUTES * MINUTE_US)}${ofTrunk}
           AND (host, boot) GLOBAL IN (SELECT host, boot FROM agents WHERE at >= ${parameters.time(nowUs - AGENT_SILENT_US)})
         GROUP BY trunk, direction, host, boot
       )
       GROUP BY trunk, direction, host
     )
     GROUP BY trunk, direction ORDER BY is_refusing DESC, is_down DESC LIMIT ${STORED_TRUNKS}`,
    parameters,
    STORED_TRUNKS,
  );
  return new Map(rows.map((row) => [`${row.direction} ${row.trunk}`, stateOf(row)]));
}

function stateOf(row: Static<typeof STATE_ROW>): State {
  const { outages, by } = row;
  const [state, since] = newsOf(row);
  const at = since === undefined || NEVER.test(since) ? {} : { since };
  const text = state === 'down' ? 'is down' : state === 'refusing' ? 'refuses calls' : null;
  // Sentences of agents are not shipped.
  const troubles = text === null ? [] : [{ trouble: state as 'down' | 'refusing', ...at, text: `${text}, says ${by}` }];
  return { state, outages, troubles, ...at };
}

function newsOf(row: Static<typeof STATE_ROW>): readonly [state: AskTrunk['state'], since?: string] {
  if (row.is_refusing === 1) return ['refusing', row.refusing_since];
  if (row.is_up === 1) return ['up', row.up_since];
  return row.is_down === 1 ? ['down', row.down_since] : ['unknown'];
}

/** Trunks with a name that are down now, and those that answer and are in trouble. */
export async function trunksWrong(
  reader: StoreReader,
  { nowUs }: Asking,
): Promise<Pick<AskFindings, 'trunks_down' | 'trunks_troubled'>> {
  const down: TrunkDown[] = [];
  const troubled: TrunkTroubled[] = [];
  for (const [key, { state, since, troubles }] of await statesOf(reader, nowUs, null)) {
    const [, way, trunk = ''] = /^(in|out) (.*)$/s.exec(key) ?? [];
    if (!isConfigured(trunk)) continue;
    const direction = way === 'in' ? 'in' : 'out';
    if (state === 'down' && since !== undefined) down.push({ trunk, direction, since });
    else if (state !== 'down') for (const trouble of troubles) troubled.push({ trunk, direction, ...trouble });
  }
  return { trunks_down: down.sort(byTrunk), trunks_troubled: troubled.sort(byTrunk) };
}

function figuresOf(row: Sums): AskTrunk['figures'] {
  const counted = new TrunkFigures();
  counted.attempts = row.attempts;
  for (const [code, n] of Object.entries(row.codes)) counted.codes.set(Number(code), n);
  counted.talks = row.talks;
  counted.talkSec = row.talk_sec ?? 0;
  counted.mostTalking = row.most_talking;
  counted.retransmits = row.retransmissions;
  counted.expected = row.expected;
  counted.lost = row.lost;
  counted.optionsAsked = row.options_asked;
  counted.optionsAnswered = row.options_answered;
  counted.roundTripMs = row.round_trip_ms ?? 0;
  counted.registrationsFailed = row.registrations_failed;
  return {
    ...trunkFigures(counted),
    ...(row.pdd_count === 0
      ? {}
      : { pdd_ms: quantiles(row.pdd_count, row.pdd_sum ?? 0, row.pdd_zero, row.pdd_bins, DELAYS) }),
    ...(row.mos_count === 0
      ? {}
      : { mos: quantiles(row.mos_count, row.mos_sum ?? 0, row.mos_zero, row.mos_bins, SCORES) }),
  };
}

/** The least and the greatest value stand in no column: no delay is greater than their sum, and no MOS beyond its scale. */
export function quantiles(
  count: number,
  sum: number,
  zeros: number,
  bins: Sums['pdd_bins'],
  scale: Scale,
): TrunkQuantiles {
  const sorted = Object.entries(bins)
    .map(([key, values]) => [Number(key), values] as const)
    .sort(([a], [b]) => a - b);
  const { least, greatest, places } = scale;
  return quantilesOf({ count, sum, zeros }, binsOfSum(sorted, sum, least, Math.min(greatest, sum)), places);
}
