/**
 * Keeps the probes where the TLS libraries are: which files are mapped by the processes that are meant, which of them
 * are attached, and which are let go.
 *
 * A file is its real inode, so that one library behind several overlays or mount namespaces has one set of probes, and
 * one that a package upgrade deleted is still known by those that map it. Hostile hosts: anybody may map any file; each
 * is read in a thread of its own and within a budget, those of one user in turn with those of others, and their number is
 * bounded.
 */

import { closeSync, existsSync } from 'node:fs';
import { errnoOf } from '../../core/errors.ts';
import type { Steps } from '../../core/turns.ts';
import { Turns } from '../../core/turns.ts';
import type { FilePlaceInRoot } from './debug-file.ts';
import { fairly } from './fair-turns.ts';
import { hex } from './function-start.ts';
import type { KnownFile } from './known-files.ts';
import { isWaiting, KnownFiles, unreadOf } from './known-files.ts';
import { MAX_LOOK_MS, MAX_UNREADABLE_NAMED } from './look.ts';
import { DEVICE_MAJOR, describe, kernelDevice, openMapped } from './mapped-file.ts';
import { MAX_STARTED_MAPS_BYTES, mappingsOf, mappingsOfAll } from './maps.ts';
import type { ScanNative, TlsAttachRequest, TlsAttachResult, TlsMapping, TlsScanResult } from './native-tls.ts';
import { TlsOffsets } from './offsets.ts';
import { ProgramReader } from './program-reader.ts';
import type { ProofNative, ProofRow } from './proofs.ts';
import { TlsProofs } from './proofs.ts';
import type { RegularFile } from './regular-file.ts';
import { openRegular } from './regular-file.ts';
import { scanHost } from './scan-rows.ts';
import type { LibrarySites } from './sites.ts';
import { carriesPlaintext, listed, needsReturn } from './sites.ts';
import type { StartsNative } from './starts.ts';
import { systemLibraries, TlsStarts } from './starts.ts';
import type { TargetFile, TlsTargets } from './targets.ts';
import { baseName, isFile } from './targets.ts';
import { ROOT, userOf, usersOf } from './user-shares.ts';

/** Programs with a fitting name that are looked into before they run. @cap */
const MAX_TLS_FORESEEN = 32;

/** A library without processes keeps its probes this long, so that a server that restarts is observed from its start. */
const LINGER_MS = 30_000;
const RETRY_MS = 30_000;
/** Files opened and attached before other work gets a turn. */
const TURN_MS = 10;
/** Rows of one step. */
const STEP_ROWS = 64;
/** CT_TLS_PROOF_MISFITS of bpf/tls_event.h. */
const PROOF_CALLS = 20;

