/** Which captures of a folder are read for indexes: those that lack one, or have one that is damaged or not whole. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { finish } from '../../../../src/core/turns.ts';
import { Ring } from '../../../../src/explore/history/ring.ts';
import { HEADER_BYTES } from '../../../../src/history/blocks.ts';
import { indexPathOf, openIndex } from '../../../../src/history/index-file.ts';
import { recoverIndexes } from '../../../../src/history/recover.ts';
import { DEMO } from '../../../cli/run-program.ts';
import { readCaptureFile, temporaryFolder } from '../../../helpers/read-capture.ts';

test('captures are read for indexes where one of them has none, a damaged one, or one that is not whole', async (t) => {
  const folder = temporaryFolder(t);
  const output = join(folder, 'cap.pcapng');
  const { session } = await readCaptureFile(t, DEMO, ['-O', output, '--split', '700K']);
  await session.outputs.history?.finish();
  session.close();
  const paths = [1, 2, 3].map((n) => `${output}.0000${n}`);
  const unindexed = (): readonly string[] => finish(new Ring(folder).unindexedSteps());
  assert.deepEqual(unindexed(), []);

  const index = indexPathOf(paths[1] ?? '');
  const bytes = readFileSync(index);
  const changed = Buffer.from(bytes);
  const at = (openedAt(index).blocks[0]?.offset ?? 0) + HEADER_BYTES;
  changed[at] = (changed[at] ?? 0) ^ 1;
  writeFileSync(index, changed);
  assert.deepEqual(unindexed(), paths);

  // As a run leaves it that was killed: the next one with the same -O closes it.
  writeFileSync(index, bytes);
  truncateSync(index, openIndexEnd(index));
  assert.deepEqual(recoverIndexes(output), { closed: [index], failed: [] });
  assert.equal(openedAt(index).isWhole, false);
  assert.deepEqual(unindexed(), paths);

  rmSync(index);
  for (const path of paths) utimesSync(path, 1, 1);
  assert.deepEqual(unindexed(), paths);
});

function openedAt(path: string) {
  const index = openIndex(path);
  return index.ok ? index.value : assert.fail(index.reason);
}

/** Where the last block before the end of an index ends. */
function openIndexEnd(path: string): number {
  const last = openedAt(path).blocks.at(-1);
  return (last?.offset ?? 0) + (last?.bytes ?? 0);
}
