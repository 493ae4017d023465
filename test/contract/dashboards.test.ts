/** The dashboards of deploy/grafana say what the console says, in its words; each alert of deploy/prometheus has its row on the page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OVERVIEW_TILES, OVERVIEW_TITLES } from '../../src/core/overview-words.ts';
import { picturesOf } from '../../src/faces/console/overview-series.ts';
import { asJson, asRows } from '../helpers/json.ts';
import type { Panel } from '../helpers/prometheus-kit.ts';
import { ALERTS, DASHBOARDS, panelsOf } from '../helpers/prometheus-kit.ts';
import { repositoryFile } from './repository.ts';

const titles = (panels: readonly Panel[]): string[] => panels.map(({ title }) => String(title));
const legends = (panel: Panel): string[] => asRows(panel['targets']).map((target) => String(target['legendFormat']));

test('panels have their own place and number, and ask the chosen data source', () => {
  assert.ok(DASHBOARDS.length >= 5);
  for (const dashboard of DASHBOARDS) {
    const panels = panelsOf(dashboard);
    assert.equal(new Set(panels.map((p) => p['id'])).size, panels.length);
    const cells = new Set<string>();
    for (const panel of panels) {
      const { x, y, w, h } = asJson(panel['gridPos']);
      for (let column = Number(x); column < Number(x) + Number(w); column++) {
        assert.ok(column < 24);
        for (let line = Number(y); line < Number(y) + Number(h); line++) {
          assert.ok(!cells.has(`${column},${line}`), `${dashboard.file}: ${String(panel['title'])} overlaps another`);
          cells.add(`${column},${line}`);
        }
      }
      if (panel['targets'] !== undefined) assert.equal(asJson(panel['datasource'])['uid'], '${datasource}');
    }
  }
});

test('a dashboard has a name and an address of its own, and leads to the others', () => {
  const boards = DASHBOARDS.map(({ board }) => board);
  for (const key of ['title', 'uid']) assert.equal(new Set(boards.map((board) => board[key])).size, boards.length);
  for (const board of boards) {
    assert.match(String(board['title']), /^calltap: /);
    assert.deepEqual(
      asRows(board['links']).map(({ tags }) => tags),
      [['calltap']],
    );
    assert.ok(Array.isArray(board['tags']) && board['tags'].includes('calltap'));
  }
});

/** What the console draws, of an answer with nothing in it. */
const FIGURES = { attempts: 0, answered: 0, effective: 0, failed: 0, canceled: 0, codes: [] };
const PICTURES = picturesOf({
  schema_version: 1,
  is_counting: true,
  cell_sec: 60,
  troubles: [],
  capture: { is_well: true },
  span: { from: '', to: '', figures: FIGURES, cells: [] },
});

const OVERVIEW = DASHBOARDS.find(({ file }) => file === 'calltap-overview.json') ?? assert.fail();
const DRAWN = panelsOf(OVERVIEW);

test('the overview has the tiles and the pictures of the console, in its order and with its words', () => {
  const first = titles(DRAWN).slice(0, OVERVIEW_TILES.length + PICTURES.length + 1);
  assert.deepEqual(first, [...OVERVIEW_TILES, ...PICTURES.map(({ title }) => title), OVERVIEW_TITLES.trunks]);
  for (const { title, series } of PICTURES) {
    const panel = DRAWN.find((one) => one['title'] === title) ?? assert.fail(title);
    const drawn = legends(panel).filter((text) => !text.endsWith(', 1d ago') && text !== '{{code}}');
    assert.deepEqual(
      drawn,
      series.map(({ label }) => label),
      title,
    );
  }
});

test('each picture but that of codes has the day before as a dashed line', () => {
  for (const { title } of PICTURES.filter(({ name }) => name !== 'Codes of failures')) {
    const panel = DRAWN.find((one) => one['title'] === title) ?? assert.fail(title);
    const ago = asRows(panel['targets']).filter(({ expr }) => String(expr).includes(' offset 1d'));
    assert.ok(ago.length > 0, title);
    for (const { legendFormat } of ago) assert.match(String(legendFormat), /, 1d ago$/);
    const dashed = asRows(asJson(panel['fieldConfig'])['overrides']).map((override) => JSON.stringify(override));
    assert.ok(
      dashed.some((text) => text.includes('1d ago$') && text.includes('"fill":"dash"')),
      title,
    );
  }
});

test('the overview says what stays in the console', () => {
  const text = DRAWN.find(({ type }) => type === 'text') ?? assert.fail();
  const wanted = `${OVERVIEW_TITLES.pairs}, ${OVERVIEW_TITLES.troubles.toLowerCase()}`;
  assert.equal(text['title'], wanted);
  assert.match(String(asJson(text['options'])['content']), /\[console\]\(\$\{console\}\)/);
});

/** The rows of the tables below a heading of a page, by their first cell. */
function rowsBelow(page: string, anchor: string): string[] {
  const sections = repositoryFile(page).split(/^### /m);
  const section = sections.find((text) => (text.split('\n')[0] ?? '').toLowerCase().replaceAll(' ', '-') === anchor);
  return [...((section ?? '').split('\n## ')[0]?.matchAll(/^\| `(\w+)` \|/gm) ?? [])].map(([, name = '']) => name);
}

test('an alert says what is wrong, what to do, and where its row is', () => {
  const places = new Set<string>();
  for (const { name, annotations } of ALERTS) {
    const { summary = '', description = '', docs = '' } = annotations;
    assert.ok(summary.length > 10 && description.length > 20, name);
    const [page = '', anchor = ''] = docs.split('#');
    assert.ok(rowsBelow(page, anchor).includes(name), `${name}: ${docs} has no row for it`);
    places.add(docs);
  }
  const rows = [...places].flatMap((docs) => rowsBelow(docs.split('#')[0] ?? '', docs.split('#')[1] ?? ''));
  assert.deepEqual(rows.sort(), ALERTS.map(({ name }) => name).sort(), 'the page has no other alerts, and none twice');
});
