/** Set-up meets registries that fail for a moment: what asks them is run a second time, and that is said. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../conformance/service.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';

/** The answer of captureTwice() for a line of shell, and what it says meanwhile. */
function twice(line: string): { readonly answer: unknown; readonly said: string } {
  const program = `import('./scripts/steps/run.mjs').then(({ captureTwice }) =>
    process.stdout.write(JSON.stringify(captureTwice('npm packages', 'sh', ['-c', process.argv[1]]))))`;
  const run = spawnSync(process.execPath, ['-e', program, line], { cwd: ROOT, encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  return { answer: JSON.parse(run.stdout), said: run.stderr };
}

test('one that fails once is run again', (t) => {
  const mark = join(temporaryFolder(t), 'asked');
  const { answer, said } = twice(`test -e ${mark} && echo there && exit; : > ${mark}; echo no route; exit 7`);
  assert.deepEqual(answer, { code: 0, output: 'there\n' });
  assert.equal(said, 'npm packages: failed (no route); once more in 5 s\n');
});

test('one that works is run once, and one that fails again has failed', (t) => {
  const file = join(temporaryFolder(t), 'asked');
  const works = twice(`echo asked >> ${file}; cat ${file}`);
  assert.deepEqual(works, { answer: { code: 0, output: 'asked\n' }, said: '' });
  const { answer } = twice(`echo asked >> ${file}; wc -l < ${file}; exit 7`);
  assert.deepEqual(answer, { code: 7, output: '3\n' });
});
