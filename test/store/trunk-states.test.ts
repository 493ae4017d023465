/** Whether a trunk is up: a hub says what agents say, by whatever numbers they were configured with, and judges nothing itself. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { AskTrunks } from '../../src/contract/index.ts';
import { NO_NAMES } from '../../src/core/names.ts';
import { Store } from '../../src/explore/clickhouse/store.ts';
import type { StoreExplorer } from '../../src/explore/clickhouse/store-explorer.ts';
import { createStoreExplorer } from '../../src/explore/clickhouse/store-explorer.ts';
import { StoreReaders } from '../../src/explore/clickhouse/store-reader.ts';
import { ALL_CALLS } from '../../src/explore/question.ts';
import { run } from '../cli/run-program.ts';
import { storePlace } from '../helpers/fake-store.ts';
import { readCaptureFile, temporaryFolder } from '../helpers/read-capture.ts';
import { Recorder } from '../helpers/recorder.ts';
import { skipWithoutStore, startMigratedStore, type TestStore } from '../helpers/store.ts';

const skip = skipWithoutStore();
const NOW_MS = Date.now();
const MINUTE_MS = 60_000;

function hubOf(t: TestContext, store: TestStore): StoreExplorer {
  const readers = new StoreReaders(
    new Store(storePlace(store.url), { user: null, password: null, ca: null }, 'calltap'),
  );
  t.after(() => readers.close());
  return createStoreExplorer(readers, { names: NO_NAMES, callIdHeaders: [], nowUs: () => NOW_MS * 1000 });
}

const ago = (minutes: number): string => new Date(NOW_MS - minutes * MINUTE_MS).toISOString();
/** As an answer has it. */
const since = (minutes: number): string => ago(minutes).replace('Z', '000Z');

type Said = {
  readonly trunk: string;
  readonly host: string;
  readonly boot?: string;
  /** Of the row, in minutes ago, as all times here. */
  readonly at: number;
  readonly version?: number;
  readonly state?: string;
  readonly began?: number;
  readonly outages?: number;
  readonly attempts?: number;
};

async function says(store: TestStore, rows: readonly Said[]): Promise<void> {
  const made = rows.map(({ at, began, boot = 'b1', version = 1, ...row }) => ({
    ...{ attempts: 1, ...row, boot, version, direction: 'out' },
    minute: `${ago(at).slice(0, 16)}:00Z`,
    ...(began === undefined ? {} : { since: ago(began) }),
  }));
  const { status, text } = await store.insert('minute', made);
  assert.equal(status, 200, text);
}

async function heardOf(store: TestStore, host: string, boot: string, minutesAgo: number): Promise<void> {
  const { status, text } = await store.insert('agents', [{ host, boot, version: 1, at: ago(minutesAgo) }]);
  assert.equal(status, 200, text);
}

const shown = ({ trunks }: AskTrunks) =>
  Object.fromEntries(trunks.map(({ trunk, state, since: from, outages }) => [trunk, [state, from, outages]]));

test('what hosts say of one trunk becomes one state: refusing where one says so, else up where one reaches it, else down', {
  skip,
}, async (t) => {
  const store = await startMigratedStore(t);
  for (const host of ['sbc1', 'sbc2']) await heardOf(store, host, 'b1', 0.1);
  await says(store, [
    // Figures of a minute come late: the version says what was said last.
    { trunk: 'back', host: 'sbc1', at: 2, version: 7, state: 'down', began: 2 },
    { trunk: 'back', host: 'sbc1', at: 3, version: 9, state: 'up', began: 1, outages: 1 },
    { trunk: 'half', host: 'sbc1', at: 2, state: 'down', began: 30, outages: 3 },
    { trunk: 'half', host: 'sbc2', at: 5, state: 'up', began: 40, outages: 2 },
    { trunk: 'dead', host: 'sbc1', at: 2, state: 'down', began: 30, outages: 1 },
    { trunk: 'dead', host: 'sbc2', at: 400, state: 'down', began: 50 },
    { trunk: 'one', host: 'sbc1', at: 2, state: 'unknown', outages: 4 },
    { trunk: 'one', host: 'sbc2', at: 2, state: 'down', began: 9 },
    { trunk: 'none', host: 'sbc1', at: 2, state: 'unknown' },
    // Of an agent before this column.
    { trunk: 'early', host: 'sbc1', at: 2 },
    { trunk: 'forged', host: 'sbc1', at: 2, state: 'on fire', began: 2 },
    { trunk: '203.0.113.9', host: 'sbc1', at: 2, state: 'down', began: 2 },
    { trunk: 'refused', host: 'sbc1', at: 2, state: 'up', began: 90 },
    { trunk: 'refused', host: 'sbc2', at: 2, state: 'refusing', began: 7 },
    // Of a trunk that nothing came from, or went to.
    { trunk: 'quiet', host: 'sbc1', at: 2, state: 'unknown', attempts: 0 },
  ]);
  const hub = hubOf(t, store);
  assert.deepEqual(shown(await hub.trunks({})), {
    back: ['up', since(1), 1],
    half: ['up', since(40), 3],
    dead: ['down', since(50), 1],
    one: ['down', since(9), 4],
    none: ['unknown', undefined, 0],
    early: ['unknown', undefined, 0],
    forged: ['unknown', undefined, 0],
    '203.0.113.9': ['down', since(2), 0],
    refused: ['refusing', since(7), 0],
    quiet: ['unknown', undefined, 0],
  });
  const { trunks } = await hub.trunks({});
  // The worst first, and trunks with a name before addresses.
  assert.deepEqual(
    trunks.slice(0, 4).map(({ trunk }) => trunk),
    ['dead', 'one', 'refused', '203.0.113.9'],
  );
  assert.equal(trunks.find(({ trunk }) => trunk === 'quiet')?.first_seen, undefined);
  assert.deepEqual(shown(await hub.trunks({ trunk: 'half' })), { half: ['up', since(40), 3] });
  // Addresses are no trunks to tell of.
  assert.deepEqual((await hub.findings(ALL_CALLS))?.trunks_down, [
    { trunk: 'dead', direction: 'out', since: since(50) },
    { trunk: 'one', direction: 'out', since: since(9) },
  ]);
  assert.deepEqual((await hub.findings(ALL_CALLS))?.trunks_troubled, [
    {
      ...{ trunk: 'refused', direction: 'out', trouble: 'refusing', since: since(7) },
      text: 'refuses calls, says sbc2',
    },
  ]);
});

