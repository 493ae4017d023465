/** All families of calltap, and those that the rules and dashboards ask for and that it may not have yet. */
import { ROWS } from '../../src/config/options.ts';

const OPTIONS: readonly (readonly [option: string, value: string])[] = [
  ['metrics-families', 'all'],
  ['trunk-limit', 'acme=10'],
  ['device-class', 'deskphone=^DeskPhone'],
];

/** Options that show them all, as far as there are such options. */
export const ALL_FAMILIES = OPTIONS.filter(([name]) => ROWS.some((row) => row.flag === name)).flatMap(
  ([name, value]) => [`--${name}`, value],
);

export const AWAITED = `
  codec_rtp_missing_total codec_rtp_packets_total codec_streams_total country_answered_total country_attempts_total
  country_talk_seconds_total device_attempts_total device_findings_total device_registrations_total
  final_responses_total findings_total first_response_seconds options_seconds pdd_seconds phone_reports_refused_total
  phone_reports_total registration_delay_seconds registration_results_total reported_discard_ratio
  reported_jitter_seconds reported_loss_ratio reported_lost_after_tap_total reported_mos_cq reported_mos_lq
  reported_round_trip_seconds responses_total retransmissions_total ring_seconds rtcp_round_trip_seconds sdd_seconds
  sdt_seconds srd_failed_seconds srd_seconds stream_jitter_seconds stream_loss_ratio stream_mos stream_pdv_seconds
  trunk_call_limit trunk_completed_total trunk_one_way_total trunk_outcomes_total trunk_registrations_total
  trunk_repeated_attempts_total trunk_rtp_duplicates_total trunk_rtp_late_total trunk_rtp_missing_total
  trunk_rtp_packets_total trunk_rtp_reordered_total trunk_short_calls_total trunk_utilisation_ratio
  trunk_without_media_total`
  .trim()
  .split(/\s+/)
  .map((name) => `calltap_${name}`);
