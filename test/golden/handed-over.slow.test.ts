/**
 * Captures as they are handed over (`--anonymize`), examined by a program that shares no code with the anonymizer
 * (`test/leaks`): nothing of the original is left, and calltap and tshark say the same of both.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { callCases } from '../../fixtures/build/calls.ts';
import { decodeMatrixCases } from '../../fixtures/build/decode-matrix.ts';
import { DEMO } from '../cli/run-program.ts';
import { examined, leftIn, mutatedCaptures, nastyCaptures } from '../helpers/leaks.ts';
import { readCaptureFile, temporaryFolder } from '../helpers/read-capture.ts';
import { ROOT } from '../helpers/source-files.ts';

/** Mutants of each nasty capture. */
const MUTANTS = Number(process.env['CALLTAP_MUTANTS'] ?? 25);

test('nothing of a capture with originals in odd places is left', (t) => {
  for (const path of nastyCaptures(temporaryFolder(t))) {
    const options = basename(path) === 'hep.pcap' ? ['-E', '--planted'] : ['--planted'];
    assert.deepEqual(examined(['examine', ...options, path]), [], basename(path));
  }
});

test('nor of a capture of the repository', (t) => {
  const folder = temporaryFolder(t);
  const hops = join(ROOT, 'fixtures/hops');
  const paths = [DEMO, ...readdirSync(hops).map((name) => join(hops, name))];
  for (const { name, bytes } of [...callCases(), ...decodeMatrixCases()]) {
    const path = join(folder, `${name}.pcap`);
    writeFileSync(path, bytes);
    paths.push(path);
  }
  for (const path of paths) assert.deepEqual(examined(['examine', path]), [], basename(path));
});

test('nor of one whose bytes are changed', async (t) => {
  const folder = temporaryFolder(t);
  const key = join(folder, 'key');
  for (const path of nastyCaptures(folder)) {
    const name = basename(path).replace(/\..*/, '');
    const [mutants, out] = [join(folder, name), join(folder, `${name}-out`)];
    mkdirSync(out);
    for (const mutant of mutatedCaptures(path, 1, MUTANTS, mutants)) {
      const { session } = await readCaptureFile(t, mutant, ['-O', join(out, basename(mutant)), `--anonymize=${key}`]);
      await session.close();
    }
    const written = readdirSync(out).map((file) => join(out, file));
    assert.equal(written.length, MUTANTS, name);
    assert.deepEqual(leftIn(path, written, ['--each', '--planted']), [], name);
  }
});
