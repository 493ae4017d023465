/**
 * The ring of capture files of a folder, and the index beside each: which there are, the newest first, and where the frames of an index
 * are. Indexes and captures are found by what stands in them, so that they may have other names. Everything may change meanwhile.
 */
import { lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errnoOf } from '../../core/errors.ts';
import type { Steps } from '../../core/turns.ts';
import { NO_SPAN } from '../../history/footer.ts';
import { INDEX_SUFFIX, type IndexFile, knownIndex, openIndex } from '../../history/index-file.ts';
import type { KnownEnd } from '../../history/ring-summary.ts';
import { readSummarySteps, writeSummary } from '../../history/ring-summary.ts';
import type { IndexedCall } from '../../history/rows.ts';
import type { FileStart } from './capture-start.ts';
import { readStart } from './capture-start.ts';

/** Files of a folder that are looked at, captures and indexes together. @cap */
const HISTORY_FILES = 20_000;
/** Calls whose rows are kept for the next question. @cap option 40 MiB: with `-O` and `--split`: rows of calls of the ring */
const HISTORY_ROWS_KEPT = 8_192;

/** Bytes of captures that are all read again where one of them lacks a whole index, and whose indexes are looked through for damage. @cap */
const HISTORY_BUILT_BYTES = 4 * 1024 * 1024 * 1024;
/** A capture that was written to so lately has an agent that goes on. */
const BEING_WRITTEN_MS = 60_000;

const DAY_MS = 86_400_000;

/** To open so many indexes one by one takes 5 ms: a summary is written for the next start. */
const WORTH_SUMMING = 16;
const NOTHING_KNOWN: ReadonlyMap<string, KnownEnd> = new Map();

/** The folder is looked at again after so long, and the file that is being written. */
const LOOK_MS = 10_000;
const LOOK_OPEN_MS = 1_000;

const INDEX_START: FileStart = { kind: 'index' };

/** What tells that a file is the one that was looked at. */
type Seen = { readonly stamp: string; readonly start: FileStart };

/** Whether one of the files of a folder is an index. */
export function hasIndexes(folder: string): boolean {
  try {
    if (!statSync(folder).isDirectory()) return false;
    const names = readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .slice(0, HISTORY_FILES);
    // Nearly all have their usual name: those are looked at first.
    names.sort((a, b) => Number(b.endsWith(INDEX_SUFFIX)) - Number(a.endsWith(INDEX_SUFFIX)));
    return names.some((name) => readStart(join(folder, name)).kind === 'index');
  } catch {
    return false;
  }
}

/** `isIntact`: all of it was read, and no block was damaged. */
export type RingFile = { readonly path: string; index: IndexFile; stamp: string; isIntact: boolean };

type CaptureHead = { readonly path: string; readonly us: number; readonly bytes: number };

/** Where the frames of an index are, or why they are not found. */
export type CaptureFound = { readonly path: string; readonly bytes: number } | { readonly reason: string };

export class Ring {
  readonly folder: string;
  readonly #nowMs: () => number;
  readonly #seen = new Map<string, Seen>();
  readonly #files = new Map<string, RingFile>();
  #inOrder: readonly RingFile[] = [];
  /** Those used last come last. */
  readonly #rows = new Map<RingFile, { readonly end: number; readonly calls: readonly IndexedCall[] }>();
  #rowsKept = 0;
  #heads: readonly CaptureHead[] | null = null;
  /** What the summary of the folder says of indexes that were not looked at yet. */
  #summary: ReadonlyMap<string, KnownEnd> | null = null;
  /** Indexes of which it says nothing that is true now. */
  #unsummed = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #lookedOpenMs = Number.NEGATIVE_INFINITY;
  /** Why the folder cannot be looked at; '' where it can. */
  trouble = '';

  constructor(folder: string, nowMs: () => number = () => performance.now()) {
    this.folder = folder;
    this.#nowMs = nowMs;
  }

