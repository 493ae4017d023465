/**
 * Series for `promtool test rules`: an instance in trouble, one that is well, one without calls and one that is down;
 * with what the rules have to make of them.
 */

/** A counter that grows by so much a minute for an hour. */
function counter(series: string, instance: string, perMinute: number): string {
  const labels = series.endsWith('}') ? series.replace('}', `, ${place(instance)}}`) : `${series}{${place(instance)}}`;
  return `      - series: '${labels}'\n        values: '0+${perMinute}x60'\n`;
}

function place(instance: string): string {
  return `job="calltap", instance="${instance}"`;
}

function histogram(name: string, instance: string, buckets: Readonly<Record<string, number>>, sum: number): string {
  const lines = Object.entries(buckets).map(([le, n]) => counter(`${name}_bucket{le="${le}"}`, instance, n));
  return [
    ...lines,
    counter(`${name}_sum`, instance, sum),
    counter(`${name}_count`, instance, buckets['+Inf'] ?? 0),
  ].join('');
}

function outcomes(instance: string, counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, n]) => counter(`calltap_calls_total{outcome="${name}"}`, instance, n))
    .join('');
}

function live(instance: string, frames: number, drops: number): string {
  return (
    counter('service_capture_packets_total', instance, frames) +
    counter('calltap_live_total{event="frames"}', instance, frames) +
    counter('calltap_live_total{event="kernel_drops"}', instance, drops) +
    counter('calltap_live_total{event="queue_dropped"}', instance, 0)
  );
}

const SERIES = [
  outcomes('bad', {
    answered: 60,
    declined: 15,
    abandoned: 10,
    redirected: 5,
    challenged: 5,
    ineffective: 10,
    failed: 5,
  }),
  outcomes('good', {
    answered: 70,
    declined: 20,
    abandoned: 10,
    redirected: 0,
    challenged: 0,
    ineffective: 0,
    failed: 0,
  }),
  outcomes('idle', { answered: 0, declined: 0, abandoned: 0, redirected: 0, challenged: 0, ineffective: 0, failed: 0 }),
  histogram('service_pdd_seconds', 'bad', { 0.5: 80, 1: 80, 2: 80, 3: 80, 5: 80, 10: 100, '+Inf': 100 }, 300),
  histogram('service_pdd_seconds', 'good', { 0.5: 50, 1: 90, 2: 100, 3: 100, 5: 100, 10: 100, '+Inf': 100 }, 60),
  histogram('service_mos', 'bad', { 1: 0, 2: 5, 2.5: 5, 3: 10, 3.5: 20, 4: 60, 4.5: 100, '+Inf': 100 }, 380),
  histogram('service_mos', 'good', { 1: 0, 2: 0, 2.5: 0, 3: 0, 3.5: 5, 4: 10, 4.5: 100, '+Inf': 100 }, 430),
  histogram('service_loss_percent', 'bad', { 0.1: 50, 0.5: 80, 1: 80, 2: 80, 5: 90, 10: 100, '+Inf': 100 }, 150),
  live('bad', 5940, 60),
  live('good', 6000, 0),
  counter('calltap_security_alerts_total{type="scanner"}', 'bad', 1),
  counter('calltap_security_alerts_total{type="scanner"}', 'good', 0),
  counter('calltap_security_alerts_total{type="fraud"}', 'bad', 0),
  counter('calltap_output_total{event="lost"}', 'bad', 1),
  counter('calltap_output_total{event="frames"}', 'good', 100),
  `      - series: 'up{${place('bad')}}'\n        values: '1x60'\n`,
  `      - series: 'up{${place('down')}}'\n        values: '1x10 0x50'\n`,
];

