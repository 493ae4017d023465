/** Quantiles over minutes of several agents: SQL merges the bins as the sketches themselves would. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DDSketch } from '@datadog/sketches-js';
import { fleetStatements, skipWithoutStore, startMigratedStore } from '../helpers/store.ts';
import { STORE_ROWS, TODAY } from '../helpers/store-rows.ts';

const skip = skipWithoutStore();

/** The statement of docs/fleet.md. */
const QUANTILE = fleetStatements().find((statement) => statement.includes('sumMap(pdd_bins)'));

/** Bins of a sketch by key, as an agent writes them. */
function binsOf({ store }: DDSketch): Record<string, number> {
  const bins = store.bins.map((count, i) => [String(i + store.offset), count] as const);
  return Object.fromEntries(bins.filter(([, count]) => count > 0));
}

function newSketch(): DDSketch {
  return new DDSketch({ relativeAccuracy: 0.01 });
}

test('a quantile of merged bins is that of the merged sketches, and within 1 % of the values', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  const whole = newSketch();
  const values: number[] = [];
  const rows: object[] = [];
  for (let minute = 0; minute < 12; minute++)
    for (const host of ['sbc1', 'sbc2', 'sbc3']) {
      const sketch = newSketch();
      for (let i = 0; i < 40; i++) {
        // From 0 to minutes: what a carrier's answers are like, and beyond.
        const value = i === 0 ? 0 : Math.round(20 * 1.13 ** ((i * 31 + minute * 7 + host.length) % 80) * 100) / 100;
        values.push(value);
        sketch.accept(value);
      }
      whole.merge(sketch);
      const pdd = {
        pdd_count: sketch.count,
        pdd_sum: sketch.sum,
        pdd_zero: sketch.zeroCount,
        pdd_bins: binsOf(sketch),
      };
      const at = `${TODAY}T10:${String(minute).padStart(2, '0')}:00Z`;
      // An earlier version of the same minute had less: it must not count.
      rows.push({ ...STORE_ROWS.minute, host, minute: at, version: 1, pdd_count: 1, pdd_bins: { 900: 1 } });
      rows.push({ ...STORE_ROWS.minute, host, minute: at, version: 2, ...pdd });
    }
  const { status, text } = await store.insert('minute', rows);
  assert.equal(status, 200, text);
  values.sort((a, b) => a - b);
  for (const quantile of [0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 1]) {
    const [row] = await store.rows(`SELECT calls, pdd_ms FROM (${QUANTILE})`, { param_quantile: String(quantile) });
    assert.ok(typeof row === 'object' && row !== null && 'pdd_ms' in row && 'calls' in row);
    assert.equal(row.calls, values.length);
    const [mine, theirs] = [Number(row.pdd_ms), whole.getValueAtQuantile(quantile)];
    assert.ok(Math.abs(mine - theirs) <= theirs * 1e-9, `${quantile}: ${mine}, sketches say ${theirs}`);
    const exact = values[Math.floor(quantile * (values.length - 1))] ?? Number.NaN;
    assert.ok(Math.abs(mine - exact) <= exact * 0.0101, `${quantile}: ${mine}, exactly ${exact}`);
  }
});
