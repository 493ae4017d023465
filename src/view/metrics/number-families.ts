/** What chosen groups count of attempts, as families: src/watch/numbers has the counts. */
import { OTHER_TRUNK } from '../../core/trunks.ts';
import { METHOD_NAMES, REPORT_KINDS } from '../../core/words.ts';
import { ATTEMPT_OUTCOMES, REGISTRATION_OUTCOMES } from '../../watch/numbers/attempts.ts';
import { methodLabel } from '../../watch/numbers/codes.ts';
import type { MediaCounts } from '../../watch/numbers/media-counts.ts';
import type { Numbers } from '../../watch/numbers/numbers.ts';
import type { PairCounts } from '../../watch/numbers/plain-counts.ts';
import type { RowTable, TrunkHistogram } from '../../watch/numbers/row-table.ts';
import type { CallCounts, Rfc6076 } from '../../watch/numbers/trunk-counts.ts';
import { SHORT_CALL_SECONDS } from '../../watch/numbers/trunk-counts.ts';
import type { Figures } from '../figures.ts';
import type { MetricFamily } from './family.ts';
import { countsOf, familyOf } from './family.ts';
import type { Line } from './trunk-families.ts';
import { linesOf } from './trunk-families.ts';

export function* numberFamilies(f: Figures): Generator<MetricFamily> {
  const { trunks, ingest } = f;
  const numbers = trunks?.numbers ?? null;
  if (trunks === null || numbers === null) return;
  const lines = linesOf(trunks.store);
  if (numbers.rfc6076 !== null) yield* ofRfc6076(numbers.rfc6076, lines);
  if (numbers.codes !== null) yield* ofCodes(numbers, ingest.tracker.counts.codes);
  if (numbers.calls !== null) yield* ofCalls(numbers.calls, lines);
  if (numbers.devices !== null) {
    yield pairsOf('calltap_device_registrations_total', numbers.devices.registrations);
    yield pairsOf('calltap_device_attempts_total', numbers.devices.attempts);
  }
  if (numbers.media !== null) yield* ofMedia(numbers.media, lines);
  if (numbers.findings !== null) {
    const seated = new Set(lines.map(({ labels: [trunk] }) => trunk));
    const shown = [...numbers.findings.pairs.entries()].filter(({ labels: [trunk] }) => seated.has(trunk));
    yield familyOf(
      'calltap_findings_total',
      shown.map(({ labels, n }) => ({ labels, value: n })),
    );
  }
  if (numbers.deviceFindings !== null) yield pairsOf('calltap_device_findings_total', numbers.deviceFindings.pairs);
  yield* ofReports(f, lines);
  if (numbers.countries !== null) {
    const entries = [...numbers.countries.entries()];
    yield countsOf(
      'calltap_country_attempts_total',
      entries.map(({ country, attempts }) => [country, attempts]),
    );
    yield countsOf(
      'calltap_country_answered_total',
      entries.map(({ country, answered }) => [country, answered]),
    );
    yield countsOf(
      'calltap_country_talk_seconds_total',
      entries.map(({ country, talkSec }) => [country, talkSec]),
    );
  }
}

function* ofReports({ ingest: { reports, rtcp }, reported }: Figures, lines: readonly Line[]): Generator<MetricFamily> {
  if (reported === null) return;
  yield countsOf(
    'calltap_phone_reports_total',
    REPORT_KINDS.map((kind) => [kind, kind === 'xr' ? rtcp.voipMetrics : reports.kept[kind]]),
  );
  yield countsOf('calltap_phone_reports_refused_total', [...reports.refused]);
  const { lostAfterTap, figures } = reported;
  const trunks = new Set([OTHER_TRUNK, ...lines.map(({ labels: [trunk] }) => trunk)]);
  yield countsOf(
    'calltap_reported_lost_after_tap_total',
    [...trunks].map((trunk) => [trunk, lostAfterTap.get(trunk) ?? 0]),
  );
  for (const name of figures.names) yield byTrunk(name, lines, figures.of(name));
}

function* ofRfc6076(
  { outcomes, registrations, ends, delays }: Rfc6076,
  lines: readonly Line[],
): Generator<MetricFamily> {
  yield familyOf(
    'calltap_trunk_outcomes_total',
    lines.flatMap(({ labels }) =>
      ATTEMPT_OUTCOMES.map((outcome) => ({
        labels: [...labels, outcome] as const,
        value: outcomes.get(...labels, outcome),
      })),
    ),
  );
  yield byRow('calltap_trunk_completed_total', lines, ends, 'completed');
  yield byRow('calltap_trunk_byes_failed_total', lines, ends, 'byesFailed');
  yield familyOf(
    'calltap_trunk_registrations_total',
    lines.flatMap(({ labels }) =>
      REGISTRATION_OUTCOMES.map((outcome) => ({
        labels: [...labels, outcome] as const,
        value: registrations.get(...labels, outcome),
      })),
    ),
  );
  for (const name of delays.names) yield byTrunk(name, lines, delays.of(name));
}

