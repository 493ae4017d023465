/**
 * Labels of a dialog: what it was, in one word each.
 */
import { MARK } from '../store/dialog.ts';
import type { Dialog } from '../store/dialog.ts';

const TAGS: readonly (readonly [number, string])[] = [
  [MARK.TRANSFERRED, 'transferred'],
  [MARK.FORKED, 'forked'],
  [MARK.HELD, 'held'],
  [MARK.EARLY_MEDIA, 'early-media'],
  [MARK.SRTP, 'srtp'],
  [MARK.DTMF, 'dtmf'],
];

export function dialogTags(d: Dialog): string[] {
  return TAGS.filter(([mark]) => (d.marks & mark) !== 0).map(([, tag]) => tag);
}
