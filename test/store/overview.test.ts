/**
 * The overview of a hub: that of an agent which saw the same calls, and that of three agents which saw some each. Whatever stands in
 * the store, it answers as the contract says.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Capture } from '../../fixtures/build/capture.ts';
import type { AskOverview, AskOverviewQuery, OverviewSpan } from '../../src/contract/index.ts';
import { AskOverview as Shape } from '../../src/contract/index.ts';
import { NO_NAMES } from '../../src/core/names.ts';
import { Store } from '../../src/explore/clickhouse/store.ts';
import type { StoreExplorer } from '../../src/explore/clickhouse/store-explorer.ts';
import { createStoreExplorer } from '../../src/explore/clickhouse/store-explorer.ts';
import { StoreReaders } from '../../src/explore/clickhouse/store-reader.ts';
import { questionOf } from '../../src/explore/question.ts';
import { holds } from '../../src/explore/remote/shapes.ts';
import { run } from '../cli/run-program.ts';
import { storePlace } from '../helpers/fake-store.ts';
import { readCaptureFile, temporaryFolder } from '../helpers/read-capture.ts';
import { skipWithoutStore, startMigratedStore, type TestStore } from '../helpers/store.ts';
import { variedCalls } from '../helpers/varied-calls.ts';
import { movedToNow } from './moved-capture.ts';
import type { Fact, Kind, KnownCall } from './overview-calls.ts';
import { KINDS, knownCall, TRUNKS } from './overview-calls.ts';

const skip = skipWithoutStore();
const MINUTE_US = 60e6;
const HOUR_US = 60 * MINUTE_US;
const DAY_US = 24 * HOUR_US;
/** Capture time: the begin of a minute, some minutes ago. */
const NOW_US = Math.floor(Date.now() / 60_000 - 5) * MINUTE_US;
const HOSTS = ['sbc1', 'sbc2', 'sbc3'] as const;

/** Within the last hour, at seconds that are no ends of minutes; two talk since before it. */
function hourOf(calls: number, first: number, beforeUs: number): KnownCall[] {
  const all = Array.from({ length: calls }, (_, i) => {
    const kind = KINDS[i % KINDS.length] as Kind;
    return knownCall(first + i, kind, NOW_US - beforeUs - 58 * MINUTE_US + i * 41e6 + (i % 7) * 1e6);
  });
  const early = NOW_US - beforeUs - 80 * MINUTE_US;
  return [
    ...all,
    knownCall(first + calls, 'answered', early, 2_100),
    knownCall(first + calls + 1, 'out', early + 9e6, 30),
  ];
}

function captured(calls: readonly KnownCall[]): Uint8Array {
  const packets = calls.flatMap(({ packets: own }) => own);
  return new Capture().add(packets.toSorted((a, b) => a.tsUs - b.tsUs)).pcap();
}

function fileIn(t: TestContext, calls: readonly KnownCall[]): string {
  const path = join(temporaryFolder(t), 'calls.pcap');
  writeFileSync(path, captured(calls));
  return path;
}

async function ship(t: TestContext, store: TestStore, host: string, path: string): Promise<void> {
  const to = ['--ship', `${store.url}/calltap`, '--ship-spool', join(temporaryFolder(t), 'spool'), '--ship-host', host];
  const { code, stderr } = await run([path, ...TRUNKS, ...to]);
  assert.equal(code, 0, stderr);
}

function hubOf(t: TestContext, store: TestStore, nowUs = NOW_US): StoreExplorer {
  const readers = new StoreReaders(
    new Store(storePlace(store.url), { user: null, password: null, ca: null }, 'calltap'),
  );
  t.after(() => readers.close());
  return createStoreExplorer(readers, { names: NO_NAMES, callIdHeaders: [], nowUs: () => nowUs });
}

async function asked(hub: Pick<StoreExplorer, 'overview'>, question: AskOverviewQuery): Promise<AskOverview> {
  const answer = await hub.overview(question);
  assert.ok(holds(Shape, JSON.parse(JSON.stringify(answer))), JSON.stringify(answer).slice(0, 2_000));
  return answer;
}

