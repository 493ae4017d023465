/**
 * What --uprobe-list prints: one line a process and TLS library, whether it can be observed, and why not.
 */
import type { SurveyRow } from '../../sources/tls/survey.ts';
import { fit, layout, paint, safeText } from './terminal.ts';

const HEADER = ['PID', 'Process', 'Library', 'Observable', 'File'];
const RIGHT = new Set([0]);
const OBSERVABLE_COLUMN = 3;

/** The table as lines; `kernel` are those that say whether probes work here at all. */
export function uprobeTable(
  rows: readonly SurveyRow[],
  kernel: readonly string[],
  unreadable: number,
  processes: number,
  isRoot: boolean,
  color: boolean,
): string[] {
  const lines = [...kernel];
  if (rows.length > 0) {
    const cells = rows.map((r) => [
      String(r.pid),
      safeText(fit(r.comm, 16)),
      r.library,
      r.isObservable ? r.note : `no: ${r.note}`,
      safeText(r.isDeleted ? `${r.file} (deleted)` : r.file),
    ]);
    const cell = (text: string, row: number, column: number): string => {
      if (row < 0 || column !== OBSERVABLE_COLUMN) return text;
      return paint(text, rows[row]?.isObservable === true ? 'green' : 'yellow', color);
    };
    lines.push('', ...layout(HEADER, cells, RIGHT, cell));
  }
  lines.push(...entryOnly(rows));
  const observable = new Set(rows.filter((r) => r.isObservable).map((r) => r.pid)).size;
  lines.push('', `${observable} of ${processes} processes can be observed`);
  if (unreadable > 0)
    lines.push(
      `${unreadable} of them may not be looked into${isRoot ? '' : ': run as root, or add CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH'}`,
    );
  return lines;
}

/** Per file the functions of which only the entry is read; nothing where there are none. */
function entryOnly(rows: readonly SurveyRow[]): string[] {
  const files = new Map<string, string>();
  for (const r of rows) if (r.entryOnly.length > 0) files.set(r.file, r.entryOnly.map((f) => f.name).join(', '));
  if (files.size === 0) return [];
  const lines = [...files].map(([file, names]) => `  ${safeText(file)}: ${names}`);
  return ['', 'of these functions only the entry is read:', ...lines];
}
