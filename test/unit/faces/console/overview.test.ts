/** The overview without a browser: addresses, filters behind marks, stacks, changes, steps of the heat map, who calls whom. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  AskOverview,
  OverviewCell,
  OverviewNode,
  OverviewPairs,
  OverviewSpan,
} from '../../../../src/contract/index.ts';
import { changeOf } from '../../../../src/faces/console/overview-change.ts';
import { callsOf, listOf, trunkCalls } from '../../../../src/faces/console/overview-filters.ts';
import { ROW_HEIGHT, rowPaths, stepOf, stepWords } from '../../../../src/faces/console/overview-heat.ts';
import { layersOf } from '../../../../src/faces/console/overview-layers.ts';
import { picturesOf } from '../../../../src/faces/console/overview-series.ts';
import { addressOf, askedOf, pathOf, shortLength } from '../../../../src/faces/console/overview-span.ts';
import { dataOf, seriesAt, strokesOf } from '../../../../src/faces/console/overview-strokes.ts';
import { hashOf, routeOf } from '../../../../src/faces/console/route.ts';
import { parseFilter } from '../../../../src/query/parse.ts';

const asked = (query: string): ReturnType<typeof askedOf> => askedOf(new URLSearchParams(query));

test('the console begins with the overview; a filter without a screen is the list, as before', () => {
  assert.equal(routeOf('').screen, 'overview');
  assert.equal(routeOf('#/').screen, 'overview');
  assert.equal(routeOf('#/?q=state:Failed').screen, 'calls');
  assert.equal(routeOf('#/?q=state:Failed').query.get('q'), 'state:Failed');
  assert.equal(routeOf('#/calls').screen, 'calls');
});

test('a span stands in the address and comes back; what cannot be read is the last hour', () => {
  const pulled = { minutes: '360', since: '2026-11-30T04:00:00Z', until: '2026-11-30T04:05:00Z', by: 'mos' } as const;
  assert.deepEqual(askedOf(routeOf(hashOf('overview', '', addressOf(pulled))).query), pulled);
  assert.equal(pathOf(pulled), 'ask/overview?since=2026-11-30T04%3A00%3A00Z&until=2026-11-30T04%3A05%3A00Z&by=mos');
  assert.equal(hashOf('overview', '', addressOf(asked(''))), '#/overview');
  assert.equal(pathOf(asked('minutes=15&by=ner')), 'ask/overview?minutes=15&by=ner');
  const hour = { minutes: '60', since: '', until: '', by: 'asr' };
  for (const wrong of [
    'minutes=-1',
    'minutes=99999',
    'minutes=x',
    'by=__proto__',
    'since=x&until=y',
    `since=${pulled.until}&until=${pulled.since}`,
  ])
    assert.deepEqual(asked(wrong), hour, wrong);
  assert.deepEqual([900, 3_600, 58_800, 86_400].map(shortLength), ['15m', '1h', '16h20m', '1d']);
});

test('the filter of a cell ends before the next one begins, and names are quoted', () => {
  const cell = { from: '2026-11-30T04:00:00Z', to: '2026-11-30T04:05:00Z' };
  assert.equal(callsOf(cell), 'method:INVITE since:2026-11-30T04:00:00Z until:2026-11-30T04:04:59.999999Z');
  assert.equal(
    trunkCalls('a "b" or c', cell),
    'method:INVITE trunk="a \\"b\\" or c" since:2026-11-30T04:00:00Z until:2026-11-30T04:04:59.999999Z',
  );
  assert.equal(listOf('mos<3', 'mos'), '#/calls?q=mos%3C3&sort=mos');
});

const SECOND = 1_000;
const NONE = { attempts: 0, answered: 0, effective: 0, failed: 0, canceled: 0, codes: [] };

function cellAt(i: number, figures: Partial<OverviewCell>): OverviewCell {
  const at = new Date(Date.UTC(2026, 10, 30, 4) + i * 60 * SECOND).toISOString();
  return { at, ...NONE, talking: 0, most_talking: 0, ...figures };
}

function spanOf(cells: readonly OverviewCell[], figures: Partial<OverviewSpan['figures']>): OverviewSpan {
  return { from: '', to: '', figures: { ...NONE, ...figures }, cells: [...cells] };
}

const codesOf = (calls: Record<number, number>): { code: number; calls: number }[] =>
  Object.entries(calls).map(([code, n]) => ({ code: Number(code), calls: n }));

const EIGHT = codesOf({ 404: 2, 403: 1, 480: 9, 486: 8, 487: 7, 500: 5, 503: 6, 603: 4 }).sort(
  (a, b) => b.calls - a.calls,
);
const CELLS = [
  cellAt(0, {
    attempts: 10,
    answered: 6,
    failed: 2,
    canceled: 1,
    codes: EIGHT,
    asr_pct: 60,
    most_talking: 4,
    talking: 3,
  }),
  cellAt(1, { attempts: 1, failed: 1, codes: codesOf({ 503: 1 }), asr_pct: 0 }),
  cellAt(2, {}),
];
const ANSWER = {
  schema_version: 1,
  is_counting: true,
  cell_sec: 60,
  troubles: [],
  capture: { is_well: true },
  span: spanOf(CELLS, { attempts: 11, answered: 6, failed: 3, canceled: 1, codes: EIGHT, asr_pct: 54.5 }),
  span_before: spanOf(CELLS.slice(0, 2), {}),
} as const satisfies AskOverview;

test('pictures have all calls of a cell once; each series finds its calls by a filter that can be read', () => {
  const [calls, concurrent, codes, ratios] = picturesOf(ANSWER);
  assert.ok(calls !== undefined && concurrent !== undefined && codes !== undefined && ratios !== undefined);
  const sums = CELLS.map((_, i) => calls.series.reduce((n, { values }) => n + (values[i] ?? 0), 0));
  assert.deepEqual(sums, [10, 1, 0]);
  assert.equal(concurrent.series[0]?.total, 4);
  // The largest six by number, so that colours stay; 404 and 403 are the rest.
  assert.deepEqual(
    codes.series.map(({ label }) => label),
    ['480', '486', '487', '500', '503', '603', 'other'],
  );
  assert.deepEqual(
    codes.series.map(({ values }) => values[0]),
    [9, 8, 7, 5, 6, 4, 3],
  );
  assert.deepEqual(ratios.series[0]?.values, [60, 0, null]);
  assert.deepEqual(ratios.series[0]?.before, [60, 0]);
  for (const { series } of picturesOf(ANSWER))
    for (const { filter } of series) assert.ok(parseFilter(filter, { isUtc: true }).ok, filter);
});

test('columns stand on each other; what is under a point is found, pale lines are drawn first', () => {
  const [calls, , , ratios] = picturesOf(ANSWER);
  assert.ok(calls !== undefined && ratios !== undefined);
  const [, ...stacked] = dataOf(strokesOf(calls), [0, 60, 120]);
  assert.deepEqual(stacked, [
    [6, 0, 0],
    [7, 0, 0],
    [8, 0, 0],
    [10, 1, 0],
  ]);
  const under = (value: number): string | undefined => calls.series[seriesAt(calls.series, 0, value) ?? -1]?.label;
  assert.deepEqual([1, 6.5, 9.9, 10.1].map(under), ['answered', 'canceled', 'failed', undefined]);
  assert.equal(seriesAt(ratios.series, 0, 10), null);
  const strokes = strokesOf(ratios);
  assert.deepEqual(
    strokes.map(({ isPale }) => isPale),
    [true, true, false, false],
  );
  // The span before has two cells of three.
  assert.deepEqual(dataOf(strokes, [0, 60, 120])[1], [60, 0, null]);
});

test('a change says which way, how much, and whether it is worse', () => {
  assert.deepEqual(changeOf(120, 100, 'share', 'up'), { sign: '\u25b2', text: '20 %', isWorse: true });
  assert.deepEqual(changeOf(110, 100, 'share', 'up'), { sign: '\u25b2', text: '10 %', isWorse: false });
  assert.deepEqual(changeOf(60, 70, 'points', 'down'), { sign: '\u25bc', text: '10.0 pt', isWorse: true });
  assert.deepEqual(changeOf(70, 60, 'points', 'down'), { sign: '\u25b2', text: '10.0 pt', isWorse: false });
  assert.deepEqual(changeOf(900, 100, 'share', 'up'), { sign: '\u25b2', text: '\u00d79', isWorse: true });
  assert.deepEqual(changeOf(3, 0, 'share', 'up'), { sign: '\u25b2', text: 'from 0', isWorse: true });
  assert.equal(changeOf(0, 0, 'share', 'up')?.sign, '=');
  assert.equal(changeOf(4.301, 4.3, 'plain', 'down')?.sign, '=');
  assert.equal(changeOf(undefined, 4, 'plain', 'down'), null);
});

test('a worse cell is taller; one without calls is empty, one of few calls pale', () => {
  assert.deepEqual(
    [100, 59, 44, 29, 0].map((value) => stepOf('asr', value)),
    [0, 1, 2, 3, 4],
  );
  assert.deepEqual(
    [0, 4_000, 60_000].map((value) => stepOf('pdd', value)),
    [0, 1, 4],
  );
  assert.equal(stepWords('mos', 2), '< 3.6');
  assert.equal(stepWords('pdd', 0), '\u2264 3 s');
  const paths = rowPaths('asr', [
    { attempts: 0 },
    { attempts: 9, value: 90 },
    { attempts: 9, value: 1 },
    { attempts: 1, value: 1 },
    { attempts: 4 },
  ]);
  assert.deepEqual([...paths.keys()].sort(), ['none', 'step0', 'step4', 'step4 few']);
  const tall = (look: string): number => Number(/v-(\d+)/.exec(paths.get(look) ?? '')?.[1]);
  assert.ok(tall('step4') > tall('step0') && tall('step4') < ROW_HEIGHT);
  assert.match(paths.get('step4') ?? '', /^M2 /);
});

/** Thirty nodes, edges among their layers, two of others, names as long as they can be. */
function manyPairs(): OverviewPairs {
  const nodes = Array.from({ length: 30 }, (_, i): OverviewNode => {
    const layer = i % 3;
    return {
      name: i % 4 === 0 ? 'x'.repeat(300) : `node-${i}`,
      kind: i > 27 ? 'others' : 'trunk',
      layer,
      calls: 1 + ((i * 37) % 500),
      filter: 'a',
    };
  });
  const edges = nodes.flatMap((node, i) =>
    nodes.flatMap((other, j) =>
      other.layer === node.layer + 1 ? [{ from: i, to: j, attempts: 1 + ((i * j) % 50), answered: 0, filter: '' }] : [],
    ),
  );
  return { from: '', to: '', nodes, edges };
}

