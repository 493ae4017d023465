/** Series for `promtool test rules`: one trunk in every trouble and one that is well, with what the rules make of them. */
import { rulesTest } from './prometheus-series.ts';

const PLACE = 'job="calltap", instance="sbc"';

function place(trunk: string): string {
  return `${PLACE}, trunk="${trunk}", direction="out"`;
}

/** A counter that grows by so much a minute for an hour. */
function counter(name: string, trunk: string, perMinute: number, label = ''): string {
  return `      - series: '${name}{${place(trunk)}${label}}'\n        values: '0+${perMinute}x60'\n`;
}

type Minute = {
  readonly attempts: number;
  readonly answered: number;
  readonly failed: number;
  readonly pddSec: number;
  readonly mos: number;
  readonly lost: number;
};

/** Of a minute: a call has 100 packets, and each that is answered a MOS. */
function trunk(name: string, m: Minute, up: string, failing: number): string {
  return [
    counter('calltap_trunk_attempts_total', name, m.attempts),
    counter('calltap_trunk_finals_total', name, m.answered, ', class="2xx"'),
    counter('calltap_trunk_finals_total', name, m.failed, ', class="5xx"'),
    counter('calltap_trunk_pdd_seconds_sum', name, m.attempts * m.pddSec),
    counter('calltap_trunk_pdd_seconds_count', name, m.attempts),
    counter('calltap_trunk_mos_sum', name, m.answered * m.mos),
    counter('calltap_trunk_mos_count', name, m.answered),
    counter('calltap_trunk_rtp_expected_total', name, m.answered * 100),
    counter('calltap_trunk_rtp_lost_total', name, m.answered * m.lost),
    `      - series: 'calltap_trunk_up{${place(name)}}'\n        values: '${up}'\n`,
    ...Object.entries(TROUBLES).map(
      ([trouble, on]) =>
        `      - series: 'calltap_trunk_trouble{${place(name)}, trouble="${trouble}"}'\n        values: '${failing > 0 && on ? 1 : 0}x60'\n`,
    ),
    `      - series: 'calltap_trunk_registrations_failing{${place(name)}}'\n        values: '${failing}x60'\n`,
  ].join('');
}

/** Which of them the bad trunk has: who is down is told of by another alert. */
const TROUBLES = { down: true, refusing: true, slow: true, 'poor-audio': false } as const;

const SERIES = [
  trunk('bad', { attempts: 100, answered: 50, failed: 25, pddSec: 8, mos: 3.1, lost: 5 }, '1x20 0x40', 2),
  trunk('good', { attempts: 100, answered: 80, failed: 5, pddSec: 2, mos: 4.3, lost: 0 }, '1x60', 0),
];

/** Values at the half hour, times a thousand and rounded. */
const VALUES: readonly (readonly [record: string, bad: number, good: number])[] = [
  ['instance_trunk:calltap_asr:ratio15m', 500, 800],
  ['instance_trunk:calltap_server_failure:ratio15m', 250, 50],
  ['instance_trunk:calltap_pdd_seconds:avg15m', 8_000, 2_000],
  ['instance_trunk:calltap_mos:avg15m', 3_100, 4_300],
  ['instance_trunk:calltap_loss:ratio15m', 50, 0],
];

/** Alerts at the half hour: all of them, and none about the trunk that is well. */
type Alert = readonly [name: string, severity: string, summary: string, description?: string, trouble?: string];
const ALERTS: readonly Alert[] = [
  [
    'TrunkRefuses',
    'critical',
    'Trunk bad (out) at sbc refuses calls',
    'out - the trunk refuses them, or answers no INVITE. in - our side does. `calltap --trunks` says with which code, and who.',
    'refusing',
  ],
  [
    'TrunkTroubled',
    'warning',
    'Trunk bad (out) at sbc is in trouble (slow)',
    'slow - callers wait. poor-audio - calls sound bad. registrations-failing - it does not register.',
    'slow',
  ],
  [
    'TrunkDown',
    'critical',
    'Trunk bad (out) at sbc is down',
    'out - the trunk answers nothing. in - our side does not answer what the trunk asks.',
  ],
  ['TrunkFails', 'critical', '25% of the calls on trunk bad (out) at sbc end in 5xx'],
  ['TrunkSlow', 'warning', 'Callers on trunk bad (out) at sbc wait 8s for a sign'],
  [
    'TrunkVoicePoor',
    'warning',
    'Calls on trunk bad (out) at sbc sound bad',
    'The average MOS is below 3.6, or more than 3 % of the packets are lost.',
  ],
  ['TrunkRegistrationFails', 'warning', '2 registrations fail on trunk bad (out) at sbc'],
];

function alertTest([name, severity, summary, description, trouble]: Alert): string {
  const more = description === undefined ? '' : `, description: ${JSON.stringify(description)}`;
  const of = trouble === undefined ? '' : `, trouble: ${trouble}`;
  const labels = `job: calltap, instance: sbc, trunk: bad, direction: out${of}`;
  return `      - eval_time: 30m
        alertname: ${name}
        exp_alerts:
          - exp_labels: { severity: ${severity}, ${labels} }
            exp_annotations: { summary: ${JSON.stringify(summary)}${more} }
`;
}

function valueTest([record, bad, good]: (typeof VALUES)[number]): string {
  return `      - expr: round(1000 * ${record})
        eval_time: 30m
        exp_samples:
          - { labels: '{${place('bad')}}', value: ${bad} }
          - { labels: '{${place('good')}}', value: ${good} }
`;
}

export const TRUNK_RULES_TEST = rulesTest(SERIES, VALUES.map(valueTest), ALERTS.map(alertTest));
