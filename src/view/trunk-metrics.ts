/**
 * Metrics of the trunks that the configuration names, and of no others: an address is no label, as anybody can send from a
 * new one.
 */
import { TRUNK_TROUBLES } from '../core/trunk-bounds.ts';
import type { TrunkFigures } from '../watch/trunks/trunk-figures.ts';
import type { TrunkRow } from '../watch/trunks/trunk-row.ts';
import type { Figures } from './figures.ts';
import type { MetricFamily, MetricSample } from './metrics-snapshot.ts';

const LABELS = ['trunk', 'direction'] as const;

/** Members of the sum that never fall, by the end of the metric's name. */
const COUNTERS: readonly (readonly [name: string, help: string, of: (all: TrunkFigures) => number])[] = [
  ['attempts_total', 'Calls tried on a trunk.', (all) => all.attempts],
  ['talks_total', 'Calls that were answered and ended with a BYE.', (all) => all.talks],
  ['talk_seconds_total', 'How long these talked.', (all) => all.talkSec],
  ['retransmissions_total', 'SIP messages that came again.', (all) => all.retransmits],
  ['rtp_expected_total', 'RTP packets that calls that ended should have had.', (all) => all.expected],
  ['rtp_lost_total', 'Those of them that never came.', (all) => all.lost],
  ['options_total', 'OPTIONS that were sent.', (all) => all.optionsAsked],
  ['options_answered_total', 'Those of them that were answered.', (all) => all.optionsAnswered],
  ['registrations_failed_total', 'Registrations that failed.', (all) => all.registrationsFailed],
  ['pdd_seconds_sum', 'Sum of the post-dial delays.', (all) => (all.pddMs?.sum ?? 0) / 1000],
  ['pdd_seconds_count', 'Calls with a post-dial delay.', (all) => all.pddMs?.count ?? 0],
  ['mos_sum', 'Sum of the worst MOS of each call.', (all) => all.mos?.sum ?? 0],
  ['mos_count', 'Calls with a MOS.', (all) => all.mos?.count ?? 0],
];

const GAUGES: readonly (readonly [name: string, help: string, of: (row: TrunkRow) => number])[] = [
  ['talking', 'Calls that talk now.', (row) => row.talking],
  ['registered', 'Registrations that hold now.', (row) => row.registered],
  ['registrations_failing', 'Registrations whose last attempt failed.', (row) => row.failing],
];

/** None where no trunk is named. */
export function trunkFamilies({ trunks, evidence }: Figures): MetricFamily[] {
  const named = [...(trunks?.store.rows ?? [])].filter((row) => row.isConfigured);
  if (named.length === 0) return [];
  const { nowUs } = evidence.capture;
  const known = named.filter((row) => row.stateAt(nowUs).state !== 'unknown');
  return [
    ...COUNTERS.map(([name, help, of]) =>
      family(
        'counter',
        name,
        help,
        named.map((row) => sample(row, of(row.spans.whole))),
      ),
    ),
    ...GAUGES.map(([name, help, of]) =>
      family(
        'gauge',
        name,
        help,
        named.map((row) => sample(row, of(row))),
      ),
    ),
    family(
      'gauge',
      'up',
      '1 while a trunk answers, 0 while it does not; absent while that is not known.',
      known.map((row) => sample(row, row.stateAt(nowUs).state === 'down' ? 0 : 1)),
    ),
    {
      ...family('gauge', 'trouble', '1 while a trunk is in this trouble, else 0.', []),
      labelNames: [...LABELS, 'trouble'],
      samples: named.flatMap((row) => {
        const found = row.troublesAt(nowUs);
        return TRUNK_TROUBLES.map((trouble) => ({
          labels: { ...sample(row, 0).labels, trouble },
          value: found.some((one) => one.trouble === trouble) ? 1 : 0,
        }));
      }),
    },
    {
      ...family('counter', 'finals_total', 'Final responses that decided an attempt, by class.', []),
      labelNames: [...LABELS, 'class'],
      samples: named.flatMap((row) =>
        [2, 3, 4, 5, 6].map((digit) => ({
          labels: { ...sample(row, 0).labels, class: `${digit}xx` },
          value: row.finals[digit] ?? 0,
        })),
      ),
    },
  ];
}

function family(type: 'counter' | 'gauge', name: string, help: string, samples: MetricSample[]): MetricFamily {
  return { name: `calltap_trunk_${name}`, help, type, labelNames: LABELS, samples };
}

function sample(row: TrunkRow, value: number): MetricSample {
  return { labels: { trunk: row.name, direction: row.direction }, value };
}
