/**
 * Asks the kernel for a few seconds which processes move TLS records on their sockets, whatever library makes them
 * (bpf/movers.bpf.c). A process that moves records and has no library to probe speaks TLS that calltap cannot read.
 */

import { closeSync } from 'node:fs';
import { loadNative } from '../native.ts';
import { isElf32 } from './elf.ts';
import { MAX_LIST_MS } from './look.ts';
import { openMapped } from './mapped-file.ts';
import { mappingsOf, programOf } from './maps.ts';
import type { TlsMapping, TlsMover, TlsMovers } from './native-tls.ts';
import type { Survey, SurveyRow } from './survey.ts';
import { refusedRow, textOf } from './survey.ts';
import type { TlsText } from './tls-text.ts';
import { BESIDE_ANOTHER, BY_BIO, BY_FILE, BY_HEP, LOADED_LATER, ONLY_64_BIT, UNKNOWN } from './unread-tls.ts';

/** Files that are looked through for marks of a TLS library by one list; those of processes that move TLS records. @cap */
const MAX_MARK_SEARCH_FILES = 4_096;

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
  const texts = new Texts(procRoot);
  const still = survey.rows.filter(({ pid }) => !byPid.has(pid));
  const moving = [...byPid.values()].flatMap((mover) => {
    const known = survey.rows.filter(({ pid }) => pid === mover.pid);
    const records = mover.sent + mover.received;
    return rowsOf(mover, known, texts).map((row) => ({ ...row, records }));
  });
  return { ...survey, rows: [...still, ...moving].sort((a, b) => a.pid - b.pid) };
}

/** What the files of the host say of TLS, each looked through once. */
class Texts {
  readonly procRoot: string;
  readonly #known = new Map<string, TlsText | null>();
  /** No file is read after it. */
  readonly #endMs = performance.now() + MAX_LIST_MS;

  constructor(procRoot: string) {
    this.procRoot = procRoot;
  }

  of(m: TlsMapping): TlsText | null {
    const key = `${m.dev}:${m.ino}`;
    const known = this.#known.get(key);
    if (known !== undefined || this.#known.size >= MAX_MARK_SEARCH_FILES) return known ?? null;
    const text = performance.now() > this.#endMs ? null : textOf(m, this.procRoot);
    this.#known.set(key, text);
    return text;
  }
}

/** All rows of a process that moves records. `known`: those that were found without that. */
function rowsOf(mover: TlsMover, known: readonly SurveyRow[], texts: Texts): readonly SurveyRow[] {
  const mapped = mappingsOf(texts.procRoot, mover.pid);
  if (mapped === null || mapped === 'unreadable') {
    const note = mapped === null ? `it has ended; ${BY_HEP}` : 'calltap may not look into it; run as root';
    return known.length > 0 ? known : [refusedRow({ ...mover, path: '', deleted: false }, 'TLS', note)];
  }
  const program = programOf(texts.procRoot, mover.pid);
  const exe = mapped.find((m) => m.path === program) ?? mapped[0];
  if (exe === undefined) return known;
  if (is32Bit(exe, texts.procRoot)) return [refusedRow(exe, '32-bit', ONLY_64_BIT)];
  const others = mapped.filter((m) => !known.some(({ file }) => file === m.path));
  const hasName = known.some(({ isObservable }) => !isObservable);
  const brought = broughtBy(others, texts, hasName);
  if (brought.length > 0) return [...known.map(asOneOfSeveral), ...brought];
  if (known.length > 0) return goesByBio(others, texts) ? known.map(asReadByBio) : known;
  return [byFile(mapped) ?? refusedRow(exe, UNKNOWN.library, UNKNOWN.note)];
}

function byFile(mapped: readonly TlsMapping[]): SurveyRow | null {
  for (const [path, library, note] of BY_FILE) {
    const file = mapped.find((m) => path.test(m.path));
    if (file !== undefined) return refusedRow(file, library, note);
  }
  return null;
}

/**
 * A row for each TLS without names in these files; one for all of which no text says whose they are. `hasName`: the
 * process has a row of another.
 */
function broughtBy(files: readonly TlsMapping[], texts: Texts, hasName: boolean): readonly SurveyRow[] {
  const rows = new Map<string, SurveyRow>();
  let nobodys: TlsMapping | null = null;
  for (const m of files) {
    const text = texts.of(m);
    if (text?.hasTls !== true) continue;
    if (text.kind === null) nobodys ??= m;
    else if (!rows.has(text.kind.library))
      rows.set(text.kind.library, refusedRow(m, text.kind.library, text.kind.note));
  }
  // Parts of a TLS that has a row may have no name.
  if (hasName || rows.size > 0 || nobodys === null) return [...rows.values()];
  return [byFile(files) ?? refusedRow(nobodys, UNKNOWN.library, UNKNOWN.note)];
}

/** Whether the files call OpenSSL's library only by functions that have no probe. */
function goesByBio(files: readonly TlsMapping[], texts: Texts): boolean {
  const calls = files.map((m) => texts.of(m)?.callsOpenssl);
  return calls.includes('by BIO') && !calls.includes('by name');
}

function asReadByBio(row: SurveyRow): SurveyRow {
  return row.library === 'OpenSSL' ? { ...row, isObservable: false, foundBy: null, note: BY_BIO } : row;
}

function asOneOfSeveral(row: SurveyRow): SurveyRow {
  if (!row.isObservable) return row;
  return { ...row, note: `${row.note.replace(`, ${LOADED_LATER}`, '')}, ${BESIDE_ANOTHER}` };
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
