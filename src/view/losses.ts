/**
 * Reads the table of losses at one moment: nothing that was captured goes missing without a name in it.
 */
import type { CaptureQuality, Caveats } from '../contract/index.ts';
import type { Figures } from './figures.ts';
import type { QualityKey, ShedKey } from './loss-row.ts';
import { LOSSES, QUALITY } from './loss-table.ts';
import type { LabelledCount } from './metrics/family.ts';

/** Count by reason, zero included: the list is complete. */
export function lossesByReason(f: Figures): Record<string, number> {
  return Object.fromEntries(LOSSES.flatMap(({ read }) => [...read(f)]));
}

/** `capture_quality`: what was lost before analysis, by the name it has there. */
export function lossCounters(f: Figures): Omit<CaptureQuality, 'degraded'> {
  const sums = Object.entries(QUALITY).map(([key, { own }]) => [key, own?.(f) ?? 0] as const);
  // The keys are those of the table; fromEntries widens them to string.
  const out = Object.fromEntries(sums) as Record<QualityKey, number>;
  for (const { quality, read } of LOSSES) if (quality !== undefined) out[quality] += sum(read(f));
  return out;
}

const SHED = LOSSES.flatMap(({ shed, name, read }) => (shed === undefined ? [] : [{ shed, name, read }]));

/** What a cap shed, in each store that sheds. */
export function shedByStore(f: Figures): LabelledCount[] {
  const counts = SHED.map(({ name, read }) => [name.replace(/_evicted$/, ''), sum(read(f))] as const);
  return counts.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The members of `caveats` that a cap makes. */
export function shedCaveats(f: Figures): Pick<Caveats, ShedKey> {
  const out = { dialogs_evicted: 0, messages_evicted: 0, streams_evicted: 0 };
  for (const { shed, read } of SHED) out[shed] += sum(read(f));
  return out;
}

function sum(counts: Iterable<LabelledCount>): number {
  let total = 0;
  for (const [, n] of counts) total += n;
  return total;
}
