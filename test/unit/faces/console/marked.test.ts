/** Marks of the documents are shown as what they mean. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marked } from '../../../../src/faces/console/marked.ts';

test('code between backticks is code, and a link is its words', () => {
  const parts = marked('Raise `--max-streams`; [streams beyond the cap](operations.md#cap).') as unknown[];
  const [before, code, after] = parts as [string, { type: string; props: { children: string } }, string];
  assert.deepEqual([before, after], ['Raise ', '; streams beyond the cap.']);
  assert.deepEqual([code.type, code.props.children], ['code', '--max-streams']);
});