const near = (found: number | undefined, wanted: number | undefined, what: string): void =>
  assert.ok(
    found === wanted || Math.abs((found ?? Number.NaN) - (wanted ?? Number.NaN)) <= 0.0101 * (wanted ?? 0) + 0.005,
    `${what}: ${found}, not ${wanted}`,
  );

type Figures = OverviewSpan['figures'] & Partial<OverviewSpan['cells'][number]>;

/** Counts exactly, quantiles to 1 %. A hub has neither messages nor loss. */
function alike(found: Figures, wanted: Figures, what: string): void {
  const counts = ({ pdd_ms, mos, loss_pct: _loss, messages: _messages, ...others }: Figures) => ({
    ...others,
    counted: [pdd_ms?.count, mos?.count],
  });
  assert.deepEqual(counts(found), counts(wanted), what);
  for (const p of ['p50', 'p95'] as const) near(found.pdd_ms?.[p], wanted.pdd_ms?.[p], `${what} pdd ${p}`);
  for (const p of ['p05', 'p50'] as const) near(found.mos?.[p], wanted.mos?.[p], `${what} mos ${p}`);
}

function alikeSpans(found: OverviewSpan | undefined, wanted: OverviewSpan | undefined): void {
  assert.ok(found !== undefined && wanted !== undefined);
  assert.deepEqual([found.from, found.to], [wanted.from, wanted.to]);
  alike(found.figures, wanted.figures, 'the span');
  assert.equal(found.cells.length, wanted.cells.length);
  for (const [i, cell] of wanted.cells.entries()) alike(found.cells[i] as Figures, cell, `cell ${cell.at}`);
}

test('a hub says of a capture what its agent says', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  const path = fileIn(t, hourOf(80, 1, 0));
  await ship(t, store, 'sbc1', path);
  const { session } = await readCaptureFile(t, path, [...TRUNKS, '--api', '127.0.0.1:0', '--ask']);
  const hub = hubOf(t, store, session.evidence.capture.nowUs);
  for (const question of [{}, { minutes: 15 }, { minutes: 360, by: 'mos' }, { minutes: 1_440, by: 'pdd' }] as const) {
    const [found, wanted] = [await asked(hub, question), await asked(session.explorer, question)];
    alikeSpans(found.span, wanted.span);
    assert.ok((wanted.span?.figures.attempts ?? 0) > 15 && (wanted.span?.figures.mos?.count ?? 0) > 1);
    for (const key of ['cell_sec', 'kept_from', 'troubles', 'pairs', 'capture'] as const)
      assert.deepEqual(found[key], wanted[key], key);
    const { rows: found_rows = [], ...trunks } = found.trunks ?? {};
    const { rows: wanted_rows = [], ...others } = wanted.trunks ?? {};
    assert.deepEqual(trunks, others);
    assert.equal(found_rows.length, wanted_rows.length);
    assert.ok(found_rows.some(({ trunk }) => trunk === 'acme'));
    for (const row of wanted_rows) {
      const same = found_rows.find((one) => one.trunk === row.trunk && one.direction === row.direction);
      assert.ok(same, row.trunk);
      assert.deepEqual({ ...same, value: 0, cells: [] }, { ...row, value: 0, cells: [] });
      near(same.value, row.value, row.trunk);
      for (const [i, cell] of row.cells.entries()) {
        assert.equal(same.cells[i]?.attempts, cell.attempts);
        near(same.cells[i]?.value, cell.value, `${row.trunk} ${i}`);
      }
    }
  }
});

