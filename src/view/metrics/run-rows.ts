/** The table of the families of metrics of a run: what it captured, and how the program itself is. */
import { JITTER_MS_BOUNDS, LOSS_PERCENT_BOUNDS, MOS_BOUNDS, PDD_SECONDS_BOUNDS } from '../../core/counters.ts';
import { LOOP_TURN_CPU_MS, LOOP_TURN_HELD_MS, LOOP_TURN_TOLD_MS, LOOP_WORK } from '../../core/loop-turns.ts';
import { DIALOG_STATES, METHOD_NAMES } from '../../core/words.ts';
import { counter, gauge, histogram, of } from './row.ts';

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
  calltap_history_total: counter(
    ['event'],
    4,
    'Rows, documents and files of the indexes beside the files of -O, and indexes of a killed run that were closed.',
  ),
  calltap_history_lost_total: counter(['reason'], 7, 'Calls without a row in such an index, by reason.'),
  calltap_history_bytes_total: counter([], 1, 'Bytes written to such indexes.'),
  calltap_history_waiting_bytes: gauge([], 1, 'Bytes of their rows that wait in memory.'),
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

export const RUN_ROWS = { ...SERVICE, ...CAPTURE, ...PROCESS, ...SECURITY };
