/**
 * Says that the capture itself may have made a loss (analysis/own-drops.ts), wherever a figure of that loss would stand.
 */
import type { DialogFacts } from '../analysis/dialog-facts.ts';
import type { StreamQuality } from '../analysis/stream-quality.ts';

export const NOT_KNOWN = 'not known: this capture dropped packets then';
/** In a column. */
export const NOT_KNOWN_SHORT = 'not known';

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

type WorstOfCall = {
  readonly worstMos: number | null;
  readonly worstLossPct: number | null;
  readonly hasOwnDrops: boolean;
};

/** The highest loss of a call in a row of a table, '' without one. */
export function worstLossText({ worstLossPct, hasOwnDrops }: WorstOfCall): string {
  if (worstLossPct === null) return '';
  return worstLossPct === 0 && hasOwnDrops ? NOT_KNOWN_SHORT : `${worstLossPct.toFixed(1)} %`;
}

/** The worst MOS of a call, likewise. */
export function worstMosText({ worstMos, hasOwnDrops }: WorstOfCall): string {
  if (worstMos === null) return hasOwnDrops ? NOT_KNOWN_SHORT : '';
  return worstMos.toFixed(2);
}

export function hasOwnDrops({ streams }: DialogFacts): boolean {
  return streams.some(({ quality }) => quality.ownLost > 0);
}
