/** The table of the families of metrics of calls: by trunk, by how they went, by how they sounded, by what phones say of them. */
import { TRUNK_TROUBLES } from '../../core/trunk-bounds.ts';
import { METHOD_NAMES, REPORT_KINDS } from '../../core/words.ts';
import { REPORT_REFUSALS } from '../../store/media/phone-reports.ts';
import { ATTEMPT_OUTCOMES, REGISTRATION_OUTCOMES } from '../../watch/numbers/attempts.ts';
import { FINAL_CODE_VALUES, RESPONSE_PAIRS } from '../../watch/numbers/codes.ts';
import { COUNTRY_VALUES } from '../../watch/numbers/countries.ts';
import { DEVICE_VALUES } from '../../watch/numbers/devices.ts';
import { CODEC_VALUES } from '../../watch/numbers/media-counts.ts';
import { FINDING_PAIRS } from '../../watch/numbers/plain-counts.ts';
import { SHORT_CALL_SECONDS } from '../../watch/numbers/trunk-counts.ts';
import {
  counter,
  gauge,
  gaugeOfRow,
  OF_ROW,
  of,
  ofRow,
  ofTrunk,
  ROWS,
  SEATED,
  share,
  summaryOfRow,
  TRUNKS,
} from './row.ts';

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
    'Findings in calls that ended, by trunk; `not-judged` are calls of seconds in which too many ended, and large ones that gave way.',
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

export const CALL_ROWS = {
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
