/** Marks of the documents are not shown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentParts } from '../../../../src/faces/console/document-text.ts';

test('code between backticks is a part of its own, and a link is its words', () => {
  const text = 'Raise `--max-streams`; [streams beyond the cap](operations.md#cap).';
  assert.deepEqual(documentParts(text), ['Raise ', '--max-streams', '; streams beyond the cap.']);
});
