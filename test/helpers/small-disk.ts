/** A disk of its own for a test, which is full soon. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { errnoOf } from '../../src/core/errors.ts';

const CHUNK_BYTES = 1024 * 1024;
const PAGE_BYTES = 4_096;

/** Its folder, as large as `size` says (`1m`); null, and the test is skipped, where nobody may mount one. */
export function smallDisk(t: TestContext, size: string): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-test-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'none', folder], { stdio: 'ignore' });
  } catch {
    rmdirSync(folder);
    t.skip('nobody may mount a disk here');
    return null;
  }
  t.after(() => {
    // Whoever still has a file open keeps it no longer than that.
    execFileSync('umount', ['--lazy', folder]);
    rmdirSync(folder);
  });
  return folder;
}

/** Takes all room that there is; the function that it returns gives it back. */
export function fillDisk(folder: string): () => void {
  const path = join(folder, 'ballast');
  const file = openSync(path, 'w', 0o600);
  for (let bytes = CHUNK_BYTES; bytes >= PAGE_BYTES; )
    try {
      writeSync(file, Buffer.alloc(bytes));
    } catch (error) {
      if (errnoOf(error) !== 'ENOSPC') throw error;
      bytes /= 2;
    }
  closeSync(file);
  return () => unlinkSync(path);
}
