/**
 * Series for `promtool test rules`, and what the rules have to make of them: a host in trouble, one that is well, one without
 * calls and one that is down. trunk-series.ts has the trunks.
 */
import { ALERTS } from '../helpers/prometheus-kit.ts';

/** Minutes that the series last, and the minute that is asked: there is a day before it. */
const MINUTES = 1_500;
export const ASKED_AT = '1470m';
/** The minute in which things change, where they do. */
export const CHANGE_AT = 1_440;

export type Labels = Readonly<Record<string, string>>;

/** A series with its values in the notation of promtool. */
export function series(name: string, labels: Labels, values: string): string {
  const written = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return `      - series: '${name}{${written.join(', ')}}'\n        values: '${values}'\n`;
}

/** A counter that grows by so much a minute; by another number since the change. */
export function counter(name: string, labels: Labels, perMinute: number, since = perMinute): string {
  const before = `0+${perMinute}x${CHANGE_AT}`;
  const after = `${perMinute * CHANGE_AT + since}+${since}x${MINUTES - CHANGE_AT}`;
  return series(name, labels, `${before} ${after}`);
}

export function gauge(name: string, labels: Labels, value: number): string {
  return series(name, labels, `${value}x${MINUTES}`);
}

/** Counters that differ in one label. */
export function counters(
  name: string,
  labels: Labels,
  label: string,
  counts: Readonly<Record<string, number>>,
): string {
  return Object.entries(counts)
    .map(([value, n]) => counter(name, { ...labels, [label]: value }, n))
    .join('');
}

/** Observations a minute that are at most as large as each bound. */
export function histogram(
  name: string,
  labels: Labels,
  bounds: readonly string[],
  counts: readonly number[],
  sum = 100,
): string {
  const all = [...bounds, '+Inf'];
  return [
    ...all.map((le, i) => counter(`${name}_bucket`, { ...labels, le }, counts[i] ?? 0)),
    counter(`${name}_sum`, labels, sum),
    counter(`${name}_count`, labels, counts[all.length - 1] ?? 0),
  ].join('');
}

const place = (instance: string): Labels => ({ job: 'calltap', instance });

function live(instance: string, frames: number, drops: number): string {
  const labels = place(instance);
  return (
    counter('service_capture_packets_total', labels, frames) +
    counters('calltap_live_total', labels, 'event', { frames, kernel_drops: drops, queue_dropped: 0 })
  );
}

const BAD = place('bad');
const GOOD = place('good');
const IDLE = place('idle');
const PDD = ['0.5', '1', '2', '3', '5', '10'];
const MOS = ['1', '2', '2.5', '3', '3.5', '4', '4.5'];
const JITTER = ['1', '5', '10', '20', '50', '100'];
const LOSS = ['0.1', '0.5', '1', '2', '5', '10'];
const NO_CALLS = { answered: 0, declined: 0, abandoned: 0, redirected: 0, challenged: 0, ineffective: 0, failed: 0 };

