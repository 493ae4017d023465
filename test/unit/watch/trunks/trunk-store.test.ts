/** Rows of trunks are bounded: names and those of whom something came keep theirs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TrunkFigures } from '../../../../src/watch/trunks/trunk-figures.ts';
import { MAX_TRUNK_ROWS, TrunkStore } from '../../../../src/watch/trunks/trunk-store.ts';

const more = (f: TrunkFigures): void => {
  f.attempts++;
};

test('whoever sends from ever new addresses pushes out neither names nor those of whom something came', () => {
  const store = new TrunkStore(3);
  const named = store.row('acme', 'in', true);
  const carrier = store.row('203.0.113.9', 'in', false);
  carrier.isProven = true;
  for (let i = 0; i < 7; i++) carrier.spans.add(1, more);
  let strangers = 0;
  for (let i = 0; i < 10_000; i++) {
    const row = store.row(`10.0.${i >> 8}.${i & 255}`, 'in', false);
    row.seen(i);
    row.spans.add(1, more);
    strangers++;
  }
  assert.ok(store.size <= MAX_TRUNK_ROWS, `${store.size} rows`);
  assert.equal(store.row('acme', 'in', true), named);
  assert.equal(store.row('203.0.113.9', 'in', false), carrier);
  const all = [...store.rows].reduce((sum, { spans }) => sum + spans.whole.attempts, 0);
  assert.equal(all, strangers + 7);
  assert.ok(store.folded > 0);
});

test('with a place for nobody, a new address counts to the row of all others, and a name has one yet', () => {
  const store = new TrunkStore(3);
  for (let i = 0; store.size < MAX_TRUNK_ROWS - 2; i++)
    store.row(`10.0.${i >> 8}.${i & 255}`, 'in', false).isProven = true;
  assert.equal(store.row('198.51.100.1', 'in', false).name, 'other');
  assert.equal(store.row('acme', 'out', true).name, 'acme');
});

test('a row that gave way is found as the row of all others', () => {
  const store = new TrunkStore(3);
  const first = store.row('10.1.0.1', 'in', false);
  first.talking = 1;
  for (let i = 0; !first.isFolded; i++) store.row(`10.0.${i >> 8}.${i & 255}`, 'in', false).seen(i);
  assert.equal(store.byId(first.id, 'in'), store.other('in'));
  assert.equal(store.other('in').talking, 1);
});
