/**
 * One line of the call table: who called whom, how it ended, how it sounded, and what is wrong.
 */

import { dialogFacts } from '../analysis/dialog-facts.ts';
import type { Evidence } from '../analysis/evidence.ts';
import { findingNames } from '../analysis/finding-names.ts';
import { finalCodeOf } from '../analysis/signaling/failure.ts';
import { DIALOG_STATES } from '../core/words.ts';
import { callTiming } from '../store/dialogs/call-timing.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { spanSec, timestampText } from './captured-at.ts';

/** What a line shows. */
export type CallRow = {
  startedAt: string;
  state: string;
  method: string;
  from: string;
  to: string;
  code: number | null;
  durationSec: number;
  pddMs: number | null;
  worstMos: number | null;
  worstLossPct: number | null;
  findings: readonly string[];
  callId: string;
};

/** The row of one dialog. */
export function toCallRow(e: Evidence, d: Dialog): CallRow {
  const facts = dialogFacts(e, d);
  let worstMos: number | null = null;
  let worstLossPct: number | null = null;
  for (const { quality } of facts.streams) {
    if (quality.mos !== null) worstMos = Math.min(worstMos ?? 5, quality.mos);
    const { eventPackets, packets } = quality.snapshot;
    // Streams of key presses alone have gaps in their numbers that nobody hears.
    if (eventPackets < packets) worstLossPct = Math.max(worstLossPct ?? 0, quality.lossPct);
  }
  return {
    startedAt: timestampText(d.createdUs),
    state: DIALOG_STATES[d.state] ?? '',
    method: d.methodText,
    from: d.fromUser,
    to: d.toUser,
    code: finalCodeOf(d, e.stores.log),
    durationSec: spanSec(d.createdUs, d.updatedUs),
    pddMs: callTiming(d).pddMs,
    worstMos,
    worstLossPct,
    findings: findingNames(facts),
    callId: d.callId,
  };
}
