/**
 * Tells what the two sides of a dialog had agreed to, and since when. A description is in force from its answer on (RFC 3264
 * section 4). A refused or unanswered one never is.
 */

import type { SdpMediaLine, SdpOccasion } from '../../store/media/sdp-timeline.ts';
import { isNowhere } from '../../store/media/sdp-timeline.ts';

/** An offer or answer, or what somebody made of it. */
export type Described = Pick<SdpOccasion, 'tsUs' | 'isOffer' | 'side' | 'isRefused'>;

export type Agreement<T extends Described> = {
  readonly offeredUs: number;
  /** From then on it is in force. */
  readonly answeredUs: number;
  /** What each side described, once for each hop and branch it was seen on; empty while nothing of a side was seen. */
  readonly bySide: readonly [readonly T[], readonly T[]];
};

/** Of a dialog's timeline; again for each further answer to the same offer, which another branch or hop gave. */
export function* agreements<T extends Described>(entries: readonly T[]): Generator<Agreement<T>> {
  const open: [T[], T[]] = [[], []];
  const inForce: [readonly T[], readonly T[]] = [[], []];
  let answerer = -1;
  let offeredUs = Number.NaN;
  for (const e of entries) {
    if (e.isRefused) continue;
    const side = e.side === 0 ? 0 : 1;
    if (e.isOffer) {
      open[side].push(e);
      continue;
    }
    const other = side === 0 ? 1 : 0;
    const offer = open[other].at(-1);
    if (offer !== undefined) inForce[other] = open[other];
    open[other] = [];
    if (offer !== undefined || answerer !== side) {
      inForce[side] = [e];
      // Where the offer was not captured, what was in force for its side may still be.
      offeredUs = offer?.tsUs ?? e.tsUs;
    } else inForce[side] = [...inForce[side], e];
    answerer = side;
    yield { offeredUs, answeredUs: e.tsUs, bySide: [inForce[0], inForce[1]] };
  }
}

/** The section promises audio in both directions: it is not refused (port 0), held or of another kind. */
export function isTalk(m: SdpMediaLine): boolean {
  return m.type === 'audio' && m.isRtp && m.port !== 0 && m.mode === 'sendrecv' && !isNowhere(m.address);
}
