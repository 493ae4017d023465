/**
 * The table of the families of metrics: what a scrape can show, a row each. Makers fill a row by its name; type, labels and the
 * largest number of series stand here alone, and docs/metrics.md is made from it. A family without a row does not compile.
 */
import { JITTER_MS_BOUNDS, LOSS_PERCENT_BOUNDS, MOS_BOUNDS, PDD_SECONDS_BOUNDS } from '../../core/counters.ts';
import { LOOP_TURN_CPU_MS, LOOP_TURN_HELD_MS, LOOP_TURN_TOLD_MS, LOOP_WORK } from '../../core/loop-turns.ts';
import type { MetricGroup } from '../../core/metric-groups.ts';
import { TRUNK_TROUBLES } from '../../core/trunk-bounds.ts';
import { DIALOG_STATES, METHOD_NAMES, REPORT_KINDS } from '../../core/words.ts';
import { REPORT_REFUSALS } from '../../store/media/phone-reports.ts';
import { NUMBER_BOUNDS } from '../../watch/numbers/bounds.ts';
import { FINAL_CODE_VALUES, RESPONSE_PAIRS } from '../../watch/numbers/codes.ts';
import { COUNTRY_VALUES } from '../../watch/numbers/countries.ts';
import { DEVICE_VALUES } from '../../watch/numbers/devices.ts';
import { FINDING_PAIRS } from '../../watch/numbers/finding-counts.ts';
import { CODEC_VALUES } from '../../watch/numbers/media-counts.ts';
import { ATTEMPT_OUTCOMES, REGISTRATION_OUTCOMES } from '../../watch/numbers/outcomes.ts';
import { SHORT_CALL_SECONDS } from '../../watch/numbers/trunk-counts.ts';
import { TRUNK_SEATS } from '../../watch/trunks/seats.ts';

/** What a row may say beside its type, labels and meaning. */
type More = {
  /** How a ratio or a mean is made of it, with the section of the RFC. */
  readonly formula?: string;
  readonly query?: string;
  /** Only a hub shows it, which captures nothing. */
  readonly isOfHub?: true;
  /** A label value may leave with its seat, and come back with what it had. */
  readonly isSeated?: true;
};

type Row = More & {
  /** A summary is a sum and a count here: quantiles cannot be added up. */
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly labels: readonly string[];
  /** Combinations of label values at most: more are left out and counted. */
  readonly values: number;
  readonly help: string;
  /** Of a histogram: its upper bounds. */
  readonly bounds?: readonly number[];
};

export type MetricRow = Row & { readonly group: MetricGroup };

/** What goes in and comes out of trunks: 50 rows of trunk and direction, and two of all others. */
const ROWS = TRUNK_SEATS + 2;
/** The same without direction. */
const TRUNKS = TRUNK_SEATS + 1;
const OF_ROW = ['trunk', 'direction'] as const;
const SEATED = { isSeated: true } as const;

const counter = <const L extends readonly string[]>(labels: L, values: number, help: string, more: More = {}) => ({
  ...more,
  type: 'counter' as const,
  labels,
  values,
  help,
});
const gauge = <const L extends readonly string[]>(labels: L, values: number, help: string, more: More = {}) => ({
  ...more,
  type: 'gauge' as const,
  labels,
  values,
  help,
});
const histogram = <const L extends readonly string[]>(
  labels: L,
  values: number,
  bounds: readonly number[],
  help: string,
  more: More = {},
) => ({ ...more, type: 'histogram' as const, labels, values, bounds, help });

/** Of a trunk and direction. */
const ofRow = (help: string, more: More = {}) => counter(OF_ROW, ROWS, help, { ...SEATED, ...more });
const summaryOfRow = (help: string, more: More = {}) => ({
  ...SEATED,
  ...more,
  type: 'summary' as const,
  labels: OF_ROW,
  values: ROWS,
  help,
});
const gaugeOfRow = (help: string, more: More = {}) => gauge(OF_ROW, ROWS, help, { ...SEATED, ...more });
const ofTrunk = (name: keyof typeof NUMBER_BOUNDS, help: string, more: More = {}) =>
  histogram(['trunk'], TRUNKS, NUMBER_BOUNDS[name], help, { ...SEATED, query: p95(name), ...more });

