/**
 * Trunks over all hosts, of the minutes that agents ship. Sums and quantiles merge without loss. Whether a trunk is up is told
 * by its minutes: three OPTIONS without an answer since the last one that came, or without OPTIONS ten INVITEs.
 */
import type { AskTrunk, AskTrunks, AskTrunksQuery, TrunkDown, TrunkQuantiles } from '../../contract/index.ts';
import { parseCidr } from '../../core/cidr.ts';
import { rounded } from '../../core/rounded.ts';
import { OTHER_TRUNK } from '../../core/trunks.ts';
import { TrunkFigures } from '../../store/trunks/trunk-figures.ts';
import { trunkFigures, trunksInOrder } from '../../view/ask-trunks.ts';
import { timestampText } from '../../view/captured-at.ts';
import { nearestRankOf } from '../../view/pdd-percentiles.ts';
import type { Asking } from './filter-sql.ts';
import { SqlParameters } from './sql.ts';
import type { StoreReader } from './store-reader.ts';

const MINUTE_US = 60e6;
const DAY_MINUTES = 1_440;
const OPTIONS_DOWN = 3;
const INVITES_DOWN = 10;
/** DDSketch of a relative error of 1 %, as agents make it: a key stands for values about gamma^key. */
const GAMMA = 1.01 / 0.99;

type Sums = {
  readonly trunk: string;
  readonly direction: 'in' | 'out';
  readonly attempts: number;
  readonly codes: Readonly<Record<string, number>>;
  readonly talks: number;
  readonly talk_sec: number;
  readonly most_talking: number;
  readonly retransmissions: number;
  readonly expected: number;
  readonly lost: number;
  readonly options_asked: number;
  readonly options_answered: number;
  readonly round_trip_ms: number;
  readonly registrations_failed: number;
  readonly pdd_count: number;
  readonly pdd_sum: number;
  readonly pdd_zero: number;
  readonly pdd_bins: Readonly<Record<string, number>>;
  readonly mos_count: number;
  readonly mos_sum: number;
  readonly mos_zero: number;
  readonly mos_bins: Readonly<Record<string, number>>;
};

const SUMS = `sum(m.attempts) AS attempts, sumMap(m.codes) AS codes, sum(m.talks) AS talks, sum(m.talk_sec) AS talk_sec,
  sum(m.retransmissions) AS retransmissions, sum(m.expected) AS expected, sum(m.lost) AS lost,
  sum(m.options_asked) AS options_asked, sum(m.options_answered) AS options_answered, sum(m.round_trip_ms) AS round_trip_ms,
  sum(m.registrations_failed) AS registrations_failed,
  sum(m.pdd_count) AS pdd_count, sum(m.pdd_sum) AS pdd_sum, sum(m.pdd_zero) AS pdd_zero, sumMap(m.pdd_bins) AS pdd_bins,
  sum(m.mos_count) AS mos_count, sum(m.mos_sum) AS mos_sum, sum(m.mos_zero) AS mos_zero, sumMap(m.mos_bins) AS mos_bins`;

/** Of the last day, or of the last minutes that are asked for. Rejects with Unanswered. */
export async function trunksOf(reader: StoreReader, { nowUs }: Asking, asked: AskTrunksQuery): Promise<AskTrunks> {
  const fromUs = Math.floor(nowUs / MINUTE_US - (asked.minutes ?? DAY_MINUTES) + 1) * MINUTE_US;
  const parameters = new SqlParameters();
  const conditions = [`m.minute >= ${parameters.time(fromUs)}`];
  if (asked.trunk !== undefined) conditions.push(`m.trunk = ${parameters.add(asked.trunk, 'String')}`);
  const where = conditions.join(' AND ');
  // Hosts talk at the same time: what each had at most in a minute adds up over hosts, and of minutes the greatest counts.
  const sums = await reader.rows<Sums & { first: string; last: string }>(
    `SELECT trunk, direction, max(talking) AS most_talking, min(at) AS first, max(at) AS last, ${SUMS}
     FROM (SELECT m.trunk AS trunk, m.direction AS direction, m.minute AS at, sum(m.most_talking) AS talking, ${SUMS}
           FROM minute AS m FINAL WHERE ${where} GROUP BY trunk, direction, at) AS m
     GROUP BY trunk, direction`,
    parameters,
  );
  const states = await statesOf(reader, nowUs, asked.trunk ?? null);
  const minutes =
    asked.series === true && asked.trunk !== undefined ? await minutesOf(reader, where, parameters) : null;
  const trunks = sums.map((row): AskTrunk => {
    const { trunk, direction } = row;
    const state = states.get(`${direction} ${trunk}`);
    return {
      trunk,
      direction,
      is_configured: isConfigured(trunk),
      state: state?.state ?? 'unknown',
      ...(state?.since === undefined ? {} : { since: state.since }),
      outages: 0,
      first_seen: exact(row.first),
      last_seen: exact(row.last),
      figures: figuresOf(row),
      ...(minutes === null
        ? {}
        : {
            minutes: minutes
              .filter((m) => m.direction === direction)
              .map((m) => ({ at: exact(m.at), ...figuresOf(m) })),
          }),
    };
  });
  return {
    schema_version: 1,
    is_counting: true,
    from: timestampText(fromUs),
    rows_folded: 0,
    trunks: trunks.sort(trunksInOrder),
  };
}

