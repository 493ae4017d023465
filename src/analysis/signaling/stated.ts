/**
 * What the signaling of a call proves that `/v1` has no word for. A new one is a file with a finder, a line here, and a row of the
 * table of findings.
 */
import type { Steps } from '../../core/turns.ts';
import type { Hint } from '../hint.ts';
import { findAckMisrouted } from './ack-misrouted.ts';
import { findAckNotArriving } from './ack-not-arriving.ts';
import { findCancelCrossed } from './cancel-crossed.ts';
import { findConnectionClosed } from './connection-closed.ts';
import type { SignalingFindings } from './diagnose.ts';
import { findDroppedAtAnswer } from './dropped-at-answer.ts';
import { findEndedByCause } from './ended-by-cause.ts';
import { findInDialogFailure } from './in-dialog-failure.ts';
import { findMediaDeclined } from './media-declined.ts';
import { findPrackMissing } from './prack-missing.ts';
import { findRequestLoop } from './request-loop.ts';
import { findResponseNotArriving } from './response-not-arriving.ts';
import type { Proven, StatedCall } from './signaling-call.ts';

/** `found`: what `/v1` has words for. One that reads headers or bodies of many messages takes steps. */
type Finder = (call: StatedCall, found: SignalingFindings | null) => Proven | null | Steps<Proven | null>;

/** By the name of the finding. */
const FINDERS = {
  'ack-misrouted': findAckMisrouted,
  'ack-not-arriving': findAckNotArriving,
  'cancel-crossed': findCancelCrossed,
  'connection-closed': findConnectionClosed,
  'dropped-at-answer': findDroppedAtAnswer,
  'ended-by-cause': findEndedByCause,
  'in-dialog-failure': findInDialogFailure,
  'media-declined': findMediaDeclined,
  'prack-missing': findPrackMissing,
  'request-loop': findRequestLoop,
  'response-not-arriving': findResponseNotArriving,
} satisfies Readonly<Record<string, Finder>>;

export type StatedName = keyof typeof FINDERS;

// Those are its keys.
const NAMES = Object.keys(FINDERS) as StatedName[];
const ROWS = NAMES.map((finding): { finding: StatedName; find: Finder } => ({ finding, find: FINDERS[finding] }));

/** A step a finder where the messages are many or long. */
export function* statementsOf(call: StatedCall, signaling: SignalingFindings | null, isLarge: boolean): Steps<Hint[]> {
  const hints: Hint[] = [];
  for (const { finding, find } of ROWS) {
    const steps = find(call, signaling);
    const found = steps !== null && 'next' in steps ? yield* steps : steps;
    if (found !== null) hints.push({ finding, ...found });
    if (isLarge) yield;
  }
  return hints;
}
