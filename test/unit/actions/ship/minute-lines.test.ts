/** Rows of trunks by minute: once when it is over, again when a figure comes late, and zero where it was counted elsewhere. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MinuteLines } from '../../../../src/actions/ship/minute-lines.ts';
import { timestampText } from '../../../../src/core/timestamp.ts';
import { type ClockStep, NEVER_SET } from '../../../../src/store/clock-steps.ts';
import { MAX_TRUNK_ROWS, TrunkStore } from '../../../../src/watch/trunks/trunk-store.ts';

const START = 29_000_000;
const MINUTE_US = 60e6;
/** Rows of addresses before one gives way: the rows of all others have a place each. */
const ROOM = MAX_TRUNK_ROWS - 2;
const EPOCH = '1970-01-01T00:00:00.000000Z';
const SHIPPER = { host: 'sbc1', boot: '0123456789abcdef' };

type Row = {
  readonly minute: string;
  readonly trunk: string;
  readonly direction: string;
  readonly version: number;
  readonly state: string;
  readonly since: string;
  readonly outages: number;
  readonly attempts: number;
  readonly codes: Readonly<Record<string, number>>;
  readonly expected: number;
  readonly lost: number;
  readonly pdd_count: number;
  readonly pdd_bins: Readonly<Record<string, number>>;
};

type Told = (minute: number, isLast?: boolean, clockSteps?: readonly ClockStep[]) => Row[];

function kit(): { store: TrunkStore; told: Told; kept: Map<string, Row> } {
  const store = new TrunkStore(3);
  const lines = new MinuteLines(store);
  const kept = new Map<string, Row>();
  let version = 0;
  const told: Told = (minute, isLast = false, clockSteps = NEVER_SET) => {
    const rows = [...lines.changed({ nowUs: minute * MINUTE_US, clockSteps }, isLast, SHIPPER, () => ++version)].map(
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
  for (let i = 0; i < ROOM; i++) attempt(`198.51.100.${i}`, START);
  told(START + 1);
  assert.equal(store.folded, 0);
  assert.equal(sum(), made);
  for (let i = 0; store.folded === 0 && i < 100_000; i++) attempt(`203.0.113.${i}`, START + 1);
  assert.ok(store.folded > 0, 'no row gave way: the case is too small');
  told(START + 2);
  assert.equal(sum(), made);
});

const states = (rows: readonly Row[]) => rows.map(({ state, since, outages }) => [state, since, outages]);
const at = (minute: number): string => timestampText(minute * MINUTE_US);
const minuteOf = (row: Row | undefined): number => Date.parse(row?.minute ?? '') / 60e3;

test('a trunk that goes down, or up again, is told of at once, in its newest minute', () => {
  const { store, told } = kit();
  const row = store.row('acme', 'out', true);
  const ask = (minute: number): void => {
    row.options.asked(minute * MINUTE_US);
    row.spans.add(Math.floor(minute), (f) => f.optionsAsked++);
  };
  for (const minute of [START, START + 0.1, START + 0.2]) ask(minute);
  assert.deepEqual(told(START + 0.21), [], 'nobody knows yet');
  const down = told(START + 0.3);
  assert.deepEqual(states(down), [['down', at(START), 0]]);
  assert.deepEqual(told(START + 0.4), [], 'nothing changed');
  const whole = told(START + 1);
  assert.deepEqual(states(whole), [['down', at(START), 0]], 'the minute is over');
  assert.ok((whole[0]?.version ?? 0) > (down[0]?.version ?? 0));
  // Its answer came to an earlier request, and made no news of its own.
  row.options.answered((START + 1.5) * MINUTE_US);
  const up = told(START + 1.6);
  assert.deepEqual(states(up), [['up', at(START + 1.5), 1]]);
  assert.equal(minuteOf(up[0]), START);
  assert.equal(up[0]?.attempts, whole[0]?.attempts);
  assert.deepEqual(told(START + 5), []);
  // OPTIONS ended ten minutes ago, and no INVITE says anything.
  assert.deepEqual(states(told(START + 11)), [['unknown', EPOCH, 1]]);
});

test('a late minute does not stand for the newest one, which says the state where it changed', () => {
  const { store, told } = kit();
  const row = store.row('acme', 'out', true);
  for (const minute of [START, START + 1]) row.spans.add(minute, (f) => f.attempts++);
  assert.deepEqual(
    told(START + 2).map(({ state }) => state),
    ['unknown', 'unknown'],
  );
  row.invites.answered((START + 2) * MINUTE_US);
  row.spans.add(START, (f) => f.noteCode(200, 0));
  const rows = told(START + 2.5);
  assert.deepEqual(rows.map(minuteOf), [START, START + 1]);
  assert.deepEqual(states(rows), Array(2).fill(['up', at(START + 2), 0]));
});

test('a trunk without any minute gets one of now, and what lies ahead of time is none', () => {
  const { store, told } = kit();
  const row = store.row('acme', 'out', true);
  row.spans.add(START + 500, (f) => f.attempts++);
  row.invites.answered(START * MINUTE_US);
  const rows = told(START + 1);
  assert.deepEqual(
    rows.map((one) => [minuteOf(one), one.attempts, one.state]),
    [[START + 1, 0, 'up']],
  );
});

test('the end of a run says the last state, also of minutes that are sent already', () => {
  const { store, told } = kit();
  const row = store.row('acme', 'out', true);
  for (const sec of [1, 2, 3]) row.options.asked(START * MINUTE_US + sec * 1e6);
  row.spans.add(START, (f) => {
    f.optionsAsked += 3;
  });
  assert.deepEqual(
    told(START + 0.05, true).map(({ state }) => state),
    ['unknown'],
  );
  assert.deepEqual(
    told(START + 0.1, true).map(({ state }) => state),
    ['down'],
  );
  assert.deepEqual(told(START + 0.1, true), []);
});

test('since when is told as the clock of the host showed it, minutes are not', () => {
  const { store, told } = kit();
  const row = store.row('acme', 'out', true);
  row.spans.add(START, (f) => f.attempts++);
  row.invites.answered((START + 0.5) * MINUTE_US);
  const steps = [{ atUs: (START + 0.2) * MINUTE_US, sizeUs: -10 * MINUTE_US }];
  const [one] = told(START + 1, false, steps);
  assert.deepEqual([minuteOf(one), one?.since], [START, at(START - 9.5)]);
});

test('a row that gave way says nothing of its state', () => {
  const { store, kept, told } = kit();
  for (let i = 0; i < ROOM; i++) {
    const row = store.row(`198.51.100.${i}`, 'out', false);
    row.spans.add(START, (f) => f.attempts++);
    row.invites.answered(START * MINUTE_US);
  }
  told(START + 1);
  for (let i = 0; store.folded === 0 && i < 100_000; i++)
    store.row(`203.0.113.${i}`, 'out', false).spans.add(START, (f) => f.attempts++);
  told(START + 2);
  const gone = [...kept.values()].filter(({ trunk, attempts }) => trunk.startsWith('198.') && attempts === 0);
  assert.ok(gone.length > 0);
  assert.deepEqual(new Set(gone.map(({ state, since }) => `${state} ${since}`)), new Set([`unknown ${EPOCH}`]));
});
