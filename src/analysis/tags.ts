/**
 * Labels of a dialog: what it was, in one word each.
 */

import type { Dialog } from '../store/dialog.ts';
import { MARK } from '../store/dialog.ts';

const TAGS: readonly (readonly [number, string])[] = [
  [MARK.TRANSFERRED, 'transferred'],
  [MARK.FORKED, 'forked'],
  [MARK.HELD, 'held'],
  [MARK.EARLY_MEDIA, 'early-media'],
  [MARK.SRTP, 'srtp'],
  [MARK.DTMF, 'dtmf'],
];

/** `eventPackets`: telephone-event packets that its streams carried (RFC 4733). */
export function dialogTags(d: Dialog, eventPackets: number): string[] {
  const marks = eventPackets > 0 ? d.marks | MARK.DTMF : d.marks;
  return TAGS.filter(([mark]) => (marks & mark) !== 0).map(([, tag]) => tag);
}
