/**
 * What is wrong with a call, in sentences, cause before effect: what its signaling and its media say, and how it sounded. Each finding
 * says what it rests on, and names the messages that show it.
 */
import type { DialogFacts } from '../analysis/dialog-facts.ts';
import { explanationOf } from '../analysis/explanation.ts';
import { FINDINGS } from '../analysis/finding-table.ts';
import type { Hint } from '../analysis/hint.ts';
import { unexplainedGap } from '../analysis/media/unexplained-gap.ts';
import { audible } from '../analysis/stream-quality.ts';
import type { AskExplained } from '../contract/index.ts';
import { counted } from '../core/counted.ts';
import { endpointKeyText } from '../core/ip.ts';
import { findingHelp } from './finding-help.ts';

/** Of each finding its sentences, in the order in which an expert says them. What only explains the call comes last. */
export function explained(facts: DialogFacts): AskExplained[] {
  const hints = [...(facts.signaling?.hints ?? []), ...facts.media.hints, ...qualityHints(facts)];
  const ordered = explanationOf(facts);
  if (hints.length === 0 && ordered.length === 0) return [];
  const left = new Set(hints);
  const all: AskExplained[] = [];
  for (const { finding, depth } of ordered) {
    // A refusal has one sentence, whoever decided it.
    const name = finding === 'refused-by-callee' ? 'final-failure' : finding;
    const own = hints.filter((hint) => hint.finding === name);
    for (const hint of own) left.delete(hint);
    const { ground = 'seen' } = FINDINGS[finding];
    const messages = [...new Set(own.flatMap(({ evidence = [] }) => evidence))];
    all.push({
      finding,
      ground,
      depth,
      texts: own.map(({ text }) => text),
      ...(messages.length > 0 ? { messages } : {}),
    });
  }
  // Beside a finding it is what follows from it.
  const depth = all.length > 0 ? 1 : 0;
  if (left.size > 0) all.push({ finding: 'note', ground: 'seen', depth, texts: [...left].map(({ text }) => text) });
  return all;
}

/** The same, and where to look next, which the table of findings says. */
export function withLook(all: readonly AskExplained[]): AskExplained[] {
  return all.map((one) => {
    const look = findingHelp(one.finding)?.look;
    return look === undefined ? one : { ...one, look };
  });
}

/** All sentences, in the same order. */
export function callHints(facts: DialogFacts): string[] {
  return sentencesOf(explained(facts));
}

export function sentencesOf(all: readonly AskExplained[]): string[] {
  return all.flatMap(({ texts }) => texts);
}

/** What the figures of a stream say about how it sounded, in words. */
function qualityHints(facts: DialogFacts): Hint[] {
  const hints: Hint[] = [];
  for (const { stream, quality: q } of facts.streams) {
    const way = `${endpointKeyText(stream.srcKey)} to ${endpointKeyText(stream.dstKey)}`;
    const { isLossy, isJittery, isLate, isPoor } = audible(q);
    if (isLossy) {
      const [lost, expected] = [q.lost - q.ownLost, q.expected - q.ownLost];
      const runs = q.lossRuns > 0 ? q.lost / q.lossRuns : 1;
      const shape = runs >= 2 ? `in bursts of ${runs.toFixed(1)} packets` : 'scattered';
      const text = `Packet loss from ${way}: ${lost} of ${expected} (${q.knownLossPct.toFixed(1)} %), ${shape}.`;
      hints.push({ finding: 'packet-loss', text });
      const gap = unexplainedGap(q);
      if (gap !== null)
        hints.push({
          finding: 'packet-loss',
          text: `${counted(gap.lost, 'packet')} from ${way} are missing while nothing came for ${gap.sec.toFixed(1)} s: a hold or a bridge elsewhere that the signaling here does not show, or an outage.`,
        });
    }
    if (isJittery)
      hints.push({ finding: 'jitter', text: `High jitter from ${way}: ${q.jitterMs.toFixed(1)} ms on average.` });
    if (isLate) {
      const text = `${counted(q.late, 'packet')} from ${way} came later than a 60 ms jitter buffer waits.`;
      hints.push({ finding: 'late-packets', text });
    }
    if (isPoor && q.mos !== null) {
      const text = `Poor audio from ${way}: MOS ${q.mos.toFixed(2)}.`;
      const why = isLossy ? 'packet-loss' : isJittery ? 'jitter' : isLate ? 'late-packets' : 'poor-audio';
      hints.push({ finding: why, text });
    }
  }
  return hints;
}
