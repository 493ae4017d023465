/**
 * Which processes --uprobe and --uprobe-comm mean: all, a process with its descendants, those that map a file; and of
 * these, those whose name fits.
 */

import { readFileSync, realpathSync, statSync } from 'node:fs';
import type { ServiceError } from '../../core/errors.ts';
import { errnoOf, failure } from '../../core/errors.ts';
import { compilePattern } from '../../core/pattern.ts';
import type { Steps } from '../../core/turns.ts';
import { programOf } from './maps.ts';
import type { TlsMapping } from './native-tls.ts';
import { readHead } from './regular-file.ts';

/** Bytes of /proc/PID/cmdline: only the first argument is used. @cap */
const MAX_ARGUMENT_BYTES = 4 * 1024;

/** Characters of `--uprobe-comm`, and ancestors of a process that are looked at. @cap */
const MAX_UPROBE_PATTERN = 256;
const MAX_ANCESTORS = 64;

/** Rows of one step. */
const STEP_ROWS = 64;
const LIMITS = { maxProgram: 2_000, maxRepeats: 1_000 };

export type TlsTargetOptions = {
  /** `all`, process ids and paths, as given on the command line. */
  readonly uprobe: readonly string[];
  readonly comm: string | null;
};

/** A file by the inode it has now; its path is looked up again with each scan, because an upgrade replaces it. */
export type TargetFile = { readonly path: string; readonly ino: number };

export class TlsTargets {
  readonly isAll: boolean;
  readonly pids: readonly number[];
  readonly paths: readonly string[];
  readonly #matchesComm: ((comm: string) => boolean) | null;
  readonly #procRoot: string;
  /** Further names of processes, by the name they had when these were read; an exec changes both. */
  readonly #programs = new Map<number, { readonly comm: string; readonly names: readonly string[] }>();

  /** Throws CONFIG_INVALID for a value that names nothing. */
  constructor(options: TlsTargetOptions, procRoot = '/proc') {
    const { uprobe, comm } = options;
    this.#procRoot = procRoot;
    this.isAll = uprobe.length === 0 || uprobe.includes('all');
    this.pids = uprobe.filter((v) => /^[0-9]+$/.test(v)).map(readPid);
    this.paths = uprobe.filter((v) => v !== 'all' && !/^[0-9]+$/.test(v)).map(readPath);
    this.#matchesComm = comm === null ? null : compileComm(comm);
  }

  /** Every process is meant, those to come too: the kernel needs no list. */
  get isUnlimited(): boolean {
    return this.isAll && this.#matchesComm === null;
  }

  get hasCommFilter(): boolean {
    return this.#matchesComm !== null;
  }

  matchesComm(comm: string): boolean {
    return this.#matchesComm === null || this.#matchesComm(comm);
  }

  /** The named files that exist at this moment. */
  files(): TargetFile[] {
    return this.paths.flatMap((path) => {
      try {
        const real = realpathSync(path);
        return [{ path: real, ino: statSync(real).ino }];
      } catch {
        return [];
      }
    });
  }

  /** Names that fitted in the last selection. */
  readonly fitting = new Set<string>();