test('captures of all kinds, shipped by three hosts that saw the same', { skip }, async (t) => {
  for (const [name, made] of [
    ['demo', null],
    ['varied', variedCalls(7)],
    ['again', variedCalls(11)],
  ] as const) {
    const store = await startMigratedStore(t);
    const folder = temporaryFolder(t);
    const from = made === null ? 'fixtures/demo/demo.pcap' : join(folder, 'made.pcap');
    if (made !== null) writeFileSync(from, made);
    const path = movedToNow(from, join(folder, 'moved.pcap'), 0.5);
    for (const host of HOSTS) await ship(t, store, host, path);
    const { session } = await readCaptureFile(t, path, [...TRUNKS, '--api', '127.0.0.1:0', '--ask']);
    // Calls end with their file: with its agent at a hub.
    const hub = hubOf(t, store, (Date.now() + 10 * 60_000) * 1000);
    const nowUs = session.evidence.capture.nowUs;
    for (const minutes of [20, 1_000]) {
      const until = new Date(Math.ceil(nowUs / MINUTE_US) * 60_000);
      const span = { since: new Date(until.getTime() - minutes * 60_000).toISOString(), until: until.toISOString() };
      const [found, wanted] = [await asked(hub, span), await asked(session.explorer, span)];
      assert.ok((wanted.span?.figures.attempts ?? 0) > 5, name);
      alikeSpans(found.span, wanted.span);
      assert.deepEqual(found.troubles, wanted.troubles, name);
      assert.deepEqual(
        found.pairs?.edges.map(({ attempts }) => attempts),
        wanted.pairs?.edges.map(({ attempts }) => attempts),
        name,
      );
    }
  }
});

/** The nearest rank, of all values. */
function rankOf(values: readonly number[], percent: number): number {
  return [...values].sort((a, b) => a - b)[Math.ceil((percent / 100) * values.length) - 1] ?? Number.NaN;
}

/** What facts come to from one time to another, counted one by one. */
function counted(facts: readonly Fact[], fromUs: number, toUs: number) {
  const own = facts.filter(({ atUs }) => atUs >= fromUs && atUs < toUs);
  const count = (is: (fact: Fact) => boolean): number => own.filter(is).length;
  // Nobody looks for a call that began more than a day ago.
  const talks = facts.flatMap(({ talkUs }) =>
    talkUs === null ? [] : [[talkUs[0], Math.min(talkUs[1], talkUs[0] + DAY_US)] as const],
  );
  const talkingAt = (us: number): number => talks.filter(([from, to]) => from <= us && us < to).length;
  const begins = talks.map(([from]) => from).filter((us) => us >= fromUs && us < toUs);
  const codes = new Map<number, number>();
  for (const { code } of own) if (code >= 300) codes.set(code, (codes.get(code) ?? 0) + 1);
  return {
    attempts: own.length,
    answered: count(({ code }) => code === 200),
    effective: count(({ code }) => code === 200 || code === 486 || code === 487),
    failed: count(({ state }) => state === 'Failed'),
    canceled: count(({ state }) => state === 'Canceled'),
    codes: [...codes].sort(([a, n], [b, m]) => m - n || a - b).map(([code, calls]) => ({ code, calls })),
    delays: own.flatMap(({ pddMs }) => pddMs ?? []),
    talking: talkingAt(toUs - 1),
    most_talking: Math.max(talkingAt(fromUs), ...begins.map(talkingAt)),
  };
}

function isCounted(span: OverviewSpan | undefined, facts: readonly Fact[]): void {
  assert.ok(span !== undefined);
  const us = (text: string): number => Date.parse(text) * 1000;
  const step = (us(span.to) - us(span.from)) / span.cells.length;
  const { talking: _talking, most_talking: _most, ...whole } = counted(facts, us(span.from), us(span.to));
  for (const [cell, wanted] of [
    [span.figures, whole] as const,
    ...span.cells.map((one) => [one, counted(facts, us(one.at), us(one.at) + step)] as const),
  ]) {
    const { delays, ...counts } = wanted;
    const found: Record<string, unknown> = { ...cell };
    for (const [name, n] of Object.entries(counts)) assert.deepEqual(found[name], n, `${name} of ${found['at']}`);
    assert.equal(cell.pdd_ms?.count ?? 0, delays.length);
    if (delays.length === 0) continue;
    near(cell.pdd_ms?.p50, rankOf(delays, 50), 'p50');
    near(cell.pdd_ms?.p95, rankOf(delays, 95), 'p95');
  }
}

