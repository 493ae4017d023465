/** Rows of addresses are remembered for as long as they are rows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Trunks } from '../../../../src/core/trunks.ts';
import type { Packet } from '../../../../src/sources/packet.ts';
import { emptyPacket } from '../../../../src/sources/packet.ts';
import { TRUNK_ADDRESSES, TrunkEnds } from '../../../../src/watch/trunks/trunk-ends.ts';
import type { TrunkRow } from '../../../../src/watch/trunks/trunk-row.ts';
import { MAX_TRUNK_ROWS, TrunkStore } from '../../../../src/watch/trunks/trunk-store.ts';
import { countAlive } from '../../../helpers/live-heap.ts';

function from(n: number): Packet {
  const packet = emptyPacket();
  packet.addresses.set([10, n >> 16, (n >> 8) & 255, n & 255]);
  return packet;
}

function kit() {
  const store = new TrunkStore(3);
  return { store, ends: new TrunkEnds(new Trunks([], []), store) };
}

test('rows that gave way leave no memory behind, though their addresses are remembered', async () => {
  const { store, ends } = kit();
  const seen = new Set<number>();
  const rows: WeakRef<TrunkRow>[] = [];
  // All are remembered at once, and each has its turn when there is room.
  const addresses = TRUNK_ADDRESSES - 1;
  for (let i = 0; i < 12 * addresses; i++) {
    const row = ends.row(from(i % addresses), true, 'in');
    if (row === null || seen.has(row.id)) continue;
    seen.add(row.id);
    row.seen(i);
    rows.push(new WeakRef(row));
  }
  assert.ok(seen.size > 4 * MAX_TRUNK_ROWS, `${seen.size} rows: the case is too small`);
  const alive = await countAlive(rows);
  assert.ok(alive <= MAX_TRUNK_ROWS, `${alive} rows are alive`);
  // These live so long that they can hold them.
  assert.ok(store.size <= MAX_TRUNK_ROWS && ends.row(from(0), true, 'in') !== null);
});

test('an address whose row gave way has a new one when there is room', () => {
  const { store, ends } = kit();
  const first = ends.row(from(0), true, 'in');
  assert.equal(ends.row(from(0), true, 'in'), first);
  for (let i = 1; first?.isFolded === false; i++) ends.row(from(i), true, 'in')?.seen(i);
  const now = ends.row(from(0), true, 'in');
  assert.notEqual(now, first);
  assert.equal(now, store.byId(now?.id ?? 0, 'in'));
});
