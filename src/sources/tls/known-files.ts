/**
 * The files that processes run code of, by their real inode: what each offers, whether it has probes, and who maps it.
 * Anybody may map any file: their number is bounded, for all and for each user.
 */

import type { TlsMapping } from './native-tls.ts';
import type { FoundBy, LibrarySites, ProbeSite, UnattachedFunction } from './sites.ts';
import { unreadFunctions } from './sites.ts';
import { baseName } from './targets.ts';
import { describeUser, UserShares } from './user-shares.ts';

/** Files that are looked into for TLS libraries, and those that have probes. @cap */
export const MAX_TLS_FILES = 16_384;
export const MAX_TLS_ATTACHED = 512;

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
  /** In whose share of the tables it is: who maps it first, or another where that share is full. */
  user: number;
  /** It has no probes because that share is full. */
  isBeyondShare: boolean;
  /** Null until it was looked into. */
  libraries: readonly LibrarySites[] | null;
  /** Of its probes; 0 for none. KnownFiles alone changes it. */
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

type FileId = Pick<TlsMapping, 'dev' | 'ino'>;

export class KnownFiles {
  readonly #files = new Map<string, KnownFile>();
  readonly #known = new UserShares(MAX_TLS_FILES);
  readonly #attached = new UserShares(MAX_TLS_ATTACHED);
  readonly #say: (line: string) => void;
  readonly #said = new Set<string>();
  /** Files that were not looked into because of the cap. */
  beyondCap = 0;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  get(key: string): KnownFile | undefined {
    return this.#files.get(key);
  }

  all(): Iterable<KnownFile> {
    return this.#files.values();
  }

  forget(f: KnownFile): void {
    if (this.#files.delete(f.key)) this.#known.free(f.user);
  }

  /** The file at a place, new where it was not known; null when all or this user have too many. */
  of(
    { dev, ino, path, deleted }: FileId & Pick<TlsMapping, 'path' | 'deleted'>,
    userOf: () => number,
  ): KnownFile | null {
    const key = `${dev}:${ino}`;
    const known = this.#files.get(key);
    if (known !== undefined) {
      known.isDeleted = deleted;
      if (known.isBeyondShare) this.#passOn(known, userOf());
      return known;
    }
    const user = userOf();
    if (!this.#known.hasRoom(user)) {
      this.beyondCap++;
      const who = this.#known.isFull ? 'all processes' : describeUser(user);
      this.#sayOnce(
        'known',
        `calltap looks into no more files of ${who}: too many are mapped (uprobe_files_beyond_cap)`,
      );
      return null;
    }
    this.#known.take(user);
    const f: KnownFile = {
      key,
      path,
      isDeleted: deleted,
      user,
      isBeyondShare: false,
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

  /** Somebody else maps it whose share has room. */
  #passOn(f: KnownFile, user: number): void {
    if (!this.#isBetter(f, user)) return;
    this.#known.free(f.user);
    this.#known.take(user);
    f.user = user;
    f.isBeyondShare = false;
    f.retryAtMs = Number.NEGATIVE_INFINITY;
  }

  #isBetter(f: KnownFile, user: number): boolean {
    return user !== f.user && this.#attached.hasRoom(user);
  }

  /** Whether the file may have probes; where not, its `reason` says why. */
  mayAttach(f: KnownFile): boolean {
    f.isBeyondShare = !this.#attached.hasRoom(f.user);
    if (!f.isBeyondShare) return true;
    const who = this.#attached.isFull ? 'all processes' : describeUser(f.user);
    f.reason = `more libraries than ${who} may have of the ${MAX_TLS_ATTACHED} with probes`;
    this.#sayOnce('attached', `calltap attaches to no more libraries of ${who} until there are fewer`);
    return false;
  }

  attach(f: KnownFile, id: number): void {
    f.attachment = id;
    f.reason = '';
    this.#attached.take(f.user);
  }

  detach(f: KnownFile): void {
    if (f.attachment > 0) this.#attached.free(f.user);
    f.attachment = 0;
  }

  #sayOnce(kind: string, line: string): void {
    if (!this.#said.has(kind)) this.#say(`uprobe: ${line}`);
    this.#said.add(kind);
  }

  /** Whether a look at the host would tell more of a file that a process of this user maps. */
  hasNews({ dev, ino }: FileId, userOf: () => number, nowMs: number): boolean {
    const f = this.#files.get(`${dev}:${ino}`);
    if (f === undefined) return this.#known.hasRoom(userOf());
    return isWaiting(f, nowMs) || (f.isBeyondShare && this.#isBetter(f, userOf()));
  }

  /** Processes in which at least one attached library is mapped. */
  get processes(): number {
    const pids = new Set<number>();
    for (const f of this.#files.values()) if (f.attachment > 0) for (const pid of f.pids) pids.add(pid);
    return pids.size;
  }

  get attached(): number {
    return this.#attached.total;
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
