/**
 * What is wrong with a call, in sentences: what its signaling and its media say, and how it sounded.
 */
import type { DialogFacts } from '../analysis/dialog-facts.ts';
import { audible } from '../analysis/stream-quality.ts';
import { counted } from '../core/counted.ts';
import { endpointKeyText } from '../core/ip.ts';

export function callHints(facts: DialogFacts): string[] {
  return [...(facts.signaling?.hints ?? []), ...facts.media.hints, ...qualityHints(facts)];
}

/** What the figures of a stream say about how it sounded, in words. */
function qualityHints(facts: DialogFacts): string[] {
  const hints: string[] = [];
  for (const { stream, quality: q } of facts.streams) {
    const way = `${endpointKeyText(stream.srcKey)} to ${endpointKeyText(stream.dstKey)}`;
    const s = q.snapshot;
    const { isLossy, isJittery, isLate, isPoor } = audible(q);
    if (isLossy) {
      const runs = s.lossRuns > 0 ? s.lost / s.lossRuns : 1;
      const shape = runs >= 2 ? `in bursts of ${runs.toFixed(1)} packets` : 'scattered';
      hints.push(`Packet loss from ${way}: ${s.lost} of ${s.expected} (${q.lossPct.toFixed(1)} %), ${shape}.`);
    }
    if (isJittery) hints.push(`High jitter from ${way}: ${q.jitterMs.toFixed(1)} ms on average.`);
    if (isLate) hints.push(`${counted(q.late, 'packet')} from ${way} came later than a 60 ms jitter buffer waits.`);
    if (isPoor && q.mos !== null) hints.push(`Poor audio from ${way}: MOS ${q.mos.toFixed(2)}.`);
  }
  return hints;
}
