/**
 * What the TLS probes could observe on this host, process by process, and why not: for a person to read, before
 * anything is attached.
 *
 * Looks through /proc, so that it works without eBPF and, for one's own processes, without privileges. Programs that
 * carry TLS without a function to probe are known by what their compilers leave in them.
 */

import { closeSync } from 'node:fs';
import { pieces } from './byte-search.ts';
import type { ElfImage } from './elf.ts';
import { fileSource, readElf } from './elf.ts';
import { lookForSites } from './look.ts';
import { openMapped } from './mapped-file.ts';
import { mappingsOf, processIds, programOf } from './maps.ts';
import type { TlsMapping } from './native-tls.ts';
import { TlsOffsets } from './offsets.ts';
import type { FoundBy, LibrarySites, ProbeSite, UnattachedFunction } from './sites.ts';
import { carriesPlaintext, listed, unreadFunctions } from './sites.ts';
import { baseName } from './targets.ts';
import { JAVA, MARKS } from './unread-tls.ts';

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
};

type Verdict = Pick<SurveyRow, 'library' | 'isObservable' | 'foundBy' | 'note' | 'entryOnly' | 'unread'>;

function refused(library: string, note: string): Verdict {
  return { library, isObservable: false, foundBy: null, note, entryOnly: [], unread: [] };
}

export function surveyHost(procRoot = '/proc', offsets = new TlsOffsets()): Survey {
  const known = new Map<string, Verdict | null>();
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
  return { rows: rows.sort((a, b) => a.pid - b.pid), unreadable, processes };
}

function surveyProcess(
  procRoot: string,
  mapped: readonly TlsMapping[],
  known: Map<string, Verdict | null>,
  offsets: TlsOffsets,
): SurveyRow[] {
  const rows = mapped.flatMap((m) => {
    const verdict = remembered(known, `${m.dev}:${m.ino}`, () => lookInto(m, procRoot, offered(offsets)));
    return verdict === null ? [] : [toRow(m, verdict)];
  });
  const [first] = mapped;
  if (rows.length > 0 || first === undefined) return rows;
  const [isJava, library, note] = JAVA;
  const java = mapped.find((m) => isJava.test(m.path));
  if (java !== undefined) return [toRow(java, refused(library, note))];
  const exe = mapped.find((m) => m.path === programOf(procRoot, m.pid));
  if (exe === undefined) return [];
  const verdict = remembered(known, `exe ${exe.dev}:${exe.ino}`, () => lookInto(exe, procRoot, marked));
  return verdict === null ? [] : [toRow(exe, verdict)];
}

type Mapped = Pick<TlsMapping, 'pid' | 'comm' | 'path' | 'deleted'>;

function toRow(m: Mapped, verdict: Verdict): SurveyRow {
  return { pid: m.pid, comm: m.comm, file: m.path, isDeleted: m.deleted, ...verdict, records: 0 };
}

/** The row of a process whose TLS cannot be observed. */
export function refusedRow(m: Mapped, library: string, note: string): SurveyRow {
  return toRow(m, refused(library, note));
}

/** The row of a file by the text that TLS code without names leaves in it; null where there is none. */
export function lookForMarks(m: TlsMapping, procRoot: string): SurveyRow | null {
  const verdict = lookInto(m, procRoot, marked);
  return verdict === null ? null : toRow(m, verdict);
}

function remembered(known: Map<string, Verdict | null>, key: string, look: () => Verdict | null): Verdict | null {
  let verdict = known.get(key);
  if (verdict === undefined) {
    verdict = look();
    known.set(key, verdict);
  }
  return verdict;
}

type Judge = (image: ElfImage, m: TlsMapping, procRoot: string) => Verdict | null;

/** What a file offers; null for one that has nothing to do with TLS. */
function lookInto(m: TlsMapping, procRoot: string, judge: Judge): Verdict | null {
  const opened = openMapped(m, procRoot);
  if ('reason' in opened) {
    // Only a name that promises something is worth a line.
    const isNamed = /\/lib(ssl|gnutls|wolfssl|mbedtls)/.test(m.path);
    return isNamed ? refused('TLS', `${opened.reason}; run as root`) : null;
  }
  try {
    const source = fileSource(opened.fd);
    const elf = source === null ? null : readElf(source);
    if (elf === null || !elf.ok) return null;
    return judge(elf.image, m, procRoot);
  } finally {
    closeSync(opened.fd);
  }
}

/** By the file's own symbols, or by what else says where its functions are. */
function offered(offsets: TlsOffsets): Judge {
  return (image, m, procRoot) => {
    const given = offsets.of(image, { ino: m.ino, name: baseName(m.path) });
    const place = { root: `${procRoot}/${m.pid}/root`, path: m.path };
    const { libraries, refusal } = lookForSites(image, given, place);
    if (refusal !== '') return refused('TLS', refusal);
    return libraries.length === 0 ? null : judged(libraries);
  };
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

/** Looks for the marks in what the file maps read-only. */
function marked(image: ElfImage): Verdict | null {
  const needles = MARKS.map(([mark]) => Buffer.from(mark, 'latin1'));
  const overlap = Math.max(...needles.map((n) => n.length));
  const found = new Set<number>();
  for (const { bytes } of pieces(image, overlap, () => true))
    for (const [i, needle] of needles.entries()) if (!found.has(i) && bytes.includes(needle)) found.add(i);
  const row = MARKS.find((_, i) => found.has(i));
  return row === undefined ? null : refused(row[1], row[2]);
}
