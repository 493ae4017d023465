/** Each command of a page with its output (README, docs/tasks.md, docs/quickstart.md) prints what stands below it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { PROGRAM } from './run-program.ts';

/** Of dist/program/calltap.js. */
const ROOT = dirname(dirname(dirname(PROGRAM)));

test('the pages show what the commands print', () => {
  const done = spawnSync(process.execPath, [join(ROOT, 'scripts/tasks.mjs'), '--check'], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
});
