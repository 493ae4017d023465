/** --bpf: what a bad expression, a missing library and a run without packets are told. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { loadNative } from '../../src/sources/native.ts';
import { boundSkip, runBound } from './bound-files.ts';
import { assertRefused, DEMO, printed, run } from './run-program.ts';

const LIBRARIES = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/lib64', '/usr/lib64', '/usr/lib']
  .flatMap((folder) => [`${folder}/libpcap.so.1`, `${folder}/libpcap.so.0.8`])
  .filter((path) => existsSync(path));
const missing = loadNative().expressionRefusal('udp').isMissing && 'no libpcap';

test('an expression', { skip: missing }, async () => {
  assert.match(await printed(['-I', DEMO, '--bpf', 'udp port 5060']), /21 dialogs/);
  assert.match(await printed(['-I', DEMO, '--bpf', 'udp port 5999', '--stats-json']), /"packets":0,/);
});

test('one that cannot be for the frames of a file is said', { skip: missing }, async () => {
  const r = await run(['-I', DEMO, '--bpf', 'wlan type mgt']);
  assert.deepEqual(
    [r.code, r.stderr],
    [0, 'calltap: --bpf: skipped 9638 frames of a link type that it cannot be for\n'],
  );
});

test('a bad one is refused with the words of libpcap', { skip: missing }, async () => {
  assert.equal(
    assertRefused(await run(['-I', DEMO, '--bpf', 'udp prt 5060']), 2),
    "calltap: --bpf: can't parse filter expression: syntax error; correct the expression (man pcap-filter)",
  );
  assert.equal(
    assertRefused(await run(['-I', DEMO, '--bpf', '']), 2),
    'calltap: --bpf: the value is empty; give a value',
  );
});

test('it needs packets', async () => {
  assert.equal(
    assertRefused(await run(['-L', '127.0.0.1:0', '-E', '--bpf', 'udp']), 2),
    'calltap: --bpf: it filters the packets of files and interfaces; add -I FILE or -d IFACE',
  );
});

test('without libpcap the remedy is said, and all else works', { skip: missing || boundSkip() }, async () => {
  const hidden = LIBRARIES.map((path) => ['/dev/null', path] as const);
  assert.match((await runBound(hidden, ['-I', DEMO])).stdout, /21 dialogs/);
  assert.match(
    assertRefused(await runBound(hidden, ['-I', DEMO, '--bpf', 'udp']), 1),
    /^calltap: --bpf: libpcap is not there; install it \(Debian, Ubuntu: apt-get install libpcap0\.8; /,
  );
});
