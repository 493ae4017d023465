/** The catalogue of errors: places are filled in, causes have their texts, and every row is one line. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorRow } from '../../../src/core/error-row.ts';
import { ERRORS, failure } from '../../../src/core/errors.ts';

test('a row becomes one line with what is wrong and what to do', () => {
  const error = failure('API_BIND_FAILED', { address: '127.0.0.1:80', reason: 'EACCES' });
  assert.equal(error.message, '--api 127.0.0.1:80: cannot listen (EACCES); choose another address or port');
  assert.deepEqual([error.code, error.exitCode], ['API_BIND_FAILED', 1]);
});

test('a cause has its own text, else that of all others, else its own words', () => {
  const open = (cause: string): string => failure('CAPTURE_OPEN_FAILED', { path: 'a', cause }).message;
  assert.equal(open('ENOENT'), 'a: there is no such file; check the path');
  assert.equal(open('EIO'), 'a: cannot open it (EIO)');
  assert.equal(failure('HEP_BIND_FAILED', { url: 'udp://x', cause: 'no room' }).message, '-L udp://x: no room');
  const taken = failure('PRIVILEGES_FAILED', { user: 'me', cause: 'EPERM', step: 'setting groups' });
  assert.equal(taken.message, '--user me: setting groups; start as root (EPERM)');
});

test('what a stranger wrote is never filled in itself', () => {
  const line = failure('CAPTURE_OPEN_FAILED', { path: '{cause}{path}', cause: 'ENOENT' }).message;
  assert.equal(line, '{cause}{path}: there is no such file; check the path');
  assert.equal(
    failure('LINT_RULE_UNKNOWN', { rule: '$&{hint}', hint: 'x' }).message,
    '--lint-suppress: there is no rule $&{hint}; x',
  );
});

test('every text is one line without a full stop, and a start that is refused says what to do', () => {
  for (const [code, row] of Object.entries<ErrorRow>(ERRORS)) {
    for (const text of [row.line, row.remedy ?? 'x', ...Object.values(row.causes ?? {})])
      assert.match(text, /^[^\n]*[^\n.]$/, code);
    const isOnlyTheirWords = /^(.*: )?\{reason\}$/.test(row.line);
    const says = row.remedy !== undefined || row.causes !== undefined || isOnlyTheirWords;
    assert.ok(says || code === 'DIALOG_NOT_FOUND', code);
  }
});