  /** Its indexes: those whose calls are newest first. */
  *filesSteps(): Steps<readonly RingFile[]> {
    const now = this.#nowMs();
    if (now - this.#lookedMs >= LOOK_MS) {
      // Whoever asks meanwhile looks too: half of the files is no answer.
      yield* this.#lookSteps();
      this.#lookedMs = now;
      this.#lookedOpenMs = now;
    } else if (now - this.#lookedOpenMs >= LOOK_OPEN_MS) {
      this.#lookedOpenMs = now;
      for (const file of this.#files.values()) if (!file.index.isClosed) this.#reopen(file);
      this.#order();
    }
    return this.#inOrder;
  }

  /** Files were written: the next question looks at the folder again. */
  lookAgain(): void {
    this.#lookedMs = Number.NEGATIVE_INFINITY;
  }

  /** Opens all indexes, and what is looked for numbers and Call-IDs in: so that the first question need not. */
  *warmSteps(): Steps<void> {
    for (const { index } of yield* this.filesSteps()) {
      yield;
      index.mayName('');
    }
  }

  /** Leaves a summary for the next start, where this one had to open many indexes, or to read them for damage. */
  keepSummary(): void {
    if (this.#unsummed < WORTH_SUMMING) return;
    this.#unsummed = 0;
    const known = new Map<string, KnownEnd>();
    for (const { path, index, stamp, isIntact } of this.#files.values())
      if (index.footer !== null) known.set(basename(path), { stamp, footer: index.footer, isIntact });
    writeSummary(this.folder, known);
  }

  *#lookSteps(): Steps<void> {
    this.#heads = null;
    this.#summary ??= yield* readSummarySteps(this.folder);
    const names = this.#names();
    const there = new Set(names);
    const kept = new Set<string>();
    for (const name of names) {
      // A capture with an index beside it is looked at when its frames are wanted: a folder may have thousands.
      if (there.has(name + INDEX_SUFFIX)) continue;
      const path = join(this.folder, name);
      const stamp = stampOf(path);
      if (stamp === null) continue;
      kept.add(path);
      if (this.#seen.get(path)?.stamp === stamp) continue;
      const start = name.endsWith(INDEX_SUFFIX) ? INDEX_START : readStart(path);
      this.#seen.set(path, { stamp, start });
      if (start.kind === 'index') this.#open(path, stamp);
      else this.#files.delete(path);
      yield;
    }
    for (const path of this.#seen.keys()) {
      if (kept.has(path)) continue;
      this.#seen.delete(path);
      this.#files.delete(path);
    }
    for (const file of this.#rows.keys()) if (this.#files.get(file.path) !== file) this.#forget(file);
    this.#summary = NOTHING_KNOWN;
    this.#order();
  }

  /** Bytes of its files that are no indexes, by their paths. */
  #sizes(): Map<string, number> {
    const sizes = new Map<string, number>();
    for (const name of this.#names()) {
      const path = join(this.folder, name);
      const found = name.endsWith(INDEX_SUFFIX) ? undefined : lstatSync(path, { throwIfNoEntry: false });
      if (found?.isFile() === true) sizes.set(path, found.size);
    }
    return sizes;
  }

  /** All captures of the folder: their heads are read, and known for as long as the folder is not looked at again. */
  #captures(): readonly CaptureHead[] {
    this.#heads ??= this.#names().flatMap((name) => {
      const path = join(this.folder, name);
      const start = name.endsWith(INDEX_SUFFIX) ? INDEX_START : readStart(path);
      return start.kind === 'capture' && start.us !== null ? [{ path, us: start.us, bytes: start.bytes }] : [];
    });
    return this.#heads;
  }

