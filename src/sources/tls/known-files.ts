/**
 * The files that processes run code of, by their real inode: what each offers, whether it has probes, and who maps it.
 * Anybody may map any file: their number is bounded.
 */

import { MAX_TLS_FILES } from '../../core/limits.ts';
import type { TlsMapping } from './native-tls.ts';
import type { FoundBy, LibrarySites, ProbeSite, UnattachedFunction } from './sites.ts';
import { unreadFunctions } from './sites.ts';
import { baseName } from './targets.ts';

export type FileStatus = {
  /** Last name of the path. */
  readonly name: string;
  readonly path: string;
  readonly isDeleted: boolean;
  readonly library: string;
  readonly sites: readonly ProbeSite[];
  /** Functions that carry plaintext and are not read, and why. */
  readonly unread: readonly UnattachedFunction[];
  readonly isAttached: boolean;
  /** Why it is not attached; '' when it is. */
  readonly reason: string;
  readonly processes: number;
  /** What says where its functions are. */
  readonly foundBy: FoundBy;
};

export type KnownFile = {
  readonly key: string;
  path: string;
  isDeleted: boolean;
  /** Null until it was looked into. */
  libraries: readonly LibrarySites[] | null;
  attachment: number;
  reason: string;
  retryAtMs: number;
  pids: Set<number>;
  lastUsedMs: number;
  scan: number;
  /** Attached whether or not a process maps it. */
  isKept: boolean;
  /** What was said of it is not so: it is not attached again. */
  isRefused: boolean;
};

type Place = Pick<TlsMapping, 'dev' | 'ino'>;

export class KnownFiles {
  readonly #files = new Map<string, KnownFile>();
  /** Files that were not looked into because of the cap. */
  beyondCap = 0;

  get(key: string): KnownFile | undefined {
    return this.#files.get(key);
  }

  all(): Iterable<KnownFile> {
    return this.#files.values();
  }

  forget(f: KnownFile): void {
    this.#files.delete(f.key);
  }

  /** The file at a place, new where it was not known; null when there are too many. */
  of({ dev, ino, path, deleted }: Place & Pick<TlsMapping, 'path' | 'deleted'>): KnownFile | null {
    const key = `${dev}:${ino}`;
    const known = this.#files.get(key);
    if (known !== undefined) {
      known.isDeleted = deleted;
      return known;
    }
    if (this.#files.size >= MAX_TLS_FILES) {
      this.beyondCap++;
      return null;
    }
    const f: KnownFile = {
      key,
      path,
      isDeleted: deleted,
      libraries: null,
      attachment: 0,
      reason: '',
      retryAtMs: Number.NEGATIVE_INFINITY,
      pids: new Set(),
      lastUsedMs: Number.NEGATIVE_INFINITY,
      scan: 0,
      isKept: false,
      isRefused: false,
    };
    this.#files.set(key, f);
    return f;
  }

  /** Whether a look at the host would tell more of a file that a process maps. */
  hasNews({ dev, ino }: Place, nowMs: number): boolean {
    const f = this.#files.get(`${dev}:${ino}`);
    return f === undefined ? this.#files.size < MAX_TLS_FILES : isWaiting(f, nowMs);
  }

  /** Processes in which at least one attached library is mapped. */
  get processes(): number {
    const pids = new Set<number>();
    for (const f of this.#files.values()) if (f.attachment > 0) for (const pid of f.pids) pids.add(pid);
    return pids.size;
  }

  get attached(): number {
    let n = 0;
    for (const f of this.#files.values()) if (f.attachment > 0) n++;
    return n;
  }

  /** Libraries that should be attached and are not. */
  get refused(): number {
    let n = 0;
    for (const f of this.#files.values()) if (f.attachment === 0 && f.reason !== '') n++;
    return n;
  }

  /** Functions of the files that are known whose plaintext is not read. */
  get unreadFunctions(): number {
    let n = 0;
    for (const f of this.#files.values()) n += unreadOf(f).length;
    return n;
  }

  statuses(): FileStatus[] {
    return [...this.#files.values()]
      .filter((f) => f.isRefused || (f.libraries ?? []).length > 0)
      .map((f) => ({
        name: baseName(f.path),
        path: f.path,
        isDeleted: f.isDeleted,
        library: (f.libraries ?? []).map((l) => l.library.name).join(', '),
        sites: (f.libraries ?? []).flatMap((l) => l.sites),
        unread: unreadOf(f),
        isAttached: f.attachment > 0,
        reason: f.reason,
        processes: f.pids.size,
        foundBy: f.libraries?.[0]?.foundBy ?? 'symbols',
      }));
  }
}

export function unreadOf(f: KnownFile): UnattachedFunction[] {
  return (f.libraries ?? []).flatMap((l) => unreadFunctions(l));
}

/** Whether the file is to be looked into, or attached. */
export function isWaiting({ libraries, attachment, retryAtMs }: KnownFile, nowMs: number): boolean {
  return libraries === null || (libraries.length > 0 && attachment === 0 && nowMs >= retryAtMs);
}