test('calls of three hosts count once each, beside the hour before and the day before', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  const calls = [0, HOUR_US, DAY_US, DAY_US + HOUR_US].flatMap((beforeUs, i) => hourOf(81, 1 + i * 1_000, beforeUs));
  const facts = calls.map(({ fact }) => fact);
  // Each host saw a half: a third of the calls was seen by one alone, and a half by two, a moment later.
  for (const [h, host] of HOSTS.entries()) {
    const own = calls.flatMap(({ fact, packets }, i) => {
      if (i % 3 === h) return { fact, packets };
      if (i % 2 === 1 || (i + 1) % 3 !== h) return [];
      return { fact, packets: packets.map((packet) => ({ ...packet, tsUs: packet.tsUs + 3_000 })) };
    });
    await ship(t, store, host, fileIn(t, own));
  }
  const hub = hubOf(t, store);
  const answer = await asked(hub, {});
  isCounted(answer.span, facts);
  isCounted(answer.span_before, facts);
  isCounted(answer.day_before, facts);
  assert.equal(answer.kept_from, undefined);
  assert.ok(answer.span?.cells.some(({ talking }) => talking > 1));
  assert.deepEqual(answer.pairs?.nodes.map(({ name, kind, layer }) => [name, kind, layer]).slice(-3), [
    ['192.0.2.10', 'host', 1],
    ['192.0.2.20', 'host', 1],
    ['acme', 'trunk', 2],
  ]);
  // A click on a cell finds as many calls.
  for (const cell of answer.span?.cells.slice(10, 30) ?? []) {
    const until = new Date(Date.parse(cell.at) + 59_999).toISOString().replace('Z', '999Z');
    const page = await hub.page(questionOf(`method:INVITE since:${cell.at} until:${until}`, '-created', true), 1, '');
    assert.equal(page?.total, cell.attempts, cell.at);
  }
  const at = (us: number): string => new Date(us / 1000).toISOString();
  const early = await asked(hub, { since: at(NOW_US - DAY_US - 3 * HOUR_US), until: at(NOW_US - DAY_US) });
  isCounted(early.span, facts);
  assert.ok(early.kept_from !== undefined && early.kept_from > (early.span?.from ?? ''));
  assert.deepEqual([early.span_before, early.day_before], [undefined, undefined]);
  const long = await asked(hub, { minutes: 2_880 });
  assert.equal(long.cell_sec, 1_200);
  isCounted(long.span, facts);
});

test('a store without calls has no span', { skip }, async (t) => {
  const answer = await asked(hubOf(t, await startMigratedStore(t)), {});
  assert.deepEqual(answer, {
    schema_version: 1,
    is_counting: true,
    cell_sec: 60,
    troubles: [],
    capture: { is_well: true },
  });
});

const AT = new Date(NOW_US / 1000 - 90_000).toISOString();
const BASE = {
  host: 'sbc1',
  boot: 'b',
  version: 1,
  hour: `${AT.slice(0, 13)}:00:00Z`,
  created_at: AT,
  updated_at: AT,
  method: 'INVITE',
};

async function insert(store: TestStore, table: string, rows: readonly object[]): Promise<void> {
  const { status, text } = await store.insert(table, rows);
  assert.equal(status, 200, text);
}

test('a call that never ended talks until its agent was last there, and is heard then', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  const minutesAgo = (n: number): string => new Date(NOW_US / 1000 - n * 60_000).toISOString();
  const call = {
    ...BASE,
    created_at: minutesAgo(50.5),
    updated_at: minutesAgo(50),
    hour: `${minutesAgo(50.5).slice(0, 13)}:00:00Z`,
  };
  const talks = { ...call, state: 'InCall', code: 200, setup_ms: 1_000, worst_mos: 4.1 };
  await insert(store, 'calls', [
    { ...talks, host: 'there', number: 1, call_id: 'a' },
    { ...talks, host: 'away', number: 1, call_id: 'b' },
    { ...talks, host: 'unknown', number: 1, call_id: 'c' },
  ]);
  await insert(store, 'agents', [
    { host: 'there', boot: 'b', version: 1, at: minutesAgo(0) },
    {
      host: 'away',
      boot: 'b',
      version: 1,
      at: minutesAgo(20.5),
      losses: { capture_dropped: 7, ship_calls_skipped: 9, x: 99 },
    },
  ]);
  const { span, capture } = await asked(hubOf(t, store), {});
  const talking = new Map(span?.cells.map((cell) => [(NOW_US / 1000 - Date.parse(cell.at)) / 60_000, cell.talking]));
  assert.deepEqual(
    [51, 50, 49, 22, 21, 20, 1, 0].map((ago) => talking.get(ago)),
    [3, 2, 2, 2, 1, 1, 1, 1],
  );
  assert.equal(span?.figures.mos?.count, 2);
  assert.equal(capture.is_well, false);
  assert.match(capture.reason ?? '', /^away: ship calls skipped: 9\. Rows that did not get to the store/);
});

