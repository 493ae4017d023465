/** Quantiles over minutes of several agents: SQL merges the bins as the sketches themselves would. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GAMMA, LogBins, MIDDLE } from '../../src/core/log-bins.ts';
import { fleetStatements, skipWithoutStore, startMigratedStore } from '../helpers/store.ts';
import { STORE_ROWS, TODAY } from '../helpers/store-rows.ts';

const skip = skipWithoutStore();

/** The statement of docs/fleet.md. */
const QUANTILE = fleetStatements().find((statement) => statement.includes('sumMap(pdd_bins)'));

/** The middle of the bin that holds the value of this rank. */
function valueAt({ zeros, bins }: LogBins, rank: number): number {
  let seen = zeros;
  if (rank < seen) return 0;
  for (const [key, values] of bins) {
    seen += values;
    if (seen > rank) return MIDDLE * GAMMA ** key;
  }
  return Number.NaN;
}

test('a quantile of merged bins is that of all bins, and within 1 % of the values', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  const whole = new LogBins();
  const values: number[] = [];
  const rows: object[] = [];
  for (let minute = 0; minute < 12; minute++)
    for (const host of ['sbc1', 'sbc2', 'sbc3']) {
      const bins = new LogBins();
      for (let i = 0; i < 40; i++) {
        // From 0 to minutes: what a carrier's answers are like, and beyond.
        const value = i === 0 ? 0 : Math.round(20 * 1.13 ** ((i * 31 + minute * 7 + host.length) % 80) * 100) / 100;
        values.push(value);
        bins.add(value);
      }
      whole.merge(bins);
      const pdd = {
        pdd_count: bins.count,
        pdd_sum: bins.sum,
        pdd_zero: bins.zeros,
        pdd_bins: Object.fromEntries(bins.bins),
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
    const [mine, theirs] = [Number(row.pdd_ms), valueAt(whole, quantile * (whole.count - 1))];
    assert.ok(Math.abs(mine - theirs) <= theirs * 1e-9, `${quantile}: ${mine}, the bins say ${theirs}`);
    const exact = values[Math.floor(quantile * (values.length - 1))] ?? Number.NaN;
    assert.ok(Math.abs(mine - exact) <= exact * 0.0101, `${quantile}: ${mine}, exactly ${exact}`);
  }
});
