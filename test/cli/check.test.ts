/** --check: what this host offers, as lines and as a document; nothing is opened that stays open. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from './run-program.ts';

type Check = { name: string; verdict: string; text: string; remedy: string | null };

test('each line has a verdict, and the exit code says whether something is missing', async () => {
  const { stdout, stderr, code } = await run(['--check']);
  assert.equal(stderr, '');
  const lines = stdout.trimEnd().split('\n');
  for (const line of lines) assert.match(line, /^(ok|limited|missing) +\S/);
  assert.equal(code, lines.some((line) => line.startsWith('missing')) ? 1 : 0);
  for (const name of ['program', 'processor', 'kernel', 'memory', 'BTF', 'rights', 'interfaces', 'clock'])
    assert.ok(
      lines.some((line) => line.split(/ +/)[1] === name),
      name,
    );
});

test('--json gives the same rows as a document', async () => {
  const { stdout, code } = await run(['--check', '--json']);
  const document = JSON.parse(stdout) as { version: string; works: boolean; checks: Check[] };
  assert.equal(document.works, code === 0);
  for (const { verdict, remedy } of document.checks) assert.ok(verdict !== 'ok' || remedy === null);
});
