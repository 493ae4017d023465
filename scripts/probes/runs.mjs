// What the scripts that try programs under probes ask of each of them: 200 connections with 50 messages each, 20 times.

export const CONNECTIONS = 200;
export const MESSAGES = 50;
/** Holds all of a run: what is missing was then missed by the probes, and not by a reader that had no processor. */
export const RING_BYTES = 1024 ** 3;
/** Counters of what the probes could not read. */
export const LOSSES = [
  'lost_events',
  'faults',
  'stale_frames',
  'return_without_entry',
  'frames_full',
  'no_room',
  'skipped',
];

/** What a lab could not read since again(). */
export function lossesOf(lab) {
  return LOSSES.reduce((n, name) => n + lab.counter(name), 0);
}
