/** Whoever is handed a dialog has one that lives, whatever came and went while the work rested. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { finish, type Steps } from '../../../../src/core/turns.ts';
import type { Dialog } from '../../../../src/store/dialogs/dialog.ts';
import { DialogStore } from '../../../../src/store/dialogs/dialog-store.ts';
import { visitAll, visitEach, whileLive } from '../../../../src/store/dialogs/live-dialogs.ts';
import { dialogInit } from './dialog-init.ts';

/** A full store, which gives up one dialog for each that comes. */
class Kit {
  readonly store: DialogStore;
  readonly first: readonly Dialog[];
  #opened = 0;

  constructor(size: number) {
    this.store = new DialogStore(size, () => {});
    this.first = this.come(size);
  }

  come(count: number, createdUs = 0): Dialog[] {
    return Array.from({ length: count }, () =>
      this.store.open(dialogInit(`call-${this.#opened++}`, { createdUs: createdUs + this.#opened })),
    );
  }

  get living(): readonly Dialog[] {
    return this.first.filter((d) => this.store.holds(d));
  }
}

/** Takes the steps, and does something in front of each but the first. */
function rested<T>(steps: Steps<T>, rest: () => void): T {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    rest();
  }
}

test('a walk over all visits each that lives once, in order, however many go while it rests', () => {
  const plan = fc.record({
    // Beyond 2,048 the order of the store is made anew while the walk goes on in the old one.
    size: fc.constantFrom(1, 7, 60, 2_500),
    every: fc.integer({ min: 1, max: 400 }),
    come: fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 10 }),
    from: fc.constantFrom('oldest' as const, 'newest' as const),
  });
  fc.assert(
    fc.property(plan, ({ size, every, come, from }) => {
      const kit = new Kit(size);
      const visited: Dialog[] = [];
      let turn = 0;
      const walk = visitAll(kit.store, from, every, (d) => {
        assert.ok(kit.store.holds(d), `${d.callId} lives`);
        visited.push(d);
        return undefined;
      });
      rested(walk, () => kit.come(come[turn++] ?? 0, 1e6));
      assert.equal(new Set(visited).size, visited.length, 'each once');
      const old = visited.filter(({ serial }) => serial < size).map(({ serial }) => serial);
      const inOrder = old.toSorted((a, b) => (from === 'oldest' ? a - b : b - a));
      assert.deepEqual(old, inOrder);
      const met = new Set(old);
      assert.deepEqual(
        kit.living.filter(({ serial }) => !met.has(serial)),
        [],
        'who lives to the end was visited',
      );
    }),
    { numRuns: 40 },
  );
});

test('who sends faster than dialogs are visited keeps no walk up', () => {
  const kit = new Kit(10);
  let visits = 0;
  const walk = visitAll(kit.store, 'oldest', 1, () => {
    assert.ok(++visits <= 10);
    return undefined;
  });
  rested(walk, () => kit.come(3, 1e6));
});

test('the steps of a visit end with the life of the dialog, those of the next one go on', () => {
  const kit = new Kit(3);
  const done: string[] = [];
  const walk = visitAll(kit.store, 'newest', 100, function* (d) {
    done.push(`${d.callId} begins`);
    yield;
    done.push(`${d.callId} ends`);
  });
  let isFirst = true;
  rested(walk, () => {
    // All that are here go, then the walk has its first turn.
    if (isFirst) kit.come(2, 1e6);
    isFirst = false;
  });
  assert.deepEqual(done, ['call-2 begins', 'call-2 ends']);
});

test('of a list those are visited that live when their turn comes', () => {
  const kit = new Kit(6);
  const visited: string[] = [];
  const walk = visitEach(kit.store, kit.first, (d) => {
    visited.push(d.callId);
    return undefined;
  });
  rested(walk, () => kit.come(1, 1e6));
  // Each turn takes the oldest that is left.
  assert.deepEqual(visited, ['call-0', 'call-1', 'call-2', 'call-3', 'call-4', 'call-5'].slice(0, visited.length));
  assert.ok(kit.first.every((d) => visited.includes(d.callId) || !kit.store.holds(d)));
  const gone = new Kit(4);
  const seen: string[] = [];
  rested(
    visitEach(gone.store, gone.first, (d) => {
      seen.push(d.callId);
      return undefined;
    }),
    () => gone.come(2, 1e6),
  );
  assert.deepEqual(seen, ['call-0', 'call-2']);
});

test('a visit that says so ends the walk', () => {
  const kit = new Kit(5);
  const visited: string[] = [];
  const upToTwo = (d: Dialog): false | undefined => (visited.push(d.callId) < 2 ? undefined : false);
  finish(visitAll(kit.store, 'oldest', 1, upToTwo));
  finish(visitEach(kit.store, kit.first, (d) => (d.callId === 'call-3' ? false : upToTwo(d))));
  assert.deepEqual(visited, ['call-0', 'call-1', 'call-0']);
});

test('steps about one dialog are given up with it', () => {
  const kit = new Kit(1);
  const [d = assert.fail()] = kit.first;
  const work = function* (): Steps<string> {
    yield;
    return d.callId;
  };
  assert.equal(finish(whileLive(kit.store, d, work())), 'call-0');
  assert.equal(
    rested(whileLive(kit.store, d, work()), () => kit.come(1)),
    null,
  );
});
