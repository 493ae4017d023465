/** Processes of several users, which only root can make. */
import assert from 'node:assert/strict';
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MAX_TLS_ATTACHED } from '../../../../src/sources/tls/known-files.ts';
import { file, mapping, procWith, setUp, TLS } from './discovery-kit.ts';

const [ALICE, BOB] = [1000, 1001];

test('a server is attached though a user has copied a library more often than he may', {
  skip: process.geteuid?.() === 0 ? false : 'needs root to give processes to users',
}, async () => {
  const proc = procWith(10, 11, 12);
  chownSync(join(proc, '10'), ALICE, ALICE);
  chownSync(join(proc, '11'), BOB, BOB);
  const { native, said, discovery } = setUp(['all'], null, proc);
  const copies = Array.from({ length: MAX_TLS_ATTACHED / 2 + 4 }, (_, i) => file(`libcopy${i}.so`, TLS));
  const server = file('libserver.so', TLS);
  const shared = copies.at(-1) ?? '';
  native.rows = [...copies.map((path) => mapping(10, path)), mapping(11, server)];
  do await discovery.rescan(0);
  while (discovery.isBehind);
  assert.ok(native.has(server));
  assert.ok(!native.has(shared));
  // Root has those of the system's own libraries.
  const attached = copies.filter((path) => native.has(path)).length;
  assert.ok(attached <= MAX_TLS_ATTACHED / 2 && attached > MAX_TLS_ATTACHED / 2 - 20, `${attached}`);
  assert.equal(
    said.filter((line) => line.startsWith('uprobe: calltap attaches to no more libraries of user 1000 ')).length,
    1,
  );
  // His own retry tells nothing; as soon as somebody else runs it, it has probes.
  native.rows.push(mapping(12, shared));
  do await discovery.rescan(1);
  while (discovery.isBehind);
  assert.ok(native.has(shared));
});
