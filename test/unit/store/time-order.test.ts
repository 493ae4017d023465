/** The order that both stores keep: by time, ties by arrival, whatever comes, goes and moves. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { METHOD_NAMES } from '../../../src/core/words.ts';
import { MethodCounts } from '../../../src/store/dialogs/method-counts.ts';
import { fieldKeys, TimeOrder } from '../../../src/store/time-order.ts';

type Item = { orderIndex: number; readonly serial: number; at: number };

const newest = (items: Iterable<Item>): Item[] => [...items].sort((a, b) => b.at - a.at || b.serial - a.serial);

test('any run of additions, removals and moves leaves the order that a sort would give', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('add' as const), at: fc.integer({ min: 0, max: 50 }) }),
    fc.record({ do: fc.constant('remove' as const), at: fc.nat(200) }),
    fc.record({ do: fc.constant('move' as const), at: fc.nat(200), to: fc.integer({ min: 0, max: 50 }) }),
    fc.record({ do: fc.constant('read' as const), at: fc.nat(1) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const order = new TimeOrder<Item>(fieldKeys(({ at }) => at));
      const model: Item[] = [];
      let serial = 0;
      for (const each of steps) {
        const item = model[each.at % Math.max(1, model.length)];
        if (each.do === 'add') {
          const made = { orderIndex: -1, serial: serial++, at: each.at };
          model.push(made);
          order.add(made, made.at);
        } else if (each.do === 'read') assert.deepEqual([...order.fromNewest()], newest(model));
        else if (item === undefined) continue;
        else if (each.do === 'remove') {
          order.remove(item);
          model.splice(model.indexOf(item), 1);
        } else {
          item.at = each.to;
          order.moved(item);
        }
      }
      assert.deepEqual([...order.fromNewest()], newest(model));
      for (const [i, item] of order.records().entries()) assert.ok(item === undefined || item.orderIndex === i);
    }),
    { numRuns: 300 },
  );
});

test('thousands come in reverse and most of them go: the order holds and the holes are closed', () => {
  const order = new TimeOrder<Item>(fieldKeys(({ at }) => at));
  const items = Array.from({ length: 5_000 }, (_, i) => ({ orderIndex: -1, serial: i, at: 5_000 - i }));
  for (const item of items) order.add(item, item.at);
  assert.deepEqual([...order.fromNewest()], items);
  for (const item of items.slice(10)) order.remove(item);
  assert.deepEqual([...order.fromNewest()], items.slice(0, 10));
  assert.ok(order.records().length < 2_100, `${order.records().length} places`);
});

test('a source that lags by thousands of records: its records come in at the next reading, and some go before', () => {
  const order = new TimeOrder<Item>(fieldKeys(({ at }) => at));
  const items: Item[] = [];
  let serial = 0;
  const add = (at: number): Item => {
    const item = { orderIndex: -1, serial: serial++, at };
    items.push(item);
    order.add(item, item.at);
    return item;
  };
  for (let i = 0; i < 3_000; i++) add(i);
  for (let i = 3_000; i < 6_000; i++) {
    add(i);
    const lagging = add(i - 2_500);
    if (i % 7 === 0) {
      order.remove(lagging);
      items.splice(items.indexOf(lagging), 1);
    }
    if (i % 500 === 0) assert.deepEqual([...order.fromNewest()], newest(items));
  }
  assert.deepEqual([...order.fromNewest()], newest(items));
  for (const [i, item] of order.records().entries()) assert.ok(item === undefined || item.orderIndex === i);
});

test('a walk goes on where it was, although records came in below it', () => {
  const order = new TimeOrder<Item>(fieldKeys(({ at }) => at));
  const items = [10, 20, 30, 40].map((at, serial) => ({ orderIndex: -1, serial, at }));
  for (const item of items) order.add(item, item.at);
  const records = order.records();
  const last = records[2] ?? null;
  order.add({ orderIndex: -1, serial: 9, at: 15 }, 15);
  assert.equal(order.resume(records, 2, last), 3);
  assert.equal(records[order.resume(records, 2, last) - 1]?.at, 20);
});

test('who rests in a walk either way meets each record once, whatever comes in behind it or goes', () => {
  for (const way of ['fromOldest', 'fromNewest'] as const) {
    const order = new TimeOrder<Item>(fieldKeys(({ at }) => at));
    const items = Array.from({ length: 40 }, (_, serial) => ({ orderIndex: -1, serial, at: serial * 10 }));
    for (const item of items) order.add(item, item.at);
    const met: number[] = [];
    for (const item of order[way]()) {
      met.push(item.serial);
      if (item.serial === 20) {
        order.add({ orderIndex: -1, serial: 100, at: 105 }, 105);
        order.remove(order.records().at(way === 'fromOldest' ? -1 : 0) ?? item);
      }
    }
    const left = items.map(({ serial }) => serial).filter((n) => n !== (way === 'fromOldest' ? 39 : 0));
    const expected = way === 'fromOldest' ? left : [...left.slice(10).reverse(), 100, ...left.slice(0, 10).reverse()];
    assert.deepEqual(met, expected, way);
  }
});

test('the method split follows states and evictions, and a flood of method names is forgotten again', () => {
  const of = (methodText: string) => ({ methodText, knownMethod: METHOD_NAMES.indexOf(methodText) });
  const counts = new MethodCounts();
  for (let i = 0; i < 10_000; i++) counts.add(of(`M${i}`), 0, 1);
  for (let i = 0; i < 10_000; i++) counts.add(of(`M${i}`), 0, -1);
  counts.add(of('INVITE'), 3, 1);
  counts.add(of('INVITE'), 3, 1);
  counts.add(of('OPTIONS'), 3, 1);
  // By its text alone it is the same method.
  counts.add({ methodText: 'INVITE', knownMethod: -1 }, 3, -1);
  counts.add(of('INVITE'), 4, 1);
  assert.deepEqual(Object.fromEntries(counts.split(null)), { INVITE: 2, OPTIONS: 1 });
  assert.deepEqual(Object.fromEntries(counts.split(3)), { INVITE: 1, OPTIONS: 1 });
  assert.deepEqual([...counts.split(0)], []);
  counts.add(of('OPTIONS'), 3, -1);
  assert.deepEqual(Object.fromEntries(counts.split(null)), { INVITE: 2 });
  counts.add(of('OPTIONS'), 3, 1);
  counts.move(of('OPTIONS'), 3, 5);
  assert.deepEqual(Object.fromEntries(counts.split(5)), { OPTIONS: 1 });
});
