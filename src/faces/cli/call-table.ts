/**
 * The call table: one line a dialog, oldest first, and a summary of what was read.
 */
import type { CallRow } from '../../view/call-row.ts';
import type { Color } from './terminal.ts';
import { fit, layout, paint, safeText } from './terminal.ts';

const HEADER = [
  'Started',
  'State',
  'Method',
  'From',
  'To',
  'Code',
  'Duration',
  'PDD',
  'MOS',
  'Loss',
  'Findings',
  'Call-ID',
];
const RIGHT = new Set([5, 6, 7, 8, 9]);
const STATE_COLUMN = 1;
const MOS_COLUMN = 8;
const FINDINGS_COLUMN = 10;
const CALL_ID_COLUMN = 11;

function duration(sec: number): string {
  const whole = Math.floor(sec);
  const h = Math.floor(whole / 3600);
  const m = Math.floor((whole % 3600) / 60);
  const s = String(whole % 60).padStart(2, '0');
  return h > 0 ? `${h}:${String(m).padStart(2, '0')}:${s}` : `${m}:${s}`;
}

function stateColor(state: string): Color | null {
  if (state === 'Failed') return 'red';
  if (state === 'Canceled' || state === 'Redirected' || state === 'Expired') return 'yellow';
  if (state === 'Completed' || state === 'InCall' || state === 'Registered') return 'green';
  return null;
}

/** The table, line by line. */
export function* callTable(rows: readonly CallRow[], color: boolean): Generator<string> {
  if (rows.length === 0) return;
  const cells = rows.map((r) => [
    r.startedAt.slice(11, 23),
    r.state,
    safeText(fit(r.method, 12)),
    safeText(fit(r.from, 20)),
    safeText(fit(r.to, 20)),
    r.code === null ? '-' : String(r.code),
    duration(r.durationSec),
    r.pddMs === null ? '-' : `${r.pddMs} ms`,
    r.worstMos === null ? '-' : r.worstMos.toFixed(2),
    r.worstLossPct === null ? '-' : `${r.worstLossPct.toFixed(1)} %`,
    r.findings.length === 0 ? '-' : r.findings.join(', '),
    r.callId,
  ]);
  yield* layout(HEADER, cells, RIGHT, (text, row, column) => {
    if (row < 0) return paint(text, 'bold', color);
    // In the last column nothing is measured: its text, however long, is made when its line is.
    if (column === CALL_ID_COLUMN) return safeText(text);
    const r = rows[row];
    if (r === undefined) return text;
    if (column === STATE_COLUMN) return paint(text, stateColor(r.state), color);
    if (column === MOS_COLUMN && r.worstMos !== null && r.worstMos < 3.6)
      return paint(text, r.worstMos < 3.1 ? 'red' : 'yellow', color);
    if (column === FINDINGS_COLUMN && r.findings.length > 0) return paint(text, 'red', color);
    return text;
  });
}