function p95(name: string): string {
  return `histogram_quantile(0.95, sum by (trunk, le) (rate(${name}_bucket[15m])))`;
}

/** `sum(rate(a)) / sum(rate(b))`, by trunk. */
function share(part: string, whole: string): string {
  return `sum by (trunk) (rate(${part}[15m])) / sum by (trunk) (rate(${whole}[15m]))`;
}

type InGroup<T> = { readonly [Name in keyof T]: T[Name] & { readonly group: MetricGroup } };

function of<const T extends Readonly<Record<string, Row>>>(group: MetricGroup, rows: T): InGroup<T> {
  const placed = Object.entries(rows).map(([name, row]) => [name, { ...row, group }] as const);
  // The names and rows are those that were given; fromEntries widens them.
  return Object.fromEntries(placed) as InGroup<T>;
}

const SERVICE = of('service', {
  service_dialogs_total: counter(['state'], DIALOG_STATES.length, 'Dialogs that entered a state.'),
  service_messages_total: counter(['method'], METHOD_NAMES.length, 'SIP messages by method.'),
  service_rtp_streams_active: gauge([], 1, 'RTP streams in the status established.'),
  service_rtp_streams_total: counter(['status'], 2, 'RTP streams by status.'),
  service_capture_packets_total: counter([], 1, 'Packets captured.'),
  service_reassembly_timeouts_total: counter([], 1, 'TCP and IP reassembly sessions that timed out.'),
  service_pdd_seconds: histogram([], 1, PDD_SECONDS_BOUNDS, 'Post-dial delay.'),
  service_mos: histogram([], 1, MOS_BOUNDS, 'Estimated mean opinion score of RTP streams.'),
  service_jitter_ms: histogram([], 1, JITTER_MS_BOUNDS, 'Jitter of RTP streams in milliseconds.'),
  service_loss_percent: histogram([], 1, LOSS_PERCENT_BOUNDS, 'Packet loss of RTP streams in percent.'),
  service_responses_total: counter(['code'], 0, 'SIP responses by status code.'),
  service_security_alerts_total: counter(['type'], 0, 'Security alerts by type.'),
  service_diagnosis_total: counter(['kind'], 0, 'Diagnosed faults by kind.'),
});

