/** The files of one user come in turn with those of others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fairly } from '../../../../src/sources/tls/fair-turns.ts';

test('who maps many files delays the files of others by one', () => {
  const users = new Map([
    [1, 0],
    [2, 1000],
    [3, 1001],
  ]);
  const rows = [
    ...Array.from({ length: 4 }, (_, i) => ({ pid: 2, file: `hostile${i}` })),
    { pid: 3, file: 'other' },
    { pid: 1, file: 'server' },
    { pid: 1, file: 'library' },
  ];
  assert.deepEqual(
    fairly(rows, (pid) => users.get(pid) ?? 0).map(({ file }) => file),
    ['hostile0', 'other', 'server', 'hostile1', 'library', 'hostile2', 'hostile3'],
  );
});