test('an agent that died says nothing, and the next run on its host speaks for it', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  await heardOf(store, 'sbc1', 'b1', 0.1);
  await heardOf(store, 'dead', 'b1', 120);
  await heardOf(store, 'again', 'b1', 1);
  await heardOf(store, 'again', 'b2', 0.1);
  await heardOf(store, 'file', 'b1', 0.1);
  await heardOf(store, 'file', 'b2', 0.2);
  await says(store, [
    { trunk: 'acme', host: 'dead', at: 121, state: 'up', began: 300, outages: 5 },
    { trunk: 'acme', host: 'sbc1', at: 3, state: 'down', began: 4, outages: 1 },
    { trunk: 'lost', host: 'dead', at: 121, state: 'down', began: 200 },
    { trunk: 'globex', host: 'again', boot: 'b1', at: 2, version: 900, state: 'up', began: 60 },
    { trunk: 'globex', host: 'again', boot: 'b2', at: 1, version: 3, state: 'down', began: 1 },
    // A capture of this morning that somebody ships now is no news.
    { trunk: 'initech', host: 'file', boot: 'b1', at: 3, state: 'up', began: 60 },
    { trunk: 'initech', host: 'file', boot: 'b2', at: 300, state: 'down', began: 300 },
  ]);
  assert.deepEqual(shown(await hubOf(t, store).trunks({})), {
    acme: ['down', since(4), 1],
    lost: ['unknown', undefined, 0],
    globex: ['down', since(1), 0],
    initech: ['up', since(60), 0],
  });
});

const PROXY = '192.0.2.1';
const [ACME, GLOBEX] = ['203.0.113.1', '203.0.113.65'];
const BEGAN_US = (NOW_MS - 20 * MINUTE_MS) * 1000;

/** To one trunk four OPTIONS without an answer; another is away for three of them, and back. */
function pinged(): Uint8Array {
  const recorder = new Recorder(BEGAN_US);
  const say = (sec: number, from: string, to: string, start: string, n: number): void => {
    const head = `Via: SIP/2.0/UDP x;branch=z9hG4bK${n}\r\nFrom: <sip:1@x>;tag=a\r\nTo: <sip:2@x>\r\n`;
    recorder.send(sec, from, to, `${start}\r\n${head}Call-ID: ping-${n}\r\nCSeq: 1 OPTIONS\r\n\r\n`);
  };
  for (const sec of [0, 30, 60, 90]) {
    say(sec, PROXY, ACME, 'OPTIONS sip:x SIP/2.0', sec);
    say(sec + 1, PROXY, GLOBEX, 'OPTIONS sip:x SIP/2.0', sec + 1);
    if (sec === 90) say(sec + 1.02, GLOBEX, PROXY, 'SIP/2.0 200 OK', sec + 1);
  }
  say(100, PROXY, '203.0.113.200', 'OPTIONS sip:x SIP/2.0', 100);
  return recorder.capture.pcap();
}

const NUMBERS = [
  { downAfter: 2, states: { acme: 'down', globex: 'up' }, outages: 1 },
  { downAfter: 3, states: { acme: 'down', globex: 'up' }, outages: 1 },
  { downAfter: 4, states: { acme: 'down', globex: 'up' }, outages: 0 },
  { downAfter: 5, states: { acme: 'unknown', globex: 'up' }, outages: 0 },
] as const;

for (const { downAfter, states, outages } of NUMBERS)
  test(`an agent for which ${downAfter} OPTIONS without an answer are too many is believed`, { skip }, async (t) => {
    const store = await startMigratedStore(t);
    const folder = temporaryFolder(t);
    const path = join(folder, 'pinged.pcap');
    writeFileSync(path, pinged());
    const counted = [
      ...['--trunk-local', PROXY, '--trunk', `${ACME}=acme`, '--trunk', `${GLOBEX}=globex`],
      ...['--trunk-down-after', String(downAfter)],
    ];
    const to = ['--ship', `${store.url}/calltap`, '--ship-spool', join(folder, 'spool'), '--ship-host', 'sbc1'];
    const { code, stderr } = await run([path, ...counted, ...to]);
    assert.equal(code, 0, stderr);
    const { session } = await readCaptureFile(t, path, [...counted, '--trunks']);
    const wanted = await session.explorer.trunks({});
    assert.ok(wanted);
    const hub = hubOf(t, store);
    assert.deepEqual(shown(await hub.trunks({})), shown(wanted));
    for (const [trunk, state] of Object.entries(states)) assert.equal(shown(wanted)[trunk]?.[0], state, trunk);
    assert.equal(shown(wanted)['globex']?.[2], outages);
    assert.deepEqual(
      (await hub.findings(ALL_CALLS))?.trunks_down,
      (await session.explorer.findings(ALL_CALLS))?.trunks_down,
    );
  });