const CAPTURE = of('capture', {
  calltap_capture_total: counter(['what'], 80, 'Frames and packets by what the native walk made of them.'),
  calltap_decode_total: counter(['event'], 60, 'TCP, WebSocket and fragment reassembly, by event.'),
  calltap_sip_refused_total: counter(['reason'], 16, 'Payloads that did not scan as SIP, by reason.'),
  calltap_rtcp_refused_total: counter(['reason'], 16, 'RTCP that did not parse, by reason.'),
  calltap_calls_total: counter(['outcome'], 7, 'Call attempts by how they ended.', {
    formula: 'ASR (ITU-T E.425) = answered / all; NER (E.425) = (answered + declined + abandoned) / all',
    query: 'sum(rate(calltap_calls_total{outcome="answered"}[15m])) / sum(rate(calltap_calls_total[15m]))',
  }),
  calltap_sip_responses_total: counter(['class'], 6, 'SIP responses by class.'),
  calltap_sip_repeats_total: counter(['kind'], 3, 'Messages that repeat another, by kind.'),
  calltap_frame_copies_total: counter(
    ['outcome'],
    2,
    'Frames that several sources or interfaces saw: dropped, or of a time with too many to compare.',
  ),
  calltap_evicted_total: counter(['store'], 40, 'What a cap shed, by store.'),
  calltap_live_total: counter(['event'], 30, 'What the reader of the interfaces saw and lost.'),
  calltap_filter_packets_total: counter(['class'], 20, 'Packets by what the filter in the kernel made of them.'),
  calltap_hep_total: counter(['event'], 50, 'HEP packets by result.'),
  calltap_hep_tcp_total: counter(['event'], 20, 'Connections of HEP over TCP and their packets, by result.'),
  calltap_interface_total: counter(
    ['interface', 'event'],
    200,
    'What the reader saw and lost at each interface, and how often that went down or changed.',
  ),
  calltap_hep_clock_offset_seconds: gauge(
    ['sender', 'agent'],
    50,
    'How far the clocks of HEP senders are ahead of ours, by messages that came past here too; of those heard last.',
  ),
  calltap_hep_sender_refused_total: counter(
    ['sender', 'reason'],
    100,
    'Refused HEP packets of the senders with the most, by reason.',
  ),
  calltap_filter_media_endpoints: gauge(
    [],
    1,
    'Media endpoints of running calls that the filter in the kernel lets through.',
  ),
  calltap_filter_media_refused_total: counter(['map'], 1, 'Media endpoints for which the filter had no room.'),
  calltap_uprobe_total: counter(['event'], 50, 'What the TLS probes saw and lost in the kernel, by event.'),
  calltap_uprobe_stream_total: counter(['event'], 30, 'Plaintext of TLS connections by result.'),
  calltap_uprobe_attached: gauge(['what'], 5, 'What the TLS probes are attached to.'),
  calltap_lost_total: counter(['reason'], 250, 'What was captured and lost before analysis, by reason.', {
    query: 'topk(5, sum by (reason) (increase(calltap_lost_total[1h])))',
  }),
  calltap_output_total: counter(['event'], 30, 'Frames and files of -O by result.'),
  calltap_hep_out_total: counter(['event'], 30, 'Packets of the HEP mirror by result; each collector counts.'),
  calltap_hep_out_waiting_bytes: gauge([], 1, 'Bytes of the HEP mirror that wait in memory.'),
  calltap_hep_out_up: gauge(['collector'], 20, 'Whether the collector is there, as far as one can know.'),
  calltap_ship_made_total: counter(['table'], 10, 'Rows made for the store, by table.'),
  calltap_ship_stored_total: counter(['table'], 10, 'Rows that the store has, by table.'),
  calltap_ship_lost_total: counter(['reason'], 20, 'Rows that did not get to the store, by reason.'),
  calltap_ship_total: counter(
    ['event'],
    4,
    'Rows found of earlier runs, segments written and sent, inserts that are tried again.',
  ),
  calltap_ship_left_out_total: counter(
    ['why'],
    20,
    'Calls, messages and streams whose row, or whose last row, was not made, by reason.',
  ),
  calltap_ship_waiting_bytes: gauge([], 1, 'Bytes of rows that wait in memory.'),
  calltap_ship_spool_bytes: gauge([], 1, 'Bytes of the disk that the spool takes.'),
  calltap_ship_oldest_seconds: gauge([], 1, 'Age of the oldest rows on the disk.'),
  calltap_hook_events_total: counter(['hook', 'what'], 24, 'Events of the exec hooks by result.'),
});

const LABEL_OF_CALLTAP = 'Version of this program and the features of this build; the value is always 1.';

