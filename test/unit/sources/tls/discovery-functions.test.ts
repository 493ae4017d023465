/** Which functions of a library are attached, and by which instructions they are left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { file, mapping, procWith, setUp } from './discovery-kit.ts';
import { elfFile, functionAt } from './elf-file.ts';
import { CHECKED, goFile, SLOT } from './go-file.ts';

/** SSL_read and SSL_write with code of their own, and SSL_free that leaves by a jump to anywhere. */
function library(read: readonly number[], write: readonly number[], free = ANYWHERE): Buffer {
  const codes: readonly (readonly [string, readonly number[]])[] = [
    ['SSL_read', read],
    ['SSL_write', write],
    ['SSL_free', free],
  ];
  return elfFile({ functions: codes.map(([name, code]) => ({ name, code })) });
}
const RETURNS = [0x55, 0xc3];
const UNKNOWN = [0x06, 0xc3];
const ANYWHERE = [0xff, 0xe0];

test('each function is attached with the instructions it leaves by', async () => {
  const { native, said, discovery } = setUp(['all'], null, procWith(10));
  const lib = file('libexits.so', library([0x55, 0x74, 1, 0xc3, 0xc3], RETURNS));
  native.rows = [mapping(10, lib)];
  await discovery.rescan(0);
  assert.deepEqual(native.requests.at(-1)?.sites, [
    { kind: 'openssl-read', offset: functionAt(0), exits: [functionAt(0) + 3, functionAt(0) + 4] },
    { kind: 'openssl-write', offset: functionAt(1), exits: [functionAt(1) + 1] },
    { kind: 'openssl-free', offset: functionAt(2), exits: null },
  ]);
  assert.ok(said.includes('uprobe attached: libexits.so (1 process)'));
  const free = discovery.files
    .statuses()
    .find((s) => s.path === lib)
    ?.sites.at(-1);
  assert.equal(free?.why, 'it leaves by a jump to where a register or memory says');
});

test('a Go program is attached with where its connections on TCP are told; one of an untried version is named', async () => {
  const functions = ['net.(*TCPConn).Read', 'crypto/tls.(*Conn).Read', 'crypto/tls.(*Conn).Write'] as const;
  const program = (version: string): Buffer => goFile({ version, functions: functions.map((name) => [name, CHECKED]) });
  const { native, said, discovery } = setUp(['all'], null, procWith(10));
  const [tried, untried] = [file('sbc', program('go1.26.1')), file('sbc-next', program('go1.99'))];
  native.rows = [mapping(10, tried), mapping(10, untried)];
  await discovery.rescan(0);
  const sites = native.requests.flatMap((r) => r.sites).filter((s) => s.kind.startsWith('go-'));
  assert.deepEqual(
    sites.map((s) => [s.kind, s.tcpDistance]),
    [
      ['go-read', -SLOT - 4],
      ['go-write', -2 * SLOT - 4],
    ],
  );
  assert.ok(said.includes('uprobe attached: sbc (1 process)'));
  assert.match(said.join('\n'), /^uprobe not attached: sbc-next: .*crypto\/tls \(go1\.99 was not tried \(tried: /m);
  assert.equal(discovery.files.refused, 1);
});

test('a function that cannot be followed is left out and named', async () => {
  const lib = file('libhalf.so', library(UNKNOWN, RETURNS));
  const { native, said, discovery } = setUp(['all'], null, procWith(10));
  native.rows = [mapping(10, lib)];
  await discovery.rescan(0);
  assert.deepEqual(
    native.requests.at(-1)?.sites.map((s) => s.kind),
    ['openssl-write', 'openssl-free'],
  );
  const why = 'an instruction that is not known (06c3)';
  assert.ok(said.includes(`uprobe attached: libhalf.so (1 process); not read: SSL_read (${why})`));
  assert.ok(discovery.files.unreadFunctions >= 1);
  assert.deepEqual(discovery.files.statuses().find((s) => s.path === lib)?.unread, [{ name: 'SSL_read', why }]);
});

test('what a free returns tells nothing: its entry is enough, whatever its code', async () => {
  for (const free of [RETURNS, UNKNOWN]) {
    const { native, discovery } = setUp(['all'], null, procWith(10));
    const lib = file('libfree.so', library(RETURNS, RETURNS, free));
    native.rows = [mapping(10, lib)];
    await discovery.rescan(0);
    const sites = native.requests.at(-1)?.sites.map((s) => [s.kind, s.exits?.length ?? null]);
    assert.deepEqual(sites, [
      ['openssl-read', 1],
      ['openssl-write', 1],
      ['openssl-free', null],
    ]);
    assert.deepEqual(discovery.files.statuses().find((s) => s.path === lib)?.unread, []);
  }
});

test('a library of which nothing can be read is refused, with the functions and the reasons', async () => {
  const { native, said, discovery } = setUp(['all'], null, procWith(10));
  const lib = file('libblind.so', library(UNKNOWN, ANYWHERE));
  native.rows = [mapping(10, lib)];
  await discovery.rescan(0);
  assert.ok(!native.has(lib));
  assert.equal(discovery.files.refused, 1);
  const reason =
    'its calls cannot be read: SSL_read (an instruction that is not known (06c3)), ' +
    'SSL_write (it leaves by a jump to where a register or memory says)';
  assert.ok(said.includes(`uprobe not attached: libblind.so: ${reason}`), said.join('\n'));
  assert.equal(discovery.files.statuses().find((s) => s.path === lib)?.reason, reason);
});
