/**
 * What the offline modes print on standard output.
 */

import type { Audible } from '../../analysis/audible.ts';
import { audible } from '../../analysis/audible.ts';
import { finalCodeOf } from '../../analysis/signaling/failure.ts';
import type { CaptureSession } from '../../app/capture-session.ts';
import { counted } from '../../core/counted.ts';
import { ServiceError } from '../../core/error.ts';
import { DIALOG_STATES } from '../../core/words.ts';
import type { OutputFile } from '../../export/capture-file.ts';
import { callTiming } from '../../store/dialogs/call-timing.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { dialogDocument, dialogFacts } from '../../view/documents.ts';
import { PROBE_STATUS, probeLine } from '../../view/probe-status.ts';
import { reportInput } from '../../view/report-input.ts';
import { toStats } from '../../view/stats.ts';
import { spanSec, timestampText } from '../../view/timestamp.ts';
import { callReport } from './call-report.ts';
import type { CallRow } from './call-table.ts';
import { callTable } from './call-table.ts';
import { printLines } from './print-lines.ts';
import { standardOutput } from './standard-streams.ts';
import { mayColor } from './terminal.ts';

/** Short names of what analysis found, worst first. */
function findingNames(facts: ReturnType<typeof dialogFacts>): string[] {
  const { media, signaling, streams, icmp, relay, stunMismatch } = facts;
  const names: string[] = [];
  if (media.noMedia) names.push('no-media');
  if (media.oneWayAudio) names.push('one-way-audio');
  if (media.mediaStopped) names.push('media-stopped');
  if (media.natMismatch) names.push('nat-mismatch');
  if (icmp.some(({ isFault }) => isFault)) names.push('media-refused');
  if (relay !== null && !Number.isNaN(relay.lapsedUs)) names.push('relay-lapsed');
  names.push(...soundNames(streams.map(({ quality }) => audible(quality))));
  if ((signaling?.icmpUnreachable ?? null) !== null) names.push('unreachable');
  if ((signaling?.authLoop ?? null) !== null) names.push('auth-loop');
  if ((signaling?.ackMissing ?? null) !== null) names.push('ack-missing');
  if ((signaling?.retransmissions ?? null) !== null) names.push('no-response');
  if ((signaling?.postDialDelay ?? null) !== null) names.push('post-dial-delay');
  if ((signaling?.registrationFailure ?? null) !== null) names.push('registration-failure');
  if ((signaling?.abandoned ?? null) !== null) names.push('abandoned');
  if ((signaling?.sourceDisagreement ?? null) !== null) names.push('sources-differ');
  if (media.privateMediaAddress) names.push('private-address');
  if (stunMismatch !== null) names.push('stun-ignored');
  return names;
}

/** What was to be heard; that it was poor where nothing else says why. */
function soundNames(heard: readonly Audible[]): string[] {
  const names: string[] = [];
  if (heard.some((a) => a.isLossy)) names.push('packet-loss');
  if (heard.some((a) => a.isJittery)) names.push('jitter');
  if (heard.some((a) => a.isLate)) names.push('late-packets');
  return names.length === 0 && heard.some((a) => a.isPoor) ? ['poor-audio'] : names;
}

function toCallRow(session: CaptureSession, d: Dialog): CallRow {
  const facts = dialogFacts(session, d);
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
    code: finalCodeOf(d, session.log),
    durationSec: spanSec(d.createdUs, d.updatedUs),
    pddMs: callTiming(d).pddMs,
    worstMos,
    worstLossPct,
    findings: findingNames(facts),
    callId: d.callId,
  };
}

/** The call table and a summary. Resolves once they are taken. */
export function printTable(session: CaptureSession): Promise<void> {
  return printLines(tableLines(session), print);
}

function* tableLines(session: CaptureSession): Generator<string> {
  const rows = [...session.dialogs.oldestFirst()].map((d) => toCallRow(session, d));
  yield* callTable(rows, mayColor(process.stdout));
  yield '';
  yield* summary(session);
}

const print = (text: string): Promise<void> => standardOutput.print(text);

/** What was read, lost and written, in a few lines. */
export function summary(session: CaptureSession): string[] {
  const s = toStats(session);
  const byState = DIALOG_STATES.map((name, i) => [name, session.dialogs.inState[i] ?? 0] as const)
    .filter(([, n]) => n > 0)
    .map(([name, n]) => `${name} ${n}`);
  const lines = [
    `${counted(session.source.counter('frames'), 'frame')}, ${counted(session.tracker.counts.messages, 'SIP message')}, ` +
      `${counted(s.dialogs.total, 'dialog')}${byState.length > 0 ? ` (${byState.join(', ')})` : ''}, ` +
      `${counted(s.streams.total, 'RTP stream')} (${s.streams.orphaned} orphaned)`,
  ];
  const { pdd_p50_ms: p50, pdd_p95_ms: p95 } = s.timing;
  if (p50 !== null) lines.push(`post-dial delay: median ${p50} ms, 95 % within ${p95} ms`);
  if (s.unanalysed_sip_messages > 0)
    lines.push(
      `${counted(s.unanalysed_sip_messages, 'SIP message')} outside --portrange not analysed; busiest ports: ` +
        s.unanalysed_busiest_ports.map((p) => `${p.port} (${p.messages})`).join(', '),
    );
  if (s.unanalysed_websocket_messages > 0)
    lines.push(
      `${counted(s.unanalysed_websocket_messages, 'WebSocket message')} outside --ws-portrange not analysed; busiest ports: ` +
        s.unanalysed_websocket_ports.map((p) => `${p.port} (${p.messages})`).join(', '),
    );
  const copies = session.source.counter('copied_frames');
  if (copies > 0) lines.push(`${counted(copies, 'frame')} more that other sources or interfaces saw too: counted once`);
  if (session.tls !== null) lines.push(probeLine(session.tls));
  const lost = Object.entries({ ...s.capture_quality, ...s.caveats }).filter(
    ([name, n]) => typeof n === 'number' && n > 0 && !PROBE_STATUS.has(name),
  );
  const file = session.outputs.file;
  if (file !== null) lines.push(writtenLine(file));
  if (lost.length > 0) lines.push(`not analysed or not kept: ${lost.map(([k, n]) => `${k} ${n}`).join(', ')}`);
  return lines;
}

function writtenLine(file: OutputFile): string {
  const lost = file.losses().filter(([, n]) => n > 0);
  const note = lost.length === 0 ? '' : `; not in it: ${lost.map(([reason, n]) => `${reason} ${n}`).join(', ')}`;
  return `${counted(file.counter('frames'), 'frame')} written to ${file.name}${note}`;
}

/** One JSON object a dialog, oldest first. */
export async function printDialogsJson(session: CaptureSession): Promise<void> {
  const lines = function* (): Generator<string> {
    for (const d of session.dialogs.oldestFirst()) yield JSON.stringify(dialogDocument(session, d));
  };
  await printLines(lines(), print);
}

/** The report of one call. Throws DIALOG_NOT_FOUND. */
export async function printCallReport(session: CaptureSession, callId: string, markdown: boolean): Promise<void> {
  const d = session.dialogs.get(callId);
  if (d === undefined)
    throw new ServiceError('DIALOG_NOT_FOUND', `--call-report ${callId}: the capture has no dialog with this Call-ID`);
  await printLines(callReport(reportInput(session, d), markdown), print);
}