const PROCESS = of('process', {
  calltap_build_info: gauge(['version', 'features'], 1, LABEL_OF_CALLTAP, {
    query: 'count by (version) (calltap_build_info)',
  }),
  process_cpu_seconds_total: counter([], 1, 'User and system CPU time of the process in seconds.', {
    query: 'rate(process_cpu_seconds_total[5m])',
  }),
  process_start_time_seconds: gauge([], 1, 'Start time of the process in seconds since the Unix epoch.'),
  process_resident_memory_bytes: gauge([], 1, 'Resident memory of the process.'),
  process_open_fds: gauge([], 1, 'Open file descriptors.'),
  nodejs_heap_used_bytes: gauge([], 1, 'JavaScript heap in use.'),
  nodejs_external_memory_bytes: gauge([], 1, 'Buffers outside the JavaScript heap.'),
  calltap_loop_held_seconds: gauge(
    ['work'],
    LOOP_WORK.length,
    `Longest turn of the main thread in the last one to two minutes by what ran longest in it; turns under ${LOOP_TURN_TOLD_MS} ms are 0.`,
  ),
  calltap_loop_held_cpu_seconds: gauge(
    ['work'],
    LOOP_WORK.length,
    'Most processor time that the main thread took in one of these turns.',
  ),
  calltap_loop_overlong_turns_total: counter(
    [],
    1,
    `Turns of the main thread that took over ${LOOP_TURN_CPU_MS} ms of processor time or held it over ${LOOP_TURN_HELD_MS} ms.`,
  ),
  calltap_faults_total: counter(['place'], 30, 'Unexpected errors by the place that caught them.'),
  calltap_metric_samples_dropped_total: counter(
    [],
    1,
    'Samples left out because their family has too many label values.',
  ),
  calltap_api_responses_total: counter(['code'], 40, 'Answers of the API by status code.'),
  calltap_api_answers_shed_total: counter([], 1, 'Answers given up because clients did not read others.'),
  calltap_api_connections_refused_total: counter([], 1, 'Connections beyond the limit.'),
  calltap_api_connections_displaced_total: counter([], 1, 'Idle connections that gave their place to another source.'),
  calltap_api_connections_stalled_total: counter([], 1, 'Connections cut because nothing got on.'),
  calltap_api_rate_limited_total: counter([], 1, 'Requests beyond the rate of their source.'),
  calltap_api_rate_crowded_total: counter([], 1, 'Requests of sources too many to have a rate of their own.'),
  calltap_api_unauthorized_total: counter(['reason'], 16, 'Requests refused for their credentials, by reason.'),
  calltap_hub_agents_named: gauge([], 1, 'Agents that [agents] names.', { isOfHub: true }),
  calltap_hub_agents_seen: gauge([], 1, 'Hosts whose heartbeat the store has.', { isOfHub: true }),
  calltap_hub_store_up: gauge([], 1, '1 while the store answers, else 0.', { isOfHub: true }),
  calltap_hub_heartbeat_age_seconds: gauge(['host'], 200, 'Since the newest heartbeat of a host.', { isOfHub: true }),
  calltap_hub_agent_rows_made: gauge(['host'], 200, 'Rows that the newest run of a host made.', { isOfHub: true }),
  calltap_hub_agent_rows_stored: gauge(['host'], 200, 'Rows of it that the store acknowledged.', { isOfHub: true }),
  calltap_hub_agent_questions_total: counter([], 1, 'Questions to agents.', { isOfHub: true }),
  calltap_hub_agent_failures_total: counter([], 1, 'Questions without an answer.', { isOfHub: true }),
  calltap_hub_store_questions_total: counter(
    ['event'],
    10,
    'Questions to the store, and those that failed or were too wide.',
    { isOfHub: true },
  ),
});

const SECURITY = of('security', {
  calltap_security_alerts_total: counter(['type'], 20, 'Alerts about scanners, floods and fraud, by type.'),
  calltap_security_evicted_total: counter(['what'], 1, 'What the memory of the detection shed.'),
  calltap_security_answers_total: counter(['event'], 12, 'Requests of scanners, by the result of the answer.'),
  calltap_security_lines_total: counter(['event'], 2, 'Lines for fail2ban by result.'),
  calltap_security_syslog_total: counter(['event'], 2, 'Alerts for syslog by result.'),
});

