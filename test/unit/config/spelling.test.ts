/** The nearest name: close mistakes find it, far ones find nothing, and length is no way to burn time. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest } from '../../../src/config/spelling.ts';

const NAMES = ['api', 'input', 'portrange', 'ws-portrange', 'call-report', 'max-dialogs'];

test('one slip of any kind is found', () => {
  for (const [word, name] of [
    ['inputt', 'input'],
    ['inpt', 'input'],
    ['imput', 'input'],
    ['ipnut', 'input'],
    ['max-dialog', 'max-dialogs'],
    ['portranges', 'portrange'],
    ['call-rep', 'call-report'],
  ] as const) {
    assert.equal(nearest(word, NAMES), name, word);
  }
});

test('what is far from everything finds nothing', () => {
  for (const word of ['zzzzzz', 'q'.repeat(64), 'q'.repeat(1_000_000)]) assert.equal(nearest(word, NAMES), null);
});
