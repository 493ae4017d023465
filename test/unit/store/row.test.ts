/** Layouts of records: where each field lies, what is refused, and that the properties read and write their own field alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Accessors, defineAccessors, defineFields, memoryOf, type Numbers, row } from '../../../src/store/row.ts';

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

test('each accessor reads and writes its own field of its own row, in whichever block it lies', () => {
  const rows = row(32, {
    us: 'f64',
    n: 'i32',
    hash: 'u32',
    port: 'u16',
    last: 'u16',
    flags: 'u8',
    kind: 'u8',
    pad: 'u16',
    rest: 8,
  });
  const blocks = [0, 1].map(() => memoryOf(new Uint8Array(4 * rows.bytes)));
  class Plain {
    block(at: number) {
      return blocks[at >> 2] ?? assert.fail();
    }
  }
  defineAccessors(Plain.prototype, rows, 4);
  const table = new Plain() as Plain & Accessors<typeof rows.kinds>;
  const values = [
    [1e15, -1, 4_294_967_295, 65_535, 1, 255, 2],
    [0.5, 7, 8, 9, 10, 11, 12],
  ] as const;
  for (const [at, of] of [
    [3, values[0]],
    [6, values[1]],
  ] as const) {
    table.setUs(at, of[0]);
    table.setN(at, of[1]);
    table.setHash(at, of[2]);
    table.setPort(at, of[3]);
    table.setLast(at, of[4]);
    table.setFlags(at, of[5]);
    table.setKind(at, of[6]);
  }
  const read = (at: number) => [
    table.us(at),
    table.n(at),
    table.hash(at),
    table.port(at),
    table.last(at),
    table.flags(at),
    table.kind(at),
  ];
  assert.deepEqual([read(3), read(6)], values);
  assert.deepEqual(
    [2, 4, 5, 7].flatMap(read).filter((value) => value !== 0),
    [],
  );
});
