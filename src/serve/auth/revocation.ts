/** Which token ids are revoked: the file of `--api-revoked-file`, read again by the next question after it changed. */

import { statSync } from 'node:fs';
import { fileVersion, readFailure, readTextFile } from '../../config/text-file.ts';
import type { Result } from '../../core/result.ts';
import { fail, ok } from '../../core/result.ts';

/** Bytes of the file at most: well over a hundred thousand ids. */
export const REVOKED_FILE_BYTES = 8 * 1024 * 1024;

/**
 * File times move in ticks of the kernel (up to 10 ms), so that two writes within one tick look like one. A file that
 * changed less than this long before it was read is read again, until it has rested.
 */
const UNSETTLED_MS = 100;

export type RevocationList = {
  /** Looks at the file first. Ids are no secrets: they are asked about only once the signature is right. */
  has(id: string): boolean;
};

export type RevocationDeps = {
  /** Told once each time the file becomes unreadable; the list read before then stays in force. */
  readonly warn: (reason: string) => void;
  readonly nowMs?: () => number;
};

/** The list, or why its file cannot be read at the start. */
export function createRevocationList(path: string, deps: RevocationDeps): Result<RevocationList, string> {
  const nowMs = deps.nowMs ?? Date.now;
  let ids: ReadonlySet<string> = new Set();
  let version = '';
  let isSettled = false;
  let isLost = false;

  function read(): string | null {
    const readMs = nowMs();
    const file = readTextFile(path, { maxBytes: REVOKED_FILE_BYTES, isRegular: true });
    if (!file.ok) return file.reason;
    ids = parseRevoked(file.value.text);
    version = file.value.version;
    isSettled = Math.abs(readMs - file.value.changedMs) > UNSETTLED_MS;
    return null;
  }

  function refresh(): string | null {
    try {
      if (isSettled && fileVersion(statSync(path, { bigint: true })) === version) return null;
    } catch (error) {
      return readFailure(error);
    }
    return read();
  }

  const first = read();
  if (first !== null) return fail(first);
  return ok({
    has(id) {
      const reason = refresh();
      if (reason !== null && !isLost) {
        deps.warn(`${reason}; the ids read from it before (${ids.size}) stay revoked`);
      }
      isLost = reason !== null;
      return ids.has(id);
    },
  });
}

/**
 * One id a line; blank lines and comments are ignored. Text after a blank and `#` may be a comment or a part of the
 * id: both are revoked, since an id too many harms less than one too few.
 */
export function parseRevoked(text: string): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const raw of text.split(/\r\n|\n|\r/)) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    ids.add(line);
    const comment = line.search(/\s#/);
    if (comment > 0) ids.add(line.slice(0, comment).trimEnd());
  }
  return ids;
}
