/** A pcapng of calltap as another file that says the same of nobody: for captures of single calls. */

import { once } from 'node:events';
import { closeSync, createWriteStream, openSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createAnonymizer } from './anonymizer.ts';
import type { Anonymizing } from './anonymizing.ts';
import { anonymizedCapture } from './capture-stream.ts';
import { reportOf } from './report.ts';

/** Read and rewritten at a time, so that others get their turn. */
const PIECE_BYTES = 256 * 1024;

/** What was done, in lines; null when nobody waits any more: the file is then not whole. Rejects where the disk refuses. */
export async function anonymizeFile(
  from: Iterable<Buffer>,
  to: string,
  { key, options }: Anonymizing,
  isGone: () => boolean,
): Promise<readonly string[] | null> {
  const out = createWriteStream(to, { mode: 0o600, flags: 'wx' });
  await once(out, 'open');
  try {
    const anonymizer = createAnonymizer(key, options);
    const pieces = anonymizedCapture(from, anonymizer);
    for (;;) {
      const next = pieces.next();
      if (next.done === true) return reportOf(anonymizer, next.value);
      if (isGone()) return null;
      if (!out.write(next.value)) await once(out, 'drain');
      await setImmediate();
    }
  } finally {
    out.end();
    if (!out.closed) await once(out, 'close');
  }
}

/** What is in a file, piece by piece. */
export function* piecesOf(path: string): Generator<Buffer, void, void> {
  const fd = openSync(path, 'r');
  try {
    for (;;) {
      const piece = Buffer.alloc(PIECE_BYTES);
      const read = readSync(fd, piece, 0, PIECE_BYTES, null);
      if (read === 0) return;
      yield piece.subarray(0, read);
    }
  } finally {
    closeSync(fd);
  }
}
