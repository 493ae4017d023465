/** Places: so many at a time, the others in their order, those who have gone let go of, and a line that ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Places } from '../../../src/core/places.ts';

const here = (): boolean => false;

test('as many work at a time as there are places, the others in their order', async () => {
  const places = new Places(2, 10);
  const began: number[] = [];
  const ends: (() => void)[] = [];
  const all = Array.from({ length: 6 }, (_, i) =>
    places.run(here, async () => {
      began.push(i);
      await new Promise<void>((resolve) => ends.push(resolve));
      return i;
    }),
  );
  for (let ended = 0; ended < 6; ended++) {
    await turn();
    assert.equal(places.taken, Math.min(2, 6 - ended));
    assert.equal(began.length, Math.min(6, ended + 2));
    ends[ended]?.();
  }
  assert.deepEqual(await Promise.all(all), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual([began, places.taken, places.waiting, places.refused], [[0, 1, 2, 3, 4, 5], 0, 0, 0]);
});

test('a full line refuses and counts; who has gone makes room and is never begun', async () => {
  const places = new Places(1, 2);
  const leave = await places.enter(here);
  let isGone = false;
  const gone = places.enter(() => isGone);
  const stays = places.enter(here);
  assert.equal(await places.enter(here), null);
  assert.equal(places.refused, 1);
  isGone = true;
  const next = places.enter(here);
  assert.equal(await gone, null);
  assert.deepEqual([places.waiting, places.refused], [2, 1]);
  leave?.();
  const second = await stays;
  assert.ok(second !== null);
  // Leaving twice gives no place to two.
  second();
  second();
  assert.ok((await next) !== null);
  assert.equal(places.taken, 1);
});

test('work that fails leaves its place', async () => {
  const places = new Places(1, 1);
  await assert.rejects(
    places.run(here, () => Promise.reject(new Error('broken'))),
    /broken/,
  );
  assert.equal(await places.run(here, async () => 'next'), 'next');
});
