/**
 * List rows and the list: DialogSummary and DialogList of the contract.
 */

import { capturedText, framePointerText } from '../analysis/captured-at.ts';
import type { DialogList, DialogSummary } from '../contract/index.ts';
import { spanSec } from '../core/rounded.ts';
import { DIALOG_STATES, ORIGINS } from '../core/words.ts';
import { callTiming } from '../store/dialogs/call-timing.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { CapturedIn } from '../store/stores.ts';

/** One list row. */
export function toDialogSummary(d: Dialog, { sources, clockSteps }: CapturedIn): DialogSummary {
  const timing = callTiming(d);
  const row: DialogSummary = {
    call_id: d.callId,
    state: DIALOG_STATES[d.state] ?? 'Trying',
    method: d.methodText,
    msg_count: d.msgCount,
    duration_sec: spanSec(d.createdUs, d.updatedUs),
    created_at: capturedText(d.createdUs, clockSteps),
    updated_at: capturedText(d.updatedUs, clockSteps),
    timing: {
      pdd_ms: timing.pddMs,
      setup_ms: timing.setupMs,
      retransmits: d.retransmits,
      duration_ms: timing.durationMs,
    },
  };
  const { fromUser, toUser } = d;
  if (fromUser !== '') row.from_user = fromUser;
  if (toUser !== '') row.to_user = toUser;
  if (d.finalCode !== 0) {
    row.final_status_code = d.finalCode;
    row.final_status_reason = d.finalReason;
  }
  const frame = d.frame === null ? undefined : framePointerText(d.frame, sources);
  if (frame !== undefined) row.frame = frame;
  const origin = ORIGINS[d.origin];
  if (origin !== undefined) row.input_origin = origin;
  return row;
}

/** Splits a filtered set by the method that opened each dialog, dominant class first, ties by name. */
export function countByMethod(counts: ReadonlyMap<string, number>): DialogList['by_method'] {
  return [...counts]
    .map(([method, count]) => ({ method, count }))
    .sort((a, b) => b.count - a.count || (a.method < b.method ? -1 : 1));
}
