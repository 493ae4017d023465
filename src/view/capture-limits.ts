/** What a capture lost, in sentences: what may be missing from an answer about one call, and what shifted its times. */
import { clockLines } from './clock-step-text.ts';
import type { Figures } from './figures.ts';
import { LOSSES, QUALITY } from './loss-table.ts';
import { lossCounters } from './losses.ts';

export function captureLimits(f: Figures): string[] {
  // The keys are those of the table; Object.entries widens them.
  const lost = Object.entries(lossCounters(f)) as [keyof typeof QUALITY, number][];
  const shed = LOSSES.flatMap(({ shed: isShed, means, read }) =>
    isShed === undefined ? [] : [...read(f)].map(([name, count]) => [name, count, means] as const),
  );
  return [...lost.map(([name, count]) => [name, count, QUALITY[name].means] as const), ...shed]
    .filter(([, count]) => count > 0)
    .map(([name, count, means]) => `${means.replace(/\.$/, '').replaceAll('`', '')} (${name} ${count}).`)
    .concat(clockLines(f.evidence.capture.clockSteps));
}
