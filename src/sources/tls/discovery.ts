/**
 * Keeps the probes where the TLS libraries are: which files are mapped by the processes that are meant, which of them
 * are attached, and which are let go.
 *
 * A file is its real inode, so that one library behind several overlays or mount namespaces has one set of probes, and
 * one that a package upgrade deleted is still known by those that map it. Hostile hosts: anybody may map any file; each
 * is read within the caps of elf.ts, in turns, and their number is bounded.
 */

import { closeSync, existsSync, fstatSync } from 'node:fs';
import { errnoOf } from '../../core/errors.ts';
import { MAX_TLS_ATTACHED, MAX_TLS_FORESEEN } from '../../core/limits.ts';
import type { FilePlaceInRoot } from './debug-file.ts';
import { fileSource, openForReading, readElf, withElf } from './elf.ts';
import { hex } from './function-start.ts';
import type { KnownFile } from './known-files.ts';
import { KnownFiles, unreadOf } from './known-files.ts';
import { lookForSites, ownSites } from './look.ts';
import { DEVICE_MAJOR, describe, kernelDevice, openMapped } from './mapped-file.ts';
import { mappingsOf, mappingsOfAll } from './maps.ts';
import type { TlsAttachRequest, TlsAttachResult, TlsMapping, TlsScanResult } from './native-tls.ts';
import { TlsOffsets } from './offsets.ts';
import type { ProofNative, ProofRow } from './proofs.ts';
import { TlsProofs } from './proofs.ts';
import type { LibrarySites } from './sites.ts';
import { carriesPlaintext, listed, needsReturn } from './sites.ts';
import type { StartsNative } from './starts.ts';
import { systemLibraries, TlsStarts } from './starts.ts';
import type { TargetFile, TlsTargets } from './targets.ts';
import { baseName, isFile } from './targets.ts';

/** A library without processes keeps its probes this long, so that a server that restarts is observed from its start. */
const LINGER_MS = 30_000;
const RETRY_MS = 30_000;
/** Files looked into before other work gets a turn. */
const TURN_MS = 10;
/** CT_TLS_PROOF_MISFITS of bpf/tls_event.h. */
const PROOF_CALLS = 20;

/** What discovery needs of the addon. */
export type ProbeNative = StartsNative &
  ProofNative & {
    scan(): TlsScanResult;
    attach(request: TlsAttachRequest): TlsAttachResult;
    detach(id: number): boolean;
    /** errno, 0 when it is so. */
    allow(pids: Uint32Array | null): number;
  };

export class TlsDiscovery {
  readonly #native: ProbeNative;
  readonly #targets: TlsTargets;
  readonly #starts: TlsStarts;
  readonly #say: (line: string) => void;
  readonly #procRoot: string;
  readonly #offsets: TlsOffsets;
  readonly proofs: TlsProofs;
  readonly files = new KnownFiles();
  #isScanning = false;
  #scanBy: 'iterator' | 'maps' | 'not known' = 'not known';
  #scanNumber = 0;
  #isListed = false;
  #prepareAtMs = Number.NEGATIVE_INFINITY;
  readonly #targetHasSites = new Map<number, boolean>();
  /** Processes that were meant in the last scan. */
  #meant: ReadonlySet<number> = new Set();
  scanFailures = 0;
  scanError = '';

  constructor(
    native: ProbeNative,
    targets: TlsTargets,
    say: (line: string) => void,
    procRoot = '/proc',
    offsets = new TlsOffsets(),
  ) {
    this.#native = native;
    this.#offsets = offsets;
    this.proofs = new TlsProofs(native);
    this.#targets = targets;
    this.#starts = new TlsStarts(native, targets);
    this.#say = say;
    this.#procRoot = procRoot;
  }

  /** Whether the last scan found the process among those that are meant. */
  isMeant(pid: number): boolean {
    return this.#meant.has(pid);
  }