  /** The process ids that are meant among those of a scan. */
  *select(rows: readonly TlsMapping[]): Steps<Set<number>> {
    const files = this.isAll ? [] : this.files();
    const meant = new Set<number>();
    const seen = new Map<number, string>();
    for (const [i, row] of rows.entries()) {
      if (i % STEP_ROWS === 0) yield;
      seen.set(row.pid, row.comm);
      if (this.isAll || files.some((f) => isFile(row, f))) meant.add(row.pid);
    }
    if (!this.isAll && this.pids.length > 0) yield* this.#addDescendants(meant, seen.keys());
    if (this.#matchesComm !== null) yield* this.#keepFitting(meant, seen);
    return meant;
  }

  *#keepFitting(meant: Set<number>, comms: ReadonlyMap<number, string>): Steps<void> {
    this.fitting.clear();
    for (const pid of this.#programs.keys()) if (!comms.has(pid)) this.#programs.delete(pid);
    for (const pid of meant) {
      yield;
      const name = this.fittingName(pid, comms.get(pid) ?? '');
      if (name === null) meant.delete(pid);
      else this.fitting.add(name);
    }
  }

  /**
   * The name by which a process is meant, null when it is not: the one it has, that of its program's file, or the one it
   * was started under. A program may rename itself (the main thread of node is "MainThread"), and be started by a link.
   */
  fittingName(pid: number, comm: string): string | null {
    if (this.matchesComm(comm)) return comm;
    let program = this.#programs.get(pid);
    if (program?.comm !== comm) {
      program = {
        comm,
        names: [baseName(programOf(this.#procRoot, pid)), this.#startedAs(pid)].filter((name) => name !== ''),
      };
      this.#programs.set(pid, program);
    }
    return program.names.find((name) => this.matchesComm(name)) ?? null;
  }

  /** Last name of its first argument, '' when it cannot be read. */
  #startedAs(pid: number): string {
    try {
      return baseName(readHead(`${this.#procRoot}/${pid}/cmdline`, MAX_ARGUMENT_BYTES).split('\0', 1)[0] ?? '');
    } catch {
      return '';
    }
  }

  /** Servers fork workers: who is started by a named process is meant with it. */
  *#addDescendants(meant: Set<number>, pids: Iterable<number>): Steps<void> {
    const parents = new Map<number, number>();
    const parentOf = (pid: number): number => {
      const parent = parents.get(pid) ?? this.#parentOf(pid);
      parents.set(pid, parent);
      return parent;
    };
    for (const pid of pids) {
      yield;
      let at = pid;
      for (let i = 0; i < MAX_ANCESTORS && at > 0 && !this.pids.includes(at); i++) at = parentOf(at);
      if (this.pids.includes(at)) meant.add(pid);
    }
  }

  #parentOf(pid: number): number {
    try {
      const stat = readFileSync(`${this.#procRoot}/${pid}/stat`, 'latin1');
      // The name in parentheses may hold anything, parentheses included.
      return Number(/^ \S (\d+)/.exec(stat.slice(stat.lastIndexOf(')') + 1))?.[1] ?? 0);
    } catch {
      return 0;
    }
  }
}

/** Inode and last name: device numbers differ between a file system and what lies below it (overlay, btrfs). */
export function isFile(row: TlsMapping, file: TargetFile): boolean {
  return row.ino === file.ino && baseName(row.path) === baseName(file.path);
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function readPid(text: string): number {
  const pid = Number(text);
  if (!Number.isSafeInteger(pid) || pid < 1 || pid > 0x7fffffff)
    throw failure('PROBE_TARGET_INVALID', { target: text.slice(0, 20), cause: 'number' });
  try {
    statSync(`/proc/${pid}`);
  } catch {
    throw failure('PROBE_TARGET_INVALID', { target: pid, cause: 'process' });
  }
  return pid;
}

function readPath(path: string): string {
  if (!path.startsWith('/'))
    throw failure('PROBE_TARGET_INVALID', { target: JSON.stringify(path.slice(0, 60)), cause: 'form' });
  try {
    if (statSync(path).isFile()) return path;
  } catch (error) {
    throw failure('PROBE_TARGET_INVALID', { target: path, cause: errnoOf(error) ?? 'error' });
  }
  throw failure('PROBE_TARGET_INVALID', { target: path, cause: 'file' });
}

function compileComm(source: string): (comm: string) => boolean {
  const refuse = (reason: string): ServiceError => failure('PROBE_PATTERN_INVALID', { reason });
  if (source.length > MAX_UPROBE_PATTERN) throw refuse(`has more than ${MAX_UPROBE_PATTERN} characters`);
  const found = compilePattern(source, LIMITS);
  if (!found.ok) throw refuse(found.reason);
  return found.value;
}