  #names(): string[] {
    try {
      const names = readdirSync(this.folder).filter((name) => !name.startsWith('.'));
      this.trouble = names.length > HISTORY_FILES ? `${this.folder} has more than ${HISTORY_FILES} files` : '';
      return names.sort().slice(-HISTORY_FILES);
    } catch (error) {
      this.trouble = `${this.folder} cannot be read (${errnoOf(error) ?? 'EIO'})`;
      return [];
    }
  }

  #open(path: string, stamp: string): void {
    const known = this.#files.get(path);
    const end = this.#summary?.get(basename(path));
    const index = end?.stamp === stamp ? knownIndex(path, end.footer, sizeIn(stamp)) : null;
    if (index !== null) {
      this.#files.set(path, { path, index, stamp, isIntact: end?.isIntact === true });
      return;
    }
    this.#unsummed++;
    const opened = openIndex(path, known?.index ?? null);
    if (!opened.ok) this.#files.delete(path);
    else if (known === undefined) this.#files.set(path, { path, index: opened.value, stamp, isIntact: false });
    else {
      known.index = opened.value;
      known.stamp = stamp;
      known.isIntact = false;
    }
  }

  #reopen(file: RingFile): void {
    const stamp = stampOf(file.path);
    if (stamp === null) this.#files.delete(file.path);
    else if (stamp !== file.stamp) this.#open(file.path, stamp);
  }

  #order(): void {
    const known = new Map<string, RingFile>();
    for (const file of this.#files.values()) {
      const { capture, footer } = file.index;
      const { captureBytes, frames } = footer ?? {};
      const key = footer === null ? file.path : JSON.stringify([capture, captureBytes, frames]);
      // Of two indexes of one capture, as of a copy under another name, the one beside it answers.
      if (!known.has(key) || besideOf(file) === join(this.folder, capture)) known.set(key, file);
    }
    this.#inOrder = [...known.values()].sort((a, b) => newestUs(b.index) - newestUs(a.index));
  }

  /**
   * Captures whose calls are to be read for indexes, in the order of their time: those without one. Where some lack a whole one, or
   * have a damaged one, and the folder is small it is all of them, as calls go from one file to the next. What is being written is
   * left alone.
   */
  *unindexedSteps(): Steps<readonly string[]> {
    const files = yield* this.filesSteps();
    const sizes = this.#sizes();
    // The one beside it, as large as it was: whether it is another one is found out when its frames are wanted.
    const beside = new Map(
      files.flatMap((file) => {
        const path = besideOf(file);
        return path !== null && sizes.get(path) === file.index.footer?.captureBytes ? [[file, path] as const] : [];
      }),
    );
    const known = new Set(beside.values());
    const paths = [...sizes.keys()].filter((path) => known.has(path) || readStart(path).kind === 'capture');
    const isSmall = paths.reduce((sum, path) => sum + (sizes.get(path) ?? 0), 0) <= HISTORY_BUILT_BYTES;
    const [whole, some] = [new Set<string>(), new Set<string>()];
    for (const file of files) {
      yield;
      const own = beside.get(file);
      const found = own === undefined ? this.captureOf(file) : { path: own };
      if (!('path' in found)) continue;
      some.add(found.path);
      const mtimeMs = lstatSync(found.path, { throwIfNoEntry: false })?.mtimeMs ?? Number.NaN;
      const isOpen = !file.index.isClosed && Date.now() - mtimeMs < BEING_WRITTEN_MS;
      if (isOpen) return [];
      // To read all indexes of a large ring takes longer than any question.
      if (file.index.isWhole && (!isSmall || this.#isIntact(file))) whole.add(found.path);
    }
    if (paths.every((path) => whole.has(path))) return [];
    return this.#captures()
      .toSorted((x, y) => x.us - y.us)
      .map(({ path }) => path)
      .filter((path) => isSmall || !some.has(path));
  }

  #isIntact(file: RingFile): boolean {
    if (!file.isIntact) {
      file.isIntact = file.index.isIntact();
      this.#unsummed++;
    }
    return file.isIntact;
  }

  /**
   * Hands over the rows of a file, the newest first, until `isEnough` says so. Those of a file of the usual size are kept for the
   * next question; of one file for a whole day there are more than fit into memory.
   */
  *rowsSteps(file: RingFile, isEnough: (call: IndexedCall) => boolean): Steps<void> {
    const { index } = file;
    const known = this.#rows.get(file);
    let kept: IndexedCall[] | null = [];
    let n = 0;
    for (const some of known?.end === index.end ? [known.calls] : index.rows()) {
      for (const call of some) {
        if (++n % 64 === 0) yield;
        if (isEnough(call)) return;
      }
      yield;
      if (kept !== null && kept.length + some.length > HISTORY_ROWS_KEPT) kept = null;
      else for (const call of some) kept?.push(call);
    }
    this.#forget(file);
    if (kept === null) return;
    this.#rows.set(file, { end: index.end, calls: kept });
    this.#rowsKept += kept.length;
    for (const other of this.#rows.keys()) {
      if (this.#rowsKept <= HISTORY_ROWS_KEPT || other === file) break;
      this.#forget(other);
    }
  }

  #forget(file: RingFile): void {
    this.#rowsKept -= this.#rows.get(file)?.calls.length ?? 0;
    this.#rows.delete(file);
  }

  /** The capture file of an index: the one beside it, of the name that it had, or whichever begins with the same frame. */
  captureOf(file: RingFile): CaptureFound {
    const { index } = file;
    const named = [...new Set([besideOf(file) ?? [], join(this.folder, basename(index.capture))].flat())];
    const size = index.footer?.captureBytes ?? -1;
    let why = 'it was removed';
    const fits = (candidate: string): CaptureFound | null => {
      const start = readStart(candidate);
      if (start.kind === 'link') why = 'a link has its name';
      if (start.kind === 'packed') why = 'it is compressed: unpack it';
      if (start.kind !== 'capture') return null;
      if (isFirstOf(index, start.us)) return { path: candidate, bytes: start.bytes };
      why = 'another file has its name';
      return null;
    };
    for (const candidate of named) {
      const found = fits(candidate);
      if (found !== null) return found;
    }
    for (const { path: candidate, bytes } of this.#captures()) {
      if (bytes !== size || named.includes(candidate)) continue;
      const found = fits(candidate);
      if (found !== null) return found;
    }
    return { reason: `${basename(index.capture)} is not found: ${why}` };
  }

  /** When the oldest frame came that a file has, in microseconds; NaN without any. */
  get beginsUs(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { index } of this.#inOrder) {
      const { fromUs } = index.footer?.frames ?? (this.#inOrder.length === 1 ? index.frames() : NO_SPAN);
      // Nobody knows when the first frames of a file came that an earlier run left.
      if (fromUs > 0) least = Math.min(least, fromUs);
    }
    return Number.isFinite(least) ? least : Number.NaN;
  }

  /** When the newest call of it was; NaN without any. What says that it was after tomorrow is not believed. */
  get endsUs(): number {
    const tomorrowUs = (Date.now() + DAY_MS) * 1_000;
    // Indexes that are not closed come first, and there is one.
    for (const { index } of this.#inOrder) {
      const { toUs } = index.footer?.calls ?? index.frames();
      if (toUs > 0 && toUs < tomorrowUs) return Math.max(toUs, this.#closedEndsUs(tomorrowUs));
    }
    return Number.NaN;
  }

  /** The same of those that are closed. */
  #closedEndsUs(tomorrowUs: number): number {
    const newest = this.#inOrder.find(({ index }) => index.footer !== null && index.footer.calls.toUs < tomorrowUs);
    return newest?.index.footer?.calls.toUs ?? Number.NEGATIVE_INFINITY;
  }

  /** Calls of closed files that were to have a row and have none. */
  get rowsLeftOut(): number {
    return this.#inOrder.reduce((sum, { index }) => sum + (index.footer?.rowsLeftOut ?? 0), 0);
  }

  /** Blocks of indexes that are damaged, as far as somebody met them. */
  get damagedBlocks(): number {
    return this.#inOrder.reduce((sum, { index }) => sum + index.damagedBlocks, 0);
  }
}

/** Where the capture file of an index is usually; null of an index with another name. */
function besideOf({ path }: RingFile): string | null {
  return path.endsWith(INDEX_SUFFIX) ? path.slice(0, -INDEX_SUFFIX.length) : null;
}

/** No call of it is newer: of an index that is being written any may be. */
export function newestUs({ footer }: IndexFile): number {
  return footer === null ? Number.POSITIVE_INFINITY : footer.calls.toUs;
}

/** No call of it began earlier. */
export function oldestUs({ footer }: IndexFile): number {
  return footer === null ? Number.NEGATIVE_INFINITY : footer.calls.fromUs;
}

/** Whether a file that begins at this time may be that of the index. */
function isFirstOf(index: IndexFile, us: number | null): boolean {
  const [first] = index.chunks();
  return first === undefined || us === null || (us >= first.firstUs - 1 && us <= first.lastUs + 1);
}

function stampOf(path: string): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true ? `${found.size} ${found.ino} ${found.mtimeMs} ${found.ctimeMs}` : null;
}

function sizeIn(stamp: string): number {
  return Number.parseInt(stamp, 10);
}
