/** Pages of calls as they are handed over: nothing of captures with originals in odd places is left in them. */
import assert from 'node:assert/strict';
import { basename, join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { Explorer } from '../../src/explore/port.ts';
import { leftIn, nastyCaptures } from '../helpers/leaks.ts';
import { pagesInFile } from '../helpers/pages.ts';
import { readCaptureFile, temporaryFolder } from '../helpers/read-capture.ts';

test('no page of a capture with originals in odd places has one', async (t) => {
  const folder = temporaryFolder(t);
  let pages = 0;
  for (const original of nastyCaptures(folder)) {
    const written = [join(folder, 'a.html'), join(folder, 'b.html')];
    for (const [i, path] of written.entries())
      pages += await pagesInFile(await explorerOf(t, original, join(folder, `key-${i}`)), path);
    assert.deepEqual(leftIn(original, written, ['--planted']), [], basename(original));
  }
  assert.ok(pages > 50, `${pages}`);
});

async function explorerOf(t: TestContext, path: string, key: string): Promise<Explorer> {
  return (await readCaptureFile(t, path, ['--api', '127.0.0.1:0', '--ask', `--anonymize=${key}`])).session.explorer;
}
