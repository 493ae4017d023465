/** --bpf: what a bad expression and a run without packets are told. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadNative } from '../../src/sources/native.ts';
import { assertRefused, DEMO, printed, run } from './run-program.ts';

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
