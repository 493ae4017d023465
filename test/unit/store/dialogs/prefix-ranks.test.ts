/** The first prefix is that which holds most, and of those that hold the same the one that is idle longest. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PrefixRanks } from '../../../../src/store/dialogs/prefix-ranks.ts';
import { NONE } from '../../../../src/store/row-blocks.ts';

type Held = { holds: number; since: number };

/** The best of a plain list. */
function firstOf(model: ReadonlyMap<number, Held>): Held | undefined {
  return [...model.values()].sort((a, b) => b.holds - a.holds || a.since - b.since)[0];
}

test('the first prefix is that of a plain list, whatever is set, taken out and put back', () => {
  const step = fc.record({ prefix: fc.nat(200), holds: fc.integer({ min: NONE, max: 4 }), since: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 500 }), (steps) => {
      const ranks = new PrefixRanks();
      const model = new Map<number, Held>();
      for (const { prefix, holds, since } of steps) {
        const known = model.get(prefix);
        ranks.set(prefix, holds, since);
        if (holds === NONE) model.delete(prefix);
        else if (known?.holds !== holds || since < known.since) model.set(prefix, { holds, since });
        const { top, topRank } = ranks;
        const first = firstOf(model);
        assert.equal(topRank, first?.holds ?? NONE);
        assert.deepEqual(model.get(top), first);
        if (first === undefined) continue;
        assert.equal(ranks.putBack(top, first.since), false);
        assert.equal(ranks.putBack(top, first.since + 7), true);
        model.set(top, { holds: first.holds, since: first.since + 7 });
        assert.deepEqual(model.get(ranks.top), firstOf(model));
      }
    }),
    { numRuns: 200 },
  );
});

test('a prefix that holds more than is counted has the highest rank', () => {
  const ranks = new PrefixRanks();
  ranks.set(3, 1e9, 1);
  ranks.set(4, 65_535, 0);
  assert.deepEqual([ranks.top, ranks.topRank], [4, 65_535]);
});