const TRUNK = of('trunks', {
  calltap_trunk_attempts_total: ofRow('Calls tried on a trunk.', {
    query: 'sum by (trunk) (increase(calltap_trunk_attempts_total[1h]))',
  }),
  calltap_trunk_talks_total: ofRow('Calls that were answered and ended with a BYE.'),
  calltap_trunk_talk_seconds_total: ofRow('How long these talked.', {
    formula: 'ACD (ITU-T E.437) = calltap_trunk_talk_seconds_total / calltap_trunk_talks_total',
    query: share('calltap_trunk_talk_seconds_total', 'calltap_trunk_talks_total'),
  }),
  calltap_trunk_retransmissions_total: ofRow('SIP messages that came again.'),
  calltap_trunk_rtp_expected_total: ofRow('RTP packets that calls that ended should have had.'),
  calltap_trunk_rtp_lost_total: ofRow('Those of them that never came.', {
    query: share('calltap_trunk_rtp_lost_total', 'calltap_trunk_rtp_expected_total'),
  }),
  calltap_trunk_options_total: ofRow('OPTIONS that were sent.'),
  calltap_trunk_options_answered_total: ofRow('Those of them that were answered.'),
  calltap_trunk_registrations_failed_total: ofRow('Registrations that failed.'),
  calltap_trunk_pdd_seconds: summaryOfRow('Post-dial delay of calls.', {
    query: share('calltap_trunk_pdd_seconds_sum', 'calltap_trunk_pdd_seconds_count'),
  }),
  calltap_trunk_mos: summaryOfRow('Worst MOS of each call.', {
    query: share('calltap_trunk_mos_sum', 'calltap_trunk_mos_count'),
  }),
  calltap_trunk_talking: gaugeOfRow('Calls that talk now.', { query: 'sum by (trunk) (calltap_trunk_talking)' }),
  calltap_trunk_registered: gaugeOfRow('Registrations that hold now.'),
  calltap_trunk_registrations_failing: gaugeOfRow('Registrations whose last attempt failed.'),
  calltap_trunk_up: gaugeOfRow('1 while a trunk answers, 0 while it does not; absent while that is not known.', {
    query: 'calltap_trunk_up == 0',
  }),
  calltap_trunk_trouble: gauge(
    [...OF_ROW, 'trouble'],
    ROWS * TRUNK_TROUBLES.length,
    '1 while a trunk is in this trouble, else 0.',
    { ...SEATED, query: 'calltap_trunk_trouble == 1' },
  ),
  calltap_trunk_finals_total: counter(
    [...OF_ROW, 'class'],
    ROWS * 5,
    'Final responses that decided an attempt, by class.',
    SEATED,
  ),
});

const OUTCOMES = 'calltap_trunk_outcomes_total';
const ATTEMPTS = 'calltap_trunk_attempts_total';

