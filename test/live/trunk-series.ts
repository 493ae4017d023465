/**
 * Series for `promtool test rules`: a trunk in every trouble and one that is well; one that was better a day ago, and two for
 * which that says nothing; with what the rules make of them.
 */
import type { Fired, Labels, RulesTest, Value } from './prometheus-series.ts';
import { CHANGE_AT, counter, counters, gauge, histogram, series } from './prometheus-series.ts';

const HOST: Labels = { job: 'calltap', instance: 'sbc' };
/** Histograms and limits know no direction. */
const trunk = (name: string): Labels => ({ ...HOST, trunk: name });
const out = (name: string): Labels => ({ ...trunk(name), direction: 'out' });

/** Of a minute; each call has 100 packets, and each that is answered a MOS. */
type Minute = {
  readonly attempts: number;
  readonly finals: Readonly<Record<'2xx' | '5xx', number>>;
  readonly pddSec: number;
  readonly mos: number;
  readonly lost: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly registrations: Readonly<Record<string, number>>;
  readonly completed: number;
  readonly under: Readonly<Record<'5' | '20' | '60', number>>;
  readonly withoutMedia: number;
  readonly oneWay: number;
  readonly repeated: number;
  readonly lostAfterTap: number;
  readonly rtp: Readonly<Record<'packets' | 'missing' | 'late' | 'duplicates' | 'reordered', number>>;
  readonly findings: Readonly<Record<string, number>>;
  /** Counts of the buckets of every histogram of times and shares, and of those of MOS. */
  readonly slow: readonly number[];
  readonly scores: readonly number[];
  readonly talking: number;
  readonly up: string;
  readonly failing: number;
  readonly troubles: readonly string[];
};

const CALL_LIMIT = 100;
const TROUBLES = ['down', 'refusing', 'poor-audio', 'slow', 'registrations-failing'];

const DELAYS = {
  calltap_registration_delay_seconds: ['0.05', '0.1', '0.25', '0.5', '1', '5'],
  calltap_srd_seconds: ['0.5', '1', '2', '3', '5', '10'],
  calltap_srd_failed_seconds: ['0.5', '1', '2', '3', '5', '10'],
  calltap_sdd_seconds: ['0.05', '0.1', '0.25', '0.5', '1', '5'],
  calltap_sdt_seconds: ['5', '20', '60', '180', '600', '3600'],
  calltap_pdd_seconds: ['0.5', '1', '2', '3', '5', '10'],
  calltap_ring_seconds: ['1', '3', '5', '10', '20', '40'],
  calltap_first_response_seconds: ['0.01', '0.05', '0.1', '0.5', '1', '4'],
  calltap_options_seconds: ['0.005', '0.02', '0.05', '0.1', '0.5', '2'],
  calltap_stream_jitter_seconds: ['0.005', '0.01', '0.02', '0.05', '0.1', '0.2'],
  calltap_stream_loss_ratio: ['0.001', '0.005', '0.01', '0.03', '0.05', '0.1'],
  calltap_stream_pdv_seconds: ['0.005', '0.01', '0.02', '0.05', '0.1', '0.2'],
  calltap_rtcp_round_trip_seconds: ['0.02', '0.05', '0.1', '0.15', '0.3', '0.5'],
  calltap_reported_loss_ratio: ['0.001', '0.005', '0.01', '0.03', '0.05', '0.1'],
  calltap_reported_discard_ratio: ['0.001', '0.005', '0.01', '0.03', '0.05', '0.1'],
  calltap_reported_jitter_seconds: ['0.005', '0.01', '0.02', '0.05', '0.1', '0.2'],
  calltap_reported_round_trip_seconds: ['0.02', '0.05', '0.1', '0.15', '0.3', '0.5'],
} as const;
const SCORES = ['calltap_stream_mos', 'calltap_reported_mos_lq', 'calltap_reported_mos_cq'];
const SCORE_BOUNDS = ['1.5', '2.5', '3.1', '3.6', '4.0', '4.3'];