/** Names of the configuration are no addresses. */
function isConfigured(trunk: string): boolean {
  return trunk !== OTHER_TRUNK && !parseCidr(trunk).ok;
}

const exact = (at: string): string => at.replace(/Z$/, '.000000Z');

function minutesOf(reader: StoreReader, where: string, parameters: SqlParameters): Promise<(Sums & { at: string })[]> {
  return reader.rows(
    `SELECT m.trunk AS trunk, m.direction AS direction, m.minute AS at, sum(m.most_talking) AS most_talking, ${SUMS}
     FROM minute AS m FINAL WHERE ${where} GROUP BY trunk, direction, at ORDER BY at DESC`,
    parameters,
  );
}

type State = { readonly state: 'up' | 'down'; readonly since?: string };

/** By direction and trunk, of the last day: what one host hears answer is up. */
async function statesOf(reader: StoreReader, nowUs: number, trunk: string | null): Promise<ReadonlyMap<string, State>> {
  const parameters = new SqlParameters();
  const ofTrunk = trunk === null ? '' : ` AND trunk = ${parameters.add(trunk, 'String')}`;
  const rows = await reader.rows<{ trunk: string; direction: string; is_up: number; is_down: number; since: string }>(
    `SELECT trunk, direction, max(heard AND NOT silent) AS is_up, max(silent) AS is_down,
       minIf(first_silent, silent) AS since
     FROM (
       SELECT trunk, direction, host, max(answered_at) > 0 AS heard,
         sumIf(options_asked, at > answered_at) >= ${OPTIONS_DOWN}
           OR (sum(options_asked) = 0 AND sumIf(attempts, at > answered_at) >= ${INVITES_DOWN}) AS silent,
         minIf(minute, at > answered_at AND options_asked + attempts > 0) AS first_silent
       FROM (
         SELECT trunk, direction, host, minute, options_asked, attempts, toUnixTimestamp(minute) AS at,
           max(if(options_answered > 0 OR (options_asked = 0 AND length(codes) > 0), at, 0)) OVER (PARTITION BY trunk, direction, host) AS answered_at
         FROM minute FINAL WHERE minute >= ${parameters.time(nowUs - DAY_MINUTES * MINUTE_US)}${ofTrunk}
       )
       GROUP BY trunk, direction, host
     )
     GROUP BY trunk, direction`,
    parameters,
  );
  return new Map(
    rows.flatMap((row): [string, State][] => {
      const key = `${row.direction} ${row.trunk}`;
      if (row.is_up === 1) return [[key, { state: 'up' }]];
      return row.is_down === 1 ? [[key, { state: 'down', since: exact(row.since) }]] : [];
    }),
  );
}

/** Trunks with a name that are down now. */
export async function trunksDown(reader: StoreReader, { nowUs }: Asking): Promise<TrunkDown[]> {
  const down: TrunkDown[] = [];
  for (const [key, { state, since }] of await statesOf(reader, nowUs, null)) {
    const [, direction, trunk = ''] = /^(in|out) (.*)$/s.exec(key) ?? [];
    if (state !== 'down' || since === undefined || !isConfigured(trunk)) continue;
    down.push({ trunk, direction: direction === 'in' ? 'in' : 'out', since });
  }
  return down.sort((a, b) => (a.trunk < b.trunk ? -1 : a.trunk > b.trunk ? 1 : a.direction < b.direction ? -1 : 1));
}

function figuresOf(row: Sums): AskTrunk['figures'] {
  const counted = new TrunkFigures();
  counted.attempts = row.attempts;
  for (const [code, n] of Object.entries(row.codes)) counted.codes.set(Number(code), n);
  counted.talks = row.talks;
  counted.talkSec = row.talk_sec;
  counted.mostTalking = row.most_talking;
  counted.retransmits = row.retransmissions;
  counted.expected = row.expected;
  counted.lost = row.lost;
  counted.optionsAsked = row.options_asked;
  counted.optionsAnswered = row.options_answered;
  counted.roundTripMs = row.round_trip_ms;
  counted.registrationsFailed = row.registrations_failed;
  return {
    ...trunkFigures(counted),
    ...(row.pdd_count === 0 ? {} : { pdd_ms: quantiles(row.pdd_count, row.pdd_sum, row.pdd_zero, row.pdd_bins, 0) }),
    ...(row.mos_count === 0 ? {} : { mos: quantiles(row.mos_count, row.mos_sum, row.mos_zero, row.mos_bins, 2) }),
  };
}

/** Of nearest rank, as those of an agent. */
function quantiles(count: number, sum: number, zeros: number, bins: Sums['pdd_bins'], places: number): TrunkQuantiles {
  const sorted = Object.entries(bins)
    .map(([key, n]) => [Number(key), n] as const)
    .sort(([a], [b]) => a - b);
  const at = (percent: number): number => {
    let left = nearestRankOf(count, percent) - zeros;
    if (left <= 0) return 0;
    for (const [key, n] of sorted) {
      left -= n;
      if (left <= 0) return rounded(0.99 * GAMMA ** key, places);
    }
    return 0;
  };
  return { count, mean: rounded(sum / count, places + 1), p05: at(5), p50: at(50), p95: at(95), p99: at(99) };
}
