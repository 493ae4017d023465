/**
 * Every call case: the documents of its dialogs and streams say what its script put into the capture.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callCases } from '../../fixtures/build/calls.ts';
import { sessionMismatches } from '../helpers/documents.ts';
import { readCapture } from '../helpers/read-capture.ts';

for (const { name, note, bytes, options, expected } of callCases()) {
  test(`call ${name}: ${note}`, async (t) => {
    const { session, end } = await readCapture(t, bytes, options);
    assert.equal(end.end, 'ok');
    assert.deepEqual(await sessionMismatches(session, expected), []);
  });
}