function seriesOf(name: string, m: Minute): string {
  const [labels, whole] = [out(name), trunk(name)];
  const count = (what: string, n: number): string => counter(`calltap_trunk_${what}`, labels, n);
  const answered = m.finals['2xx'];
  return [
    count('attempts_total', m.attempts),
    counters('calltap_trunk_finals_total', labels, 'class', m.finals),
    count('pdd_seconds_sum', m.attempts * m.pddSec),
    count('pdd_seconds_count', m.attempts),
    count('mos_sum', answered * m.mos),
    count('mos_count', answered),
    count('rtp_expected_total', answered * 100),
    count('rtp_lost_total', answered * m.lost),
    count('talks_total', m.completed),
    count('talk_seconds_total', m.completed * 90),
    counters('calltap_trunk_outcomes_total', labels, 'outcome', m.outcomes),
    counters('calltap_trunk_registrations_total', labels, 'outcome', m.registrations),
    count('completed_total', m.completed),
    counters('calltap_trunk_short_calls_total', labels, 'under', m.under),
    count('without_media_total', m.withoutMedia),
    count('one_way_total', m.oneWay),
    count('repeated_attempts_total', m.repeated),
    ...Object.entries(m.rtp).map(([what, n]) => count(`rtp_${what}_total`, n)),
    counters('calltap_findings_total', whole, 'finding', m.findings),
    counter('calltap_reported_lost_after_tap_total', whole, m.lostAfterTap),
    ...Object.entries(DELAYS).map(([family, bounds]) => histogram(family, whole, bounds, m.slow)),
    ...SCORES.map((family) => histogram(family, whole, SCORE_BOUNDS, m.scores)),
    gauge('calltap_trunk_talking', labels, m.talking),
    gauge('calltap_trunk_call_limit', whole, CALL_LIMIT),
    gauge('calltap_trunk_utilisation_ratio', whole, m.talking / CALL_LIMIT),
    gauge('calltap_trunk_registered', labels, 10),
    gauge('calltap_trunk_registrations_failing', labels, m.failing),
    series('calltap_trunk_up', labels, m.up),
    ...TROUBLES.map((trouble) =>
      gauge('calltap_trunk_trouble', { ...labels, trouble }, m.troubles.includes(trouble) ? 1 : 0),
    ),
  ].join('');
}

const BAD: Minute = {
  attempts: 100,
  finals: { '2xx': 50, '5xx': 25 },
  pddSec: 8,
  mos: 3.1,
  lost: 5,
  outcomes: {
    answered: 50,
    declined: 10,
    abandoned: 5,
    redirected: 5,
    challenged: 5,
    ineffective: 10,
    failed: 10,
    unanswered: 5,
  },
  registrations: { registered: 60, unregistered: 5, challenged: 5, failed: 20, unanswered: 10 },
  completed: 40,
  under: { 5: 20, 20: 25, 60: 30 },
  withoutMedia: 5,
  oneWay: 10,
  repeated: 30,
  lostAfterTap: 5,
  rtp: { packets: 4_500, missing: 500, late: 50, duplicates: 10, reordered: 10 },
  findings: { 'one-way-audio': 10, 'packet-loss': 20 },
  slow: [0, 0, 0, 0, 80, 100, 100],
  scores: [0, 20, 40, 60, 80, 100, 100],
  talking: 97,
  up: `1x${CHANGE_AT} 0x60`,
  failing: 2,
  troubles: ['down', 'refusing', 'slow'],
};

const WELL: Minute = {
  attempts: 100,
  finals: { '2xx': 80, '5xx': 5 },
  pddSec: 2,
  mos: 4.3,
  lost: 0,
  outcomes: {
    answered: 80,
    declined: 10,
    abandoned: 5,
    redirected: 0,
    challenged: 0,
    ineffective: 0,
    failed: 0,
    unanswered: 5,
  },
  registrations: { registered: 95, unregistered: 0, challenged: 5, failed: 0, unanswered: 0 },
  completed: 78,
  under: { 5: 0, 20: 5, 60: 30 },
  withoutMedia: 0,
  oneWay: 0,
  repeated: 1,
  lostAfterTap: 0,
  rtp: { packets: 8_000, missing: 0, late: 0, duplicates: 0, reordered: 0 },
  findings: { 'one-way-audio': 0, 'packet-loss': 0 },
  slow: [100, 100, 100, 100, 100, 100, 100],
  scores: [0, 0, 0, 0, 0, 50, 100],
  talking: 50,
  up: `1x${CHANGE_AT} 1x60`,
  failing: 0,
  troubles: [],
};

/** Answered and failed attempts that change at the minute of the change, as attempts by class and by outcome. */
function changing(name: string, attempts: number, answered: readonly [before: number, after: number]): string {
  const [before, after] = answered;
  const [failed, more] = [attempts - before, attempts - after];
  return [
    counter('calltap_trunk_attempts_total', out(name), attempts),
    counter('calltap_trunk_finals_total', { ...out(name), class: '2xx' }, before, after),
    counter('calltap_trunk_outcomes_total', { ...out(name), outcome: 'answered' }, before, after),
    counter('calltap_trunk_outcomes_total', { ...out(name), outcome: 'failed' }, failed, more),
  ].join('');
}

