/**
 * The end of a run in a few lines: what was read, lost and written.
 */
import { counted } from '../../core/counted.ts';
import type { Written } from '../../view/figures.ts';
import { PROBE_STATUS } from '../../view/probe-status.ts';
import type { Summary } from '../../view/summary.ts';

/** Of `caveats`: they have lines of their own, or say of nothing that it is missing. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set([...PROBE_STATUS, 'clock_steps']);

/** What was read, lost and written, in a few lines. */
export function summaryLines(summary: Summary): string[] {
  const { stats: s, copies, written } = summary;
  const byState = summary.states.filter(([, n]) => n > 0).map(([name, n]) => `${name} ${n}`);
  const lines = [
    `${counted(summary.frames, 'frame')}, ${counted(summary.sipMessages, 'SIP message')}, ` +
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
  lines.push(...summary.clock);
  if (copies > 0) lines.push(`${counted(copies, 'frame')} more that other sources or interfaces saw too: counted once`);
  if (summary.probes !== null) lines.push(summary.probes);
  const lost = Object.entries({ ...s.capture_quality, ...s.caveats }).filter(
    ([name, n]) => typeof n === 'number' && n > 0 && !SAID_ELSEWHERE.has(name),
  );
  if (written !== null) lines.push(writtenLine(written));
  if (lost.length > 0) lines.push(`not analysed or not kept: ${lost.map(([k, n]) => `${k} ${n}`).join(', ')}`);
  return lines;
}

function writtenLine({ name, frames, calls, losses }: Written): string {
  const lost = losses.filter(([, n]) => n > 0);
  const note = lost.length === 0 ? '' : `; not in it: ${lost.map(([reason, n]) => `${reason} ${n}`).join(', ')}`;
  const what =
    calls === undefined ? counted(frames, 'frame') : `${counted(calls, 'call')} (${counted(frames, 'frame')})`;
  return `${what} written to ${name}${note}`;
}
