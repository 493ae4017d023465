/** deploy/grafana/calltap-store.json: each statement of the dashboard, filled in as Grafana does, runs on the engine and finds rows. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../src/core/package.ts';
import { run } from '../cli/run-program.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { skipWithoutStore, startMigratedStore } from '../helpers/store.ts';
import { movedToNow } from './moved-capture.ts';

const skip = skipWithoutStore();
const DASHBOARD: unknown = JSON.parse(readFileSync(join(packageRoot(), 'deploy/grafana/calltap-store.json'), 'utf8'));

/** Where each statement stands, by its path in the file. */
function* statements(of: unknown, path = ''): Generator<readonly [path: string, sql: string]> {
  if (typeof of !== 'object' || of === null) return;
  for (const [name, value] of Object.entries(of)) {
    const isStatement = name === 'rawSql' || name === 'definition';
    if (isStatement && typeof value === 'string') yield [`${path}/${name}`, value];
    else yield* statements(value, `${path}/${name}`);
  }
}

/** The macros of Grafana's data source for ClickHouse, and the variables, for the last hour. */
function filled(sql: string, hosts: readonly string[], trunks: readonly string[]): string {
  const list = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(',');
  const [from, to] = [`(now64(3) - 3600)`, 'now64(3)'];
  return sql
    .replaceAll(/\$__timeFilter\((\w+)\)/g, `$1 >= ${from} AND $1 <= ${to}`)
    .replaceAll(/\$__timeInterval\((\w+)\)/g, 'toStartOfInterval(toDateTime($1), INTERVAL 60 second)')
    .replaceAll('$__fromTime', from)
    .replaceAll('$__toTime', to)
    .replaceAll(/\$\{host:singlequote\}/g, list(hosts))
    .replaceAll(/\$\{trunk:singlequote\}/g, list(trunks));
}

test('each panel, variable and annotation of the dashboard asks what the engine answers', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  const folder = temporaryFolder(t);
  const path = movedToNow('fixtures/demo/demo.pcap', join(folder, 'demo.pcap'), 0.25);
  const to = ['--ship', `${store.url}/calltap`, '--ship-spool', join(folder, 'spool'), '--ship-host', 'sbc1'];
  const { code, stderr } = await run([path, ...to]);
  assert.equal(code, 0, stderr);
  const named = (await store.rows('SELECT DISTINCT trunk FROM minute')) as { trunk: string }[];
  const trunks = named.map(({ trunk }) => trunk);
  assert.ok(trunks.length > 1);
  const all = [...statements(DASHBOARD)];
  assert.ok(all.length > 15, `${all.length} statements`);
  for (const [place, sql] of all) {
    const asked = filled(sql, ['sbc1'], trunks);
    assert.ok(!asked.includes('$'), `${place}: ${asked}`);
    const rows = await store.rows(asked);
    assert.ok(rows.length > 0, `${place} finds nothing: ${asked}`);
  }
});
