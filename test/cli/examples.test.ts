/** deploy/examples: calltap takes every line of each configuration, as it is and with what is commented out. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../src/core/package.ts';
import { commandOf, EXAMPLES, exampleText, layOut } from '../helpers/example-files.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { run } from './run-program.ts';

/** Lines of a configuration that set something. */
const LINE = /^#?(\w+) = /gm;

test('calltap takes each example, and each line that is commented out in it', async (t) => {
  assert.equal(EXAMPLES.length, 5);
  for (const name of EXAMPLES) {
    const path = layOut(name, temporaryFolder(t), (text) => text.replaceAll(/^#(\w+ = )/gm, '$1'));
    const { code, stdout, stderr } = await run([...commandOf(name, path), '--print-config']);
    assert.deepEqual([code, stderr], [0, ''], name);
    const shown = [...stdout.matchAll(/^(\w+) = .*# file$/gm)].map(([, key]) => key ?? '');
    // Names of trunks and agents become values of one option.
    const [head = ''] = exampleText(name).split(/^\[(?:trunks|agents)\b/m);
    const wanted = [...head.matchAll(LINE)].map(([, key]) => key ?? '');
    assert.deepEqual(
      wanted.filter((key) => !shown.includes(key)),
      [],
      `${name}\n${stdout}`,
    );
  }
});

test('a wrong line of an example is refused', async (t) => {
  const path = layOut('voice-server.toml', temporaryFolder(t));
  writeFileSync(path, readFileSync(path, 'utf8').replace('console = true', 'consoles = true'));
  assert.equal((await run([...commandOf('voice-server.toml', path), '--print-config'])).code, 2);
});

test('the page of the examples and the packages have all of them', () => {
  const page = readFileSync(join(packageRoot(), 'deploy/examples/README.md'), 'utf8');
  for (const name of EXAMPLES) assert.ok(page.includes(`](${name})`), name);
  assert.match(
    readFileSync(join(packageRoot(), 'scripts/package/tree.mjs'), 'utf8'),
    /'deploy\/examples': '[^']+\/examples\/config'/,
  );
});
