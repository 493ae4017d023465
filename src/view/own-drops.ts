/**
 * Says that the capture itself may have made a loss (analysis/own-drops.ts), wherever a figure of that loss would stand.
 */
import type { StreamQuality } from '../analysis/stream-quality.ts';
import { NOT_KNOWN, NOT_KNOWN_SHORT } from '../core/call-text.ts';

/** Of a stream, for an answer; null where its loss is known. */
export function notKnown({ ownLost, expected }: StreamQuality): string | null {
  return ownLost === 0 ? null : `${NOT_KNOWN} (${ownLost} of ${expected} packets)`;
}

/** The loss of a stream in its place in a table: without what is not known, where the rest is a figure of its own. */
export function lossText({ ownLost, knownLossPct }: StreamQuality, digits: number): string {
  return ownLost > 0 && knownLossPct === 0 ? NOT_KNOWN_SHORT : `${knownLossPct.toFixed(digits)} %`;
}

export function mosText({ ownLost, mos }: StreamQuality): string {
  if (mos !== null) return mos.toFixed(2);
  return ownLost > 0 ? NOT_KNOWN_SHORT : '-';
}
