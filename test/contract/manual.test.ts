/** The manual page and the shell completions have every option, and bash completes them. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { isBuiltIn } from '../../src/config/option-spec.ts';
import { OPTIONS } from '../../src/config/options.ts';
import { repositoryFile, repositoryRoot } from './repository.ts';

for (const path of ['docs/calltap.1', 'deploy/completion/calltap.bash', 'deploy/completion/_calltap'])
  test(`${path} names every option that is built in`, () => {
    const words = repositoryFile(path).replaceAll('\\-', '-');
    for (const spec of OPTIONS.filter(isBuiltIn)) assert.ok(words.includes(`--${spec.flag}`), spec.flag);
  });

/** What bash offers for the last word of a command line. */
function offered(...words: string[]): string[] {
  const script = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _calltap "$1" "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD - 1]}"; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const file = join(repositoryRoot(), 'deploy/completion/calltap.bash');
  const { stdout, stderr } = spawnSync('bash', ['-c', script, file, 'calltap', ...words], {
    encoding: 'utf8',
    cwd: repositoryRoot(),
  });
  assert.equal(stderr, '');
  return stdout.split('\n').filter((word) => word !== '');
}

test('bash completes options, choices, files and interfaces', () => {
  assert.deepEqual(offered('--api-rev'), ['--api-revoked-file']);
  assert.ok(offered('--').length > 30);
  assert.deepEqual(offered('--token-scope', ''), ['full', 'metrics']);
  assert.deepEqual(offered('-I', 'package.js'), ['package.json']);
  assert.ok(offered('-d', '').includes('any') && offered('-d', 'lo').includes('lo'));
  assert.deepEqual(offered('--api', ''), []);
});