/** It has no day before. */
const NEW = ['calltap_trunk_attempts_total', 'calltap_trunk_finals_total', 'calltap_trunk_outcomes_total']
  .map((name, i) =>
    series(name, { ...out('new'), ...[{}, { class: '2xx' }, { outcome: 'failed' }][i] }, '_x1400 0+100x100'),
  )
  .join('');

export const TRUNK_SERIES: readonly string[] = [
  gauge('calltap_build_info', { ...HOST, version: '1.0.0' }, 1),
  seriesOf('bad', BAD),
  seriesOf('good', WELL),
  changing('falls', 100, [80, 40]),
  changing('few', 1, [1, 0]),
  NEW,
];

/** Values of the two trunks, times a thousand and rounded; the others are left out by their name. */
type OfTrunks = readonly [record: string, bad: number, good: number];
const BY_DIRECTION: readonly OfTrunks[] = [
  ['asr:ratio15m', 500, 800],
  ['ner:ratio15m', 650, 950],
  ['ser:ratio15m', 526, 800],
  ['seer:ratio15m', 667, 900],
  ['isa:ratio15m', 100, 0],
  ['scr:ratio15m', 400, 780],
  ['ira:ratio15m', 300, 0],
  ['server_failure:ratio15m', 250, 50],
  ['pdd_seconds:avg15m', 8_000, 2_000],
  ['acd_seconds:avg15m', 90_000, 90_000],
  ['mos:avg15m', 3_100, 4_300],
  ['loss:ratio15m', 50, 0],
  ['rtp_missing:ratio15m', 100, 0],
  ['one_way:ratio15m', 250, 0],
  ['without_media:ratio15m', 125, 0],
  ['short_calls:ratio15m', 500, 0],
  ['repeated_attempts:ratio15m', 300, 10],
];
const BY_TRUNK: readonly OfTrunks[] = [
  ['registration_delay_seconds:p95_15m', 4_000, 48],
  ['srd_seconds:p95_15m', 8_750, 475],
  ['srd_failed_seconds:p95_15m', 8_750, 475],
  ['sdd_seconds:p95_15m', 4_000, 48],
  ['sdt_seconds:p95_15m', 2_850_000, 4_750],
  ['pdd_seconds:p95_15m', 8_750, 475],
  ['ring_seconds:p95_15m', 35_000, 950],
  ['first_response_seconds:p95_15m', 3_250, 10],
  ['options_seconds:p95_15m', 1_625, 5],
  ['stream_mos:p05_15m', 1_750, 4_030],
  ['stream_jitter_seconds:p95_15m', 175, 5],
  ['stream_loss_ratio:p95_15m', 88, 1],
  ['stream_pdv_seconds:p95_15m', 175, 5],
  ['rtcp_round_trip_seconds:p95_15m', 450, 19],
  ['reported_mos_lq:p05_15m', 1_750, 4_030],
  ['reported_mos_cq:p05_15m', 1_750, 4_030],
  ['reported_loss_ratio:p95_15m', 88, 1],
  ['reported_discard_ratio:p95_15m', 88, 1],
  ['reported_jitter_seconds:p95_15m', 175, 5],
  ['reported_round_trip_seconds:p95_15m', 450, 19],
  ['reported_lost_after_tap:ratio15m', 125, 0],
];
/** Of the host: both trunks together, and the three with attempts alone. */
const BY_HOST: readonly (readonly [record: string, value: number])[] = [
  ['scr:ratio15m', 294],
  ['ira:ratio15m', 150],
  ['srd_seconds:p95_15m', 7_500],
  ['srd_failed_seconds:p95_15m', 7_500],
  ['registration_delay_seconds:p95_15m', 3_000],
  ['sdd_seconds:p95_15m', 3_000],
  ['sdt_seconds:p95_15m', 2_100_000],
  ['ring_seconds:p95_15m', 30_000],
  ['first_response_seconds:p95_15m', 2_500],
  ['options_seconds:p95_15m', 1_250],
  ['stream_mos:p05_15m', 2_000],
  ['stream_jitter_seconds:p95_15m', 150],
  ['stream_loss_ratio:p95_15m', 75],
  ['stream_pdv_seconds:p95_15m', 150],
  ['rtcp_round_trip_seconds:p95_15m', 400],
  ['reported_mos_lq:p05_15m', 2_000],
  ['reported_mos_cq:p05_15m', 2_000],
  ['reported_loss_ratio:p95_15m', 75],
  ['reported_discard_ratio:p95_15m', 75],
  ['reported_jitter_seconds:p95_15m', 150],
  ['reported_round_trip_seconds:p95_15m', 400],
];

