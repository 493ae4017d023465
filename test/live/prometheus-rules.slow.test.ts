/**
 * deploy/prometheus and deploy/grafana: promtool takes them, the rules say what they should of known series, every query of a
 * dashboard finds some of these, and every metric, label and value that they name is on the page of a running calltap.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { start } from '../cli/run-program.ts';
import type { Family } from '../helpers/exposition.ts';
import { readExposition } from '../helpers/exposition.ts';
import { answered, listen, until } from '../helpers/patience.ts';
import { ALERTS, DASHBOARDS, KIT, queriesOf, RULE_FILES, RULES } from '../helpers/prometheus-kit.ts';
import { selectorsOf } from '../helpers/promql-selectors.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { ALL_FAMILIES, AWAITED } from './awaited-families.ts';
import { PANEL_SERIES } from './panel-series.ts';
import { HOST_SERIES, HOST_TEST, NOTHING_TEST, rulesTest } from './prometheus-series.ts';
import { TRUNK_SERIES, TRUNK_TEST } from './trunk-series.ts';

const noPromtool =
  spawnSync('promtool', ['--version']).error === undefined ? false : 'no promtool (package prometheus)';

/** Runs promtool in a folder with the kit; its output. */
function promtool(t: TestContext, args: readonly string[], files: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryFolder(t);
  cpSync(KIT, folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const run = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });
  assert.equal(run.status, 0, run.stdout + run.stderr);
  return run.stdout;
}

test('promtool takes the configuration and the rules', { skip: noPromtool }, (t) => {
  const secrets = { 'calltap.token': 'a', 'calltap.password': 'b' };
  assert.match(promtool(t, ['check', 'config', 'prometheus.yml'], secrets), /SUCCESS: 2 rule files found/);
  const out = promtool(t, ['check', 'rules', ...RULE_FILES]);
  const found = [...out.matchAll(/SUCCESS: (\d+) rules found/g)].reduce((n, [, rules]) => n + Number(rules), 0);
  assert.equal(found, RULES.length);
});

const TESTS = { hosts: HOST_TEST, trunks: TRUNK_TEST, nothing: NOTHING_TEST };
for (const [name, given] of Object.entries(TESTS)) {
  test(`the rules say what they should of known series: ${name}`, { skip: noPromtool }, (t) => {
    assert.match(promtool(t, ['test', 'rules', 'series.yml'], { 'series.yml': rulesTest(given) }), /SUCCESS/);
  });
}

test('the known series make each record, and each alert fire', () => {
  const fired = Object.values(TESTS).flatMap((one) => (one.fired ?? []).map(([name]) => name));
  assert.deepEqual(
    ALERTS.filter(({ name }) => !fired.includes(name)).map(({ name }) => name),
    [],
  );
  const known = [HOST_TEST, TRUNK_TEST].flatMap(({ values = [] }) => values.map(([record]) => record.split('{')[0]));
  const used = RULES.flatMap(({ expression }) => selectorsOf(expression).map(({ name }) => name));
  assert.deepEqual(
    RULES.filter(({ kind, name }) => kind === 'record' && !known.includes(name) && !used.includes(name)),
    [],
    'a record that no other rule uses has its value in a test',
  );
});

test('every query of a dashboard finds series', { skip: noPromtool }, (t) => {
  const queries = DASHBOARDS.flatMap(queriesOf);
  assert.ok(queries.length > 150, `${queries.length}`);
  const found = queries.map(({ expression }) => expression);
  const given = { series: [...HOST_SERIES, ...TRUNK_SERIES, ...PANEL_SERIES], found };
  assert.match(promtool(t, ['test', 'rules', 'panels.yml'], { 'panels.yml': rulesTest(given) }), /SUCCESS/);
});

/** The metrics page of a calltap that does all it can. */
async function metricsPage(t: TestContext): Promise<Map<string, Family>> {
  const output = join(temporaryFolder(t), 'out.pcapng');
  const attackers = ['--kill-scanner', '--kill-response', '200', '--fraud'];
  const trunk = ['--trunk', '127.0.0.1=acme'];
  const child = start([
    '-d',
    'lo',
    '--portrange',
    '5999',
    '-O',
    output,
    ...attackers,
    ...trunk,
    ...ALL_FAMILIES,
    '--api',
    '127.0.0.1:0',
  ]);
  t.after(() => child.kill('SIGKILL'));
  const [, url] = await listen(child).said(/api listening on (\S+)\n/);
  const socket = createSocket('udp4');
  t.after(() => socket.close());
  const ping = 'OPTIONS sip:acme SIP/2.0\r\nVia: SIP/2.0/UDP x;branch=z9hG4bK1\r\nFrom: <sip:a@x>;tag=1\r\n';
  return until(
    async () => {
      socket.send(`${ping}To: <sip:b@x>\r\nCall-ID: ping\r\nCSeq: 1 OPTIONS\r\n\r\n`, 5999, '127.0.0.1');
      const page = readExposition(await (await answered(`${url}/metrics`)).text());
      return page.has('calltap_trunk_up') ? page : null;
    },
    () => 'no trunk is on the page',
  );
}

test('every metric, label and value they name is on the page of a running calltap', {
  skip: process.getuid?.() === 0 ? false : 'live capture needs root',
}, async (t) => {
  const page = await metricsPage(t);
  const recorded = new Set(RULES.map(({ name }) => name));
  const expressions = [...RULES, ...DASHBOARDS.flatMap(queriesOf)].map(({ expression }) => expression);
  let checked = 0;
  const missing = new Set<string>();
  for (const expression of expressions) {
    const selectors = selectorsOf(expression);
    assert.ok(selectors.length > 0, expression);
    for (const { name, labels } of selectors) {
      if (['up', 'ALERTS'].includes(name) || recorded.has(name)) continue;
      const base = name.replace(/_(?:bucket|sum|count)$/, '');
      const family = page.get(name) ?? page.get(base);
      if (family === undefined) missing.add(base);
      checked++;
      // A family without samples yet tells nothing of its labels.
      if (family === undefined || family.samples.length === 0) continue;
      for (const [label, value] of labels) {
        if (['job', 'instance', 'trunk'].includes(label)) continue;
        const values = new Set(family.samples.map((s) => s.labels[label]));
        for (const one of value.split('|')) assert.ok(values.has(one), `${name}{${label}="${one}"} does not exist`);
      }
    }
  }
  assert.deepEqual(
    [...missing].filter((name) => !AWAITED.includes(name)),
    [],
  );
  assert.ok(checked > 60, `${checked} selectors`);
});