test('who calls whom: no text covers another, none leaves the picture, edges end at their bars', () => {
  const widthOf = (text: string): number => text.length * 7;
  for (const width of [320, 500, 1_300]) {
    const { nodes, edges, height } = layersOf(manyPairs(), width, widthOf);
    assert.equal(nodes.length, 30);
    assert.equal(edges.length, 200);
    for (const layer of [0, 1, 2]) {
      const rows = nodes.filter(({ node }) => node.layer === layer).sort((a, b) => a.y - b.y);
      assert.ok(rows.at(-1)?.node.kind !== 'trunk' || !rows.some(({ node }) => node.kind === 'others'));
      for (const [i, row] of rows.entries()) {
        const next = rows[i + 1];
        if (next !== undefined)
          assert.ok(next.textY - row.textY >= 18 && next.y >= row.y + row.height, `${width} ${layer}`);
        const wide = widthOf(row.text);
        const left = row.textX - (row.anchor === 'end' ? wide : row.anchor === 'middle' ? wide / 2 : 0);
        assert.ok(left >= 0 && left + wide <= width, `${row.text} of ${width}`);
        assert.ok(row.textY >= 9 && row.textY <= height - 9);
        assert.ok(row.y >= 0 && row.y + row.height <= height + 0.01);
      }
    }
    for (const { d, edge } of edges) {
      const [, y1 = '', y2 = ''] = /^M[\d.]+ ([\d.]+)C.* ([\d.]+)$/.exec(d) ?? [];
      const within = (y: string, place: number): void => {
        const bar = nodes.find(({ node }) => node === layersNode(nodes, place));
        assert.ok(bar === undefined || (Number(y) >= bar.y - 0.1 && Number(y) <= bar.y + bar.height + 0.1));
      };
      within(y1, edge.from);
      within(y2, edge.to);
    }
  }
  assert.deepEqual(layersOf({ from: '', to: '', nodes: [], edges: [] }, 500, widthOf).nodes, []);
});

