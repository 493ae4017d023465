/**
 * Lists for a person what the TLS probes could observe on this host, process by process, and why not. Nothing is attached
 * yet.
 *
 * It reads /proc, so it works without eBPF and, for one's own processes, without privileges. It knows programs that carry
 * TLS without a function to probe by what their compilers leave in them.
 */

import { closeSync } from 'node:fs';
import { MAX_MARK_SEARCH_BYTES } from './byte-search.ts';
import type { ElfImage } from './elf.ts';
import { fileSource, readElf } from './elf.ts';
import type { Links } from './load-order.ts';
import { linksOf, startedWith } from './load-order.ts';
import { lookIntoFile, MAX_LIST_MS } from './look.ts';
import { openMapped } from './mapped-file.ts';
import { mappingsOf, processIds, programOf } from './maps.ts';
import type { TlsMapping } from './native-tls.ts';
import { TlsOffsets } from './offsets.ts';
import { MAX_PROGRAM_READ_BYTES, ReadBudget } from './read-budget.ts';
import type { FoundBy, LibrarySites, ProbeSite, UnattachedFunction } from './sites.ts';
import { carriesPlaintext, listed, unreadFunctions } from './sites.ts';
import { baseName } from './targets.ts';
import type { TlsText } from './tls-text.ts';
import { tlsTextOf } from './tls-text.ts';
import { JAVA, LOADED_LATER } from './unread-tls.ts';

export type SurveyRow = {
  readonly pid: number;
  readonly comm: string;
  /** Path of the file in the process's own root. */
  readonly file: string;
  readonly isDeleted: boolean;
  /** OpenSSL, GnuTLS, ...; what the file looks like when it cannot be observed. */
  readonly library: string;
  readonly isObservable: boolean;
  /** What says where its functions are; null when nothing does. */
  readonly foundBy: FoundBy | null;
  /** How it would be observed, or why it cannot be. */
  readonly note: string;
  /** Functions that give evidence of addresses from their entry alone, and those not read. */
  readonly entryOnly: readonly UnattachedFunction[];
  readonly unread: readonly UnattachedFunction[];
  /** Socket calls with whole TLS records while the host was watched (movers.ts); 0 without that. */
  readonly records: number;
};

export type Survey = {
  readonly rows: readonly SurveyRow[];
  /** Processes whose mappings may not be read. */
  readonly unreadable: number;
  readonly processes: number;
  readonly unread: UnreadFiles;
};

/** Files of which nobody knows what they offer: by path those that take too much to read, and how many came too late. */
export type UnreadFiles = { readonly paths: readonly string[]; readonly late: number };

type Verdict = Pick<SurveyRow, 'library' | 'isObservable' | 'foundBy' | 'note' | 'entryOnly' | 'unread'>;

function refused(library: string, note: string): Verdict {
  return { library, isObservable: false, foundBy: null, note, entryOnly: [], unread: [] };
}

/** What is known of files, by device and inode: each is read once. */
type Known = {
  readonly verdicts: Map<string, Verdict | null>;
  readonly links: Map<string, Links | null>;
  readonly unread: Set<string>;
  readonly late: Set<string>;
  /** No file is read after it. */
  readonly endMs: number;
};

export function surveyHost(procRoot = '/proc', offsets = new TlsOffsets()): Survey {
  const endMs = performance.now() + MAX_LIST_MS;
  const known: Known = { verdicts: new Map(), links: new Map(), unread: new Set(), late: new Set(), endMs };
  const rows: SurveyRow[] = [];
  let unreadable = 0;
  let processes = 0;
  for (const pid of processIds(procRoot)) {
    if (pid === process.pid) continue;
    const mapped = mappingsOf(procRoot, pid);
    if (mapped === null) continue;
    processes++;
    if (mapped === 'unreadable') unreadable++;
    else rows.push(...surveyProcess(procRoot, mapped, known, offsets));
  }
  const unread = { paths: [...known.unread], late: known.late.size };
  return { rows: rows.sort((a, b) => a.pid - b.pid), unreadable, processes, unread };
}

function surveyProcess(
  procRoot: string,
  mapped: readonly TlsMapping[],
  known: Known,
  offsets: TlsOffsets,
): SurveyRow[] {
  const found = mapped.flatMap((m) => {
    const verdict = remembered(known, known.verdicts, keyOf(m), () => offered(m, procRoot, offsets, known));
    return verdict === null ? [] : [{ m, verdict }];
  });
  const [first] = mapped;
  if (first === undefined) return [];
  const exe = mapped.find((m) => m.path === programOf(procRoot, m.pid));
  if (found.length > 0) {
    const linksTo = (m: TlsMapping) => remembered(known, known.links, keyOf(m), () => readMapped(m, procRoot, linksOf));
    const early = exe === undefined ? null : startedWith(exe, mapped, linksTo);
    return found.map(({ m, verdict }) => toRow(m, early === null || early.has(m) ? verdict : loadedLater(verdict)));
  }
  const [isJava, library, note] = JAVA;
  const java = mapped.find((m) => isJava.test(m.path));
  if (java !== undefined) return [toRow(java, refused(library, note))];
  if (exe === undefined) return [];
  const verdict = remembered(known, known.verdicts, `exe ${keyOf(exe)}`, () => readMapped(exe, procRoot, marked));
  return verdict === null ? [] : [toRow(exe, verdict)];
}

