/**
 * One contract for both explorers: what the memory of an agent answers of a capture, the store answers too once the agent has
 * shipped it. What a store adds is the host.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { FINDING_NAMES } from '../../src/analysis/finding-names.ts';
import type { Call } from '../../src/contract/index.ts';
import type { FieldKind } from '../../src/core/call-fields.ts';
import { FIELDS, fieldValue, SORT_KEYS } from '../../src/core/call-fields.ts';
import { NO_NAMES } from '../../src/core/names.ts';
import { Store } from '../../src/explore/clickhouse/store.ts';
import type { StoreExplorer } from '../../src/explore/clickhouse/store-explorer.ts';
import { createStoreExplorer } from '../../src/explore/clickhouse/store-explorer.ts';
import { StoreReaders } from '../../src/explore/clickhouse/store-reader.ts';
import type { Explorer } from '../../src/explore/port.ts';
import type { CallsQuestion } from '../../src/explore/question.ts';
import { sortOf } from '../../src/explore/question.ts';
import { NotHere } from '../../src/explore/refusal.ts';
import { parseFilter } from '../../src/query/parse.ts';
import { run } from '../cli/run-program.ts';
import { SCENES } from '../golden/scenes/all.ts';
import { captureOf } from '../golden/scenes/scene.ts';
import { FILTERS } from '../helpers/asked-filters.ts';
import { storePlace } from '../helpers/fake-store.ts';
import { readCaptureFile, temporaryFolder } from '../helpers/read-capture.ts';
import { refusalOf } from '../helpers/refusal.ts';
import { skipWithoutStore, startMigratedStore } from '../helpers/store.ts';
import type { StrictPage } from '../helpers/strict-page.ts';
import { readStrictly } from '../helpers/strict-page.ts';
import { SAID_BESIDES, SAID_LATER, talkativeCalls } from '../helpers/talkative-calls.ts';
import { variedCalls } from '../helpers/varied-calls.ts';
import { movedToNow } from './moved-capture.ts';

const skip = skipWithoutStore();
const HOST = 'sbc1';
const DEMO = 'fixtures/demo/demo.pcap';

type Both = { readonly memory: Explorer; readonly store: StoreExplorer; readonly callIds: readonly string[] };

/** `argv`: of both runs of the program. */
async function both(t: TestContext, capture = DEMO, argv: readonly string[] = []): Promise<Both> {
  const store = await startMigratedStore(t);
  const folder = temporaryFolder(t);
  const path = movedToNow(capture, join(folder, 'moved.pcap'), 0.5);
  const to = ['--ship', `${store.url}/calltap`, '--ship-spool', join(folder, 'spool'), '--ship-host', HOST];
  const { code, stderr } = await run([path, ...argv, ...to, '--ship-messages', 'full']);
  assert.equal(code, 0, stderr);
  // As whoever serves /ask: with legs.
  const { session } = await readCaptureFile(t, path, [...argv, '--api', '127.0.0.1:0'], { host: HOST });
  const readers = new StoreReaders(
    new Store(storePlace(store.url), { user: null, password: null, ca: null }, 'calltap'),
  );
  t.after(() => readers.close());
  const { explorer: memory } = session;
  const page = await memory.page(asked(''), 1_000, '');
  const callIds = page?.calls.map(({ call_id }) => call_id) ?? [];
  // Relative times of a file count from its end, those of a hub from now.
  const options = { names: NO_NAMES, callIdHeaders: [], nowUs: () => session.evidence.capture.nowUs };
  return { memory, store: createStoreExplorer(readers, options), callIds };
}

async function pageOf(explorer: Pick<Explorer, 'html'>, callId: string): Promise<StrictPage> {
  return readStrictly(await explorer.html([callId], { notes: [], isUtc: true }));
}

function asked(q: string, sort = '-created'): CallsQuestion {
  const parsed = parseFilter(q, { isUtc: false });
  assert.ok(parsed.ok, q);
  return { filter: parsed.filter, sort: sortOf(sort) };
}

const ADDED = new Set(['host', 'hosts', 'clocks', 'frame_ref']);

