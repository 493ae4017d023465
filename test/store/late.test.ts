/** Calls that change after their last row was stored: at the end the store has the document that the agent itself gives. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FINDING_NAMES } from '../../src/analysis/finding-names.ts';
import type { AskCalls, CallDocument } from '../../src/contract/index.ts';
import { SORT_KEYS } from '../../src/core/call-fields.ts';
import { NO_NAMES } from '../../src/core/names.ts';
import { Store } from '../../src/explore/clickhouse/store.ts';
import { createStoreExplorer } from '../../src/explore/clickhouse/store-explorer.ts';
import { StoreReaders } from '../../src/explore/clickhouse/store-reader.ts';
import { sortOf } from '../../src/explore/question.ts';
import { parseFilter } from '../../src/query/parse.ts';
import { storePlace } from '../helpers/fake-store.ts';
import { until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { skipWithoutStore, startMigratedStore, type TestStore } from '../helpers/store.ts';
import { missing } from '../live/lab.ts';
import { FleetHost } from './fleet-host.ts';
import { callIdOf } from './phone.ts';

const CALLS = 1_000;
const PER_SEC = 100;
const PATIENT_MS = 180_000;

type Row = { readonly call_id: string; readonly version: number; readonly document: string };

async function storedCalls(store: TestStore): Promise<Map<string, Row>> {
  const rows = (await store.rows('SELECT call_id, version, document FROM calls FINAL')) as Row[];
  return new Map(rows.map((row) => [row.call_id, row]));
}

function documentOf(row: Row | undefined): CallDocument {
  return JSON.parse(row?.document ?? assert.fail('a call is missing')) as CallDocument;
}

/** All that it says of its call: `icmp_media.capture` counts errors of the whole run, and each document of that moment has it. */
function ofCall({ icmp_media: icmp, ...rest }: CallDocument): object {
  return { ...rest, icmp: icmp?.findings ?? [] };
}

/** What the agent itself says of a call. */
async function ownDocument(host: FleetHost, callId: string): Promise<CallDocument> {
  const text = await host.ask(`/ask/calls/${encodeURIComponent(callId)}`);
  assert.notEqual(text, '', callId);
  return JSON.parse(text) as CallDocument;
}

/** Those calls whose document in the store is not the agent's own. */
async function different(store: TestStore, host: FleetHost, callIds: readonly string[]): Promise<string[]> {
  const stored = await storedCalls(store);
  const found: string[] = [];
  for (const callId of callIds) {
    const own = await ownDocument(host, callId);
    try {
      assert.deepEqual(ofCall(documentOf(stored.get(callId))), ofCall(own));
    } catch {
      found.push(callId);
    }
  }
  return found;
}

/** Findings of other calls than the usual thresholds give. */
function otherThresholds(t: TestContext): string {
  const path = join(temporaryFolder(t), 'other.toml');
  writeFileSync(
    path,
    ['[diagnosis]', 'transmissions = 1', 'late_media = 1', 'media_stop = 0.1', 'icmp_errors = 1', ''].join('\n'),
  );
  return path;
}

const FILTERS = [
  ...['method:INVITE', 'state:failed', 'code:486', 'from:*12345', 'to:busy', 'number:free', 'user:busy', 'domain:*'],
  ...['ruri:*busy*', 'contact:*', 'ua:*', 'reason:*busy*', 'ip:10.0.0.0/8', 'port:5060', 'transport:udp', 'codec:pcmu'],
  ...[
    'mos<5',
    'loss>=0',
    'jitter>=0',
    'pdd>=0',
    'setup>=0',
    'duration>0',
    'finding:*',
    '-finding:*',
    'tag:*',
    'origin:wire',
  ],
  ...FINDING_NAMES.map((name) => `finding:${name}`),
];