/** What discovery needs of the addon. */
export type ProbeNative = StartsNative &
  ProofNative &
  ScanNative & {
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
  readonly #reader: ProgramReader;
  readonly #turns = new Turns(() => performance.now());
  readonly proofs: TlsProofs;
  readonly files: KnownFiles;
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
  /** Files of which nobody knows what they offer: reading them took too long, or failed. */
  unreadFiles = 0;
  /** Files wait for the next look at the host. */
  isBehind = false;
  #isClosed = false;

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
    this.files = new KnownFiles(say);
    this.#procRoot = procRoot;
    this.#reader = new ProgramReader({ byBuildId: offsets.byBuildId });
  }

  /** Nothing is read or attached any more. Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#reader.close();
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
    const mapped = mappingsOf(this.#procRoot, pid, MAX_STARTED_MAPS_BYTES);
    if (mapped === null) return false;
    if (mapped === 'unreadable') return true;
    return mapped.some((m) => this.files.hasNews(m, () => userOf(this.#procRoot, pid), nowMs));
  }

  /** The kernel observes only the processes of a list. */
  get isListed(): boolean {
    return this.#isListed;
  }

  /** Looks at the host once. Resolves at once when a look is under way. */
  async rescan(nowMs: number): Promise<void> {
    if (this.#isScanning || this.#isClosed) return;
    this.#isScanning = true;
    try {
      await this.#lookAtTargets();
      this.#beginList();
      await this.#prepare(nowMs);
      if (this.#isClosed) return;
      const { error, rows, cut } = await this.#scan();
      if (this.#isClosed) return;
      this.files.beyondCap += cut;
      this.scanError = error;
      if (error !== '') {
        const what = rows.length === 0 ? 'processes' : 'all processes';
        if (this.scanFailures++ === 0) this.#say(`uprobe: cannot list ${what}: ${error}`);
        if (rows.length === 0) return;
      }
      await this.#take(rows, nowMs, error === '');
    } finally {
      this.#isScanning = false;
    }
  }

  /** By the kernel's iterator, or by /proc/PID/maps where it has none: that is found by the first scan. */
  async #scan(): Promise<TlsScanResult> {
    if (this.#scanBy !== 'maps') {
      const result = await scanHost(this.#native, this.#turns);
      if (result.error === '' || result.rows.length > 0) this.#scanBy = 'iterator';
      if (this.#scanBy === 'iterator') return result;
      this.#scanBy = 'maps';
      this.#say(`uprobe: finding processes by /proc/PID/maps, which is slower (${result.error})`);
    }
    try {
      return { error: '', rows: await mappingsOfAll(this.#procRoot), cut: 0 };
    } catch (error) {
      return { error: `${this.#procRoot} cannot be read (${errnoOf(error) ?? 'error'})`, rows: [], cut: 0 };
    }
  }

  /** `isAll`: no process lacks a row, so that what has none is gone. */
  async #take(rows: readonly TlsMapping[], nowMs: number, isAll: boolean): Promise<void> {
    const meant = await this.#turns.whole('probes', this.#targets.select(rows));
    if (!isAll) for (const pid of this.#meant) meant.add(pid);
    meant.delete(process.pid);
    this.#meant = meant;
    this.#allow(meant);
    const scan = ++this.#scanNumber;
    // First who maps each file: the line that says a file is attached counts them.
    const users = usersOf(this.#procRoot);
    const waiting = await this.#turns.whole('probes', this.#usedFiles(rows, meant, users, scan, nowMs));
    await this.#lookIntoAll(fairly(waiting, users), nowMs);
    if (isAll && !this.#isClosed) this.#detachUnused(scan, nowMs);
  }

  /** Notes who maps each file; the files that are to be looked into. */
  *#usedFiles(
    rows: readonly TlsMapping[],
    meant: ReadonlySet<number>,
    userOf: (pid: number) => number,
    scan: number,
    nowMs: number,
  ): Steps<{ f: KnownFile; row: TlsMapping; pid: number }[]> {
    const waiting: { f: KnownFile; row: TlsMapping; pid: number }[] = [];
    const pids = new Map<KnownFile, Set<number>>();
    for (const [i, row] of rows.entries()) {
      if (i % STEP_ROWS === 0) yield;
      const f = meant.has(row.pid) ? this.files.of(row, () => userOf(row.pid)) : null;
      if (f === null) continue;
      f.scan = scan;
      const users = pids.get(f) ?? new Set();
      pids.set(f, users.add(row.pid));
      f.lastUsedMs = nowMs;
      if (isWaiting(f, nowMs)) waiting.push({ f, row, pid: row.pid });
    }
    // All at once: who counts processes meanwhile sees no part of them.
    for (const f of this.files.all()) f.pids = pids.get(f) ?? new Set();
    return waiting;
  }

  async #lookIntoAll(waiting: readonly { f: KnownFile; row: TlsMapping }[], nowMs: number): Promise<void> {
    const sinceMs = performance.now();
    let turnMs = sinceMs;
    this.isBehind = false;
    for (const { f, row } of waiting) {
      // Another process of it came first.
      if (!isWaiting(f, nowMs)) continue;
      this.isBehind = performance.now() - sinceMs >= MAX_LOOK_MS;
      if (this.isBehind || this.#isClosed) return;
      await this.#guarded(f, () => this.#lookInto(f, row, nowMs));
      if (performance.now() - turnMs < TURN_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      turnMs = performance.now();
    }
  }

  /** One file keeps no other from its probes. */
  async #guarded(f: KnownFile, look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (error) {
      this.#passOver(f, `looking into it failed (${String(error)})`);
    }
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
  async #lookInto(f: KnownFile, row: TlsMapping, nowMs: number): Promise<void> {
    const opened = openMapped(row, this.#procRoot);
    if ('reason' in opened) {
      // The process may be gone, or the next one of this file may be readable.
      if (f.libraries !== null || f.reason !== opened.reason) f.reason = '';
      return;
    }
    try {
      const place = { proc: `${this.#procRoot}/${row.pid}`, path: row.path };
      f.libraries ??= await this.#sitesIn(f, opened, place);
      if (this.#isClosed || f.libraries.length === 0 || !this.#isWanted(row)) return;
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
    return this.#targetHasSites.get(file.ino) ?? false;
  }

  /** Which of the named files are libraries; each is read once. */
  async #lookAtTargets(): Promise<void> {
    for (const { path, ino } of this.#targets.files()) {
      const opened = this.#targetHasSites.has(ino) ? null : openRegular(path, { follow: true });
      if (opened === null || 'reason' in opened) continue;
      try {
        const { libraries } = await this.#reader.read({ fd: opened.fd, place: null, given: null });
        this.#targetHasSites.set(ino, libraries.length > 0);
      } finally {
        closeSync(opened.fd);
      }
    }
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
  async #prepare(nowMs: number): Promise<void> {
    if (nowMs < this.#prepareAtMs) return;
    this.#prepareAtMs = nowMs + RETRY_MS;
    const files = this.#targets.files();
    const isLibrariesOnly = files.length > 0 && files.every((file) => this.#hasSites(file));
    const paths = files.map((f) => f.path);
    if (this.#targets.isAll || this.#targets.pids.length > 0 || !isLibrariesOnly) paths.push(...systemLibraries());
    paths.push(...this.#starts.look().slice(0, MAX_TLS_FORESEEN), ...this.#offsets.paths());
    for (const f of this.files.all()) f.isKept = false;
    for (const path of paths) await this.#prepareFile(path, nowMs);
  }

  async #prepareFile(path: string, nowMs: number): Promise<void> {
    const opened = openRegular(path, { follow: true });
    if ('reason' in opened) return;
    try {
      const dev = kernelDevice(opened.stat.dev);
      // Without a device of its own (overlay, btrfs) its processes would be taken for those of another file.
      if (dev < DEVICE_MAJOR) return;
      const f = this.files.of({ dev, ino: opened.stat.ino, path, deleted: false }, () => ROOT);
      if (f === null) return;
      await this.#guarded(f, async () => {
        f.libraries ??= await this.#sitesIn(f, opened, { proc: '', path });
        if (this.#isClosed || f.libraries.length === 0) return;
        f.isKept = true;
        if (f.attachment === 0 && nowMs >= f.retryAtMs) this.#attach(f, opened.fd, nowMs);
      });
    } finally {
      closeSync(opened.fd);
    }
  }

  #attach(f: KnownFile, fd: number, nowMs: number): void {
    if (!this.files.mayAttach(f)) {
      f.retryAtMs = nowMs + RETRY_MS;
      return;
    }
    const probed = (f.libraries ?? []).flatMap((l) => l.sites);
    const names = probed.filter((s) => s.needsProof).map(({ name, vaddr }) => `${name}=${hex(vaddr)}`);
    const rows = (this.proofs.begin(f.key, names, f.user) ?? []).map(({ row }) => row);
    const isFull = rows.length < names.length;
    f.isBeyondShare = isFull;
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
      this.files.attach(f, id);
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
  async #sitesIn(f: KnownFile, { fd, stat }: RegularFile, place: FilePlaceInRoot): Promise<readonly LibrarySites[]> {
    const given = this.#offsets.byPath({ ino: stat.ino, name: baseName(place.path) });
    const { libraries, refusal, unread } = await this.#reader.read({ fd, place, given });
    if (refusal !== '') this.#refuse(f, refusal, 'uprobe not attached');
    if (unread !== '' && !this.#isClosed) this.#passOver(f, unread);
    return libraries;
  }

  /** Nobody knows what the file offers; as long as it is mapped it is not looked into again. */
  #passOver(f: KnownFile, reason: string): void {
    f.libraries ??= [];
    f.retryAtMs = Infinity;
    f.reason = reason;
    if (++this.unreadFiles > MAX_UNREADABLE_NAMED) return;
    const more = this.unreadFiles < MAX_UNREADABLE_NAMED ? '' : '; further ones are only counted (uprobe_files_unread)';
    this.#say(`uprobe not attached: ${describe(f)}: ${reason}${more}`);
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
    this.#detach(f);
    const reason = `${name} is another function: ${PROOF_CALLS} of its calls fit no TLS record; nothing of it was shown`;
    this.#refuse(f, reason, 'uprobe detached');
  }

  #detach(f: KnownFile): void {
    this.#native.detach(f.attachment);
    this.files.detach(f);
    this.proofs.end(f.key);
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
      this.#detach(f);
      this.files.forget(f);
      this.#say(`uprobe detached: ${describe(f)} (no process maps it)`);
    }
  }
}