test('who calls itself has a thin arc beside its bar', () => {
  const node: OverviewNode = { name: '127.0.0.1', kind: 'host', layer: 1, calls: 500, filter: '' };
  const edge = { from: 0, to: 0, attempts: 500, answered: 1, filter: '' };
  const { edges, nodes } = layersOf(
    { from: '', to: '', nodes: [node], edges: [edge] },
    500,
    ({ length }) => length * 7,
  );
  const [x1, y1, x2, y2] =
    /^M([\d.]+) ([\d.]+)C.* ([\d.]+) ([\d.]+)$/
      .exec(edges[0]?.d ?? '')
      ?.slice(1)
      .map(Number) ?? [];
  const [bar] = nodes;
  assert.ok(bar !== undefined && x1 !== undefined && y1 !== undefined && y2 !== undefined);
  assert.deepEqual([x1, x2], [bar.x + 8, bar.x + 8]);
  assert.ok(y1 > bar.y && y2 > y1 && y2 < bar.y + bar.height);
  assert.ok((edges[0]?.width ?? 99) <= 6);
});

function layersNode(nodes: ReturnType<typeof layersOf>['nodes'], place: number): OverviewNode | undefined {
  return nodes.find(({ node }) => node.layer === place % 3 && node.calls === 1 + ((place * 37) % 500))?.node;
}