export const HOST_SERIES: readonly string[] = [
  ...[BAD, GOOD, IDLE].flatMap((labels) => [
    series('up', labels, `1x${MINUTES}`),
    gauge('calltap_build_info', { ...labels, version: '1.0.0' }, 1),
  ]),
  series('up', place('down'), `1x${CHANGE_AT} 0x${MINUTES - CHANGE_AT}`),
  // Three starts in the last quarter of an hour.
  series('process_start_time_seconds', BAD, '0x1459 60x4 120x4 180x30'),
  gauge('process_start_time_seconds', GOOD, 0),
  gauge('process_start_time_seconds', IDLE, 0),
  counters('calltap_calls_total', BAD, 'outcome', {
    answered: 60,
    declined: 15,
    abandoned: 10,
    redirected: 5,
    challenged: 5,
    ineffective: 10,
    failed: 5,
  }),
  counters('calltap_calls_total', GOOD, 'outcome', { ...NO_CALLS, answered: 70, declined: 20, abandoned: 10 }),
  counters('calltap_calls_total', IDLE, 'outcome', NO_CALLS),
  histogram('service_pdd_seconds', BAD, PDD, [80, 80, 80, 80, 80, 100, 100], 300),
  histogram('service_pdd_seconds', GOOD, PDD, [50, 90, 100, 100, 100, 100, 100], 60),
  histogram('service_mos', BAD, MOS, [0, 10, 10, 10, 20, 60, 100, 100], 380),
  histogram('service_mos', GOOD, MOS, [0, 0, 0, 0, 5, 10, 100, 100], 430),
  histogram('service_jitter_ms', BAD, JITTER, [50, 80, 90, 90, 100, 100, 100]),
  histogram('service_loss_percent', BAD, LOSS, [50, 80, 80, 80, 90, 100, 100], 150),
  live('bad', 5_940, 60),
  live('good', 6_000, 0),
  live('idle', 0, 0),
  counter('calltap_interface_total', { ...BAD, interface: 'eth0', event: 'link_downs' }, 1),
  counter('calltap_interface_total', { ...GOOD, interface: 'eth0', event: 'link_downs' }, 0),
  counters('calltap_evicted_total', BAD, 'store', { dialogs: 1, streams: 0 }),
  counters('calltap_evicted_total', GOOD, 'store', { dialogs: 0, streams: 0 }),
  counter('calltap_output_total', { ...BAD, event: 'lost' }, 1),
  counter('calltap_output_total', { ...GOOD, event: 'frames' }, 100),
  counter('calltap_hep_out_total', { ...BAD, event: 'queue_full' }, 1),
  counters('calltap_hep_out_total', GOOD, 'event', { sent: 100, queue_full: 0 }),
  counter('calltap_hep_sender_refused_total', { ...BAD, sender: '192.0.2.7', reason: 'auth' }, 1),
  gauge('calltap_loop_held_seconds', { ...BAD, work: 'list' }, 0.75),
  gauge('calltap_loop_held_seconds', { ...GOOD, work: 'list' }, 0),
  counters('calltap_security_alerts_total', BAD, 'type', { scanner: 1, 'reg-flood': 1, fraud: 1 }),
  counters('calltap_security_alerts_total', GOOD, 'type', { scanner: 0, 'reg-flood': 0, fraud: 0 }),
];

/** Values by their labels, times a thousand and rounded: sums of fractions end differently on different machines. */
export type Expected = readonly (readonly [labels: Labels, value: number])[];
export type Value = readonly [record: string, expected: Expected];

/** Of the hosts by name. */
const of = (values: Readonly<Record<string, number>>): Expected =>
  Object.entries(values).map(([instance, value]) => [place(instance), value]);

const HOST_VALUES: readonly Value[] = [
  ['instance:calltap_asr:ratio15m', of({ bad: 545, good: 700 })],
  ['instance:calltap_ner:ratio15m', of({ bad: 850, good: 1000 })],
  ['instance:calltap_ser:ratio15m', of({ bad: 571, good: 700 })],
  ['instance:calltap_seer:ratio15m', of({ bad: 750, good: 900 })],
  ['instance:calltap_isa:ratio15m', of({ bad: 91, good: 0 })],
  ['instance:calltap_pdd_seconds:p95_15m', of({ bad: 8750, good: 1500 })],
  ['instance:calltap_mos:avg15m', of({ bad: 3800, good: 4300 })],
  ['instance:calltap_mos:p05_15m', of({ bad: 1500, good: 3500 })],
  ['instance:calltap_mos_poor:ratio15m', of({ bad: 200, good: 50 })],
  ['instance:calltap_loss_percent:p95_15m', of({ bad: 7500 })],
  ['instance:calltap_loss_percent:avg15m', of({ bad: 1500 })],
  ['instance:calltap_jitter_ms:p95_15m', of({ bad: 35_000 })],
  ['instance:calltap_drops:rate5m', of({ bad: 1000, good: 0, idle: 0 })],
  ['instance:calltap_drops:ratio5m', of({ bad: 10, good: 0 })],
];

/** An alert that fires, with the labels beside job and severity; the summary is what a person reads. */
export type Fired = readonly [name: string, severity: string, labels: Labels, summary: string];

const at = (instance: string, more: Labels = {}): Labels => ({ instance, ...more });

