/** Captures whose bytes are changed: nothing of the original is left when they are handed over. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { ServiceError } from '../../src/core/errors.ts';
import { handedOver, leftIn, mutatedCaptures, nastyCaptures } from '../helpers/leaks.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';

/** Mutants of each nasty capture; so many are made and looked through at a time. */
const MUTANTS = Number(process.env['CALLTAP_MUTANTS'] ?? 25);
const AT_A_TIME = 25;

test('nothing is left of a capture whose bytes are changed', async (t) => {
  const folder = temporaryFolder(t);
  const key = join(folder, 'key');
  for (const path of nastyCaptures(folder))
    for (let seed = 1; seed <= MUTANTS; seed += AT_A_TIME) {
      const count = Math.min(AT_A_TIME, MUTANTS + 1 - seed);
      const name = `${basename(path).replace(/\..*/, '')}-${seed}`;
      const [mutants, out] = [join(folder, name), join(folder, `${name}-out`)];
      mkdirSync(out);
      const written: string[] = [];
      let refused = 0;
      for (const mutant of mutatedCaptures(path, seed, count, mutants)) {
        try {
          written.push(await handedOver(t, mutant, join(out, basename(mutant)), key));
        } catch (error) {
          // A change of its first bytes makes it no capture.
          if (!(error instanceof ServiceError) || error.code !== 'CAPTURE_FORMAT_UNKNOWN') throw error;
          refused++;
        }
      }
      assert.equal(written.length + refused, count, name);
      assert.ok(refused <= count / 4, name);
      assert.deepEqual(leftIn(path, written, ['--each', '--planted']), [], name);
      for (const used of [mutants, out]) rmSync(used, { recursive: true });
    }
});