/** Values at the half hour, times a thousand and rounded: sums of fractions end differently on different machines. */
const VALUES: readonly (readonly [record: string, expected: Readonly<Record<string, number>>])[] = [
  ['instance:calltap_asr:ratio15m', { bad: 545, good: 700 }],
  ['instance:calltap_ner:ratio15m', { bad: 850, good: 1000 }],
  ['instance:calltap_ser:ratio15m', { bad: 600, good: 700 }],
  ['instance:calltap_seer:ratio15m', { bad: 750, good: 900 }],
  ['instance:calltap_isa:ratio15m', { bad: 91 }],
  ['instance:calltap_pdd_seconds:p95_15m', { bad: 8750, good: 1500 }],
  ['instance:calltap_mos:avg15m', { bad: 3800, good: 4300 }],
  ['instance:calltap_mos_poor:ratio15m', { bad: 200, good: 50 }],
  ['instance:calltap_loss_percent:p95_15m', { bad: 7500 }],
  ['instance:calltap_loss_percent:avg15m', { bad: 1500 }],
  ['instance:calltap_drops:rate5m', { bad: 1000, good: 0 }],
  ['instance:calltap_drops:ratio5m', { bad: 10, good: 0 }],
];

/** Alerts at the half hour: who they are about, with which severity; the summary a person reads. */
const ALERTS: readonly (readonly [name: string, severity: string, instance: string, summary: string])[] = [
  ['CallsFail', 'critical', 'bad', 'Only 85% of the calls at bad get through'],
  ['CallsIneffective', 'warning', 'bad', '9.091% of the calls at bad end in 408, 500, 503 or 504'],
  ['PostDialDelayHigh', 'warning', 'bad', 'One caller in twenty at bad waits 8.75s for a sign'],
  ['VoicePoor', 'warning', 'bad', '20% of the streams at bad have a MOS of 3.5 or less'],
  ['VoiceLoss', 'warning', 'bad', 'One stream in twenty at bad loses 7.5 percent'],
  ['SipScanner', 'info', 'bad', 'Somebody scans bad'],
  ['CalltapDropsPackets', 'warning', 'bad', 'calltap at bad loses 1% of the packets'],
  ['CalltapOutputLost', 'warning', 'bad', 'calltap at bad cannot write all it captures'],
  ['CalltapDown', 'critical', 'down', 'calltap at down does not answer'],
];
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  SipScanner: 'The log of calltap names him and the evidence.',
  CalltapDropsPackets: 'Loss and MOS are too dark, calls may be missing. calltap_live_total says where they go.',
  CalltapOutputLost: 'The disk of -O is full or slow.',
  CalltapDown: 'Nobody watches the calls there. Look at `systemctl status calltap` and at the token of the scrape.',
};
const QUIET = ['TollFraudSuspected', 'RegistrationFlood', 'CalltapEvicts', 'CalltapMirrorLost', 'CalltapRestarting'];

function alertTest([name, severity, instance, summary]: (typeof ALERTS)[number]): string {
  const description = DESCRIPTIONS[name];
  const more = description === undefined ? '' : `, description: ${JSON.stringify(description)}`;
  return `      - eval_time: 30m
        alertname: ${name}
        exp_alerts:
          - exp_labels: { severity: ${severity}, job: calltap, instance: ${instance} }
            exp_annotations: { summary: ${JSON.stringify(summary)}${more} }
`;
}

function valueTest([record, expected]: (typeof VALUES)[number]): string {
  const samples = Object.entries(expected).map(
    ([instance, value]) => `          - { labels: '{${place(instance)}}', value: ${value} }\n`,
  );
  // Without zeros an instance of which nothing is expected would have to be named.
  const filter = 'good' in expected ? '' : ' > 0';
  return `      - expr: round(1000 * ${record})${filter}
        eval_time: 30m
        exp_samples:
${samples.join('')}`;
}

/** The file of one test of `promtool test rules`; each text is indented as its list is. */
export function rulesTest(series: readonly string[], values: readonly string[], alerts: readonly string[]): string {
  return `rule_files: [calltap.rules.yml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
${series.join('')}    promql_expr_test:
${values.join('')}    alert_rule_test:
${alerts.join('')}`;
}

export const RULES_TEST = rulesTest(SERIES, VALUES.map(valueTest), [
  ...ALERTS.map(alertTest),
  ...QUIET.map((name) => `      - eval_time: 30m\n        alertname: ${name}\n        exp_alerts: []\n`),
]);