const RFC6076 = of('rfc6076', {
  calltap_trunk_outcomes_total: counter(
    [...OF_ROW, 'outcome'],
    ROWS * ATTEMPT_OUTCOMES.length,
    'Attempts by how they ended: settled once, by the first final response that asks for no credentials, or 32 s after the last message.',
    {
      ...SEATED,
      formula:
        'SER (RFC 6076 4.6) = answered / (attempts - redirected); SEER (4.7) = (answered + declined) / (attempts - redirected - challenged); ISA (4.8) = ineffective / attempts; attempts = calltap_trunk_attempts_total',
      query: `sum by (trunk) (rate(${OUTCOMES}{outcome="answered"}[15m])) / (sum by (trunk) (rate(${ATTEMPTS}[15m])) - sum by (trunk) (rate(${OUTCOMES}{outcome="redirected"}[15m])))`,
    },
  ),
  calltap_trunk_completed_total: ofRow('Answered calls whose BYE was answered with a 2xx.', {
    formula: 'SCR (RFC 6076 4.9) = calltap_trunk_completed_total / calltap_trunk_attempts_total',
    query: share('calltap_trunk_completed_total', ATTEMPTS),
  }),
  calltap_trunk_byes_failed_total: ofRow('Answered calls whose BYE got another final response, or none within 32 s.'),
  calltap_trunk_registrations_total: counter(
    [...OF_ROW, 'outcome'],
    ROWS * REGISTRATION_OUTCOMES.length,
    'Attempts to register, with the rounds that credentials take, by how they ended.',
    {
      ...SEATED,
      formula: 'IRA (RFC 6076 4.2) = (failed + unanswered) / all',
      query: `sum by (trunk) (rate(calltap_trunk_registrations_total{outcome=~"failed|unanswered"}[15m])) / sum by (trunk) (rate(calltap_trunk_registrations_total[15m]))`,
    },
  ),
  calltap_registration_delay_seconds: ofTrunk(
    'calltap_registration_delay_seconds',
    'From the last REGISTER of an attempt to its 2xx.',
    { formula: 'RRD (RFC 6076 4.1)' },
  ),
  calltap_srd_seconds: ofTrunk(
    'calltap_srd_seconds',
    'From the INVITE to its first provisional response other than 100, or to its 2xx where none came.',
    { formula: 'SRD, successful (RFC 6076 4.3.1)' },
  ),
  calltap_srd_failed_seconds: ofTrunk(
    'calltap_srd_failed_seconds',
    'From the INVITE to its failure other than 401, 402 and 407, where no provisional response other than 100 came.',
    { formula: 'SRD, failed (RFC 6076 4.3.2)' },
  ),
  calltap_sdd_seconds: ofTrunk('calltap_sdd_seconds', 'From the BYE to its 2xx.', { formula: 'SDD (RFC 6076 4.4)' }),
  calltap_sdt_seconds: ofTrunk('calltap_sdt_seconds', 'From the 2xx of the INVITE to the BYE.', {
    formula: 'SDT (RFC 6076 4.5)',
  }),
  calltap_pdd_seconds: ofTrunk('calltap_pdd_seconds', 'From the INVITE to its first 18x.'),
  calltap_ring_seconds: ofTrunk('calltap_ring_seconds', 'From the first 18x to the 2xx.'),
  calltap_first_response_seconds: ofTrunk(
    'calltap_first_response_seconds',
    'From the first INVITE of an attempt to its first response of any kind.',
  ),
  calltap_options_seconds: ofTrunk('calltap_options_seconds', 'From an OPTIONS to its final response.'),
});

const CODES = of('codes', {
  calltap_responses_total: counter(
    ['method', 'code'],
    RESPONSE_PAIRS,
    'Responses by the method and status code, without retransmissions and copies.',
    { query: 'sum by (code) (rate(calltap_responses_total{method="INVITE"}[15m]))' },
  ),
  calltap_final_responses_total: counter(
    ['direction', 'code'],
    2 * FINAL_CODE_VALUES,
    'Attempts by the final response that settled them.',
    { query: 'topk(5, sum by (code) (increase(calltap_final_responses_total[1h])))' },
  ),
  calltap_registration_results_total: counter(
    ['outcome'],
    REGISTRATION_OUTCOMES.length,
    'Attempts to register, by how they ended.',
    { query: 'sum by (outcome) (rate(calltap_registration_results_total[15m]))' },
  ),
  calltap_retransmissions_total: counter(
    ['method'],
    METHOD_NAMES.length,
    'Retransmissions of requests, and of responses to them, by method.',
    { query: 'sum by (method) (rate(calltap_retransmissions_total[15m]))' },
  ),
});

