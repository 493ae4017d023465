/**
 * Reads from the other legs of a call why one of them was canceled: a PBX that rings several phones has a dialog with each,
 * and cancels the others when one answers.
 */

import type { CorrelationStrategy } from '../../contract/index.ts';
import * as METHOD from '../../core/methods.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import { OTHER_LEG } from '../../protocols/sip/seen-bits.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { JudgedCall } from '../call.ts';
import type { CallMessage } from '../call-messages.ts';
import { callWayOf } from '../call-way.ts';
import { hasNoLegs, identifierLegs } from '../correlation.ts';
import type { OtherLegs } from './signaling-call.ts';

/** Whoever forks cancels the others at once. */
const AT_ONCE_US = 2_000_000;

export const NO_OTHER_LEGS: OtherLegs = { wasAnswered: false, isFromMiddle: false };

/** Strategies that prove it: an o= line may be that of a relay, and a REFER asks for another call. */
const PROVE: ReadonlySet<CorrelationStrategy> = new Set([
  'session_id',
  'x_call_id',
  'replaces',
  'related_icid',
  'icid',
]);
const HEADERS: ReadonlySet<number> = new Set([HEADER.X_CALL_ID, HEADER.X_CID]);

/** A voicemail answers after the CANCEL: it is no other branch. */
export function otherLegs({ d, e, messages }: JudgedCall, canceledUs: number): OtherLegs {
  const { stores, rules } = e;
  if (d.methodId !== METHOD.INVITE) return NO_OTHER_LEGS;
  // To find out what ties calls may take as long as to read them: not for one that nothing ties.
  if (rules.callIdHeaders.length === 0 && !hasIdentifier(messages[0])) return NO_OTHER_LEGS;
  const ties = e.ties();
  if (hasNoLegs(d, ties.identifiers)) return NO_OTHER_LEGS;
  const own = callWayOf(d, stores.log);
  if (own === null) return NO_OTHER_LEGS;
  const isLoop = own.src.host === own.dst.host;
  const sinceUs = ringsSinceUs(d);
  let isFromMiddle = false;
  for (const { dialog: leg, strategy } of identifierLegs(d, ties)) {
    if (!PROVE.has(strategy) || leg.methodId !== METHOD.INVITE) continue;
    const other = callWayOf(leg, stores.log);
    if (other === null) continue;
    isFromMiddle ||= !isLoop && other.dst.host === own.src.host;
    // What this leg leads to was canceled with it: an answer there may have crossed the CANCEL.
    if (!isLoop && other.src.host === own.dst.host) continue;
    const { answerUs } = leg;
    if (answerUs >= d.createdUs && answerUs <= canceledUs && canceledUs - Math.max(answerUs, sinceUs) <= AT_ONCE_US)
      return { wasAnswered: true, isFromMiddle };
  }
  return { wasAnswered: false, isFromMiddle };
}

function hasIdentifier(m: CallMessage | undefined): boolean {
  const scan = m?.read()?.scan;
  if (scan === undefined) return false;
  if (scan.sessionIdStart >= 0 || scan.chargingStart >= 0) return true;
  return (scan.seen & OTHER_LEG) !== 0 && m?.parse()?.headers.some(({ id }) => HEADERS.has(id)) === true;
}

/** CANCEL waits for the first provisional response (RFC 3261 section 9.1). */
function ringsSinceUs({ createdUs, tryingUs, progressUs }: Dialog): number {
  const first = [tryingUs, progressUs].filter((us) => !Number.isNaN(us));
  return first.length === 0 ? createdUs : Math.min(...first);
}
