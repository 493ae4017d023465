/** Which files get probes as processes come and go: over a scan and an attach that the test plays, with real files. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ServiceError } from '../../../../src/core/errors.ts';
import { finish } from '../../../../src/core/turns.ts';
import { TlsDiscovery } from '../../../../src/sources/tls/discovery.ts';
import { kernelDevice, openMapped } from '../../../../src/sources/tls/mapped-file.ts';
import { START } from '../../../../src/sources/tls/native-tls.ts';
import { TlsStarts } from '../../../../src/sources/tls/starts.ts';
import { TlsTargets } from '../../../../src/sources/tls/targets.ts';
import { dir, FakeNative, file, mapping, OTHER, procWith, setUp, TLS, writeMaps } from './discovery-kit.ts';

test('a library is attached once, whoever maps it, and let go some time after its last process', async () => {
  const { native, said, discovery } = setUp(['all']);
  const lib = file('libtest-once.so', TLS);
  const libc = file('libother.so', OTHER);
  native.rows = [mapping(10, lib), mapping(11, lib), mapping(11, lib, { start: 0x9000n }), mapping(12, libc)];
  await discovery.rescan(0);
  assert.ok(native.has(lib));
  assert.ok(!native.has(libc));
  const status = discovery.files.statuses().find((s) => s.path === lib);
  assert.deepEqual([status?.processes, status?.isAttached, status?.library], [2, true, 'OpenSSL']);
  assert.ok(said.includes('uprobe attached: libtest-once.so (2 processes)'), said.join());
  const attached = native.attached.size;
  await discovery.rescan(2000);
  assert.equal(native.attached.size, attached, 'nothing is attached twice');
  native.rows = [];
  await discovery.rescan(20_000);
  assert.ok(native.has(lib), 'a server that restarts is observed from its start');
  await discovery.rescan(40_000);
  assert.ok(!native.has(lib));
  assert.ok(said.includes('uprobe detached: libtest-once.so (no process maps it)'));
});

test('sites and path mean the inode that was looked into, even when the name leads elsewhere meanwhile', async () => {
  const { native, discovery } = setUp(['all']);
  const lib = file('libswap.so', TLS);
  const row = mapping(10, lib);
  native.rows = [row];
  await discovery.rescan(0);
  const request = native.requests.at(-1);
  assert.match(request?.path ?? '', /\/self\/fd\/\d+$/);
  assert.deepEqual(
    request?.sites.map((s) => s.kind),
    ['openssl-read', 'openssl-write'],
  );
  // Another file under the same name: the mapped one is not reachable any more.
  unlinkSync(lib);
  file('libswap.so', OTHER);
  const opened = openMapped({ ...row, ino: row.ino + 1_000_000 }, procWith(10));
  assert.ok('reason' in opened);
});

test('where a mapping can be opened, nobody is asked where its path leads', () => {
  const lib = file('libpoisoned.so', TLS);
  const proc = procWith(10);
  mkdirSync(join(proc, '10', 'map_files'));
  // Gone meanwhile: its path leads to a file of the same number, which its process may have put there.
  assert.ok('reason' in openMapped(mapping(10, lib), proc));
  symlinkSync(lib, join(proc, '10', 'map_files', '1000-2000'));
  const opened = openMapped({ ...mapping(10, lib), path: '/nowhere/libpoisoned.so' }, proc);
  assert.ok('fd' in opened);
  closeSync(opened.fd);
});

test('a list that lacks processes attaches what it has, says so once, and lets nothing go', async () => {
  const { native, said, discovery } = setUp(['all']);
  const [first, second] = [file('libfirst.so', TLS), file('libsecond.so', TLS)];
  native.rows = [mapping(10, first)];
  await discovery.rescan(0);
  native.rows = [mapping(11, second)];
  native.error = 'they map more files than calltap can list (131072)';
  for (const nowMs of [10_000, 60_000, 120_000]) await discovery.rescan(nowMs);
  assert.ok(native.has(first) && native.has(second));
  assert.equal(discovery.scanFailures, 3);
  assert.equal(said.filter((line) => line.startsWith('uprobe: cannot list all processes: they map')).length, 1);
  native.error = '';
  await discovery.rescan(180_000);
  assert.ok(!native.has(first));
});

test('a deleted library is reached through the mapping and let go at once when its process ends', async () => {
  const lib = file('libdeleted.so', TLS);
  // A real process that has the file mapped and deleted would need its loader: an open descriptor serves the same.
  const row = mapping(10, lib, { deleted: true });
  const proc = procWith(10);
  mkdirSync(join(proc, '10', 'map_files'));
  symlinkSync(lib, join(proc, '10', 'map_files', '1000-2000'));
  const { native, said, discovery } = setUp(['all'], null, proc);
  native.rows = [row];
  await discovery.rescan(0);
  assert.ok(native.has(lib));
  assert.ok(said.some((line) => line.startsWith('uprobe attached: libdeleted.so (deleted) (')));
  native.rows = [];
  await discovery.rescan(1000);
  assert.ok(!native.has(lib));
});

test('a refusal is said once, counted, and tried again later', async () => {
  const { native, said, discovery } = setUp(['all']);
  const lib = file('librefused.so', TLS);
  native.rows = [mapping(10, lib)];
  native.attachError = 'operation not permitted';
  await discovery.rescan(0);
  const before = discovery.files.refused;
  assert.ok(before >= 1);
  await discovery.rescan(2000);
  await discovery.rescan(31_000);
  assert.equal(said.filter((l) => l === 'uprobe not attached: librefused.so: operation not permitted').length, 1);
  native.attachError = '';
  await discovery.rescan(62_000);
  assert.ok(native.has(lib));
  assert.equal(discovery.files.refused, 0);
});

test('names of files cannot steer a terminal', async () => {
  const { native, said, discovery } = setUp(['all']);
  const lib = file('lib\u001b[31mred\n.so', TLS);
  native.rows = [mapping(10, lib)];
  await discovery.rescan(0);
  assert.ok(native.has(lib));
  assert.ok(
    said.every((line) => !/[\u0000-\u001f]/.test(line)),
    JSON.stringify(said),
  );
});

test('only the processes whose name fits are let through, as they come and go', async () => {
  const { native, discovery } = setUp(['all'], '^comm1[01]$');
  const lib = file('libcomm.so', TLS);
  native.rows = [mapping(10, lib), mapping(12, lib)];
  await discovery.rescan(0);
  native.rows.push(mapping(11, lib));
  await discovery.rescan(2000);
  await discovery.rescan(4000);
  // Told again though nothing changed: the kernel drops whom it added itself when two lists pass them by.
  assert.deepEqual(native.allowed, [[], [10], [10, 11], [10, 11]]);
  // Once seen, the kernel knows these names when a process starts; nobody has to look first.
  assert.equal(native.rule, START.ANY | START.NAME);
  assert.deepEqual(native.programs, ['0 comm10', '0 comm11']);
});

test('nobody is observed before it is known who is meant, not even where nobody is found', async () => {
  const proc = procWith(10);
  const native = new FakeNative();
  const targets = new TlsTargets({ uprobe: ['all'], comm: '^comm1[01]$' });
  const discovery = new TlsDiscovery(native, targets, () => {}, proc);
  native.error = 'not permitted';
  const attach = native.attach.bind(native);
  const listsAtAttach: number[] = [];
  native.attach = (request) => {
    listsAtAttach.push(native.allowed.length);
    return attach(request);
  };
  await discovery.rescan(0);
  assert.deepEqual(native.allowed, [[], []]);
  const lib = file('libfirst.so', TLS);
  writeMaps(proc, 10, 'comm10', lib);
  await discovery.rescan(60_000);
  assert.deepEqual(native.allowed, [[], [], [10]]);
  assert.ok(listsAtAttach.length > 0 && !listsAtAttach.includes(0), 'a list was in force at every attachment');
});

test('a program that renamed itself is known by the name of its file', () => {
  const proc = procWith(10, 11);
  symlinkSync('/usr/bin/node', join(proc, '10', 'exe'));
  symlinkSync('/usr/bin/other', join(proc, '11', 'exe'));
  const targets = new TlsTargets({ uprobe: ['all'], comm: '^node$' }, proc);
  const rows = [10, 11].map((pid) => ({ ...mapping(pid, file('node', TLS)), comm: 'MainThread' }));
  assert.deepEqual([...finish(targets.select(rows))], [10]);
  assert.deepEqual([...targets.fitting], ['node']);
});

test('a program that was started by a link and renamed itself is known by the name of the link', () => {
  const proc = procWith(10, 11);
  for (const pid of ['10', '11']) symlinkSync('/usr/bin/node', join(proc, pid, 'exe'));
  writeFileSync(join(proc, '10', 'cmdline'), '/opt/app/sip-proxy\0server.mjs\0');
  writeFileSync(join(proc, '11', 'cmdline'), 'node\0sip-proxy\0');
  const targets = new TlsTargets({ uprobe: ['all'], comm: '^sip-proxy$' }, proc);
  const rows = [10, 11].map((pid) => ({ ...mapping(pid, file('node', TLS)), comm: 'MainThread' }));
  assert.deepEqual([...finish(targets.select(rows))], [10]);
  // It became another program: the name says that there is something to read again.
  writeFileSync(join(proc, '10', 'cmdline'), 'sh\0');
  assert.deepEqual([...finish(targets.select(rows.map((row) => ({ ...row, comm: 'sh' }))))], []);
});

test('a library by its path: attached before any process, no other library, and no list of processes', async () => {
  const lib = file('libnamed.so', TLS);
  const other = file('libnotnamed.so', Buffer.concat([TLS, Buffer.from([0])]));
  const { native, discovery } = setUp([lib]);
  await discovery.rescan(0);
  assert.ok(native.has(lib));
  native.rows = [mapping(10, lib), mapping(10, other)];
  await discovery.rescan(2000);
  assert.ok(!native.has(other));
  assert.deepEqual(native.allowed, []);
  assert.deepEqual(native.programs, []);
  assert.equal(discovery.files.processes, 1);
});

test('a program by its path: all TLS libraries of its processes, and only of these', async () => {
  const program = file('program', OTHER);
  const lib = file('libofprogram.so', TLS);
  const { native, discovery } = setUp([program]);
  native.rows = [mapping(10, program), mapping(10, lib), mapping(11, lib)];
  await discovery.rescan(0);
  assert.ok(native.has(lib));
  assert.deepEqual(native.allowed, [[], [10]]);
  assert.equal(native.rule, START.FILE);
  assert.deepEqual(native.programs, [`${statSync(program).ino} program`]);
  // An upgrade puts another file under the name.
  file('program-new', OTHER);
  renameSync(join(dir, 'program-new'), program);
  await discovery.rescan(2000);
  assert.deepEqual(native.programs.slice(1), [`${statSync(program).ino} program`]);
});

test('programs whose name will fit are found where programs lie, before they run', () => {
  const folders = ['one', 'two'].map((name) => join(dir, name));
  for (const folder of folders) mkdirSync(folder);
  for (const name of ['one/sipd', 'two/sipd', 'two/sip-proxy-with-a-long-name', 'two/other']) file(name, OTHER);
  const native = new FakeNative();
  const starts = (comm: string | null): string[] =>
    new TlsStarts(native, new TlsTargets({ uprobe: [], comm }), [...folders, join(dir, 'nowhere')]).look();
  assert.deepEqual(starts('^sip'), [join(dir, 'one/sipd'), join(dir, 'two/sip-proxy-with-a-long-name')]);
  assert.deepEqual(native.programs, ['0 sipd', '0 sip-proxy-with-']);
  assert.deepEqual(starts('^sip-proxy-with-a'), [], 'as long as the name of a process is');
  assert.deepEqual(starts(null), []);
  assert.equal(native.programs.length, 2);
});

test('a process by its number, with those it started', async () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  try {
    assert.ok(child.pid !== undefined);
    const lib = file('libofpid.so', TLS);
    const native = new FakeNative();
    const targets = new TlsTargets({ uprobe: [String(process.ppid)], comm: null });
    const meant = finish(targets.select([mapping(child.pid, lib), mapping(1, lib)]));
    assert.deepEqual([...meant], process.ppid === 1 ? [child.pid, 1] : [child.pid]);
    assert.equal(native.attached.size, 0);
    assert.match(readFileSync(`/proc/${child.pid}/comm`, 'utf8'), /sleep/);
  } finally {
    child.kill();
  }
});

test('a failing scan is said once and counted', async () => {
  const { native, said, discovery } = setUp(['all']);
  await discovery.rescan(0);
  native.error = 'not enough kernel memory';
  await discovery.rescan(2000);
  await discovery.rescan(4000);
  assert.equal(discovery.scanFailures, 2);
  assert.equal(said.filter((l) => l.includes('not enough kernel memory')).length, 1);
});

test('a kernel that has no iterator over mappings: /proc/PID/maps is read, which is said once', async () => {
  const lib = file('libmapped.so', TLS);
  const proc = procWith(41, 42);
  for (const pid of [41, 42]) writeMaps(proc, pid, 'sipd', lib);
  const native = new FakeNative();
  native.error = 'Invalid argument';
  const said: string[] = [];
  const targets = new TlsTargets({ uprobe: ['all'], comm: null });
  const discovery = new TlsDiscovery(native, targets, (line) => said.push(line), proc);
  await discovery.rescan(0);
  await discovery.rescan(2000);
  assert.deepEqual([discovery.scanFailures, discovery.scanError], [0, '']);
  assert.equal(said.filter((line) => line.includes('/proc/PID/maps') && line.includes('Invalid argument')).length, 1);
  assert.equal(discovery.files.processes, 2);
  assert.ok(discovery.files.statuses().some((f) => f.path === lib && f.isAttached && f.processes === 2));
});

test('targets that name nothing are refused in one line with the remedy', () => {
  const refused: readonly (readonly [readonly string[], string | null, RegExp])[] = [
    [['0'], null, /--uprobe=0: no process can have this id/],
    [['4194305999'], null, /no process can have this id/],
    [['2147483646'], null, /--uprobe=2147483646: there is no such process/],
    [['libssl.so.3'], null, /neither a process id nor a path/],
    [['/no/such/file'], null, /ENOENT/],
    [['/proc'], null, /not a file/],
    [['all'], '(', /--uprobe-comm: the pattern is no RE2 regular expression/],
    [['all'], 'a'.repeat(300), /more than 256/],
    [['all'], '(?:a{1,1000}){2}', /--uprobe-comm/],
  ];
  for (const [uprobe, comm, line] of refused) {
    assert.throws(
      () => new TlsTargets({ uprobe, comm }),
      (error) => error instanceof ServiceError && error.exitCode === 2 && line.test(error.message),
      `${uprobe.join()} ${comm}`,
    );
  }
});

test("stat's device number is the kernel's", () => {
  assert.equal(kernelDevice(0xfe00), (254 << 20) | 0);
  assert.equal(kernelDevice(0x10_3412), (0x34 << 20) | 0x112);
});
