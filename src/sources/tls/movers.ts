/**
 * Which processes move TLS records on their sockets, whatever library makes them: the kernel is asked for a few seconds
 * (bpf/movers.bpf.c). Who moves records and has no library to probe speaks TLS that calltap cannot read.
 */

import { closeSync } from 'node:fs';
import { loadNative } from '../native.ts';
import { isElf32 } from './elf.ts';
import { openMapped } from './mapped-file.ts';
import { mappingsOf, programOf } from './maps.ts';
import type { TlsMapping, TlsMover, TlsMovers } from './native-tls.ts';
import type { Survey, SurveyRow } from './survey.ts';
import { lookForMarks, refusedRow } from './survey.ts';
import { BY_FILE, BY_HEP, ONLY_64_BIT, UNKNOWN } from './unread-tls.ts';

/** Watches for so many milliseconds, on a thread of its own. */
export function watchMovers(ms: number): Promise<TlsMovers> {
  const native = loadNative();
  return new Promise((resolve) => native.watchTlsMovers(ms, resolve));
}

/**
 * The survey with those who move TLS records: their rows say how many, and who has none, or brings a TLS that no row
 * names, gets one with the reason and what to do.
 */
export function withMovers(survey: Survey, movers: readonly TlsMover[], procRoot = '/proc'): Survey {
  const byPid = new Map(movers.filter(({ pid }) => pid !== process.pid).map((m) => [m.pid, m]));
  const knownOf = (pid: number): SurveyRow[] => survey.rows.filter((row) => row.pid === pid);
  const found = [...byPid.values()].flatMap((mover) => unlisted(mover, knownOf(mover.pid), procRoot));
  const rows = [...survey.rows, ...found].map((row) => ({ ...row, records: recordsOf(byPid.get(row.pid)) }));
  return { ...survey, rows: rows.sort((a, b) => a.pid - b.pid) };
}

function recordsOf(mover: TlsMover | undefined): number {
  return mover === undefined ? 0 : mover.sent + mover.received;
}

/** The row of a TLS that `known`, the rows of its process, do not name. */
function unlisted(mover: TlsMover, known: readonly SurveyRow[], procRoot: string): SurveyRow[] {
  if (known.some(({ isObservable }) => !isObservable)) return [];
  const mapped = mappingsOf(procRoot, mover.pid);
  if (mapped === null || mapped === 'unreadable') {
    const note = mapped === null ? `it has ended; ${BY_HEP}` : 'calltap may not look into it; run as root';
    return known.length > 0 ? [] : [refusedRow({ ...mover, path: '', deleted: false }, 'TLS', note)];
  }
  const program = programOf(procRoot, mover.pid);
  const exe = mapped.find((m) => m.path === program) ?? mapped[0];
  if (exe === undefined) return [];
  if (is32Bit(exe, procRoot)) return [refusedRow(exe, '32-bit', ONLY_64_BIT)];
  for (const [path, library, note] of BY_FILE) {
    const file = mapped.find((m) => path.test(m.path));
    if (file !== undefined) return [refusedRow(file, library, note)];
  }
  // Beside a library that can be observed only what the program itself brings says something.
  const suspects = known.length === 0 ? mapped : known.some(({ file }) => file === exe.path) ? [] : [exe];
  for (const m of suspects) {
    const row = lookForMarks(m, procRoot);
    // Who uses OpenSSL's library mentions it too.
    if (row !== null && (known.length === 0 || !/^OpenSSL/.test(row.library))) return [row];
  }
  return known.length === 0 ? [refusedRow(exe, 'TLS', UNKNOWN)] : [];
}

function is32Bit(m: TlsMapping, procRoot: string): boolean {
  const opened = openMapped(m, procRoot);
  if ('reason' in opened) return false;
  try {
    return isElf32(opened.fd);
  } finally {
    closeSync(opened.fd);
  }
}