const TWO = '{trunk=~"bad|good"}';
const VALUES: readonly Value[] = [
  ...BY_DIRECTION.map(
    ([name, bad, good]): Value => [
      `instance_trunk:calltap_${name}${TWO}`,
      [
        [out('bad'), bad],
        [out('good'), good],
      ],
    ],
  ),
  ...BY_TRUNK.map(
    ([name, bad, good]): Value => [
      `instance_trunk:calltap_${name}${TWO}`,
      [
        [trunk('bad'), bad],
        [trunk('good'), good],
      ],
    ],
  ),
  ...BY_HOST.map(([name, value]): Value => [`instance:calltap_${name}`, [[HOST, value]]]),
];

const OUT = (name: string): Labels => ({ instance: 'sbc', trunk: name, direction: 'out' });
const TRUNK = (name: string): Labels => ({ instance: 'sbc', trunk: name });

/** All that fires: nothing about the trunks that are well, have few calls, or have no day before. */
const FIRED: readonly Fired[] = [
  ['TrunkDown', 'critical', OUT('bad'), 'Trunk bad (out) at sbc is down'],
  ['TrunkRefuses', 'critical', { ...OUT('bad'), trouble: 'refusing' }, 'Trunk bad (out) at sbc refuses calls'],
  ['TrunkTroubled', 'warning', { ...OUT('bad'), trouble: 'slow' }, 'Trunk bad (out) at sbc is in trouble (slow)'],
  ['TrunkFails', 'critical', OUT('bad'), '25% of the calls on trunk bad (out) at sbc end in 5xx'],
  ['TrunkAsrFalls', 'warning', OUT('falls'), 'Only 40% of the calls on trunk falls (out) at sbc are answered'],
  ['TrunkNerFalls', 'critical', OUT('falls'), 'Only 40% of the calls on trunk falls (out) at sbc get through'],
  [
    'TrunkSerFalls',
    'warning',
    OUT('falls'),
    'Only 40% of the sessions on trunk falls (out) at sbc are established (SER)',
  ],
  ['TrunkSlow', 'warning', OUT('bad'), 'Callers on trunk bad (out) at sbc wait 8s for a sign'],
  ['TrunkPddHigh', 'warning', TRUNK('bad'), 'One caller in twenty on trunk bad at sbc waits 8.75s for a sign'],
  ['TrunkShortCalls', 'warning', OUT('bad'), '50% of the calls on trunk bad (out) at sbc end within 5 seconds'],
  ['TrunkRepeatedAttempts', 'warning', OUT('bad'), '30% of the calls on trunk bad (out) at sbc are tried again'],
  ['TrunkNearlyFull', 'warning', TRUNK('bad'), 'Trunk bad at sbc uses 97% of its calls'],
  ['TrunkFull', 'critical', TRUNK('bad'), 'Trunk bad at sbc uses 97% of its calls'],
  ['TrunkVoicePoor', 'warning', OUT('bad'), 'Calls on trunk bad (out) at sbc sound bad'],
  ['TrunkMosLow', 'warning', TRUNK('bad'), 'One stream in twenty on trunk bad at sbc has a MOS below 1.8'],
  ['TrunkLossHigh', 'warning', OUT('bad'), '10% of the RTP on trunk bad (out) at sbc never comes'],
  ['TrunkOneWay', 'critical', OUT('bad'), 'In 25% of the calls on trunk bad (out) at sbc one side hears nothing'],
  [
    'TrunkWithoutMedia',
    'critical',
    OUT('bad'),
    '12.5% of the calls on trunk bad (out) at sbc are answered and have no media',
  ],
  [
    'PhonesHearLoss',
    'warning',
    TRUNK('bad'),
    'In 12.5% of the calls on trunk bad at sbc the phone hears loss that this tap did not see',
  ],
  ['TrunkRegistrationFails', 'warning', OUT('bad'), '2 registrations fail on trunk bad (out) at sbc'],
  ['RegistrationsFail', 'warning', OUT('bad'), '30% of the registrations on trunk bad (out) at sbc fail'],
];

export const TRUNK_TEST: RulesTest = { series: TRUNK_SERIES, values: VALUES, fired: FIRED };
