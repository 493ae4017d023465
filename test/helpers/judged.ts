/**
 * Asks single judges about one call of a kit, as the documents ask them all.
 */

import { messagesOf } from '../../src/analysis/call-messages.ts';
import type { SignalingFindings } from '../../src/analysis/signaling/diagnose.ts';
import { diagnoseSignaling } from '../../src/analysis/signaling/diagnose.ts';
import { NO_OTHER_LEGS } from '../../src/analysis/signaling/other-legs.ts';
import type { SignalingCall } from '../../src/analysis/signaling/signaling-call.ts';
import type { SourceDisagreement } from '../../src/analysis/signaling/source-disagreement.ts';
import { compareSources } from '../../src/analysis/signaling/source-disagreement.ts';
import type { Dialog } from '../../src/store/dialogs/dialog.ts';
import type { Messages } from '../../src/store/stores.ts';

export function signalingOf(
  d: Dialog,
  log: Messages,
  context: Omit<SignalingCall, 'd' | 'messages' | 'otherLegs'>,
): SignalingFindings | null {
  return diagnoseSignaling({ d, messages: messagesOf(d, log), otherLegs: () => NO_OTHER_LEGS, ...context });
}

export function disagreementOf(d: Dialog, log: Messages): SourceDisagreement | null {
  return compareSources(d, messagesOf(d, log));
}
