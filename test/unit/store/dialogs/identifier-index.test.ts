/** The identifier index against a plain model of it, through growth, removal and reuse of places. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAX_IDENTIFIERS } from '../../../../src/core/limits.ts';
import { IdentifierIndex } from '../../../../src/store/dialogs/identifier-index.ts';

type Step =
  | { readonly slot: number; readonly kind: number; readonly a: number; readonly b: number }
  | { readonly gone: number };

const steps = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        slot: fc.nat(40),
        kind: fc.nat(8),
        a: fc.nat(9).map((v) => v * 0x10001 - 5),
        b: fc.nat(3),
      }),
    },
    { weight: 1, arbitrary: fc.record({ gone: fc.nat(40) }) },
  ),
  { maxLength: 600 },
);

function owners(index: IdentifierIndex, kind: number, a: number, b: number): number[] {
  const slots: number[] = [];
  index.forEachOwner(kind, a, b, (slot) => slots.push(slot) > 0);
  return slots;
}

test('it answers as a list of triples would', () => {
  fc.assert(
    fc.property(steps, (list: Step[]) => {
      const index = new IdentifierIndex();
      const model = new Map<number, string[]>();
      for (const step of list) {
        if ('gone' in step) {
          index.remove(step.gone);
          model.delete(step.gone);
          continue;
        }
        const own = model.get(step.slot) ?? [];
        const text = `${step.kind} ${step.a} ${step.b}`;
        const isNew = !own.includes(text) && own.length < MAX_IDENTIFIERS;
        assert.equal(index.add(step.slot, step.kind, step.a, step.b), isNew);
        if (isNew) model.set(step.slot, [text, ...own]);
      }
      assert.equal(
        index.size,
        [...model.values()].reduce((n, own) => n + own.length, 0),
      );
      for (let slot = 0; slot <= 40; slot++)
        assert.deepEqual(
          [...index.of(slot)].map((i) => `${i.kind} ${i.hashA} ${i.hashB}`),
          model.get(slot) ?? [],
        );
      const hashes = (own: readonly string[]): string[] => own.map((text) => text.slice(text.indexOf(' ')));
      for (const [slot, own] of model) {
        const others = hashes([...model].flatMap(([other, its]) => (other === slot ? [] : its)));
        assert.equal(index.isAlone(slot), !hashes(own).some((one) => others.includes(one)));
      }
      for (const text of new Set([...model.values()].flat())) {
        const [kind = 0, a = 0, b = 0] = text.split(' ').map(Number);
        const expected = [...model].filter(([, own]) => own.includes(text)).map(([slot]) => slot);
        assert.deepEqual(
          owners(index, kind, a, b).sort((x, y) => x - y),
          expected.sort((x, y) => x - y),
        );
      }
    }),
    { numRuns: 200 },
  );
});

test('a hundred thousand identifiers, half of them gone: the rest is found, places are used again', () => {
  const index = new IdentifierIndex();
  const hash = (i: number): number => Math.imul(i, 0x9e3779b1);
  for (let i = 0; i < 100_000; i++) assert.ok(index.add(i, 0, hash(i), ~hash(i)));
  for (let i = 0; i < 100_000; i += 2) index.remove(i);
  assert.equal(index.size, 50_000);
  for (let i = 0; i < 100_000; i++) assert.deepEqual(owners(index, 0, hash(i), ~hash(i)), i % 2 === 0 ? [] : [i]);
  for (let i = 0; i < 100_000; i += 2) assert.ok(index.add(i, 1, hash(i), ~hash(i)));
  assert.deepEqual(owners(index, 1, hash(4), ~hash(4)), [4]);
});

test('a full dialog refuses, and says how often', () => {
  const index = new IdentifierIndex();
  for (let i = 0; i < MAX_IDENTIFIERS + 3; i++) index.add(7, 0, i, i);
  assert.equal([...index.of(7)].length, MAX_IDENTIFIERS);
  assert.equal(index.refused, 3);
});
