/**
 * A row of `/ask/calls`: the list row of the contract with what operators filter and sort by. And what stands on top of one
 * call.
 */
import { documentFactsSteps } from '../analysis/dialog-facts.ts';
import type { Evidence } from '../analysis/evidence.ts';
import type { AskCall, AskHead, DialogSummary } from '../contract/index.ts';
import type { Steps } from '../core/turns.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { callHints } from './call-hints.ts';
import type { CallRow } from './call-row.ts';
import { toCallRow } from './call-row.ts';
import { toDialogSummary } from './dialog-summary.ts';
import { NOT_KNOWN } from './own-drops.ts';

export function toAskCall(e: Evidence, d: Dialog): AskCall {
  return askCallOf(toCallRow(e, d), toDialogSummary(d, e.capture));
}

/** For who has both, whatever they were made of. */
export function askCallOf(row: CallRow, summary: DialogSummary): AskCall {
  const call: AskCall = { ...summary, findings: [...row.findings] };
  if (summary.from_user === undefined && row.from !== '') call.from_host = row.from;
  if (summary.to_user === undefined && row.to !== '') call.to_host = row.to;
  if (row.code !== null) call.code = row.code;
  if (row.reason !== '') call.reason = row.reason;
  if (row.src !== '') call.src = row.src;
  if (row.dst !== '') call.dst = row.dst;
  if (row.srcName !== '') call.src_name = row.srcName;
  if (row.dstName !== '') call.dst_name = row.dstName;
  if (row.transport !== '') call.transport = row.transport;
  if (row.userAgent !== '') call.user_agent = row.userAgent;
  if (row.endedBy === 'caller' || row.endedBy === 'callee') call.ended_by = row.endedBy;
  if (row.worstMos !== null) call.mos_worst = row.worstMos;
  if (row.worstLossPct !== null) call.loss_pct_max = row.worstLossPct;
  if (row.worstJitterMs !== null) call.jitter_ms_max = row.worstJitterMs;
  if (row.hasOwnDrops) call.not_known = NOT_KNOWN;
  const { codecs } = row;
  if (codecs.length > 0) call.codecs = [...codecs];
  return call;
}

export function* askHeadSteps(e: Evidence, d: Dialog): Steps<AskHead> {
  const hints = callHints(yield* documentFactsSteps(e, d));
  const head: AskHead = { schema_version: 1, call: toAskCall(e, d), hints };
  if (d.fromDisplay !== null) head.from_display = d.fromDisplay;
  if (d.toDisplay !== null) head.to_display = d.toDisplay;
  return head;
}
