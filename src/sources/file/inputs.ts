/**
 * The words of the command line and of the configuration as capture files: a file is itself, a folder is the captures
 * directly in it, a pattern that the shell left alone is what it names. The only place that expands them.
 *
 * Of a folder count regular files and links to them that begin as a capture does. Hidden files do not, and no pipe, socket
 * or device: they would be waited for. What is named itself may be any of these.
 */

import { closeSync, constants, fstatSync, opendirSync, openSync, readSync, statSync } from 'node:fs';
import { errnoOf, failure } from '../../core/errors.ts';
import { HEAD_BYTES, inflatedHead, isCaptureHead, isGzip } from './capture-head.ts';
import { compressionOf, peekUnpacked } from './compression.ts';
import { expandPattern, isPattern, MAX_INPUT_FILES } from './glob.ts';

export type Inputs = {
  readonly paths: readonly string[];
  /** Files of a folder that are left out, and why; an errno, `empty` or `damaged`. */
  readonly skipped: readonly SkippedFile[];
};

const INDEX_SUFFIX = '.idx';

export type SkippedFile = { readonly path: string; readonly cause: string };

/** Throws ServiceError for a folder or a pattern that gives nothing, and for more files than a run reads. */
export function expandInputs(words: readonly string[]): Inputs {
  const paths: string[] = [];
  const skipped: SkippedFile[] = [];
  for (const word of words) {
    for (const named of namedBy(word)) {
      if (isFolder(named)) addFolder(named, paths, skipped);
      else if (!isIndexOf(named)) paths.push(named);
      if (paths.length > MAX_INPUT_FILES) throw failure('INPUT_TOO_MANY', { path: word, max: MAX_INPUT_FILES });
    }
  }
  return { paths, skipped };
}

/** The index of calls beside a capture (src/history), which a pattern of the shell names too. */
function isIndexOf(path: string): boolean {
  return path.endsWith(INDEX_SUFFIX) && isThere(path.slice(0, -INDEX_SUFFIX.length));
}

function namedBy(word: string): readonly string[] {
  if (word === '-' || !isPattern(word) || isThere(word)) return [word];
  const found = expandPattern(word);
  if (found.length === 0) throw failure('INPUT_PATTERN_EMPTY', { path: word });
  return found;
}

function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    // It is there for the reader to say what is wrong with it.
    return errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'ENOTDIR';
  }
}

function isFolder(path: string): boolean {
  try {
    return path !== '-' && statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function addFolder(folder: string, paths: string[], skipped: SkippedFile[]): void {
  const found: string[] = [];
  const left: SkippedFile[] = [];
  for (const path of filesIn(folder)) {
    const what = judge(path);
    if (what === 'capture') found.push(path);
    else if (what !== 'other') left.push({ path, cause: what });
    if (paths.length + found.length > MAX_INPUT_FILES)
      throw failure('INPUT_TOO_MANY', { path: folder, max: MAX_INPUT_FILES });
  }
  if (found.length === 0 && !left.some(({ cause }) => cause === 'empty')) {
    const [first] = left;
    if (first !== undefined) throw failure('CAPTURE_OPEN_FAILED', first);
    throw failure('INPUT_FOLDER_EMPTY', { path: folder });
  }
  paths.push(...found.sort());
  skipped.push(...left.sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, MAX_INPUT_FILES));
}

function* filesIn(folder: string): Generator<string> {
  let entries: ReturnType<typeof opendirSync>;
  try {
    entries = opendirSync(folder);
  } catch (error) {
    throw failure('CAPTURE_OPEN_FAILED', { path: folder, cause: errnoOf(error) ?? 'EIO' });
  }
  try {
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
      const mayBe = entry.isFile() || entry.isSymbolicLink();
      if (mayBe && !entry.name.startsWith('.'))
        yield folder.endsWith('/') ? folder + entry.name : `${folder}/${entry.name}`;
    }
  } finally {
    entries.closeSync();
  }
}

/** `capture`, `other`, `empty`, `damaged`, or the errno of a file that cannot be looked at. */
function judge(path: string): string {
  let fd = -1;
  try {
    if (!statSync(path).isFile()) return 'other';
    // It may have become a pipe since, which must not be waited for.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    if (!fstatSync(fd).isFile()) return 'other';
    const head = Buffer.alloc(HEAD_BYTES);
    const length = readSync(fd, head, 0, HEAD_BYTES, 0);
    return judgeHead(fd, head.subarray(0, length));
  } catch (error) {
    // A link to nowhere is no file.
    return errnoOf(error) === 'ENOENT' ? 'other' : (errnoOf(error) ?? 'EIO');
  } finally {
    if (fd >= 0) closeSync(fd);
  }
}

function judgeHead(fd: number, head: Buffer): string {
  const compression = compressionOf(head);
  const plain = compression === null ? plainHead(head) : peekUnpacked(fd, compression, HEAD_BYTES);
  // It counts where its program is missing: the run ends with a line that names the program.
  if (plain === 'missing') return 'capture';
  if (plain === 'damaged') return 'damaged';
  if (plain.length === 0) return 'empty';
  return isCaptureHead(plain) ? 'capture' : 'other';
}

function plainHead(head: Buffer): Buffer | 'damaged' {
  return isGzip(head) ? (inflatedHead(head) ?? 'damaged') : head;
}
