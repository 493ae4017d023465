/**
 * Captures as they are handed over (`--anonymize`), examined by a program that shares no code with the anonymizer
 * (`test/leaks`): nothing of the original is left, and calltap and tshark say the same of both.
 */
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import { examined, nastyCaptures } from '../helpers/leaks.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';

test('nothing of a capture with originals in odd places is left, and calltap says the same of it', (t) => {
  for (const path of nastyCaptures(temporaryFolder(t))) {
    const options = basename(path) === 'hep.pcap' ? ['-E', '--planted'] : ['--planted', '--quick'];
    assert.deepEqual(examined(['examine', ...options, path]), [], basename(path));
  }
});
