/** Whatever the store does, in whatever order, over however many runs: what was made is stored or counted, and none twice. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { rowsLost, rowsMade, rowsStored, SHIP_TABLES, type ShipTable } from '../../../../src/actions/ship/counters.ts';
import { FAULTS, FakeStore, type Fault, rowText } from '../../../helpers/fake-store.ts';
import { assertBalanced, shipmentTo } from './lab.ts';

const PATIENT_MS = 60_000;
/** A store that says at once that it has what it never read lies about a segment that is short enough to be on its way. */
const HONEST = FAULTS.filter((fault) => fault !== 'early');
/** A store that hangs is left after a time, so few of a kind are enough. */
const QUICK = HONEST.filter((fault) => !['stall', 'busy', 'slow answer', 'slow reader'].includes(fault));

type Step = { readonly table: ShipTable; readonly rows: number; readonly bytes: number; readonly ends: boolean };

const step: fc.Arbitrary<Step> = fc.record({
  table: fc.constantFrom(...SHIP_TABLES),
  rows: fc.integer({ min: 1, max: 400 }),
  bytes: fc.constantFrom(0, 100, 2_000),
  /** The run ends, in good order, and the next one begins. */
  ends: fc.boolean(),
});
const faults: fc.Arbitrary<readonly Fault[]> = fc.array(
  fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...QUICK) }, { weight: 1, arbitrary: fc.constantFrom(...HONEST) }),
  { maxLength: 14 },
);

async function ship(steps: readonly Step[], order: readonly Fault[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-test-'));
  const store = new FakeStore(null);
  await store.start();
  const left = [...order];
  store.fault = () => left.shift() ?? 'none';
  const made = new Map<ShipTable, number>(SHIP_TABLES.map((table) => [table, 0]));
  const sums = { made: 0, stored: 0, lost: 0, retries: 0 };
  let run = 0;
  const next = () => {
    const boot = String(run++).padStart(16, '0');
    const { shipment } = shipmentTo(null, store.port, folder, { boot, times: { segmentMs: 5, answerMs: 150 } });
    shipment.start();
    return shipment;
  };
  let shipment = next();
  const end = async (): Promise<void> => {
    await shipment.close();
    assertBalanced(shipment);
    sums.made += rowsMade(shipment.counters);
    sums.stored += rowsStored(shipment.counters);
    sums.lost += rowsLost(shipment.counters);
    sums.retries += shipment.counters.get('retries');
  };
  try {
    for (const { table, rows, bytes, ends } of steps) {
      const from = made.get(table) ?? 0;
      for (let key = from; key < from + rows; key++) shipment.add(table, rowText(key, 1, bytes));
      made.set(table, from + rows);
      await shipment.drain(ends ? 0 : 20);
      assertBalanced(shipment);
      if (!ends) continue;
      await end();
      shipment = next();
    }
    await shipment.drain(PATIENT_MS);
    assert.equal(shipment.waitingRows, 0);
    await end();
    assert.equal(sums.made, sums.stored + sums.lost);
    // Here the store refuses only what it does not have, and nothing else loses a row.
    assert.equal(store.count, sums.stored);
    for (const table of SHIP_TABLES) {
      const most = made.get(table) ?? 0;
      assert.ok(
        store.keys(table).every((key) => key < most),
        'stored and never made',
      );
    }
    if (!order.some((fault) => fault === 'lost answer' || fault === 'refuse')) {
      assert.equal(sums.lost, 0);
      // A run that ends breaks off an insert, and the next one sends it once more; so does a machine that is late.
      const isExplained = sums.retries === order.length - left.length - order.filter((one) => one === 'none').length;
      if (isExplained && !steps.some(({ ends }) => ends)) assert.equal(store.kept, store.count, 'sent twice');
    }
  } finally {
    await shipment.close();
    await store.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

test('generated = stored + counted, none invented, none twice', { timeout: 240_000 }, async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), faults, ship), { numRuns: 40 });
});
