/** Of a call in a capture of its own: whether its media would have come past was known by other calls, which are not there. */
import type { SeenMedia } from '../analysis/media/path-ground.ts';
import type { Figures } from '../view/figures.ts';

const OF_MISSED_MEDIA: ReadonlySet<string> = new Set(['no-media', 'one-way-audio']);

/** Everything would have come past. */
const SEEN: SeenMedia = {
  update: () => undefined,
  hasPair: () => true,
  hasNetworks: () => true,
  has: () => true,
  isServer: () => false,
};

/** It was judged that media of a call with these findings was missing: so the capture would have seen that media. */
export function missedMedia(findings: readonly string[]): boolean {
  return findings.some((name) => OF_MISSED_MEDIA.has(name));
}

/** What answers of such a call rest on. */
export function withSeenMedia(evidence: Figures['evidence'], isSeen: boolean): Figures['evidence'] {
  return isSeen ? { ...evidence, vantage: SEEN } : evidence;
}
