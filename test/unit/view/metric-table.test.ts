/** The table of metrics: what a scrape shows has a row, every row is filled by somebody, and the numbers of series hold. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { MetricGroup } from '../../../src/core/metric-groups.ts';
import { DEFAULT_METRIC_GROUPS, METRIC_GROUPS } from '../../../src/core/metric-groups.ts';
import { packageRoot } from '../../../src/core/package.ts';
import type { MetricRow } from '../../../src/view/metrics/row.ts';
import { METRIC_ROWS, seriesOf } from '../../../src/view/metrics/table.ts';

/** Promised to whoever pays for series. */
const MOST = { default: 3_000, all: 20_000 };

function most(groups: readonly MetricGroup[], isOfHub: boolean): number {
  const rows = METRIC_ROWS.filter(([, row]) => groups.includes(row.group) && (!row.isOfHub || isOfHub));
  return rows.reduce((sum, [, row]) => sum + seriesOf(row), 0);
}

test('the largest numbers of series keep what is promised', () => {
  assert.ok(most(DEFAULT_METRIC_GROUPS, false) <= MOST.default, `${most(DEFAULT_METRIC_GROUPS, false)}`);
  assert.ok(most(METRIC_GROUPS, false) <= MOST.all, `${most(METRIC_GROUPS, false)}`);
  assert.ok(most(['service', 'process'], true) <= MOST.default);
});

test('each row says what it is', () => {
  for (const [name, row] of METRIC_ROWS) {
    assert.match(name, /^(service|calltap|process|nodejs)_[a-z0-9_]+$/);
    assert.match(row.help, /^[A-Z0-9].+\.$|^.+; the value is always 1\.$/, name);
    assert.equal(row.bounds !== undefined, row.type === 'histogram', name);
    if (name.endsWith('_total')) assert.equal(row.type, 'counter', name);
    assert.equal(new Set(row.labels).size, row.labels.length, name);
  }
});

/** Where rows stand, and the bounds of their histograms. */
const OF_ROWS: ReadonlySet<string> = new Set([
  ...['run-rows', 'call-rows', 'row', 'table'].map((name) => `view/metrics/${name}.ts`),
  'watch/numbers/bounds.ts',
]);

test('no row is without a maker', () => {
  const made = new Set<string>();
  for (const path of readdirSync(join(packageRoot(), 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts') || OF_ROWS.has(path)) continue;
    const text = readFileSync(join(packageRoot(), 'src', path), 'utf8');
    for (const [name] of text.matchAll(/\b(?:service|calltap|process|nodejs)_[a-z0-9_]+\b/g)) made.add(name);
  }
  const unmade = METRIC_ROWS.map(([name]) => name).filter((name) => !made.has(name));
  assert.deepEqual(unmade, []);
});

/** What a test may name of a label: an address, a user, a Call-ID or a header is none. */
test('no label is what a stranger can make up', () => {
  const labels = new Set(METRIC_ROWS.flatMap(([, row]: readonly [string, MetricRow]) => row.labels));
  for (const label of ['address', 'user', 'call_id', 'from', 'to', 'user_agent']) assert.ok(!labels.has(label), label);
});
