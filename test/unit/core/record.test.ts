/** Values come back as they were written; what does not fit leaves no half record that looks whole. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RecordReader, RecordWriter, recordMemory } from '../../../src/core/record.ts';

const BYTES = 4_096;

type Value =
  | { readonly kind: 'text'; readonly value: string | null }
  | { readonly kind: 'number'; readonly value: number | null }
  | { readonly kind: 'flag'; readonly value: boolean }
  | { readonly kind: 'texts'; readonly value: string[] };

/** Any units of UTF-16, halves of pairs too. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
  .map((all) => String.fromCharCode(...all));
const latin = fc.string({ unit: 'binary', maxLength: 20 });
const someText = fc.oneof(anyText, latin, fc.string({ unit: 'grapheme', maxLength: 10 }));
const values: fc.Arbitrary<Value[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('text' as const), value: fc.option(someText) }),
    fc.record({ kind: fc.constant('number' as const), value: fc.option(fc.double({ noNaN: true })) }),
    fc.record({ kind: fc.constant('flag' as const), value: fc.boolean() }),
    fc.record({ kind: fc.constant('texts' as const), value: fc.array(someText, { maxLength: 4 }) }),
  ),
  { minLength: 1, maxLength: 12 },
);

function write(to: RecordWriter, { kind, value }: Value): void {
  if (kind === 'text') to.textOrNull(value);
  else if (kind === 'number') to.numberOrNull(value);
  else if (kind === 'flag') to.flag(value);
  else to.texts(value);
}

function read(from: RecordReader, { kind }: Value): unknown {
  if (kind === 'text') return from.textOrNull();
  if (kind === 'number') return from.numberOrNull();
  return kind === 'flag' ? from.flag() : from.texts();
}

test('values come back in their order, and none is written behind the end', () => {
  fc.assert(
    fc.property(values, fc.nat(40), (all, from) => {
      const memory = recordMemory(new ArrayBuffer(BYTES));
      const writer = new RecordWriter(memory, from, BYTES);
      for (const one of all) write(writer, one);
      assert.ok(!writer.isFull);
      const reader = new RecordReader(memory, from);
      for (const one of all) assert.deepEqual(read(reader, one), one.value);
      assert.equal(reader.at, writer.at);

      for (const end of [writer.at, writer.at - 1, from + Math.floor((writer.at - from) / 2)]) {
        const less = recordMemory(new ArrayBuffer(BYTES));
        const short = new RecordWriter(less, from, end);
        for (const one of all) write(short, one);
        assert.equal(short.isFull, end < writer.at);
        assert.ok(less.bytes.subarray(Math.max(from, end)).every((byte) => byte === 0));
      }
    }),
  );
});

test('bytes come back, short and long, and none is written behind the end', () => {
  const source = Uint8Array.from(Array(300).keys());
  for (const length of [0, 1, 32, 33, 200]) {
    const memory = recordMemory(new ArrayBuffer(256));
    const writer = new RecordWriter(memory, 3, 3 + length);
    writer.bytes(source, 5, length);
    assert.deepEqual([writer.isFull, writer.at], [false, 3 + length]);
    assert.deepEqual([...new RecordReader(memory, 3).bytes(length)], [...source.subarray(5, 5 + length)]);
    writer.bytes(source, 0, 40);
    assert.ok(writer.isFull && memory.bytes.subarray(3 + length).every((byte) => byte === 0));
  }
});

test('null, NaN and an empty text are told apart where they can be', () => {
  const memory = recordMemory(new ArrayBuffer(100));
  const writer = new RecordWriter(memory, 0, 100);
  writer.textOrNull('');
  writer.textOrNull(null);
  writer.number(Number.NaN);
  writer.numberOrNull(-0);
  const reader = new RecordReader(memory, 0);
  assert.deepEqual([reader.text(), reader.textOrNull(), reader.numberOrNull(), reader.number()], ['', null, null, -0]);
});