/** Without what a hub adds, and without frames of single messages. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, of) => (ADDED.has(key) ? undefined : of))) as T;
}

const idsOf = (calls: readonly Call[]): string[] => calls.map(({ call_id }) => call_id);

const UNANSWERABLE = new Set(['leg:a84b4c76e6', 'auth:2001']);

const FIGURES: readonly FieldKind[] = ['figure', 'milliseconds', 'seconds'];

test('figures of calls choose and sort alike', { skip }, async (t) => {
  const path = join(temporaryFolder(t), 'varied.pcap');
  writeFileSync(path, variedCalls(7));
  const { memory, store } = await both(t, path);
  const calls = (await memory.page(asked(''), 1_000, ''))?.calls ?? [];
  const figures = FIELDS.filter(({ kind, filter }) => filter !== undefined && FIGURES.includes(kind));
  assert.ok(figures.length >= 6);
  for (const field of figures) {
    const { key } = field;
    const values = new Set(calls.map((c) => fieldValue(c, field) ?? null));
    assert.ok(values.size > 3, key);
    for (const n of values) {
      if (typeof n !== 'number') continue;
      for (const q of [`${key}=${n}`, `${key}>=${n}`, `${key}>${n}`, `${key}<${n}`, `${key}=${n.toFixed(1)}`]) {
        const [wanted, found] = [await memory.page(asked(q), 100, ''), await store.page(asked(q), 100, '')];
        assert.deepEqual(plain(found?.calls), plain(wanted?.calls), q);
      }
    }
  }
  for (const key of SORT_KEYS)
    for (const sort of [key, `-${key}`])
      assert.deepEqual(
        plain(await store.page(asked('', sort), 100, '')),
        plain(await memory.page(asked('', sort), 100, '')),
      );
});

test('what messages after the first one say is found alike', { skip }, async (t) => {
  const path = join(temporaryFolder(t), 'talkative.pcap');
  writeFileSync(path, talkativeCalls());
  const { memory, store } = await both(t, path);
  const foundBy = async (explorer: Explorer | StoreExplorer, q: string): Promise<string[]> =>
    idsOf((await explorer.page(asked(q), 100, ''))?.calls ?? []).sort();
  for (const [q, callIds] of Object.entries(SAID_LATER)) {
    assert.deepEqual(await foundBy(memory, q), callIds, q);
    assert.deepEqual(await foundBy(store, q), callIds, q);
  }
  for (const q of SAID_BESIDES) assert.deepEqual(await foundBy(store, q), await foundBy(memory, q), q);
  assert.deepEqual(await foundBy(store, 'contact:*secret*'), []);
});

test('what phones reported is found and shown alike, also where it came after the call', { skip }, async (t) => {
  const path = join(temporaryFolder(t), 'reported.pcap');
  const scene = SCENES.find(({ name }) => name === 'callee-publishes-loss');
  assert.ok(scene !== undefined);
  writeFileSync(path, captureOf(scene));
  const { memory, store, callIds } = await both(t, path);
  const found = async (q: string): Promise<string[]> => idsOf((await store.page(asked(q), 100, ''))?.calls ?? []);
  const [callId = ''] = await found('reported.loss>5% finding:lost-after-tap');
  assert.ok(callIds.includes(callId));
  assert.deepEqual(await found('reported.loss>20%'), []);
  const { phone_reports: reports } = (await store.call(callId)) ?? {};
  assert.equal(reports?.length, 1);
  assert.deepEqual(reports, (await memory.call(callId))?.phone_reports);
  const quality = await store.quality(callId);
  assert.deepEqual(quality?.phone_reports, (await memory.quality(callId))?.phone_reports);
});

/** Findings of other calls, and states of trunks. */
function otherThresholds(t: TestContext): string[] {
  const path = join(temporaryFolder(t), 'other.toml');
  const thresholds = [
    'post_dial_delay = 0.05',
    'late_media = 1',
    'ack_wait = 0.01',
    'duration_share = 1',
    'no_final = 1',
  ];
  writeFileSync(path, ['[diagnosis]', ...thresholds, '', '[analysis]', 'trunk_down_after = 1', ''].join('\n'));
  return ['--config', path];
}

