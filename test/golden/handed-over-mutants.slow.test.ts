/** Captures whose bytes are changed, and the cases that tests make: nothing of the original is left when they are handed over. */
import assert from 'node:assert/strict';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { callCases } from '../../fixtures/build/calls.ts';
import { decodeMatrixCases } from '../../fixtures/build/decode-matrix.ts';
import { ServiceError } from '../../src/core/errors.ts';
import { leftIn, mutatedCaptures, nastyCaptures } from '../helpers/leaks.ts';
import { readCaptureFile, temporaryFolder } from '../helpers/read-capture.ts';

/** Mutants of each nasty capture. */
const MUTANTS = Number(process.env['CALLTAP_MUTANTS'] ?? 25);

/** What -O writes of a capture with a key. */
async function handedOver(t: TestContext, path: string, out: string, key: string): Promise<string> {
  const { session } = await readCaptureFile(t, path, ['-O', out, `--anonymize=${key}`]);
  session.close();
  return out;
}

test('nothing is left of any case that tests make', async (t) => {
  const folder = temporaryFolder(t);
  const bytesOf = { originals: 0, written: 0 };
  for (const [i, { name, bytes }] of [...callCases(), ...decodeMatrixCases()].entries()) {
    const path = join(folder, `${i}.pcap`);
    writeFileSync(path, bytes);
    const written: string[] = [];
    for (const key of ['a', 'b'])
      written.push(await handedOver(t, path, join(folder, `${i}-${key}.pcap`), join(folder, key)));
    assert.deepEqual(leftIn(path, written), [], name);
    bytesOf.originals += bytes.length;
    bytesOf.written += statSync(written[0] ?? '').size;
  }
  assert.ok(bytesOf.written > 0.9 * bytesOf.originals, `most of it is there: ${JSON.stringify(bytesOf)}`);
});

test('nor of one whose bytes are changed', async (t) => {
  const folder = temporaryFolder(t);
  const key = join(folder, 'key');
  for (const path of nastyCaptures(folder)) {
    const name = basename(path).replace(/\..*/, '');
    const [mutants, out] = [join(folder, name), join(folder, `${name}-out`)];
    mkdirSync(out);
    const written: string[] = [];
    let refused = 0;
    for (const mutant of mutatedCaptures(path, 1, MUTANTS, mutants)) {
      try {
        written.push(await handedOver(t, mutant, join(out, basename(mutant)), key));
      } catch (error) {
        // A change of its first bytes makes it no capture.
        if (!(error instanceof ServiceError) || error.code !== 'CAPTURE_FORMAT_UNKNOWN') throw error;
        refused++;
      }
    }
    assert.equal(written.length + refused, MUTANTS, name);
    assert.ok(refused <= 3, name);
    assert.deepEqual(leftIn(path, written, ['--each', '--planted']), [], name);
  }
});
