/** One user leaves room for others in every table that all share, and who is refused is named once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownFiles, MAX_TLS_ATTACHED, MAX_TLS_FILES } from '../../../../src/sources/tls/known-files.ts';
import { TLS_PROOF_ROWS, TlsProofs } from '../../../../src/sources/tls/proofs.ts';
import { GONE, ROOT, UserShares, userOf, usersOf } from '../../../../src/sources/tls/user-shares.ts';

const [ALICE, BOB, CAROL] = [1000, 1001, 1002];

test('one user gets half, two a third each, root what is left', () => {
  const shares = new UserShares(12);
  const fill = (user: number): number => {
    let rows = 0;
    for (; shares.hasRoom(user); rows++) shares.take(user);
    return rows;
  };
  assert.equal(fill(ALICE), 6);
  assert.equal(fill(BOB), 3);
  assert.ok(!shares.hasRoom(ALICE));
  assert.ok(shares.hasRoom(CAROL, 2) && !shares.hasRoom(CAROL, 3));
  assert.equal(fill(ROOT), 3);
  assert.ok(shares.isFull && !shares.hasRoom(CAROL) && !shares.hasRoom(ROOT));
  shares.free(ALICE, 6);
  assert.equal(shares.total, 6);
  assert.equal(fill(ALICE), 3);
});

test('a process that has gone is nobody, and no root', () => {
  assert.equal(userOf('/proc', process.pid), process.geteuid?.());
  assert.equal(userOf('/nowhere', 1), GONE);
  assert.notEqual(GONE, ROOT);
  const user = usersOf('/proc');
  assert.equal(user(process.pid), user(process.pid));
});

function known() {
  const said: string[] = [];
  const files = new KnownFiles((line) => said.push(line));
  const of = (ino: number, user: number) =>
    files.of({ dev: 1, ino, path: `/lib${ino}.so`, deleted: false }, () => user);
  const attach = (ino: number, user: number): boolean => {
    const f = of(ino, user);
    if (f === null || !files.mayAttach(f)) return false;
    files.attach(f, ino);
    return true;
  };
  return { files, said, of, attach };
}

test('the table of known files has room for others, and asks for no look that would tell nothing', () => {
  const { files, said, of } = known();
  let ino = 1;
  while (of(ino, ALICE) !== null) ino++;
  assert.equal(ino - 1, MAX_TLS_FILES / 2);
  assert.equal(of(ino + 1, ALICE), null);
  assert.equal(files.beyondCap, 2);
  const news = (at: number, user: number): boolean => files.hasNews({ dev: 1, ino: at }, () => user, 0);
  assert.ok(!news(ino, ALICE), 'her next file');
  assert.ok(news(ino, BOB) && news(ino, ROOT) && news(ino, GONE));
  assert.ok(of(ino, BOB) !== null);
  assert.deepEqual(said, [
    'uprobe: calltap looks into no more files of user 1000: too many are mapped (uprobe_files_beyond_cap)',
  ]);
  // What nobody maps any more is room again.
  const first = files.get('1:1');
  assert.ok(first !== undefined);
  files.forget(first);
  files.forget(first);
  assert.ok(of(ino + 2, ALICE) !== null);
  assert.equal(of(ino + 3, ALICE), null);
});

test('probes: half for one user; a library that another maps too is his', () => {
  const { files, said, of, attach } = known();
  let ino = 1;
  while (attach(ino, ALICE)) ino++;
  assert.equal(files.attached, MAX_TLS_ATTACHED / 2);
  const f = of(ino, ALICE);
  assert.ok(f !== null && f.isBeyondShare);
  assert.equal(f.reason, 'more libraries than user 1000 may have of the 512 with probes');
  f.libraries = [];
  f.retryAtMs = 30_000;
  assert.ok(!files.hasNews({ dev: 1, ino }, () => ALICE, 0));
  assert.ok(files.hasNews({ dev: 1, ino }, () => BOB, 0));
  assert.ok(attach(ino, BOB));
  assert.equal(f.user, BOB);
  assert.equal(f.reason, '');
  assert.equal(said.length, 1);
  // Of many users one after the other the last finds room too.
  for (let at = 1000; attach(at, BOB); at++);
  assert.ok(attach(5000, CAROL));
  for (const file of files.all()) files.detach(file);
  assert.equal(files.attached, 0);
});

test('functions under proof: a user takes no row that another needs', () => {
  const proofs = new TlsProofs({ proof: () => ({ state: 0, calls: 0 }) });
  const names = (n: number): string[] => Array.from({ length: n }, (_, i) => `SSL_read=${i}`);
  assert.equal(proofs.begin('a', names(TLS_PROOF_ROWS / 2 + 1), ALICE), null);
  assert.equal(proofs.begin('a', names(TLS_PROOF_ROWS / 2), ALICE)?.length, 512);
  assert.equal(proofs.begin('b', names(1), ALICE), null);
  assert.equal(proofs.begin('c', names(256), BOB)?.length, 256);
  proofs.end('a');
  assert.equal(proofs.begin('b', names(1), ALICE)?.length, 1);
});