const CALLS = of('calls', {
  calltap_trunk_call_limit: gauge(['trunk'], TRUNKS, 'Calls that --trunk-limit allows a trunk.', SEATED),
  calltap_trunk_utilisation_ratio: gauge(['trunk'], TRUNKS, 'Calls that talk now, of those that are allowed.', {
    ...SEATED,
    formula: 'calltap_trunk_talking of both directions / calltap_trunk_call_limit',
    query: 'calltap_trunk_utilisation_ratio > 0.8',
  }),
  calltap_trunk_short_calls_total: counter(
    [...OF_ROW, 'under'],
    ROWS * SHORT_CALL_SECONDS.length,
    'Answered calls that were shorter than so many seconds.',
    {
      ...SEATED,
      query: `sum by (trunk) (rate(calltap_trunk_short_calls_total{under="5"}[15m])) / sum by (trunk) (rate(calltap_trunk_talks_total[15m]))`,
    },
  ),
  calltap_trunk_without_media_total: ofRow('Answered calls in which no media came.', {
    formula: 'false answer supervision',
    query: share('calltap_trunk_without_media_total', 'calltap_trunk_talks_total'),
  }),
  calltap_trunk_one_way_total: ofRow('Answered calls in which only one side was heard.', {
    query: share('calltap_trunk_one_way_total', 'calltap_trunk_talks_total'),
  }),
  calltap_trunk_repeated_attempts_total: ofRow(
    'Attempts of the same calling and called user within 60 s after one that was not answered.',
    { query: share('calltap_trunk_repeated_attempts_total', ATTEMPTS) },
  ),
});

const MEDIA = of('media', {
  calltap_trunk_rtp_packets_total: ofRow('RTP packets of answered calls.'),
  calltap_trunk_rtp_missing_total: ofRow(
    'RTP packets that never came, without those that the capture may have dropped.',
    {
      query: share('calltap_trunk_rtp_missing_total', 'calltap_trunk_rtp_packets_total'),
    },
  ),
  calltap_trunk_rtp_late_total: ofRow('RTP packets that a jitter buffer of 60 ms does not wait for.'),
  calltap_trunk_rtp_duplicates_total: ofRow('RTP packets that came more than once.'),
  calltap_trunk_rtp_reordered_total: ofRow('RTP packets that came after later ones.'),
  calltap_codec_rtp_packets_total: counter(['codec'], CODEC_VALUES, 'RTP packets of answered calls, by codec.'),
  calltap_codec_rtp_missing_total: counter(['codec'], CODEC_VALUES, 'RTP packets that never came, by codec.'),
  calltap_codec_streams_total: counter(['codec'], CODEC_VALUES, 'RTP streams of answered calls, by codec.', {
    query: 'topk(5, sum by (codec) (rate(calltap_codec_streams_total[1h])))',
  }),
  calltap_stream_mos: ofTrunk('calltap_stream_mos', 'Estimated mean opinion score of streams.', {
    query: 'histogram_quantile(0.05, sum by (trunk, le) (rate(calltap_stream_mos_bucket[15m])))',
  }),
  calltap_stream_jitter_seconds: ofTrunk('calltap_stream_jitter_seconds', 'Mean jitter of streams.', {
    formula: 'RFC 3550 6.4.1',
  }),
  calltap_stream_loss_ratio: ofTrunk('calltap_stream_loss_ratio', 'Packets that never came, of those expected.'),
  calltap_stream_pdv_seconds: ofTrunk(
    'calltap_stream_pdv_seconds',
    'Packet delay variation of streams: the highest jitter of their windows.',
  ),
  calltap_rtcp_round_trip_seconds: ofTrunk('calltap_rtcp_round_trip_seconds', 'Round trip by RTCP of streams.', {
    formula: 'RFC 3550 6.4.1, RFC 3611 4.7.3',
  }),
});

const FINDINGS = of('findings', {
  calltap_findings_total: counter(
    ['trunk', 'finding'],
    FINDING_PAIRS,
    'Findings in calls that ended, by trunk; `not-judged` are calls of seconds in which too many ended.',
    {
      ...SEATED,
      query: 'topk(10, sum by (finding) (increase(calltap_findings_total[1h])))',
    },
  ),
});

const DEVICES = of('devices', {
  calltap_device_registrations_total: counter(
    ['device', 'outcome'],
    DEVICE_VALUES * REGISTRATION_OUTCOMES.length,
    'Attempts to register by the class of the phone, and how they ended.',
    { query: 'sum by (device) (rate(calltap_device_registrations_total{outcome="failed"}[15m]))' },
  ),
  calltap_device_attempts_total: counter(
    ['device', 'outcome'],
    DEVICE_VALUES * ATTEMPT_OUTCOMES.length,
    'Calls tried by the class of the phone, and how they ended.',
  ),
  calltap_device_findings_total: counter(
    ['device', 'finding'],
    FINDING_PAIRS,
    'Findings in calls that ended, by the class of the phone.',
  ),
});

