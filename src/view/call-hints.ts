/**
 * What is wrong with a call, in sentences: what its signaling and its media say, and how it sounded.
 */
import type { DialogFacts } from '../analysis/dialog-facts.ts';
import { unexplainedGap } from '../analysis/media/unexplained-gap.ts';
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
    const { isLossy, isJittery, isLate, isPoor } = audible(q);
    if (isLossy) {
      const [lost, expected] = [q.lost - q.ownLost, q.expected - q.ownLost];
      const runs = q.lossRuns > 0 ? q.lost / q.lossRuns : 1;
      const shape = runs >= 2 ? `in bursts of ${runs.toFixed(1)} packets` : 'scattered';
      hints.push(`Packet loss from ${way}: ${lost} of ${expected} (${q.knownLossPct.toFixed(1)} %), ${shape}.`);
      const gap = unexplainedGap(q);
      if (gap !== null)
        hints.push(
          `${counted(gap.lost, 'packet')} from ${way} are missing while nothing came for ${gap.sec.toFixed(1)} s: a hold or a bridge elsewhere that the signaling here does not show, or an outage.`,
        );
    }
    if (isJittery) hints.push(`High jitter from ${way}: ${q.jitterMs.toFixed(1)} ms on average.`);
    if (isLate) hints.push(`${counted(q.late, 'packet')} from ${way} came later than a 60 ms jitter buffer waits.`);
    if (isPoor && q.mos !== null) hints.push(`Poor audio from ${way}: MOS ${q.mos.toFixed(2)}.`);
  }
  return hints;
}
