/**
 * Whether a call is one side of a back-to-back user agent (RFC 7092): another call shares an identifier with it, and one
 * begins at the host where the other ends. A transfer ties calls together too, and is none.
 */
import * as METHOD from '../core/methods.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { Messages } from '../store/stores.ts';
import { callWayOf } from './call-way.ts';
import type { CorrelationStores } from './correlation.ts';
import { hasNoLegs, identifierLegs, isTransfer } from './correlation.ts';

/** Legs of a call looked at: a B2BUA has two, one that forks a few more. @cap */
const MAX_B2BUA_LEGS = 16;

export function hasOtherLeg(d: Dialog, stores: CorrelationStores, log: Messages): boolean {
  if (d.methodId !== METHOD.INVITE || hasNoLegs(d, stores.identifiers)) return false;
  const legs = identifierLegs(d, stores, MAX_B2BUA_LEGS);
  const own = legs.length === 0 ? null : callWayOf(d, log);
  if (own === null) return false;
  return legs.some((leg) => {
    if (isTransfer(leg) || leg.dialog.methodId !== METHOD.INVITE) return false;
    const other = callWayOf(leg.dialog, log);
    return other !== null && (own.dst.host === other.src.host || own.src.host === other.dst.host);
  });
}