/** The lists of the hub are the agent's, by every order and filter. */
async function assertListsAlike(t: TestContext, store: TestStore, host: FleetHost): Promise<void> {
  const place = storePlace(store.url);
  const readers = new StoreReaders(new Store(place, { user: null, password: null, ca: null }, 'calltap'));
  t.after(() => readers.close());
  const hub = createStoreExplorer(readers, { names: NO_NAMES, callIdHeaders: [] });
  const alike = async (q: string, sort: string): Promise<number> => {
    const own = JSON.parse(await host.ask(`/ask/calls?limit=200&sort=${sort}&q=${encodeURIComponent(q)}`)) as AskCalls;
    const parsed = parseFilter(q, { isUtc: false });
    assert.ok(parsed.ok, q);
    const found = await hub.page({ filter: parsed.filter, sort: sortOf(sort) }, 200, '');
    const rows = (all: AskCalls): object[] => all.calls.map(({ host: _host, ...call }) => call);
    assert.deepEqual([found.total, rows(found)], [own.total, rows(own)], `${q} by ${sort}`);
    return own.total;
  };
  for (const key of SORT_KEYS) for (const sort of [key, `-${key}`]) assert.equal(await alike('', sort), CALLS);
  const found = await Promise.all(FILTERS.map(async (q) => [q, await alike(q, '-created')] as const));
  t.diagnostic(`findings: ${found.filter(([q, n]) => /^finding:\w/.test(q) && n > 0).join(' ')}`);
}

test(`${CALLS} calls that say more after their end are in the store as the agent has them`, {
  skip: skipWithoutStore() || missing(),
}, async (t) => {
  const store = await startMigratedStore(t);
  const host = new FleetHost(t, 'sbc1', store);
  await host.startAgent('--config', otherThresholds(t));
  const caller = host.phone('call', host.name, `${CALLS}`, `${PER_SEC}`);
  assert.equal(await caller.ended, 0, caller.output().slice(-2_000));
  const ended = "SELECT countIf(state IN ('Completed', 'Failed')) AS n FROM calls FINAL";
  await until(
    async () => ((await store.rows(ended)) as { n: number }[])[0]?.n === CALLS,
    () => 'not all calls end in the store',
  );
  const before = await storedCalls(store);
  const again = host.phone('late', host.name, `${CALLS}`, `${PER_SEC}`);
  assert.equal(await again.ended, 0, again.output().slice(-2_000));
  const callIds = Array.from({ length: CALLS }, (_, n) => callIdOf(host.name, n));
  let others = callIds;
  for (const endMs = performance.now() + PATIENT_MS; ; await sleep(2_000)) {
    others = await different(store, host, others);
    if (others.length === 0) break;
    assert.ok(performance.now() < endMs, `${others.length} differ: ${others.slice(0, 20).join(' ')}`);
  }
  // Nothing came after it was compared.
  assert.deepEqual(await different(store, host, callIds), []);
  await assertListsAlike(t, store, host);
  const after = await storedCalls(store);
  assert.equal(after.size, CALLS);
  const textOf = (row: Row | undefined): string => JSON.stringify(ofCall(documentOf(row)));
  const changed = callIds.filter((callId) => textOf(before.get(callId)) !== textOf(after.get(callId)));
  assert.equal(changed.length, CALLS, 'each call was told again');
  const late = callIds.map((callId) => documentOf(after.get(callId)));
  const having = (is: (document: CallDocument) => boolean): number => late.filter(is).length;
  const streams = having((document) => document.streams.length > 0);
  const errors = having(({ icmp_media: icmp }) => (icmp?.findings.length ?? 0) > 0);
  const signaling = having((document) => document.signaling_diagnosis !== undefined);
  assert.equal(streams, Math.ceil(CALLS / 3), 'a stream came late');
  assert.ok(errors > 0 && signaling > 0, `${errors} and ${signaling} ICMP errors`);
  t.diagnostic(
    `${changed.length} of ${CALLS} documents changed after the end: ${streams} got streams, ${errors} ICMP errors of media, ${signaling} of signaling`,
  );
});
