/**
 * Both sides of a back-to-back user agent that keeps the Call-ID are one dialog here. The From tag tells them apart
 * of their INVITEs: what forks one INVITE keeps it (RFC 3261 sections 12.1 and 16.6), an agent writes its own (RFC 7092).
 */

import * as METHOD from '../core/methods.ts';
import type { Steps } from '../core/turns.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { CallMessage } from './call-messages.ts';

/** The INVITEs of one From tag: the host that sent the first of them, and those that got one. */
type Leg = { readonly from: string; readonly to: Set<string> };

export type LegsWithin = {
  /** One INVITE begins at a host that another one, of another From tag, went to. */
  readonly hasLegs: boolean;
  /** One of them was answered with several To tags. */
  readonly isForked: boolean;
};

const ONE_LEG: LegsWithin = { hasLegs: false, isForked: true };

/** What the kept messages of a call tell; `isForked` says nothing about a call of one leg. A step a message read. */
export function* legsWithin(d: Dialog, messages: readonly CallMessage[]): Steps<LegsWithin> {
  if (d.methodId !== METHOD.INVITE) return ONE_LEG;
  const invites = messages.filter((m) => m.method === METHOD.INVITE && m.isFirst);
  const requests = invites.filter((m) => m.isRequest);
  // Of nearly every call there is one INVITE, and nothing to read.
  if (requests.length < 2) return ONE_LEG;
  const legs = new Map<string, Leg>();
  for (const { hop, src, dst } of requests) {
    yield;
    if (hop.fromTag === '' || hop.toTag !== '') continue;
    const leg = legs.get(hop.fromTag) ?? { from: src.host, to: new Set() };
    leg.to.add(dst.host);
    legs.set(hop.fromTag, leg);
  }
  if (![...legs.values()].some((leg) => isWentTo(leg.from, legs))) return ONE_LEG;
  const answered = new Map<string, string>();
  for (const m of invites) {
    if (m.isRequest || m.status <= 100) continue;
    yield;
    const { fromTag, toTag } = m.hop;
    if (toTag === '') continue;
    const known = answered.get(fromTag);
    if (known !== undefined && known !== toTag) return { hasLegs: true, isForked: true };
    answered.set(fromTag, toTag);
  }
  return { hasLegs: true, isForked: false };
}

/** An INVITE of another host than `host` went there. */
function isWentTo(host: string, legs: ReadonlyMap<string, Leg>): boolean {
  for (const { from, to } of legs.values()) if (from !== host && to.has(host)) return true;
  return false;
}
