/**
 * Closes indexes that a run left open when it was killed: each is cut back to its last whole block, and gets an end that says
 * that calls may be missing.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { IndexFile } from './index-file.ts';
import { INDEX_SUFFIX, openIndex } from './index-file.ts';
import { IndexWriter } from './index-writer.ts';
import type { StoredRow } from './rows.ts';

/** Indexes that are looked at, the newest first: a run leaves one, and a full disk some. @cap */
export const HISTORY_RECOVERED = 16;

/** What was closed, and what could not be. */
export type Recovered = { readonly closed: string[]; readonly failed: string[] };

/** Closes the open ones of the newest indexes of a split, whose files are called `<path>.<number>`. */
export function recoverIndexes(path: string): Recovered {
  const recovered: Recovered = { closed: [], failed: [] };
  for (const index of indexesOf(path).slice(0, HISTORY_RECOVERED)) {
    const opened = openIndex(index);
    if (!opened.ok || opened.value.isClosed) continue;
    try {
      closeIndex(opened.value);
      recovered.closed.push(index);
    } catch {
      recovered.failed.push(index);
    }
  }
  return recovered;
}

/** Throws what the system calls do. */
function closeIndex(index: IndexFile): void {
  const { path, head, end, blocks } = index;
  const fd = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) return;
    ftruncateSync(fd, end);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  const writer = IndexWriter.resume(head, { fd, end, blocks });
  for (const calls of index.rows())
    for (const { row, startUs, endUs } of calls) writer.noteRow({ ...knownBy(row), startUs, endUs });
  writer.noteChunks(index.chunks());
  const capture = statSync(path.slice(0, -INDEX_SUFFIX.length), { throwIfNoEntry: false });
  writer.close(capture?.size ?? 0, false);
}

/** By what a call is looked for, read from the columns of its row: the same as when it was written. */
export function knownBy(row: StoredRow): { callId: string; state: string; names: string[] } {
  const [callId, state] = [row['call_id'], row['state']].map((value) => (typeof value === 'string' ? value : ''));
  const names = NAME_COLUMNS.flatMap((name) => row[name]).filter((value): value is string => typeof value === 'string');
  return { callId: callId ?? '', state: state ?? '', names };
}

/** Columns whose texts are the users and numbers of a call. */
const NAME_COLUMNS = ['from_user', 'to_user', 'numbers', 'asserted'] as const;

/** The newest first. */
function indexesOf(path: string): string[] {
  const start = `${basename(path)}.`;
  const number = (name: string): string => name.slice(start.length, -INDEX_SUFFIX.length);
  const isOne = (name: string): boolean =>
    name.startsWith(start) && name.endsWith(INDEX_SUFFIX) && /^\d{5,9}$/.test(number(name));
  return readdirSync(dirname(path))
    .filter(isOne)
    .sort((a, b) => Number(number(b)) - Number(number(a)))
    .map((name) => join(dirname(path), name));
}
