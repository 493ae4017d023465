/** Memory that another thread makes present keeps what stands in it, what is written meanwhile included. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import { test } from 'node:test';
import { loadNative } from '../../src/sources/native.ts';
import { until } from '../helpers/patience.ts';

const MIB = 1024 * 1024;

function residentBytes(): number {
  return Number(readFileSync('/proc/self/statm', 'latin1').split(' ')[1]) * 4096;
}

/** MADV_POPULATE_WRITE came with Linux 5.14. */
function hasPopulate(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

test('pages are made present ahead and nothing in them changes', async (t) => {
  const { touchPages } = loadNative();
  const memory = new Uint8Array(32 * MIB);
  memory[5] = 7;
  const before = residentBytes();
  touchPages(memory);
  touchPages(new Uint8Array(0));
  memory[16 * MIB + 1] = 9;
  if (!hasPopulate()) {
    t.diagnostic('this kernel makes no pages present ahead');
    return;
  }
  await until(
    () => residentBytes() - before >= 30 * MIB,
    () => `${residentBytes() - before} bytes more`,
    10,
  );
  assert.equal(memory[5], 7);
  assert.equal(memory[16 * MIB + 1], 9);
  assert.equal(
    memory.reduce((sum, byte) => sum + byte, 0),
    16,
  );
});