test('whatever somebody inserts, it answers within its bounds', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  const long = 'x'.repeat(100_000);
  const codes = Array.from({ length: 900 }, (_, i) => ({ code: 300 + i * 70 }));
  const forged = [
    ...codes,
    { worst_mos: 'nan' },
    { worst_mos: 1e30, pdd_ms: 4_294_967_295, setup_ms: 4_294_967_295 },
    { worst_mos: -5, talk_ms: 4_294_967_295, code: 200 },
    { state: 'InCall', updated_at: '2290-01-01T00:00:00Z' },
    { state: 'InCall', updated_at: '1905-01-01T00:00:00Z' },
    { state: 'Failed', explanation: 'no JSON' },
    { state: 'Failed', explanation: '[]' },
    { state: 'Failed', explanation: '[{"finding":7}]' },
    { state: 'Failed', explanation: JSON.stringify([{ finding: 'x', ground: 'seen', depth: 0, texts: [long] }]) },
    {
      state: long,
      call_id: long,
      from_user: long,
      src_host: long,
      dst_host: `${long}'"\\`,
      trunk_in: long,
      trunks: [long, ''],
    },
    { src_host: '', dst_host: '', trunk_in: 'acme', trunk_out: 'acme', trunks: ['acme', 'acme'] },
    { trunks: Array.from({ length: 10_000 }, (_, i) => `t${i}`) },
    ...Array.from({ length: 5_000 }, (_, i) => ({ src_host: `11.0.${i >> 8}.${i & 255}`, dst_host: '192.0.2.1' })),
  ];
  await insert(
    store,
    'calls',
    forged.map((row, i) => ({ ...BASE, number: i + 1, call_id: `c${i}`, state: 'Completed', ...row })),
  );
  const bins = Object.fromEntries(Array.from({ length: 6_000 }, (_, i) => [i * 700_000 - 2_100_000_000, 1]));
  const minute = {
    host: 'sbc1',
    boot: 'b',
    minute: `${AT.slice(0, 16)}:00Z`,
    direction: 'out',
    version: 1,
    attempts: 1,
  };
  await insert(store, 'minute', [
    {
      ...minute,
      trunk: 'bins',
      pdd_count: 9,
      pdd_sum: 'inf',
      pdd_bins: bins,
      mos_count: 9,
      mos_sum: 'nan',
      mos_bins: bins,
    },
    { ...minute, trunk: 'more', answered: 4_294_967_295, effective: 4_294_967_295 },
    { ...minute, trunk: 'aside', direction: 'sideways' },
    ...Array.from({ length: 3_000 }, (_, i) => ({ ...minute, trunk: `${long.slice(0, 500)}${i}` })),
  ]);
  const losses = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`sip_${i}`, 18_446_744_073_709]));
  await insert(store, 'agents', [{ host: long, boot: long, version: 1, at: AT, losses }]);
  for (const by of ['asr', 'ner', 'pdd', 'mos'] as const)
    for (const minutes of [1, 60, 2_880]) {
      const answer = await asked(hubOf(t, store), { minutes, by });
      assert.ok(JSON.stringify(answer).length < 1_000_000);
      if (minutes === 1) continue;
      assert.equal(answer.span?.figures.attempts, forged.length);
      assert.ok((answer.span?.figures.codes.length ?? 0) <= 40);
      assert.ok((answer.trunks?.rows.length ?? 0) <= 30 && (answer.pairs?.nodes.length ?? 0) <= 36);
      assert.ok((answer.troubles[0]?.cause.length ?? 0) <= 2_048 && answer.troubles.length <= 10);
    }
});
