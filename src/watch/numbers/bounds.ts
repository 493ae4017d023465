/** Upper bounds of the histograms of trunks, each inclusive: six of each, so that their number of series is the same. */

const SLOW_ANSWER = [0.05, 0.1, 0.25, 0.5, 1, 5] as const;
const SETUP = [0.5, 1, 2, 3, 5, 10] as const;

const MOS = [1.5, 2.5, 3.1, 3.6, 4, 4.3] as const;
const JITTER = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2] as const;
const LOST = [0.001, 0.005, 0.01, 0.03, 0.05, 0.1] as const;
const ROUND_TRIP = [0.02, 0.05, 0.1, 0.15, 0.3, 0.5] as const;

export const NUMBER_BOUNDS = {
  calltap_registration_delay_seconds: SLOW_ANSWER,
  calltap_srd_seconds: SETUP,
  calltap_srd_failed_seconds: SETUP,
  calltap_sdd_seconds: SLOW_ANSWER,
  calltap_sdt_seconds: [5, 20, 60, 180, 600, 3600],
  calltap_pdd_seconds: SETUP,
  calltap_ring_seconds: [1, 3, 5, 10, 20, 40],
  calltap_first_response_seconds: [0.01, 0.05, 0.1, 0.5, 1, 4],
  calltap_options_seconds: [0.005, 0.02, 0.05, 0.1, 0.5, 2],
  calltap_stream_mos: MOS,
  calltap_stream_jitter_seconds: JITTER,
  calltap_stream_loss_ratio: LOST,
  calltap_stream_pdv_seconds: JITTER,
  calltap_rtcp_round_trip_seconds: ROUND_TRIP,
  calltap_reported_mos_lq: MOS,
  calltap_reported_mos_cq: MOS,
  calltap_reported_loss_ratio: LOST,
  calltap_reported_discard_ratio: LOST,
  calltap_reported_jitter_seconds: JITTER,
  calltap_reported_round_trip_seconds: ROUND_TRIP,
} as const;
export type NumberHistogram = keyof typeof NUMBER_BOUNDS;