function keyOf({ dev, ino }: TlsMapping): string {
  return `${dev}:${ino}`;
}

/** An interpreter may load a library for one of its modules, and speak TLS by another: Python's tlslite-ng does. */
function loadedLater(verdict: Verdict): Verdict {
  return verdict.isObservable ? { ...verdict, note: `${verdict.note}, ${LOADED_LATER}` } : verdict;
}

type Mapped = Pick<TlsMapping, 'pid' | 'comm' | 'path' | 'deleted'>;

function toRow(m: Mapped, verdict: Verdict): SurveyRow {
  return { pid: m.pid, comm: m.comm, file: m.path, isDeleted: m.deleted, ...verdict, records: 0 };
}

/** The row of a process whose TLS cannot be observed. */
export function refusedRow(m: Mapped, library: string, note: string): SurveyRow {
  return toRow(m, refused(library, note));
}

/** What the bytes of a mapped file say of TLS; null when they cannot be read. */
export function textOf(m: TlsMapping, procRoot: string): TlsText | null {
  return readMapped(m, procRoot, tlsTextOf);
}

function remembered<T>(known: Known, values: Map<string, T | null>, key: string, look: () => T | null): T | null {
  let value = values.get(key);
  if (value === undefined) {
    const isLate = performance.now() > known.endMs;
    // The program of a process is looked into twice.
    if (isLate) known.late.add(key.replace('exe ', ''));
    value = isLate ? null : look();
    values.set(key, value);
  }
  return value;
}

/** Null for a file that cannot be opened, that is no ELF file of 64 bits, or that takes too much to read. */
function readMapped<T>(m: TlsMapping, procRoot: string, judge: (image: ElfImage) => T): T | null {
  const opened = openMapped(m, procRoot);
  if ('reason' in opened) return null;
  try {
    const budget = new ReadBudget(MAX_PROGRAM_READ_BYTES + MAX_MARK_SEARCH_BYTES);
    const source = fileSource(opened.fd, budget);
    const elf = source === null ? null : readElf(source);
    const found = elf?.ok === true ? judge(elf.image) : null;
    return budget.isSpent ? null : found;
  } finally {
    closeSync(opened.fd);
  }
}

/** What a file offers, by its own symbols or by what else says where its functions are; null when it is nothing of TLS. */
function offered(m: TlsMapping, procRoot: string, offsets: TlsOffsets, known: Known): Verdict | null {
  // Only a name that promises something is worth a line.
  const isNamed = /\/lib(ssl|gnutls|wolfssl|mbedtls)/.test(m.path);
  const opened = openMapped(m, procRoot);
  if ('reason' in opened) return isNamed ? refused('TLS', `${opened.reason}; run as root`) : null;
  try {
    const given = offsets.byPath({ ino: m.ino, name: baseName(m.path) });
    const place = { proc: `${procRoot}/${m.pid}`, path: m.path };
    const { libraries, refusal, unread } = lookIntoFile({ fd: opened.fd, place, given }, offsets.byBuildId);
    if (unread !== '') known.unread.add(m.path);
    if (refusal !== '') return refused('TLS', refusal);
    return libraries.length === 0 ? null : judged(libraries);
  } finally {
    closeSync(opened.fd);
  }
}

function judged(found: readonly LibrarySites[]): Verdict {
  const foundBy = found[0]?.foundBy ?? 'symbols';
  const library = found.map((f) => f.library.name).join(', ');
  const unread = found.flatMap((f) => unreadFunctions(f));
  const entryOnly = found
    .flatMap((f) => f.sites)
    .flatMap(({ name, why }) => (why === null || unread.some((u) => u.name === name) ? [] : [{ name, why }]));
  const plain = found.flatMap((f) => f.sites).filter((s) => carriesPlaintext(s.kind));
  const isObservable = plain.some((s) => s.exits !== null);
  const how = isObservable ? `yes, ${siteOf(plain)}, and at its exits` : 'its calls cannot be read';
  const left = unread.length === 0 ? '' : `; not read: ${listed(unread)}`;
  const by = foundBy === 'symbols' ? '' : `, by ${foundBy}`;
  return { library, isObservable, foundBy, note: `${how}${by}${left}`, entryOnly, unread };
}

function siteOf(plain: readonly ProbeSite[]): string {
  return plain.every((s) => s.isFast) ? 'at its entry, which is fast' : 'at its entry';
}

/** By what TLS without names leaves in the file, where that tells whose it is. */
function marked(image: ElfImage): Verdict | null {
  const { kind } = tlsTextOf(image);
  return kind === null ? null : refused(kind.library, kind.note);
}
