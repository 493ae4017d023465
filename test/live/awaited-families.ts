/** All families of calltap, and those that the rules and dashboards ask for and that it may not have yet. */

/** Options that show them all. */
export const ALL_FAMILIES: readonly string[] = [
  ...['--metrics-families', 'all'],
  ...['--trunk-limit', 'acme=10'],
  ...['--device-class', 'deskphone=^DeskPhone'],
];

export const AWAITED = `
  phone_reports_refused_total phone_reports_total reported_discard_ratio reported_jitter_seconds reported_loss_ratio
  reported_lost_after_tap_total reported_mos_cq reported_mos_lq reported_round_trip_seconds`
  .trim()
  .split(/\s+/)
  .map((name) => `calltap_${name}`);
