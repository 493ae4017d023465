/** The four-bytes-at-a-time searches find what a byte loop finds, at every alignment and with every byte value. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { asciiWord, findByte, findControl, wordsOf } from '../../../src/core/byte-search.ts';

/** Bytes next to the ones searched for, and those with the high bit, come more often than chance has them. */
const byte = fc.oneof(
  fc.constantFrom(0, 1, 9, 10, 12, 13, 14, 32, 33, 34, 35, 44, 45, 58, 59, 60, 127, 128, 141, 172, 187, 255),
  fc.nat(255),
  fc.constant(0x61),
);
const input = fc.tuple(fc.array(byte, { maxLength: 40 }), fc.nat(40), fc.nat(40)).map(([bytes, a, b]) => ({
  buf: Uint8Array.from(bytes),
  start: Math.min(a, b, bytes.length),
  end: Math.min(Math.max(a, b), bytes.length),
}));

function naive(buf: Uint8Array, start: number, end: number, isFound: (c: number) => boolean): number {
  const at = buf.subarray(start, end).findIndex(isFound);
  return at < 0 ? end : start + at;
}

describe('byte searches', () => {
  it('agree with a byte loop', () => {
    fc.assert(
      fc.property(input, byte, ({ buf, start, end }, wanted) => {
        const words = wordsOf(buf);
        assert.equal(
          findControl(buf, words, start, end),
          naive(buf, start, end, (c) => c <= 13),
        );
        assert.equal(
          findByte(buf, words, start, end, wanted),
          naive(buf, start, end, (c) => c === wanted),
        );
      }),
      { numRuns: 3000 },
    );
  });

  it('look through a view with the offsets of the buffer', () => {
    const slab = new Uint8Array(16).map((_, i) => i);
    const part = slab.subarray(3, 12);
    assert.equal(wordsOf(part).getUint8(0), 3);
    assert.equal(wordsOf(slab).getUint8(0), 0);
    assert.equal(wordsOf(part).byteLength, 9);
    assert.equal(wordsOf(Buffer.from('via:x')).getInt32(0, true), asciiWord('via:'));
  });
});