const COUNTRIES = of('countries', {
  calltap_country_attempts_total: counter(['country'], COUNTRY_VALUES, 'Calls tried to numbers of a country.'),
  calltap_country_answered_total: counter(['country'], COUNTRY_VALUES, 'Those of them that were answered.'),
  calltap_country_talk_seconds_total: counter(['country'], COUNTRY_VALUES, 'How long these talked.', {
    query: 'topk(10, sum by (country) (increase(calltap_country_talk_seconds_total[1h])))',
  }),
});

const REPORTS = of('reports', {
  calltap_phone_reports_total: counter(
    ['kind'],
    REPORT_KINDS.length,
    'Reports of phones and agents on the quality of calls; those of RTCP each time.',
    { formula: 'RFC 6035, RFC 3611 4.7' },
  ),
  calltap_phone_reports_refused_total: counter(
    ['reason'],
    REPORT_REFUSALS.length,
    'Such reports that are not kept, by reason.',
  ),
  calltap_reported_lost_after_tap_total: counter(
    ['trunk'],
    TRUNKS,
    'Calls whose report says clearly more loss than was seen here.',
    { ...SEATED, query: 'sum by (trunk) (increase(calltap_reported_lost_after_tap_total[1h]))' },
  ),
  calltap_reported_mos_lq: ofTrunk('calltap_reported_mos_lq', 'Listening MOS that phones reported.', {
    query: 'histogram_quantile(0.05, sum by (trunk, le) (rate(calltap_reported_mos_lq_bucket[15m])))',
  }),
  calltap_reported_mos_cq: ofTrunk('calltap_reported_mos_cq', 'Conversational MOS that phones reported.', {
    query: 'histogram_quantile(0.05, sum by (trunk, le) (rate(calltap_reported_mos_cq_bucket[15m])))',
  }),
  calltap_reported_loss_ratio: ofTrunk('calltap_reported_loss_ratio', 'Loss that phones reported.'),
  calltap_reported_discard_ratio: ofTrunk(
    'calltap_reported_discard_ratio',
    'Packets that came too late for the jitter buffer of the phone that reports.',
  ),
  calltap_reported_jitter_seconds: ofTrunk('calltap_reported_jitter_seconds', 'Mean jitter that phones reported.'),
  calltap_reported_round_trip_seconds: ofTrunk(
    'calltap_reported_round_trip_seconds',
    'Round trip that phones reported.',
  ),
});

export const METRICS = {
  ...SERVICE,
  ...CAPTURE,
  ...PROCESS,
  ...SECURITY,
  ...TRUNK,
  ...RFC6076,
  ...CODES,
  ...CALLS,
  ...MEDIA,
  ...FINDINGS,
  ...DEVICES,
  ...COUNTRIES,
  ...REPORTS,
};
export type MetricName = keyof typeof METRICS;

/** The label values of a sample, in the order of the row. */
export type LabelsOf<Name extends MetricName> = Texts<(typeof METRICS)[Name]['labels']>;
type Texts<L extends readonly string[]> = { readonly [K in keyof L]: string };

/** The names are those of the table; Object.entries() widens them. */
export const METRIC_ROWS: readonly (readonly [MetricName, MetricRow])[] = Object.entries<MetricRow>(METRICS) as [
  MetricName,
  MetricRow,
][];

/** Series of a family at most. */
export function seriesOf({ type, values, bounds }: Pick<MetricRow, 'type' | 'values' | 'bounds'>): number {
  if (type === 'summary') return values * 2;
  // Each bound, the bucket beyond them, the sum and the count.
  return bounds === undefined ? values : values * (bounds.length + 3);
}
