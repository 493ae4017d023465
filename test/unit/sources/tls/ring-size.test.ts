/** The ring of TLS events is a power of two: as large as it was asked for at least, else by the memory there is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryBytes, tlsRingBytes } from '../../../../src/sources/tls/open.ts';

const MIB = 1024 ** 2;

test('what was asked for is rounded up to a power of two', () => {
  const cases = [
    [65_536, 65_536],
    [65_537, 131_072],
    [16 * MIB, 16 * MIB],
    [20 * MIB, 32 * MIB],
    [1024 * MIB - 1, 1024 * MIB],
    [1024 * MIB, 1024 * MIB],
  ] as const;
  for (const [asked, bytes] of cases) assert.equal(tlsRingBytes(asked, 1), bytes);
});

test('by default it is the part of memory below 1/128 that is a power of two, 8 to 64 MiB', () => {
  const cases = [
    [0, 8],
    [1024, 8],
    [2047, 8],
    [2048, 16],
    [4096, 32],
    [7900, 32],
    [8192, 64],
    [1_000_000, 64],
  ] as const;
  for (const [memory, mib] of cases) assert.equal(tlsRingBytes(null, memory * MIB), mib * MIB, `${memory}`);
  assert.ok(memoryBytes() > 64 * MIB && Number.isFinite(memoryBytes()));
});
