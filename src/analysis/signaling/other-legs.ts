/**
 * What the other legs of a call say of one that was canceled: a PBX that rings several phones has a dialog with each, and
 * cancels the others when one answers.
 */

import * as METHOD from '../../core/methods.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { openingHosts } from '../b2bua.ts';
import { hasNoLegs, identifierLegs } from '../correlation.ts';
import type { Evidence } from '../evidence.ts';

/** Whoever forks cancels the others at once. */
const AT_ONCE_US = 2_000_000;

export type OtherLegs = {
  /** Another branch was answered while this one rang, just before it was canceled. */
  readonly wasAnswered: boolean;
  /** Who sent the INVITE of this leg got one of the same call: it is not the caller. */
  readonly isFromMiddle: boolean;
};

export const NO_OTHER_LEGS: OtherLegs = { wasAnswered: false, isFromMiddle: false };

/** Identifiers alone tie legs here. A voicemail answers after the CANCEL: it is no other branch. */
export function otherLegs(d: Dialog, canceledUs: number, { legs, stores }: Evidence): OtherLegs {
  const ties = legs.ties();
  if (d.methodId !== METHOD.INVITE || hasNoLegs(d, ties.identifiers)) return NO_OTHER_LEGS;
  const own = openingHosts(d, stores.log);
  if (own === null) return NO_OTHER_LEGS;
  const isLoop = own.from === own.to;
  const sinceUs = ringsSinceUs(d);
  let isFromMiddle = false;
  for (const { dialog: leg, strategy } of identifierLegs(d, ties)) {
    // Who picks a ringing call up answers for it; what a REFER asks for is another call.
    if (strategy === 'refer' || leg.methodId !== METHOD.INVITE) continue;
    const other = openingHosts(leg, stores.log);
    if (other === null) continue;
    isFromMiddle ||= !isLoop && other.to === own.from;
    // What this leg leads to was canceled with it: an answer there may have crossed the CANCEL.
    if (!isLoop && other.from === own.to) continue;
    const { answerUs } = leg;
    if (answerUs >= d.createdUs && answerUs <= canceledUs && canceledUs - Math.max(answerUs, sinceUs) <= AT_ONCE_US)
      return { wasAnswered: true, isFromMiddle };
  }
  return { wasAnswered: false, isFromMiddle };
}

/** CANCEL waits for the first provisional response (RFC 3261 section 9.1). */
function ringsSinceUs({ createdUs, tryingUs, progressUs }: Dialog): number {
  const first = [tryingUs, progressUs].filter((us) => !Number.isNaN(us));
  return first.length === 0 ? createdUs : Math.min(...first);
}
