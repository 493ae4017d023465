/**
 * deploy/prometheus and deploy/grafana: promtool takes them, the rules say what they should of known series, and every
 * metric, label and value they name is on the page of a running calltap.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { start } from '../cli/run-program.ts';
import type { Family } from '../helpers/exposition.ts';
import { readExposition } from '../helpers/exposition.ts';
import { asJson, asRows } from '../helpers/json.ts';
import { answered, listen, until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { repositoryRoot } from './native-program.ts';
import { RULES_TEST } from './prometheus-series.ts';
import { selectorsOf } from './promql-selectors.ts';
import { TRUNK_RULES_TEST } from './trunk-series.ts';

const KIT = join(repositoryRoot(), 'deploy/prometheus');
const RULES = readFileSync(join(KIT, 'calltap.rules.yml'), 'utf8');
const DASHBOARD: unknown = JSON.parse(readFileSync(join(repositoryRoot(), 'deploy/grafana/calltap.json'), 'utf8'));

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

/** Expressions of a rule file with their record names; a block is what is indented deeper than its key. */
function ruleExpressions(yaml: string): { readonly record: string | null; readonly expression: string }[] {
  const out: { record: string | null; expression: string }[] = [];
  const lines = yaml.split('\n');
  let record: string | null = null;
  lines.forEach((line, i) => {
    const name = /^\s*- (record|alert): (\S+)$/.exec(line);
    if (name !== null) record = name[1] === 'record' ? (name[2] ?? null) : null;
    const found = /^( *)expr: (.*)$/.exec(line);
    if (found === null) return;
    let expression = found[2] ?? '';
    if (expression === '|') {
      const deeper = new RegExp(`^ {${(found[1] ?? '').length + 1},}\\S`);
      const end = lines.findIndex((l, k) => k > i && !deeper.test(l));
      expression = lines.slice(i + 1, end).join('\n');
    }
    out.push({ record, expression });
  });
  return out;
}

/** Every expression of the dashboard: of panels, annotations and variables; as Grafana would fill it in. */
function dashboardExpressions(): string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        if (key === 'expr') found.push(String(inner));
        else if (key === 'definition') found.push(/^label_values\((.*), \w+\)$/.exec(String(inner))?.[1] ?? '');
        else visit(inner);
      }
    }
  };
  visit(DASHBOARD);
  return found.map((text) => text.replaceAll('$__rate_interval', '5m').replaceAll(/\$(?:job|instance)/g, '.*'));
}

test('promtool takes the configuration and the rules', { skip: noPromtool }, (t) => {
  const secrets = { 'calltap.token': 'a', 'calltap.password': 'b' };
  assert.match(promtool(t, ['check', 'config', 'prometheus.yml'], secrets), /SUCCESS: 1 rule files found/);
  const found = /SUCCESS: (\d+) rules found/.exec(promtool(t, ['check', 'rules', 'calltap.rules.yml']))?.[1];
  assert.equal(Number(found), ruleExpressions(RULES).length);
});

test('the rules say what they should of known series', { skip: noPromtool }, (t) => {
  for (const text of [RULES_TEST, TRUNK_RULES_TEST])
    assert.match(promtool(t, ['test', 'rules', 'series.yml'], { 'series.yml': text }), /SUCCESS/);
});

test('the expressions of the dashboard are PromQL', { skip: noPromtool }, (t) => {
  const expressions = dashboardExpressions();
  assert.ok(expressions.length > 30, `${expressions.length}`);
  const rules = expressions.map((text, i) => `      - record: panel:${i}\n        expr: ${JSON.stringify(text)}`);
  const file = `groups:\n  - name: dashboard\n    rules:\n${rules.join('\n')}\n`;
  const out = promtool(t, ['check', 'rules', 'dashboard.yml'], { 'dashboard.yml': file });
  assert.match(out, new RegExp(`SUCCESS: ${expressions.length} rules found`));
});

test('panels have their own place and number, and ask the chosen data source', () => {
  const panels = asRows(asJson(DASHBOARD)['panels']);
  assert.equal(new Set(panels.map((p) => p['id'])).size, panels.length);
  const cells = new Set<string>();
  for (const panel of panels) {
    const { x, y, w, h } = asJson(panel['gridPos']);
    for (let column = Number(x); column < Number(x) + Number(w); column++) {
      assert.ok(column < 24);
      for (let line = Number(y); line < Number(y) + Number(h); line++) {
        assert.ok(!cells.has(`${column},${line}`), `${String(panel['title'])} overlaps another`);
        cells.add(`${column},${line}`);
      }
    }
    if (panel['type'] !== 'row') assert.equal(asJson(panel['datasource'])['uid'], '${datasource}');
  }
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
  const rules = ruleExpressions(RULES);
  const recorded = new Set(rules.map((r) => r.record));
  const expressions = [...rules.map((r) => r.expression), ...dashboardExpressions()];
  let checked = 0;
  for (const expression of expressions) {
    const selectors = selectorsOf(expression);
    assert.ok(selectors.length > 0, expression);
    for (const { name, labels } of selectors) {
      if (name === 'up' || recorded.has(name)) continue;
      const family = page.get(name) ?? page.get(name.replace(/_(?:bucket|sum|count)$/, ''));
      assert.ok(family !== undefined, `${name} is on no page: ${expression}`);
      checked++;
      // A family without samples yet tells nothing of its labels.
      if (family.samples.length === 0) continue;
      for (const [label, value] of labels) {
        if (label === 'job' || label === 'instance') continue;
        const values = new Set(family.samples.map((s) => s.labels[label]));
        for (const one of value.split('|')) assert.ok(values.has(one), `${name}{${label}="${one}"} does not exist`);
      }
    }
  }
  assert.ok(checked > 60, `${checked} selectors`);
});
