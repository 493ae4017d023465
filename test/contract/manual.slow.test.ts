/** groff takes the manual page, and zsh its completion. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryFile, repositoryRoot } from './repository.ts';

const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;

test('groff takes the manual page without a warning', {
  skip: has('groff') ? false : 'groff is not installed',
}, () => {
  const { stdout, stderr, status } = spawnSync('groff', ['-man', '-Tutf8', '-ww'], {
    input: repositoryFile('docs/calltap.1'),
    encoding: 'utf8',
  });
  assert.deepEqual([status, stderr], [0, '']);
  const plain = stdout
    .replaceAll(/\u001b\[[0-9;]*m|.\u0008/g, '')
    .replaceAll('‐', '-')
    .replaceAll('−', '-');
  for (const word of ['SYNOPSIS', 'EXIT STATUS', '--api-revoked-file', 'SERVICE_API_KEY']) {
    assert.ok(plain.includes(word), word);
  }
});

test('zsh takes its completion', { skip: has('zsh') ? false : 'zsh is not installed' }, () => {
  const { status, stderr } = spawnSync('zsh', ['-n', join(repositoryRoot(), 'deploy/completion/_calltap')]);
  assert.deepEqual([status, String(stderr)], [0, '']);
});
