/** Rows of trunks by minute: once when it is over, again when a figure comes late, and zero where it was counted elsewhere. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MinuteLines } from '../../../../src/actions/ship/minute-lines.ts';
import { MAX_TRUNK_ROWS, TrunkStore } from '../../../../src/watch/trunks/trunk-store.ts';

const START = 29_000_000;
const SHIPPER = { host: 'sbc1', boot: '0123456789abcdef' };

type Row = {
  readonly minute: string;
  readonly trunk: string;
  readonly direction: string;
  readonly version: number;
  readonly attempts: number;
  readonly codes: Readonly<Record<string, number>>;
  readonly expected: number;
  readonly lost: number;
  readonly pdd_count: number;
  readonly pdd_bins: Readonly<Record<string, number>>;
};

function kit(): { store: TrunkStore; told: (minute: number, isLast?: boolean) => Row[]; kept: Map<string, Row> } {
  const store = new TrunkStore(3);
  const lines = new MinuteLines(store);
  const kept = new Map<string, Row>();
  let version = 0;
  const told = (minute: number, isLast = false): Row[] => {
    const rows = [...lines.changed(minute * 60e6, isLast, SHIPPER, () => ++version)].map(
      (line): Row => JSON.parse(line) as Row,
    );
    for (const row of rows) kept.set(`${row.minute} ${row.trunk} ${row.direction}`, row);
    return rows;
  };
  return { store, told, kept };
}

test('a minute is told of when it is over, and again when a figure comes late', () => {
  const { store, told } = kit();
  const { spans } = store.row('acme', 'out', true);
  const attempt = (minute: number): void => spans.add(minute, (f) => f.attempts++);
  attempt(START);
  assert.deepEqual(told(START), []);
  const [first] = told(START + 1);
  assert.deepEqual([first?.trunk, first?.direction, first?.attempts], ['acme', 'out', 1]);
  assert.equal(first?.minute, `${new Date(START * 60e3).toISOString().slice(0, 19)}Z`);
  assert.deepEqual(told(START + 1), [], 'nothing changed');
  spans.add(START, (f) => f.noteCode(486, 0));
  attempt(START + 1);
  const late = told(START + 1);
  assert.deepEqual(
    late.map(({ attempts, codes }) => [attempts, codes]),
    [[1, { '486': 1 }]],
  );
  assert.ok((late[0]?.version ?? 0) > (first?.version ?? 0));
  assert.equal(told(START + 1, true).length, 1, 'at the end the minute under way too');
});

test('bins of delays stand under the keys of the sketch', () => {
  const { store, told } = kit();
  const { spans } = store.row('acme', 'in', true);
  const gamma = (1 + 0.01) / (1 - 0.01);
  for (const ms of [100, 100, 2_500]) spans.add(START, (f) => f.notePdd(ms));
  const [row] = told(START + 1);
  assert.equal(row?.pdd_count, 3);
  const bins = Object.entries(row?.pdd_bins ?? {}).map(([key, n]) => [(2 * gamma ** Number(key)) / (1 + gamma), n]);
  assert.deepEqual(
    bins.map(([, n]) => n),
    [2, 1],
  );
  for (const [i, ms] of [100, 2_500].entries()) assert.ok(Math.abs((bins[i]?.[0] ?? 0) / ms - 1) <= 0.01, `${ms} ms`);
});

test('counts of packets are whole and not negative: a column without a sign refuses the insert', () => {
  const { store, told } = kit();
  const { spans } = store.row('acme', 'in', true);
  // Packets that came twice make up for more than what is lost; sums of shares are no whole numbers, or none at all.
  const minutes = [
    [100, -3],
    [99.6, 2.4],
    [Number.NaN, Number.NaN],
    [0, -0.2],
  ] as const;
  for (const [i, [expected, lost]] of minutes.entries())
    spans.add(START + i, (f) => {
      f.expected += expected;
      f.lost += lost;
    });
  const rows = told(START + minutes.length);
  assert.deepEqual(
    rows.map(({ expected, lost }) => [expected, lost]),
    [
      [100, 0],
      [100, 2],
      [0, 0],
      [0, 0],
    ],
  );
});

test('rows that gave way to others are zero, so that the sum stays what it was', () => {
  const { store, told, kept } = kit();
  let made = 0;
  const attempt = (name: string, minute: number): void => {
    store.row(name, 'out', false).spans.add(minute, (f) => f.attempts++);
    made++;
  };
  const sum = (): number => [...kept.values()].reduce((all, { attempts }) => all + attempts, 0);
  for (let i = 0; i < MAX_TRUNK_ROWS; i++) attempt(`198.51.100.${i}`, START);
  told(START + 1);
  assert.equal(sum(), made);
  for (let i = 0; store.folded === 0 && i < 100_000; i++) attempt(`203.0.113.${i}`, START + 1);
  assert.ok(store.folded > 0, 'no row gave way: the case is too small');
  told(START + 2);
  assert.equal(sum(), made);
});
