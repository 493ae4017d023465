/** Files whose functions are given: attached with proofs, refused before that when it is not so, and let go when it was not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROOF_STATE } from '../../../../src/sources/tls/native-tls.ts';
import { TlsOffsets } from '../../../../src/sources/tls/offsets.ts';
import { file, mapping, procWith, setUp } from './discovery-kit.ts';
import { addressOf, elfFile, functionAt } from './elf-file.ts';

const CODE = [0x55, 0xc3];
const nameless = elfFile({
  functions: [
    { name: '', code: CODE },
    { name: '', code: CODE },
  ],
  frames: [
    [0, 2],
    [1, 2],
  ],
});
const hex = (n: number): string => `0x${n.toString(16)}`;
const READ = `SSL_read=${hex(addressOf(0))}`;
const WRITE = `SSL_write=${hex(addressOf(1))}`;

test('a file with given functions is attached, and each has a proof of its own', async () => {
  const lib = file('libgiven.so', nameless);
  const { native, said, discovery } = setUp(['all'], null, procWith(10), new TlsOffsets([`${lib} ${READ} ${WRITE}`]));
  native.rows = [mapping(10, lib)];
  await discovery.rescan(0);
  assert.deepEqual(native.requests.find((r) => r.sites.some((s) => s.proof !== undefined))?.sites, [
    { kind: 'openssl-read', offset: functionAt(0), exits: [functionAt(0) + 1], proof: 1, isEndless: true },
    { kind: 'openssl-write', offset: functionAt(1), exits: [functionAt(1) + 1], proof: 2, isEndless: true },
  ]);
  assert.ok(said.some((line) => /^uprobe attached: libgiven\.so \(.*, by option, shown when its calls fit/.test(line)));
  assert.equal(discovery.files.statuses().find((s) => s.path === lib)?.foundBy, 'option');
  native.proofs.set(1, PROOF_STATE.PROVEN);
  discovery.settleProofs();
  discovery.settleProofs();
  assert.deepEqual(
    said.filter((line) => line.startsWith('uprobe proven')),
    [`uprobe proven: libgiven.so: ${READ} carries plaintext of TLS`],
  );
});

test('a function that is another is let go, named, and not attached again', async () => {
  const lib = file('libanother.so', nameless);
  const { native, said, discovery } = setUp(['all'], null, procWith(10), new TlsOffsets([`${lib} ${READ} ${WRITE}`]));
  native.rows = [mapping(10, lib)];
  await discovery.rescan(0);
  native.proofs.set(2, PROOF_STATE.REFUTED);
  discovery.settleProofs();
  const reason = `${WRITE} is another function: 20 of its calls fit no TLS record; nothing of it was shown`;
  assert.ok(said.includes(`uprobe detached: libanother.so: ${reason}`), said.join('\n'));
  assert.equal(discovery.files.statuses().find((s) => s.path === lib)?.reason, reason);
  // Nor when its process ends and another one starts.
  for (const [at, rows] of [
    [100_000, []],
    [200_000, [mapping(10, lib)]],
  ] as const) {
    native.rows = [...rows];
    await discovery.rescan(at);
  }
  assert.ok(!native.has(lib));
  assert.equal(discovery.files.refused, 1);
});

test('an address that starts no function is refused in one line, and nothing is attached', async () => {
  const lib = file('librefused.so', nameless);
  const wrong = `SSL_write=${hex(addressOf(1) + 1)}`;
  const { native, said, discovery } = setUp(['all'], null, procWith(10), new TlsOffsets([`${lib} ${READ} ${wrong}`]));
  native.rows = [mapping(10, lib)];
  await discovery.rescan(0);
  await discovery.rescan(60_000);
  const reason = `${wrong} (option) starts no function: it lies 1 bytes into the one at ${hex(addressOf(1))}`;
  assert.deepEqual(
    said.filter((line) => line.includes('librefused')),
    [`uprobe not attached: librefused.so: ${reason}`],
  );
  assert.ok(!native.has(lib));
  assert.deepEqual(
    [discovery.files.refused, discovery.files.statuses().find((s) => s.path === lib)?.reason],
    [1, reason],
  );
});

test('a named file that is no program of this kind is refused by name, once', async () => {
  const script = file('given-script', Buffer.from('#!/bin/sh\n'));
  const { said, discovery } = setUp(['all'], null, procWith(10), new TlsOffsets([`${script} ${READ} ${WRITE}`]));
  await discovery.rescan(0);
  await discovery.rescan(60_000);
  assert.deepEqual(
    said.filter((line) => line.includes('given-script')),
    ['uprobe not attached: given-script: not an ELF file'],
  );
});
