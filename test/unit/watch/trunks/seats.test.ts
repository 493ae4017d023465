/** Seats: which trunks have metrics of their own, and that no sum falls when they are given anew. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { USUAL_TRUNK_BOUNDS } from '../../../../src/core/trunk-bounds.ts';
import { TRUNK_SEATS } from '../../../../src/watch/trunks/seats.ts';
import type { TrunkDirection, TrunkRow } from '../../../../src/watch/trunks/trunk-row.ts';
import { minuteOf } from '../../../../src/watch/trunks/trunk-spans.ts';
import { TrunkStore } from '../../../../src/watch/trunks/trunk-store.ts';

const DAY_US = 86_400e6;
const START_US = 20_000 * DAY_US + 3_600e6;

class Trunks {
  readonly store: TrunkStore;
  nowUs = START_US;
  #least = new Map<string, number>();

  constructor(names: number) {
    const all = Array.from({ length: names }, (_, i) => `t${i}`);
    this.store = new TrunkStore(3, USUAL_TRUNK_BOUNDS, all);
    this.store.tick(this.nowUs);
  }

  call(name: string, times = 1, direction: TrunkDirection = 'out', isConfigured = true): TrunkRow {
    const row = this.store.row(name, direction, isConfigured);
    row.seen(this.nowUs);
    for (let i = 0; i < times; i++)
      row.spans.add(minuteOf(this.nowUs), (f) => {
        f.attempts++;
      });
    this.look();
    return row;
  }

  nextDay(): void {
    this.nowUs += DAY_US;
    this.store.tick(this.nowUs);
    this.look();
  }

  /** Attempts by what a scrape calls them. Fails where one fell. */
  look(): Map<string, number> {
    const { store } = this;
    const shown = new Map<string, number>();
    for (const row of store.seats.seated)
      shown.set(`${row.name} ${row.direction}`, store.seated.of(row).figure('attempts'));
    for (const direction of ['in', 'out'] as const)
      shown.set(`other ${direction}`, store.seated.others(direction).figure('attempts'));
    for (const [name, n] of shown) {
      assert.ok(n >= (this.#least.get(name) ?? 0), `${name} fell to ${n}`);
      this.#least.set(name, n);
    }
    const sum = [...store.rows].reduce((all, { spans }) => all + spans.whole.attempts, 0);
    const seen = [...shown.values()].reduce((a, b) => a + b, 0);
    const waiting = [...store.rows]
      .filter((row) => !store.seats.has(row))
      .reduce((all, row) => all + store.seated.of(row).figure('attempts'), 0);
    assert.equal(seen + waiting, sum, 'each attempt is counted once');
    return shown;
  }
}

test('with few trunks each has its seat, and others are one line a direction', () => {
  const trunks = new Trunks(3);
  trunks.call('t1', 2);
  trunks.call('192.0.2.9', 3, 'in', false);
  const shown = trunks.look();
  assert.equal(shown.get('t1 out'), 2);
  assert.equal(shown.get('other in'), 3);
  assert.equal(shown.get('t0 out'), 0);
});

test('a seat that was never used goes to who needs one first', () => {
  const trunks = new Trunks(200);
  assert.equal(trunks.store.seats.seated.size, TRUNK_SEATS);
  for (let i = 100; i < 150; i++) trunks.call(`t${i}`);
  assert.equal(trunks.store.seats.seated.size, TRUNK_SEATS);
  assert.ok([...trunks.store.seats.seated].every(({ spans }) => spans.whole.attempts === 1));
  trunks.call('t7', 5);
  assert.equal(trunks.look().get('other out'), 5, 'all seats are in use');
});

test('at midnight the busiest of the day get the seats, and no sum falls', () => {
  const trunks = new Trunks(200);
  for (let i = 0; i < 200; i++) trunks.call(`t${i}`, i + 1, i % 2 === 0 ? 'in' : 'out');
  assert.ok(!trunks.look().has('t199 out'));
  trunks.nextDay();
  const second = trunks.look();
  assert.equal(second.size, TRUNK_SEATS + 2);
  assert.equal(second.get('t199 out'), 0, 'what it did without a seat is counted already');
  trunks.call('t199', 4);
  for (let i = 0; i < 60; i++) trunks.call(`t${i}`, 100, i % 2 === 0 ? 'in' : 'out');
  assert.equal(trunks.look().get('t199 out'), 4);
  trunks.nextDay();
  assert.ok(!trunks.look().has('t199 out'));
  trunks.call('t199', 1_000);
  trunks.nextDay();
  trunks.call('t199', 1);
  assert.equal(trunks.look().get('t199 out'), 5, 'it goes on where it was');
});