test('with other thresholds a hub says what its agent says', { skip }, async (t) => {
  const usual = await both(t);
  const { memory, store, callIds } = await both(t, DEMO, otherThresholds(t));
  const findings = async (explorer: Explorer): Promise<unknown> => plain(await explorer.findings(asked('', 'created')));
  assert.notDeepEqual(await findings(memory), await findings(usual.memory));
  assert.deepEqual(plain(await store.findings(asked('', 'created'))), await findings(memory));
  for (const finding of FINDING_NAMES) {
    const q = `finding:${finding}`;
    const wanted = await memory.page(asked(q), 1_000, '');
    assert.deepEqual(plain((await store.page(asked(q), 1_000, ''))?.calls), plain(wanted?.calls), q);
  }
  for (const callId of callIds) {
    assert.deepEqual(plain(await store.call(callId)), plain(await memory.call(callId)), callId);
    assert.deepEqual(plain(await store.head(callId)), plain(await memory.head(callId)), callId);
  }
  const states = (all: Awaited<ReturnType<Explorer['trunks']>>) =>
    all.trunks.map(({ trunk, direction, state, since, outages }) => [trunk, direction, state, since, outages]);
  assert.deepEqual(states(await store.trunks({})), states(await memory.trunks({})));
});

test('both explorers answer the same of one capture', { skip }, async (t) => {
  const { memory, store, callIds } = await both(t);
  assert.equal(callIds.length, 21);

  await t.test('pages, however they are sorted', async () => {
    for (const key of SORT_KEYS)
      for (const sort of [key, `-${key}`]) {
        const wanted = await memory.page(asked('', sort), 1_000, '');
        const found = await store.page(asked('', sort), 1_000, '');
        assert.deepEqual(plain(found), plain(wanted), sort);
        assert.deepEqual(new Set(found?.calls.map(({ host }) => host)), new Set([HOST]));
        const pages: string[] = [];
        for (let cursor: string | undefined = ''; cursor !== undefined; ) {
          const page = await store.page(asked('', sort), 4, cursor);
          pages.push(...idsOf(page?.calls ?? []));
          cursor = page?.next_cursor;
        }
        assert.deepEqual(pages, idsOf(wanted?.calls ?? []), `pages of ${sort}`);
      }
  });

  await t.test('every key of the filter language', async () => {
    for (const q of FILTERS) {
      if (UNANSWERABLE.has(q)) {
        await assert.rejects(async () => store.page(asked(q), 1_000, ''), /A hub cannot filter by/);
        continue;
      }
      const wanted = await memory.page(asked(q), 1_000, '');
      const found = await store.page(asked(q), 1_000, '');
      assert.deepEqual(idsOf(found?.calls ?? []), idsOf(wanted?.calls ?? []), q);
      assert.equal(found?.total, wanted?.total, q);
    }
  });

  await t.test('documents, messages, ladders, quality and heads', async () => {
    for (const callId of callIds) {
      assert.deepEqual(plain(await store.call(callId)), plain(await memory.call(callId)), callId);
      assert.deepEqual(plain(await store.dialog(callId)), plain(await memory.dialog(callId)), callId);
      assert.deepEqual(plain(await store.report(callId)), plain(await memory.report(callId)), callId);
      assert.deepEqual(plain(await store.head(callId)), plain(await memory.head(callId)), callId);
      assert.deepEqual(plain(await store.quality(callId)), plain(await memory.quality(callId)), callId);
      assert.deepEqual(
        plain(await store.messages([callId], { showsSecrets: false })),
        plain(await memory.messages([callId], { showsSecrets: false })),
        callId,
      );
      assert.deepEqual(plain(await store.ladder([callId])), plain(await memory.ladder([callId])), callId);
      const [there, here] = [await pageOf(store, callId), await pageOf(memory, callId)];
      for (const name of ['article', 'g.step', 'g.flow', 'g.missing', 'g.held', 'path.line', 'li.depth0'])
        assert.equal(there.counts.get(name), here.counts.get(name), `${callId} ${name}`);
      const [a, b] = [
        await store.compare(callId, 'busy@pbx.example.com'),
        await memory.compare(callId, 'busy@pbx.example.com'),
      ];
      assert.deepEqual(plain(a), plain(b), `${callId} beside busy`);
    }
  });

  await t.test('legs, trees and correlation', async () => {
    for (const callId of callIds) {
      assert.deepEqual(await store.legs(callId), await memory.legs(callId), callId);
      assert.deepEqual(await store.tree(callId, 100), await memory.tree(callId, 100), callId);
      assert.deepEqual(await store.correlated(callId, 100), await memory.correlated(callId, 100), callId);
    }
  });

  await t.test('sums, lists and streams', async () => {
    for (const q of ['', 'method:INVITE', 'from:nobody'])
      assert.deepEqual(
        plain(await store.findings(asked(q, 'created'))),
        plain(await memory.findings(asked(q, 'created'))),
        q,
      );
    assert.deepEqual(
      plain(await store.registrations(asked('', 'created'))),
      plain(await memory.registrations(asked('', 'created'))),
    );
    for (const filter of [
      { limit: 1_000, offset: 0 },
      { limit: 5, offset: 7 },
      { limit: 100, offset: 0, state: 'Failed' as const },
      { limit: 100, offset: 0, matchesFrom: (user: string) => /^20/.test(user), fromPattern: '^20' },
    ])
      assert.deepEqual(plain(await store.dialogs(filter)), plain(await memory.dialogs(filter)), JSON.stringify(filter));
    const streams = { limit: 1_000, offset: 0 };
    for (const filter of [streams, { ...streams, orphaned: true }, { ...streams, mosBelow: 4 }]) {
      const [found, wanted] = [await store.streams(filter), await memory.streams(filter)];
      const bySsrc = (list: typeof found) => [...(list?.streams ?? [])].sort((a, b) => (a.ssrc < b.ssrc ? -1 : 1));
      assert.deepEqual(bySsrc(found), bySsrc(wanted), JSON.stringify(filter));
      assert.equal(found?.total, wanted?.total);
    }
    for (const { ssrc } of (await memory.streams(streams))?.streams ?? []) {
      const n = Number(ssrc);
      const [found, wanted] = [await store.stream(n), await memory.stream(n)];
      if (wanted?.orphaned === false) assert.deepEqual(found, wanted, ssrc);
      assert.equal(found?.packets, wanted?.packets, ssrc);
      assert.deepEqual(await store.select(`ssrc:${ssrc}`, null), memory.select(`ssrc:${ssrc}`, null));
    }
  });

  await t.test('trunks', async () => {
    const [found, wanted] = [await store.trunks({}), await memory.trunks({})];
    const figures = (all: typeof found) =>
      all?.trunks.map(({ trunk, direction, figures: f }) => ({ trunk, direction, ...f }));
    const sums = (all: typeof found) =>
      figures(all)?.map(({ pdd_ms, mos, ...others }) => ({ ...others, calls: [pdd_ms?.count, mos?.count] }));
    assert.deepEqual(sums(found), sums(wanted));
    const states = (all: typeof found) => all?.trunks.map(({ state, since, outages }) => ({ state, since, outages }));
    assert.ok(states(wanted)?.some(({ state, since }) => state === 'up' && since !== undefined));
    assert.deepEqual(plain(states(found)), plain(states(wanted)));
    // A store has no least and no greatest value, by which the quantiles of an agent are held.
    const quantiles = (all: typeof found) =>
      (figures(all) ?? []).flatMap((f) => [f.pdd_ms ?? [], f.mos ?? []].flatMap(Object.values));
    const [stored, exact] = [quantiles(found), quantiles(wanted)];
    assert.equal(stored.length, exact.length);
    for (const [i, n] of exact.entries())
      assert.ok(Math.abs((stored[i] ?? 0) - n) <= 0.02 * n + 0.01, `${stored[i]} ${n}`);
  });

  await t.test('what is not there', async () => {
    for (const ask of [
      () => store.call('nobody@nowhere'),
      () => store.messages(['nobody@nowhere'], { showsSecrets: false }),
      () => store.ladder(['nobody@nowhere']),
      () => store.stream(1),
    ])
      assert.ok((await refusalOf(ask)) instanceof NotHere);
    assert.deepEqual(await store.select('nobody@nowhere', null), { none: true, near: null });
    const empty = await store.page(asked('from:nobody'), 10, '');
    assert.deepEqual([empty?.total, empty?.calls], [0, []]);
    assert.ok((empty?.hidden_by?.length ?? 0) > 0);
  });
});
