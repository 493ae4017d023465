/** A pcapng of calltap as another file that says the same of nobody: for captures of single calls. */

import { once } from 'node:events';
import { closeSync, createWriteStream, openSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createAnonymizer } from './anonymizer.ts';
import type { Anonymizing } from './anonymizing.ts';
import { anonymizedCapture } from './capture-stream.ts';

/** Read and rewritten at a time, so that others get their turn. */
const PIECE_BYTES = 256 * 1024;

/** False when nobody waits any more; the file is then not whole. Rejects where the disk refuses. */
export async function anonymizeFile(
  from: Iterable<Buffer>,
  to: string,
  { key, options }: Anonymizing,
  isGone: () => boolean,
): Promise<boolean> {
  const out = createWriteStream(to, { mode: 0o600, flags: 'wx' });
  await once(out, 'open');
  try {
    for (const piece of anonymizedCapture(from, createAnonymizer(key, options))) {
      if (isGone()) return false;
      if (!out.write(piece)) await once(out, 'drain');
      await setImmediate();
    }
    return true;
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