const HOST_ALERTS: readonly Fired[] = [
  ['CallsFail', 'critical', at('bad'), 'Only 85% of the calls at bad get through'],
  ['CallsIneffective', 'warning', at('bad'), '9.091% of the calls at bad end in 408, 500, 503 or 504'],
  ['PostDialDelayHigh', 'warning', at('bad'), 'One caller in twenty at bad waits 8.75s for a sign'],
  ['VoicePoor', 'warning', at('bad'), '20% of the streams at bad have a MOS of 3.5 or less'],
  ['VoiceLoss', 'warning', at('bad'), 'One stream in twenty at bad loses 7.5 percent'],
  ['SipScanner', 'info', at('bad'), 'Somebody scans bad'],
  ['RegistrationFlood', 'warning', at('bad'), 'Somebody floods the registrar at bad'],
  ['TollFraudSuspected', 'critical', at('bad'), 'Calls at bad look like toll fraud'],
  ['CalltapDropsPackets', 'warning', at('bad'), 'calltap at bad loses 1% of the packets'],
  ['CalltapOutputLost', 'warning', at('bad'), 'calltap at bad cannot write all it captures'],
  ['CalltapMirrorLost', 'warning', at('bad'), 'The HEP collector of bad does not get everything'],
  ['CalltapSendersRefused', 'info', at('bad', { sender: '192.0.2.7' }), 'HEP from 192.0.2.7 is refused at bad'],
  ['CalltapEvicts', 'warning', at('bad', { store: 'dialogs' }), 'calltap at bad sheds dialogs'],
  ['CalltapInterfaceDown', 'warning', at('bad', { interface: 'eth0', event: 'link_downs' }), 'eth0 at bad went down'],
  [
    'CalltapLate',
    'warning',
    at('bad', { work: 'list' }),
    'calltap at bad answers nobody for 750ms again and again (list)',
  ],
  ['CalltapRestarting', 'critical', at('bad'), 'calltap at bad has started 3 times in 15 minutes'],
  ['CalltapSeesNothing', 'warning', at('idle'), 'calltap at idle has seen no packet for a quarter of an hour'],
  ['CalltapDown', 'critical', at('down'), 'calltap at down does not answer'],
];

function written(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(', ');
}

/** Every alert of the kit at the minute that is asked: it fires as `fired` says, or not at all. */
function alertTests(fired: readonly Fired[]): string[] {
  return ALERTS.map(({ name, annotations: { description, docs } }) => {
    const expected = fired.filter(([alert]) => alert === name);
    const rows = expected.map(([, severity, labels, summary]) => {
      const job = name === 'CalltapNotScraped' ? {} : { job: 'calltap' };
      const texts = written({ summary, description: description ?? '', docs: docs ?? '' });
      return `          - exp_labels: { ${written({ severity, ...job, ...labels })} }\n            exp_annotations: { ${texts} }\n`;
    });
    const head = `      - eval_time: ${ASKED_AT}\n        alertname: ${name}\n        exp_alerts:`;
    return rows.length === 0 ? `${head} []\n` : `${head}\n${rows.join('')}`;
  });
}

function valueTest([record, expected]: Value): string {
  const samples = expected.map(([labels, value]) => {
    const text = Object.entries(labels).map(([name, one]) => `${name}="${one}"`);
    return `          - { labels: '{${text.join(', ')}}', value: ${value} }\n`;
  });
  return `      - expr: round(1000 * ${record})\n        eval_time: ${ASKED_AT}\n        exp_samples:\n${samples.join('')}`;
}

/** Whether an expression finds a number: NaN is not one, and is in no comparison. */
function dataTest(expression: string): string {
  return `      - expr: ${JSON.stringify(`count((${expression}) >= -Inf) > bool 0`)}\n        eval_time: ${ASKED_AT}\n        exp_samples:\n          - { labels: '{}', value: 1 }\n`;
}

export type RulesTest = {
  readonly series: readonly string[];
  readonly values?: readonly Value[];
  /** Undefined: alerts are not looked at. */
  readonly fired?: readonly Fired[];
  /** Expressions that find something. */
  readonly found?: readonly string[];
};

/** The file of one test of `promtool test rules`; each text is indented as its list is. */
export function rulesTest({ series: given, values = [], fired, found = [] }: RulesTest): string {
  return `rule_files: [calltap.rules.yml, calltap.alerts.yml]
evaluation_interval: 5m
tests:
  - interval: 1m
    input_series:
${given.join('')}    promql_expr_test:
${values.map(valueTest).join('')}${found.map(dataTest).join('')}    alert_rule_test:
${fired === undefined ? '' : alertTests(fired).join('')}`;
}

export const HOST_TEST: RulesTest = { series: HOST_SERIES, values: HOST_VALUES, fired: HOST_ALERTS };

/** Prometheus scrapes something, and no calltap. */
export const NOTHING_TEST: RulesTest = {
  series: [series('up', { job: 'node', instance: 'bad' }, `1x${MINUTES}`)],
  fired: [['CalltapNotScraped', 'critical', {}, 'Prometheus has no metrics of any calltap']],
};