  /** Whether a look at the host would tell more of this process: it maps a file that nobody has looked into. */
  hasNews(pid: number, nowMs: number): boolean {
    // Who is meant among those of a list is told by a look alone.
    if (this.#isListed) return true;
    // Most commands have ended by now, and to fail to read costs more than to ask.
    if (!existsSync(`${this.#procRoot}/${pid}`)) return false;
    const mapped = mappingsOf(this.#procRoot, pid);
    if (mapped === null) return false;
    if (mapped === 'unreadable') return true;
    return mapped.some((m) => this.files.hasNews(m, nowMs));
  }

  /** The kernel observes only the processes of a list. */
  get isListed(): boolean {
    return this.#isListed;
  }

  /** Looks at the host once. Resolves at once when a look is under way. */
  async rescan(nowMs: number): Promise<void> {
    if (this.#isScanning) return;
    this.#isScanning = true;
    try {
      this.#beginList();
      this.#prepare(nowMs);
      const { error, rows } = await this.#scan();
      this.scanError = error;
      if (error !== '') {
        if (this.scanFailures++ === 0) this.#say(`uprobe: cannot list processes: ${error}`);
        return;
      }
      await this.#take(rows, nowMs);
    } finally {
      this.#isScanning = false;
    }
  }

  /** By the kernel's iterator, or by /proc/PID/maps where it has none: that is found by the first scan. */
  async #scan(): Promise<TlsScanResult> {
    if (this.#scanBy !== 'maps') {
      const result = this.#native.scan();
      if (result.error === '') this.#scanBy = 'iterator';
      if (this.#scanBy === 'iterator') return result;
      this.#scanBy = 'maps';
      this.#say(`uprobe: finding processes by /proc/PID/maps, which is slower (${result.error})`);
    }
    try {
      return { error: '', rows: await mappingsOfAll(this.#procRoot) };
    } catch (error) {
      return { error: `${this.#procRoot} cannot be read (${errnoOf(error) ?? 'error'})`, rows: [] };
    }
  }

  async #take(rows: readonly TlsMapping[], nowMs: number): Promise<void> {
    const meant = this.#targets.select(rows);
    meant.delete(process.pid);
    this.#meant = meant;
    this.#allow(meant);
    const scan = ++this.#scanNumber;
    for (const f of this.files.all()) f.pids = new Set();
    // First who maps each file: the line that says a file is attached counts them.
    const used = rows.flatMap((row) => {
      const f = meant.has(row.pid) ? this.files.of(row) : null;
      if (f === null) return [];
      f.scan = scan;
      f.pids.add(row.pid);
      f.lastUsedMs = nowMs;
      return [{ f, row }];
    });
    let turnMs = performance.now();
    for (const { f, row } of used) {
      if (f.libraries !== null && (f.libraries.length === 0 || f.attachment > 0 || nowMs < f.retryAtMs)) continue;
      this.#lookInto(f, row, nowMs);
      if (performance.now() - turnMs < TURN_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      turnMs = performance.now();
    }
    this.#detachUnused(scan, nowMs);
  }

  /** Nobody is observed until it is known who is meant: libraries are attached before that. */
  #beginList(): void {
    if (this.#isListed || this.#isUnlimited()) return;
    this.#isListed = true;
    this.#native.allow(new Uint32Array(0));
  }

  /** The kernel's own list. Told each time: the kernel adds who is forked, and drops them when two lists pass them by. */
  #allow(meant: ReadonlySet<number>): void {
    if (this.#isUnlimited()) return;
    this.#starts.update(this.#targets.fitting);
    this.#native.allow(Uint32Array.from(meant));
  }

  /** Opens the file, reads what it offers, and attaches. The descriptor makes sure that all three mean one inode. */
  #lookInto(f: KnownFile, row: TlsMapping, nowMs: number): void {
    const opened = openMapped(row, this.#procRoot);
    if ('reason' in opened) {
      // The process may be gone, or the next one of this file may be readable.
      if (f.libraries !== null || f.reason !== opened.reason) f.reason = '';
      return;
    }
    try {
      const root = `${this.#procRoot}/${row.pid}/root`;
      f.libraries ??= this.#sitesIn(f, opened.fd, { root, path: row.path });
      if (f.libraries.length === 0 || !this.#isWanted(row)) return;
      this.#attach(f, opened.fd, nowMs);
    } finally {
      closeSync(opened.fd);
    }
  }

  /** Paths to libraries mean these libraries only; any other target means all libraries of its processes. */
  #isWanted(row: TlsMapping): boolean {
    const { isAll, pids } = this.#targets;
    if (isAll || pids.length > 0) return true;
    return this.#targets.files().some((file) => !this.#hasSites(file) || isFile(row, file));
  }

  #hasSites(file: TargetFile): boolean {
    let has = this.#targetHasSites.get(file.ino);
    if (has === undefined) {
      const sites = withElf(file.path, ownSites);
      has = Array.isArray(sites) && sites.length > 0;
      this.#targetHasSites.set(file.ino, has);
    }
    return has;
  }

  /** Only libraries are named, so that a process is meant from its start on: the kernel needs no list. */
  #isUnlimited(): boolean {
    const targets = this.#targets;
    if (targets.isUnlimited) return true;
    if (targets.isAll || targets.pids.length > 0 || targets.hasCommFilter) return false;
    return targets.files().every((file) => this.#hasSites(file));
  }

  /**
   * Attaches libraries before any process maps them: those that are named, and where a program is meant, whatever its
   * library, those of the system. A program that is meant may itself be one.
   */
  #prepare(nowMs: number): void {
    if (nowMs < this.#prepareAtMs) return;
    this.#prepareAtMs = nowMs + RETRY_MS;
    const files = this.#targets.files();
    const isLibrariesOnly = files.length > 0 && files.every((file) => this.#hasSites(file));
    const paths = files.map((f) => f.path);
    if (this.#targets.isAll || this.#targets.pids.length > 0 || !isLibrariesOnly) paths.push(...systemLibraries());
    paths.push(...this.#starts.look().slice(0, MAX_TLS_FORESEEN), ...this.#offsets.paths());
    for (const f of this.files.all()) f.isKept = false;
    for (const path of paths) this.#prepareFile(path, nowMs);
  }

  #prepareFile(path: string, nowMs: number): void {
    let fd: number;
    try {
      fd = openForReading(path);
    } catch {
      return;
    }
    try {
      const stat = fstatSync(fd);
      const dev = kernelDevice(stat.dev);
      // Without a device of its own (overlay, btrfs) its processes would be taken for those of another file.
      if (!stat.isFile() || dev < DEVICE_MAJOR) return;
      const f = this.files.of({ dev, ino: stat.ino, path, deleted: false });
      if (f === null) return;
      f.libraries ??= this.#sitesIn(f, fd, { root: '', path });
      if (f.libraries.length === 0) return;
      f.isKept = true;
      if (f.attachment === 0 && nowMs >= f.retryAtMs) this.#attach(f, fd, nowMs);
    } finally {
      closeSync(fd);
    }
  }

  #attach(f: KnownFile, fd: number, nowMs: number): void {
    if (this.files.attached >= MAX_TLS_ATTACHED) {
      f.reason = `more than ${MAX_TLS_ATTACHED} libraries`;
      f.retryAtMs = nowMs + RETRY_MS;
      return;
    }
    const probed = (f.libraries ?? []).flatMap((l) => l.sites);
    const names = probed.filter((s) => s.needsProof).map(({ name, vaddr }) => `${name}=${hex(vaddr)}`);
    const rows = (this.proofs.begin(f.key, names) ?? []).map(({ row }) => row);
    const isFull = rows.length < names.length;
    const isEndless = !probed.some((s) => /-(free|reset|new|new-out)$/.test(s.kind));
    const sites = probed.map(({ kind, offset, exits, needsProof, tcpDistance }) => ({
      kind,
      offset,
      exits: needsReturn(kind) ? exits : null,
      ...(tcpDistance === undefined ? {} : { tcpDistance }),
      ...(needsProof ? { proof: rows.shift() ?? 0, isEndless } : {}),
    }));
    const unread = unreadOf(f);
    const isBlind = sites.every((s) => !carriesPlaintext(s.kind) || s.exits === null);
    const refusal = isFull ? 'too many functions are under proof' : `its calls cannot be read: ${listed(unread)}`;
    const { id, error } =
      isBlind || isFull
        ? { id: 0, error: refusal }
        : this.#native.attach({ path: `${this.#procRoot}/self/fd/${fd}`, sites });
    if (id > 0) {
      f.attachment = id;
      f.reason = '';
      const n = f.pids.size;
      const users = n === 0 ? 'no process yet' : `${n} ${n === 1 ? 'process' : 'processes'}`;
      const left = unread.length === 0 ? '' : `; not read: ${listed(unread)}`;
      const by = f.libraries?.[0]?.foundBy ?? 'symbols';
      const how = by === 'symbols' ? '' : `, by ${by}, shown when its calls fit TLS records`;
      this.#say(`uprobe attached: ${describe(f)} (${users}${how})${left}`);
      return;
    }
    this.proofs.end(f.key);
    f.retryAtMs = nowMs + RETRY_MS;
    if (f.reason !== error) this.#say(`uprobe not attached: ${describe(f)}: ${error}`);
    f.reason = error;
  }

  /** What a file offers; none when it is no ELF file. What was said of it and is not so is named. */
  #sitesIn(f: KnownFile, fd: number, place: FilePlaceInRoot): readonly LibrarySites[] {
    const source = fileSource(fd);
    const elf = source === null ? null : readElf(source);
    const file = { ino: fstatSync(fd).ino, name: baseName(place.path) };
    if (elf === null || !elf.ok) {
      if (elf !== null && this.#offsets.hasPath(file)) this.#refuse(f, elf.reason, 'uprobe not attached');
      return [];
    }
    const { libraries, refusal } = lookForSites(elf.image, this.#offsets.of(elf.image, file), place);
    if (refusal !== '') this.#refuse(f, refusal, 'uprobe not attached');
    return libraries;
  }

  #refuse(f: KnownFile, reason: string, what: string): void {
    f.isRefused = true;
    f.reason = reason;
    f.retryAtMs = Infinity;
    this.#say(`${what}: ${describe(f)}: ${reason}`);
  }

  /** Names functions that have proven what they are, and detaches from files whose functions are others. */
  settleProofs(): void {
    for (const row of this.proofs.decided()) {
      const f = this.files.get(row.file);
      if (f === undefined || f.attachment === 0) continue;
      if (row.state === 'proven') this.#say(`uprobe proven: ${describe(f)}: ${row.name} carries plaintext of TLS`);
      else this.#letGo(f, row);
    }
  }

  #letGo(f: KnownFile, { name }: ProofRow): void {
    this.#native.detach(f.attachment);
    f.attachment = 0;
    this.proofs.end(f.key);
    const reason = `${name} is another function: ${PROOF_CALLS} of its calls fit no TLS record; nothing of it was shown`;
    this.#refuse(f, reason, 'uprobe detached');
  }

  #detachUnused(scan: number, nowMs: number): void {
    for (const f of this.files.all()) {
      if (f.scan === scan || f.isKept || (f.isRefused && !f.isDeleted)) continue;
      if (f.attachment === 0) {
        this.files.forget(f);
        continue;
      }
      // A deleted file has no future; any other may be mapped again soon.
      if (!f.isDeleted && nowMs - f.lastUsedMs < LINGER_MS) continue;
      this.#native.detach(f.attachment);
      this.proofs.end(f.key);
      this.files.forget(f);
      this.#say(`uprobe detached: ${describe(f)} (no process maps it)`);
    }
  }
}
