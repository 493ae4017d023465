/** Layouts of records: where each field lies, what is refused, and that the properties read and write their own field alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineFields, type Numbers, row } from '../../../src/store/row.ts';

const LAYOUT = row(64, {
  name: 12,
  length: 'i32',
  us: 'f64',
  state: 'u8',
  mark: 'u8',
  gap: 'u8',
  last: 'u8',
  rest: 32,
  n: 'i32',
});

test('fields lie in the order in which they are given, each counted in its own kind', () => {
  assert.deepEqual(LAYOUT.at, { name: 0, length: 3, us: 2, state: 24, mark: 25, gap: 26, last: 27, rest: 28, n: 15 });
  assert.deepEqual([LAYOUT.bytes, LAYOUT.words, LAYOUT.doubles], [64, 16, 8]);
});

test('a layout that does not fill its bytes, or begins a field between its units, is refused', () => {
  assert.throws(() => row(64, { a: 'f64' }), /the fields take 8 of 64 bytes/);
  assert.throws(() => row(64, { a: 'u8', b: 'i32', rest: 56 }), /b would begin at byte 1/);
  assert.throws(() => row(64, { a: 'i32', b: 'f64', rest: 52 }), /b would begin at byte 4/);
});

test('each property reads and writes its own field of its own record', () => {
  const bytes = new Uint8Array(3 * LAYOUT.bytes);
  const memory = { u8: bytes, i32: new Int32Array(bytes.buffer), f64: new Float64Array(bytes.buffer) };
  class Plain {
    readonly memory = memory;
    readonly place: number;
    constructor(place: number) {
      this.place = place;
    }
  }
  defineFields(Plain.prototype as Plain, LAYOUT);
  const On = Plain as new (place: number) => Plain & Numbers<typeof LAYOUT.kinds>;
  const all = [0, 1, 2].map((place) => new On(place));
  const names = ['length', 'us', 'state', 'mark', 'gap', 'last', 'n'] as const;
  for (const [k, one] of all.entries()) for (const [i, name] of names.entries()) one[name] = 10 * k + i;
  for (const [k, one] of all.entries())
    assert.deepEqual(
      names.map((name) => one[name]),
      names.map((_, i) => 10 * k + i),
    );
  assert.deepEqual(
    [0, 1, 2].map((k) => memory.f64[k * 8 + 2]),
    [1, 11, 21],
  );
});
