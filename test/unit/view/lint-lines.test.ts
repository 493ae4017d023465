/** A report counts the errors of the protocol, and names the first message of each of the worst rules. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LintResult } from '../../../src/analysis/lint/lint.ts';
import { LINT_RULES } from '../../../src/analysis/lint/lint.ts';
import { lintLines } from '../../../src/view/lint.ts';

const ERRORS = LINT_RULES.filter(({ severity }) => severity === 'error').slice(0, 4);
const WARNING = LINT_RULES.find(({ severity }) => severity === 'warning') ?? assert.fail();

/** Findings of these rules, each so often. */
function broken(often: readonly (readonly [rule: (typeof LINT_RULES)[number], times: number])[]): LintResult {
  const findings = often.flatMap(([rule, times]) =>
    Array.from({ length: times }, (_, i) => ({ rule, messageIndex: i, observed: `seen ${i}` })),
  );
  return { findings, unread: 0 };
}

test('what is only a warning is no error', () => {
  assert.deepEqual(lintLines(broken([[WARNING, 3]])), []);
  assert.deepEqual(lintLines(broken([])), []);
});

test('the three rules that are broken most are named', () => {
  const [a, b, c, d] = ERRORS;
  assert.ok(a !== undefined && b !== undefined && c !== undefined && d !== undefined);
  const lines = lintLines(
    broken([
      [a, 1],
      [WARNING, 9],
      [b, 4],
      [c, 2],
      [d, 3],
    ]),
  );
  assert.equal(lines[0], '10 protocol errors of 4 rules');
  assert.deepEqual(
    lines.slice(1).map((line) => line.split(' ')[0]),
    [b.id, d.id, c.id],
  );
  assert.equal(lines[1], `${b.id} (RFC ${b.rfc} ${b.section}), message 0 and 3 more: seen 0`);
});
