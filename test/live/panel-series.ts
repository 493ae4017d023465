/** Series that only dashboards ask for, beside those of the hosts and trunks: each family with its labels, and values that they have. */
import type { Labels } from './prometheus-series.ts';
import { counter, counters, gauge } from './prometheus-series.ts';

const HOST: Labels = { job: 'calltap', instance: 'sbc' };
const CODES = { '200': 80, '404': 5, '486': 10, '503': 5 };

export const PANEL_SERIES: readonly string[] = [
  counters('service_messages_total', HOST, 'method', { INVITE: 400, BYE: 160, other: 1 }),
  counters('service_dialogs_total', HOST, 'state', { completed: 70, failed: 20 }),
  counters('service_rtp_streams_total', HOST, 'status', { established: 160, orphaned: 2 }),
  gauge('service_rtp_streams_active', HOST, 100),
  counters('calltap_sip_responses_total', HOST, 'class', { '1xx': 200, '2xx': 240, '4xx': 30, '5xx': 5 }),
  counters('calltap_responses_total', { ...HOST, method: 'INVITE' }, 'code', CODES),
  counters('calltap_final_responses_total', { ...HOST, direction: 'in' }, 'code', CODES),
  counters('calltap_final_responses_total', { ...HOST, direction: 'out' }, 'code', CODES),
  counters('calltap_sip_repeats_total', HOST, 'kind', { retransmission: 3, duplicate_frame: 0, other_source: 0 }),
  counters('calltap_retransmissions_total', HOST, 'method', { INVITE: 2, BYE: 1 }),
  counters('calltap_registration_results_total', HOST, 'outcome', { registered: 155, failed: 20, unanswered: 10 }),
  ...['DE', 'GB', 'unknown'].flatMap((country) => [
    counter('calltap_country_attempts_total', { ...HOST, country }, 60),
    counter('calltap_country_answered_total', { ...HOST, country }, 30),
    counter('calltap_country_talk_seconds_total', { ...HOST, country }, 1_800),
  ]),
  ...['PCMA', 'G729', 'other'].flatMap((codec) => [
    counter('calltap_codec_streams_total', { ...HOST, codec }, 50),
    counter('calltap_codec_rtp_packets_total', { ...HOST, codec }, 4_000),
    counter('calltap_codec_rtp_missing_total', { ...HOST, codec }, 40),
  ]),
  ...['deskphone', 'other'].flatMap((device) => [
    counters('calltap_device_registrations_total', { ...HOST, device }, 'outcome', { registered: 50, failed: 5 }),
    counters('calltap_device_attempts_total', { ...HOST, device }, 'outcome', { answered: 40, failed: 4 }),
    counters('calltap_device_findings_total', { ...HOST, device }, 'finding', { 'one-way-audio': 2 }),
  ]),
  counters('calltap_phone_reports_total', HOST, 'kind', { session: 50, interval: 5, xr: 60, rtp_stat: 20 }),
  counters('calltap_phone_reports_refused_total', HOST, 'reason', { syntax: 1 }),
  counters('calltap_security_answers_total', HOST, 'event', { sent: 1 }),
  counters('calltap_security_syslog_total', HOST, 'event', { sent: 1, lost: 0 }),
  counters('calltap_filter_packets_total', HOST, 'class', { sip: 1_000, dropped_other: 100 }),
  counters('calltap_lost_total', HOST, 'reason', { fragments_timed_out: 1 }),
  counters('calltap_sip_refused_total', HOST, 'reason', { start_line: 1 }),
  counters('calltap_hep_total', HOST, 'event', { read: 100 }),
  counters('calltap_faults_total', HOST, 'place', { answer: 0 }),
  counter('process_cpu_seconds_total', HOST, 6),
  gauge('process_resident_memory_bytes', HOST, 300_000_000),
  gauge('nodejs_heap_used_bytes', HOST, 100_000_000),
  gauge('nodejs_external_memory_bytes', HOST, 50_000_000),
  gauge('process_open_fds', HOST, 60),
];
