/** Files that take long to read: named or counted once, in turn with those of others, and one that fails stops no other. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { manyNotes } from '../../../helpers/hostile-elf.ts';
import { MOST_TURN_MS, mainThreadMs } from '../../../helpers/turn-watch.ts';
import { file, mapping, procWith, setUp, TLS } from './discovery-kit.ts';

test('files that take too much are named once, the first sixteen, and a library among them is attached', async () => {
  const { native, said, discovery } = setUp(['all'], null, procWith(10, 11));
  const hostile = Array.from({ length: 20 }, (_, i) => mapping(10, file(`hostile${i}.so`, manyNotes(2_200))));
  const library = file('libamong.so', TLS);
  native.rows = [...hostile, mapping(11, library)];
  let [longest, before] = [0, mainThreadMs()];
  const timer = setInterval(() => {
    const now = mainThreadMs();
    longest = Math.max(longest, now - before);
    before = now;
  }, 2);
  do await discovery.rescan(0);
  while (discovery.isBehind);
  clearInterval(timer);
  assert.ok(native.has(library));
  assert.equal(discovery.unreadFiles, 20);
  const named = said.filter((line) => line.includes('hostile'));
  assert.equal(named.length, 16);
  assert.equal(named[0], 'uprobe not attached: hostile0.so: reading it takes more than 128 MiB');
  assert.ok(named[15]?.endsWith('; further ones are only counted (uprobe_files_unread)'));
  assert.ok(longest < MOST_TURN_MS, `${longest} ms`);
  // They are not read again, and forgotten when nobody maps them.
  await discovery.rescan(1);
  assert.equal(discovery.unreadFiles, 20);
  native.rows = [];
  await discovery.rescan(2);
  native.rows = hostile.slice(0, 1);
  await discovery.rescan(3);
  assert.equal(discovery.unreadFiles, 21);
});

test('a file whose attaching fails by an error stops no other', async () => {
  const { native, said, discovery } = setUp(['all'], null, procWith(10));
  const [bad, good] = [file('libbad.so', TLS), file('libgood.so', Buffer.concat([TLS, Buffer.alloc(8)]))];
  const attach = native.attach.bind(native);
  native.rows = [mapping(10, bad), mapping(10, good)];
  native.attach = (request) => {
    if (statSync(request.path).ino === statSync(bad).ino) throw new TypeError('attach: made to fail');
    return attach(request);
  };
  await discovery.rescan(0);
  assert.ok(native.has(good) && !native.has(bad));
  assert.ok(
    said.some((line) => line.includes('looking into it failed (TypeError: attach: made to fail)')),
    said.join('\n'),
  );
  assert.equal(discovery.unreadFiles, 1);
});

test('mappings that were cut count as files beyond the cap; nothing happens after the end', async () => {
  const { native, discovery } = setUp(['all'], null, procWith(10));
  native.cut = 3;
  await discovery.rescan(0);
  assert.equal(discovery.files.beyondCap, 3);
  discovery.close();
  discovery.close();
  native.rows = [mapping(10, file('liblate.so', TLS))];
  await discovery.rescan(1);
  assert.ok(!native.has(file('liblate.so', TLS)));
});
