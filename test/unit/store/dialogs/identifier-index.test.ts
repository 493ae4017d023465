/** The identifier index against a plain model of it, through growth, removal and reuse of places. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAX_IDENTIFIERS } from '../../../../src/protocols/sip/named-calls.ts';
import { IdentifierIndex, MAX_TIED } from '../../../../src/store/dialogs/identifier-index.ts';
import { looksAtRows } from '../../../helpers/row-looks.ts';

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
  return [...(index.owners(kind, a, b) ?? [])];
}

/** Whatever the kind. */
const ANY: readonly boolean[] = new Array<boolean>(16).fill(true);

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
      const hash = (text: string): string => text.slice(text.indexOf(' '));
      const isOfKinds = [true, false, true, false, true];
      for (const [slot, own] of model) {
        const others = [...model].flatMap(([other, its]) => (other === slot ? [] : its));
        const isShared = (text: string): boolean =>
          isOfKinds[Number(text.split(' ', 1)[0])] === true
            ? others.some((other) => hash(other) === hash(text))
            : others.includes(text);
        assert.equal(index.isAlone(slot, isOfKinds), !own.some(isShared));
      }
      for (const text of new Set([...model.values()].flat())) {
        const [kind = 0, a = 0, b = 0] = text.split(' ').map(Number);
        const expected = [...model].filter(([, own]) => own.includes(text)).map(([slot]) => slot);
        assert.deepEqual(
          owners(index, kind, a, b).sort((x, y) => x - y),
          expected.sort((x, y) => x - y),
        );
        assert.equal(index.count(kind, a, b), expected.length);
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

test('what as many dialogs share as may be tied is told whole, the latest first; one more, and it ties none', () => {
  const index = new IdentifierIndex();
  for (let slot = 0; slot < MAX_TIED; slot++) index.add(slot, 6, 5, 7);
  assert.deepEqual(
    index.owners(6, 5, 7),
    Array.from({ length: MAX_TIED }, (_, i) => MAX_TIED - 1 - i),
  );
  assert.equal(index.common, 0);
  index.add(1_000, 6, 5, 7);
  index.add(1_001, 6, 5, 7);
  assert.equal(index.owners(6, 5, 7), null);
  assert.equal(index.count(6, 5, 7), MAX_TIED + 2);
  assert.equal(index.common, 2);
  // As another kind the same value is another identifier, and known by a few.
  index.add(2_000, 5, 5, 7);
  assert.deepEqual(index.owners(5, 5, 7), [2_000]);
  assert.equal(index.isAlone(2_000, ANY), false);
  assert.equal(index.isAlone(2_000, []), true);
  for (const slot of [1_001, 3, 0]) index.remove(slot);
  assert.equal(index.owners(6, 5, 7)?.length, MAX_TIED - 1);
  assert.equal(index.owners(6, 5, 7)?.[0], 1_000);
});

test('nothing takes longer however many dialogs have an identifier', () => {
  const KINDS = [0, 1, 5, 6, 7, 8];
  const few = 500;
  /** Looks at entries a dialog, in a store where so many share one value as each kind: to add it, ask for it, and remove it. */
  const cost = (dialogs: number, hash: (slot: number) => number): number[] => {
    const index = new IdentifierIndex();
    const add = (slot: number): void => {
      for (const kind of KINDS) index.add(slot, kind, hash(slot), ~hash(slot));
    };
    const ask = (slot: number): void => {
      for (const kind of KINDS) index.owners(kind, hash(slot), ~hash(slot));
    };
    for (let slot = 0; slot < dialogs; slot++) add(slot);
    const each = (work: (slot: number) => void, slotOf: (i: number) => number): number =>
      looksAtRows(() => {
        for (let i = 0; i < few; i++) work(slotOf(i));
      }) / few;
    const old = (i: number): number => Math.floor((i * dialogs) / few);
    return [
      each(add, (i) => dialogs + i),
      each((slot) => index.isAlone(slot, ANY), old),
      each(ask, old),
      each((slot) => index.remove(slot), old),
    ];
  };
  const scattered = (slot: number): number => Math.imul(slot + 1, 0x9e3779b1);
  const own = cost(20_000, scattered);
  for (const dialogs of [5_000, 20_000])
    for (const [i, looked] of cost(dialogs, () => 17).entries())
      assert.ok(
        looked <= 2 * (own[i] ?? 0) + 16,
        `step ${i} of ${dialogs} dialogs that share: ${looked}, else ${own[i]}`,
      );
});
