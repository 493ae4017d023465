/** Patterns from outside: what is taken, and why not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileCapture, compilePattern } from '../../../src/core/pattern.ts';

const LIMITS = { maxProgram: 100, maxRepeats: 20 };

test('a pattern is found anywhere; case counts unless it is not to', () => {
  const found = compilePattern('friendly-?scanner', LIMITS);
  assert.ok(found.ok);
  assert.deepEqual(['x friendlyscanner 2', 'friendly-scanner', 'Friendly-Scanner'].map(found.value), [
    true,
    true,
    false,
  ]);
  const anyCase = compilePattern('friendly-?scanner', { ...LIMITS, ignoresCase: true });
  assert.equal(anyCase.ok && anyCase.value('FRIENDLY-SCANNER'), true);
});

test('what cannot be taken has a reason', () => {
  for (const [source, reason] of [
    ['(', /^is no RE2 regular expression: missing closing \)/],
    ['(?=a)', /^is no RE2 regular expression/],
    ['a{21}', /^repeats more than 20 times$/],
    ['(a{2}){3}b{4,16}', /^repeats more than 20 times$/],
    ['a'.repeat(200), /^is too complex$/],
  ] as const) {
    const found = compilePattern(source, LIMITS);
    assert.ok(!found.ok, source);
    assert.match(found.reason, reason);
  }
});

test('a capture is the first group where the pattern is found first', () => {
  const found = compileCapture('(?:^|;)i=([^;]*)(x)?', LIMITS);
  assert.ok(found.ok);
  assert.deepEqual(['a;i=1;i=2', 'i=', 'hi=1', ''].map(found.value), ['1', '', '', '']);
  for (const source of ['a', '(?:a)', '(?i:a)+']) {
    const none = compileCapture(source, LIMITS);
    assert.equal(!none.ok && none.reason, 'has no group', source);
  }
  assert.ok(!compileCapture('(', LIMITS).ok);
});
