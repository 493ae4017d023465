/**
 * Labels of a dialog: what it was, in one word each.
 */

import { endpointKeyAddress } from '../core/ip.ts';
import type { Steps } from '../core/turns.ts';
import { MARK } from '../store/dialogs/call-marks.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { hasOtherLeg } from './b2bua.ts';
import type { JudgedCall } from './call.ts';
import type { CallFindings } from './findings.ts';
import type { LegsWithin } from './legs-within.ts';
import { legsWithin } from './legs-within.ts';
import { isTurnRelayed } from './media/relay.ts';

const TAGS: readonly (readonly [number, string])[] = [
  [MARK.TRANSFERRED, 'transferred'],
  [MARK.FORKED, 'forked'],
  [MARK.HELD, 'held'],
  [MARK.EARLY_MEDIA, 'early-media'],
  [MARK.SRTP, 'srtp'],
  [MARK.DTMF, 'dtmf'],
];

/** Every label there is. */
export const TAG_NAMES: readonly string[] = [...TAGS.map(([, tag]) => tag), 'relayed', 'b2bua'];

/** Descriptions of one exchange on the two sides of a proxy follow each other this closely. */
const SAME_EXCHANGE_US = 2_000_000;

/** What the labels are made of beside the dialog's own marks. */
export type TagFacts = {
  /** Telephone-event packets that its streams carried (RFC 4733). */
  readonly eventPackets: number;
  /** TURN carries its media. */
  readonly isTurnRelayed: boolean;
  /** Another call is the other side of a back-to-back user agent. */
  readonly hasOtherLeg: boolean;
  /** Its own messages are those of both sides. */
  readonly within: LegsWithin;
};

export function* judgeTags({ d, e, messages, streams }: JudgedCall, found: CallFindings): Steps<void> {
  const { identifiers, dialogs, log, stun } = e.stores;
  const within = yield* legsWithin(d, messages);
  found.tags = dialogTags(d, {
    eventPackets: streams.reduce((sum, { quality }) => sum + quality.snapshot.eventPackets, 0),
    isTurnRelayed: isTurnRelayed(
      streams.map(({ stream }) => stream),
      stun,
    ),
    // Calls are tied together only where somebody can ask for it.
    hasOtherLeg: identifiers !== null && hasOtherLeg(d, { dialogs, identifiers }, log),
    within,
  });
}

export function dialogTags(d: Dialog, facts: TagFacts): string[] {
  let marks = facts.eventPackets > 0 ? d.marks | MARK.DTMF : d.marks;
  // The answer to the one leg and that to the other are no forks of one.
  if (facts.within.hasLegs && !facts.within.isForked) marks &= ~MARK.FORKED;
  const tags = TAGS.filter(([mark]) => (marks & mark) !== 0).map(([, tag]) => tag);
  if (facts.isTurnRelayed || isAnchored(d)) tags.push('relayed');
  if (facts.hasOtherLeg || facts.within.hasLegs) tags.push('b2bua');
  return tags;
}

/** Somebody on the way put another media address into a side's description: a relay carries the media. */
function isAnchored(d: Dialog): boolean {
  const entries = d.sdp ?? [];
  for (const [i, e] of entries.entries()) {
    // Entries are in order of time: only the few that follow closely can be the same description further on.
    for (let k = i + 1; k < entries.length; k++) {
      const o = entries[k];
      if (o === undefined || o.tsUs - e.tsUs >= SAME_EXCHANGE_US) break;
      if (o.side !== e.side || o.isOffer !== e.isOffer || o.sender === e.sender || o.address === e.address) continue;
      if (endpointKeyAddress(o.sender) !== endpointKeyAddress(e.sender)) return true;
    }
  }
  return false;
}
