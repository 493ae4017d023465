/** Names of files that are made of captured text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callIdFileName } from '../../../src/core/file-name.ts';

test('a Call-ID is a harmless name', () => {
  for (const [callId, name] of [
    ['busy@pbx.example.com', 'busy@pbx.example.com'],
    ['../../../tmp/owned', '__.._.._tmp_owned'],
    ['-rf', '_rf'],
    ['.', '_'],
    ['', 'call'],
    ['\u001b[2J\u0000', '__2J_'],
    ['x'.repeat(500), 'x'.repeat(100)],
  ] as const)
    assert.equal(callIdFileName(callId), name);
});
