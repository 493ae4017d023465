/** Text that is cut in the middle of a character refuses no insert. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wellFormed } from '../../../../src/actions/ship/lines.ts';

/** What is sent, and what comes of it. */
const HALVES = [
  ['\ud83d', '\ufffd'],
  ['\ude00', '\ufffd'],
  ['a\ud83d', 'a\ufffd'],
  ['\\\ud83d', '\\\ufffd'],
  ['\\\\\ud83d', '\\\\\ufffd'],
  ['\ud83d\ud83d', '\ufffd\ufffd'],
  ['x\udfffy', 'x\ufffdy'],
] as const;
const WHOLE = ['', 'Müller', '😀', '\\ud83d', '\\\\ud83d', '"\\ude00"', '\\'];

test('a half becomes U+FFFD, and nothing else changes', () => {
  for (const [text, wanted] of HALVES) {
    const line = wellFormed(JSON.stringify({ text, n: 1 }));
    assert.deepEqual(JSON.parse(line), { text: wanted, n: 1 }, JSON.stringify(text));
    assert.doesNotMatch(line.replaceAll('\\\\', ''), /\\ud[89a-f]/);
  }
});

test('text that is Unicode stays as it is, also where it looks like a half', () => {
  for (const text of WHOLE) {
    const line = JSON.stringify({ text, document: JSON.stringify({ text }) });
    assert.equal(wellFormed(line), line);
  }
});

test('a document inside a row keeps what it says', () => {
  const document = JSON.stringify({ name: 'a\ud83d' });
  const line = wellFormed(JSON.stringify({ document }));
  assert.equal((JSON.parse(line) as { document: string }).document, document);
});
