/** The text of a Reason that people read has an end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseReasons, reasonText } from '../../../../src/protocols/sip/reason.ts';

test('a reason is read as it is written, and a long text is cut', () => {
  const text = (said: string): string => parseReasons(`Q.850;cause=41;text="${said}"`).map(reasonText).join();
  assert.equal(text('Temporary failure'), 'Q.850 41 "Temporary failure"');
  assert.equal(text('x'.repeat(60_000)), `Q.850 41 "${'x'.repeat(256)}…"`);
});