function* ofCodes(
  { codes, responses }: Numbers,
  counted: Figures['ingest']['tracker']['counts']['codes'],
): Generator<MetricFamily> {
  if (codes === null || responses === null || counted === null) return;
  const pairs = responses.of(counted.responses);
  yield familyOf(
    'calltap_responses_total',
    pairs.map(([method, code, value]) => ({ labels: [method, code] as const, value })),
  );
  yield pairsOf('calltap_final_responses_total', codes.finals);
  yield countsOf(
    'calltap_registration_results_total',
    REGISTRATION_OUTCOMES.map((outcome) => [outcome, codes.registrations.get(outcome) ?? 0]),
  );
  yield countsOf(
    'calltap_retransmissions_total',
    METHOD_NAMES.map((_, method) => [methodLabel(method), counted.retransmissions[method] ?? 0]),
  );
}

function* ofCalls({ counts, limits }: CallCounts, lines: readonly Line[]): Generator<MetricFamily> {
  const limited = limitsOf(lines, limits);
  yield countsOf(
    'calltap_trunk_call_limit',
    limited.map(({ trunk, limit }) => [trunk, limit]),
  );
  yield countsOf(
    'calltap_trunk_utilisation_ratio',
    limited.map(({ trunk, most }) => [trunk, most]),
  );
  yield familyOf(
    'calltap_trunk_short_calls_total',
    lines.flatMap(({ labels }) =>
      SHORT_CALL_SECONDS.map((sec) => ({
        labels: [...labels, String(sec)] as const,
        value: counts.get(...labels, `under${sec}`),
      })),
    ),
  );
  yield byRow('calltap_trunk_without_media_total', lines, counts, 'withoutMedia');
  yield byRow('calltap_trunk_one_way_total', lines, counts, 'oneWay');
  yield byRow('calltap_trunk_repeated_attempts_total', lines, counts, 'repeated');
}

function* ofMedia({ counts, quality, codecs }: MediaCounts, lines: readonly Line[]): Generator<MetricFamily> {
  yield byRow('calltap_trunk_rtp_packets_total', lines, counts, 'packets');
  yield byRow('calltap_trunk_rtp_missing_total', lines, counts, 'missing');
  yield byRow('calltap_trunk_rtp_late_total', lines, counts, 'late');
  yield byRow('calltap_trunk_rtp_duplicates_total', lines, counts, 'duplicates');
  yield byRow('calltap_trunk_rtp_reordered_total', lines, counts, 'reordered');
  const byCodec = [...codecs];
  yield countsOf(
    'calltap_codec_rtp_packets_total',
    byCodec.map(([codec, { packets }]) => [codec, packets]),
  );
  yield countsOf(
    'calltap_codec_rtp_missing_total',
    byCodec.map(([codec, { missing }]) => [codec, missing]),
  );
  yield countsOf(
    'calltap_codec_streams_total',
    byCodec.map(([codec, { streams }]) => [codec, streams]),
  );
  for (const name of quality.names) yield byTrunk(name, lines, quality.of(name));
}

/** Of trunks with a limit, by their label: the sum of the limits, and the trunk that is nearest to its own. */
function limitsOf(lines: readonly Line[], limits: ReadonlyMap<string, number>) {
  const talking = new Map<string, number>();
  const labels = new Map<string, string>();
  for (const {
    labels: [label],
    rows,
  } of lines)
    for (const { name, talking: n } of rows) {
      if (!limits.has(name)) continue;
      talking.set(name, (talking.get(name) ?? 0) + n);
      // One direction with a seat is enough to be called by the name.
      if (!labels.has(name) || label === name) labels.set(name, label);
    }
  const byLabel = new Map<string, { trunk: string; limit: number; most: number }>();
  for (const [name, n] of talking) {
    const trunk = labels.get(name) ?? name;
    const limit = limits.get(name) ?? 1;
    const known = byLabel.get(trunk) ?? { trunk, limit: 0, most: 0 };
    byLabel.set(trunk, { trunk, limit: known.limit + limit, most: Math.max(known.most, n / limit) });
  }
  return [...byLabel.values()];
}

function byRow<Column extends string>(
  name: RowName,
  lines: readonly Line[],
  table: RowTable<Column>,
  column: Column,
): MetricFamily {
  return familyOf(
    name,
    lines.map(({ labels }) => ({ labels, value: table.get(...labels, column) })),
  );
}
type RowName =
  | 'calltap_trunk_completed_total'
  | 'calltap_trunk_byes_failed_total'
  | 'calltap_trunk_without_media_total'
  | 'calltap_trunk_one_way_total'
  | 'calltap_trunk_repeated_attempts_total'
  | 'calltap_trunk_rtp_packets_total'
  | 'calltap_trunk_rtp_missing_total'
  | 'calltap_trunk_rtp_late_total'
  | 'calltap_trunk_rtp_duplicates_total'
  | 'calltap_trunk_rtp_reordered_total';

/** A trunk with a seat in both directions has one histogram. */
function byTrunk(
  name: Parameters<typeof countsOf>[0],
  lines: readonly Line[],
  histogram: TrunkHistogram | undefined,
): MetricFamily {
  const trunks = new Set(lines.map(({ labels: [trunk] }) => trunk));
  const samples = [...trunks].flatMap((trunk) => {
    const value = histogram?.snapshot(trunk) ?? null;
    return value === null ? [] : [{ labels: [trunk], value }];
  });
  return { name, samples };
}

function pairsOf(
  name:
    | 'calltap_final_responses_total'
    | 'calltap_device_registrations_total'
    | 'calltap_device_attempts_total'
    | 'calltap_device_findings_total',
  pairs: PairCounts,
): MetricFamily {
  return familyOf(
    name,
    [...pairs.entries()].map(({ labels, n }) => ({ labels, value: n })),
  );
}
