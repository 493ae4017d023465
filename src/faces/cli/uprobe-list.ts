/**
 * `--uprobe-list`: which TLS libraries can be observed, in which processes on this host, and why not; and who moves TLS
 * records without one. It attaches no probe.
 */

import { userInfo } from 'node:os';
import type { Config } from '../../config/config.ts';
import { counted } from '../../core/counted.ts';
import { ServiceError } from '../../core/errors.ts';
import { fit, layout, paint, safeText } from '../../core/terminal-text.ts';
import { MAX_LIST_MS, MAX_UNREADABLE_NAMED, TOO_LONG } from '../../sources/tls/look.ts';
import { watchMovers, withMovers } from '../../sources/tls/movers.ts';
import { PROBE_WAYS } from '../../sources/tls/native-tls.ts';
import { TlsOffsets } from '../../sources/tls/offsets.ts';
import { memoryBytes, nativeTls, tlsRingBytes } from '../../sources/tls/open.ts';
import { TlsSource } from '../../sources/tls/source.ts';
import type { SurveyRow, UnreadFiles } from '../../sources/tls/survey.ts';
import { surveyHost } from '../../sources/tls/survey.ts';
import { TlsTargets } from '../../sources/tls/targets.ts';
import { mayColor } from './terminal.ts';

/** Root may what a service may not. */
const NOT_THE_SERVICE = '; a service with fewer rights may be refused: docs/tls.md has the command to try as it';

/** Sockets are watched so long for TLS records. */
const WATCH_MS = 3_000;

/** Exit code: 0 when probes work here, 1 when they do not; the list is printed either way. */
export async function runUprobeList(config: Config): Promise<number> {
  // A filter that is wrong is refused before anything is looked at.
  const targets = new TlsTargets({ uprobe: config.uprobe, comm: config.uprobeComm });
  const offsets = TlsOffsets.read(config.uprobeOffsets);
  const kernel = tryProbes(config, targets);
  const movers = await watchMovers(WATCH_MS);
  const { rows, unreadable, processes, unread } = withMovers(surveyHost('/proc', offsets), movers.rows);
  const meant = rows
    .filter((row) => targets.fittingName(row.pid, row.comm) !== null)
    .map((row) => asItIs(row, kernel.works));
  const tried = triedAs();
  if (config.json) {
    const document = {
      probes: {
        works: kernel.works,
        reason: kernel.works ? null : kernel.text,
        mechanism: kernel.works ? kernel.text : null,
        tried_as: tried,
      },
      processes,
      unreadable,
      not_read_files: { paths: unread.paths, late: unread.late },
      watched: { seconds: WATCH_MS / 1000, reason: movers.error === '' ? null : movers.error },
      libraries: meant.map((r) => ({
        pid: r.pid,
        comm: r.comm,
        library: r.library,
        file: r.file,
        deleted: r.isDeleted,
        observable: r.isObservable,
        records: r.records,
        found_by: r.foundBy,
        note: r.note,
        entry_only: r.entryOnly,
        not_read: r.unread,
      })),
    };
    process.stdout.write(`${JSON.stringify(document)}\n`);
  } else {
    const line = kernel.works ? `probes work here: ${kernel.text}` : `probes do not work here: ${kernel.text}`;
    const isRoot = process.getuid?.() === 0;
    const said = [line, `tried as ${tried}${isRoot ? NOT_THE_SERVICE : ''}`];
    if (movers.error !== '') said.push(`calltap cannot tell who moves TLS records: ${movers.error}`);
    const lines = uprobeTable(meant, said, unreadable, processes, isRoot, mayColor(process.stdout));
    process.stdout.write(`${[...lines, ...unreadLines(unread)].join('\n')}\n`);
  }
  return kernel.works ? 0 : 1;
}

type Kernel = {
  readonly works: boolean;
  readonly text: string;
};

/** Whose rights were tried: those of a service may be others. */
function triedAs(): string {
  const uid = process.getuid?.();
  if (uid === 0) return 'root';
  try {
    return `user ${userInfo().username}`;
  } catch {
    // A user without a name.
    return `user ${uid}`;
  }
}

/** Where probes do not work nothing is observed, whatever a library has. */
function asItIs(row: SurveyRow, works: boolean): SurveyRow {
  return works || !row.isObservable ? row : { ...row, isObservable: false, note: 'probes do not work here' };
}

/** Loads the programs and lets them go again: nothing else tells whether this kernel takes them. */
export function tryProbes({ uprobeRingBytes }: Pick<Config, 'uprobeRingBytes'>, targets: TlsTargets): Kernel {
  const ringBytes = tlsRingBytes(uprobeRingBytes, memoryBytes());
  const native = nativeTls();
  try {
    const source = new TlsSource({ native, targets, sourceId: 0, ringBytes, say: () => {} });
    const { probes, probesWhy, sockets, socketsWhy } = source.status();
    source.close();
    const why = [probesWhy, socketsWhy].filter((text) => text !== '').join('; ');
    const text = `${PROBE_WAYS[probes]}, addresses by ${sockets}${why === '' ? '' : ` (${why})`}`;
    return { works: true, text };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { works: false, text: error.message.replace(/^--uprobe: /, '') };
  }
}

const HEADER = ['PID', 'Process', 'Library', 'TLS records', 'Observable', 'File'];
const RIGHT = new Set([0, 3]);
const OBSERVABLE_COLUMN = 4;

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
      r.records === 0 ? '' : String(r.records),
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
  const observable = new Set(rows.filter((r) => r.isObservable).map((r) => r.pid));
  lines.push('', `${observable.size} of ${processes} processes can be observed`);
  const unseen = new Set(rows.filter((r) => r.records > 0 && !observable.has(r.pid)).map((r) => r.pid)).size;
  if (unseen > 0)
    lines.push(
      `${counted(unseen, 'process', 'processes')} moved TLS records in ${WATCH_MS / 1000} s and cannot be observed`,
    );
  if (unreadable > 0)
    lines.push(
      `${unreadable} of them may not be read${isRoot ? '' : ': run as root, or add CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH'}`,
    );
  return lines;
}

/** Files of which nobody knows what they offer; nothing when all were read. */
export function unreadLines({ paths, late }: UnreadFiles): string[] {
  const shown = paths.slice(0, MAX_UNREADABLE_NAMED).map(safeText).join(', ');
  const more = paths.length > MAX_UNREADABLE_NAMED ? ` and ${paths.length - MAX_UNREADABLE_NAMED} more` : '';
  return [
    ...(paths.length === 0 ? [] : [`not looked into, because ${TOO_LONG}: ${shown}${more}`]),
    ...(late === 0 ? [] : [`${counted(late, 'file', 'files')} not looked into within ${MAX_LIST_MS / 1000} s`]),
  ];
}

/** Per file the functions whose entry alone is read; nothing when all are read whole. */
function entryOnly(rows: readonly SurveyRow[]): string[] {
  const files = new Map<string, string>();
  for (const r of rows) if (r.entryOnly.length > 0) files.set(r.file, r.entryOnly.map((f) => f.name).join(', '));
  if (files.size === 0) return [];
  const lines = [...files].map(([file, names]) => `  ${safeText(file)}: ${names}`);
  return ['', 'of these functions only the entry is read:', ...lines];
}
