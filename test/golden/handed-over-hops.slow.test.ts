/** The captures of the repository as they are handed over: nothing of the original is left, and calltap and tshark say the same of both. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { DEMO } from '../cli/run-program.ts';
import { examined } from '../helpers/leaks.ts';
import { ROOT } from '../helpers/source-files.ts';

test('nothing is left of a capture of the repository', () => {
  const hops = join(ROOT, 'fixtures/hops');
  const paths = [DEMO, ...readdirSync(hops).map((name) => join(hops, name))];
  for (const path of paths) assert.deepEqual(examined(['examine', '--quick', path]), [], basename(path));
});
