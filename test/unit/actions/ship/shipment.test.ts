/** --ship: rows get to the store, wait or are counted, whatever the store does; the next run sends what one left. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { rowsLost, rowsStored, SHIP_TABLES } from '../../../../src/actions/ship/counters.ts';
import { SHIP_SLAB_BYTES } from '../../../../src/actions/ship/lines.ts';
import { shipFamilies, shipLosses } from '../../../../src/actions/ship/meter.ts';
import { SHIP_SEGMENT_BYTES } from '../../../../src/actions/ship/segment.ts';
import { SHIP_WAITING_BYTES } from '../../../../src/actions/ship/shipment.ts';
import { FakeStore, type Fault, rowText, storePlace } from '../../../helpers/fake-store.ts';
import { freePort, untilHolds } from '../../../helpers/patience.ts';
import { temporaryFolder } from '../../../helpers/read-capture.ts';
import { assertBalanced, BOOT, shipmentTo } from './lab.ts';

const MIB = 1024 * 1024;
const PATIENT_MS = 60_000;
const upTo = (n: number, from = 0): number[] => Array.from({ length: n }, (_, i) => from + i);

describe('shipment', { timeout: 120_000 }, () => {
  it('every row of every table gets to the store once, and nothing stays on the disk', async (t) => {
    const store = new FakeStore(t);
    await store.start();
    const folder = join(temporaryFolder(t), 'state', 'ship');
    const { shipment, said } = shipmentTo(t, store.port, folder, { user: 'edge', password: 'a:bß' });
    shipment.start();
    for (const key of upTo(5_000)) for (const table of SHIP_TABLES) shipment.add(table, rowText(key));
    await shipment.drain(PATIENT_MS);
    assertBalanced(shipment);
    for (const table of SHIP_TABLES) {
      assert.deepEqual(store.keys(table), upTo(5_000));
      assert.equal(shipment.counters.get(`stored_${table}`), 5_000);
    }
    assert.equal(store.kept, 30_000);
    assert.deepEqual([shipment.waitingRows, shipment.waitingBytes, shipment.spoolBytes], [0, 0, 0]);
    assert.deepEqual([shipment.oldestMs, said, readdirSync(folder)], [null, [], []]);
    assert.equal(store.connections, 1);
    for (const { url, headers } of store.inserts) {
      assert.equal(url.searchParams.get('database'), 'calltap');
      assert.equal(url.searchParams.get('async_insert'), '0');
      assert.equal(headers['content-encoding'], 'gzip');
      assert.equal(headers.authorization, `Basic ${Buffer.from('edge:a:bß').toString('base64')}`);
    }
  });

  it('what one run left the next one sends, oldest first, from the database that the URL names', async (t) => {
    const folder = join(temporaryFolder(t), 'ship');
    const port = await freePort();
    const first = shipmentTo(null, port, folder, { boot: 'a'.repeat(32) });
    for (const key of upTo(100)) first.shipment.add('calls', rowText(key));
    await first.shipment.close();
    const second = shipmentTo(null, port, folder);
    second.shipment.add('calls', rowText(50, 2));
    second.shipment.add('ids', rowText(7));
    await second.shipment.close();
    assert.deepEqual(readdirSync(folder).sort(), [
      `${BOOT}-0000000002-calls-1.seg`,
      `${BOOT}-0000000003-ids-1.seg`,
      `${'a'.repeat(32)}-0000000001-calls-100.seg`,
    ]);
    const store = new FakeStore(t);
    await store.start(port);
    const place = storePlace(`http://127.0.0.1:${port}/voice`);
    const { shipment } = shipmentTo(t, port, folder, { place });
    assert.equal(shipment.counters.get('found'), 102);
    assert.ok((shipment.oldestMs ?? -1) >= 0);
    shipment.start();
    await shipment.drain(PATIENT_MS);
    assertBalanced(shipment);
    assert.deepEqual(store.keys('calls'), upTo(100));
    assert.equal(store.rows.get('calls')?.get(50), 2);
    assert.deepEqual(
      store.inserts.map(({ table }) => table),
      ['calls', 'calls', 'ids'],
    );
    assert.ok(store.inserts.every((one) => one.url.searchParams.get('database') === 'voice'));
    assert.deepEqual(readdirSync(folder), []);
  });

  for (const [fault, reason] of [
    ['stall', 'it does not answer in time'],
    ['slow answer', 'it does not answer in time'],
    ['slow reader', 'it does not answer in time'],
    ['500', 'it answers 500, MEMORY_LIMIT_EXCEEDED'],
    ['503', 'it answers 503'],
    ['no table', 'it has no such table (404, UNKNOWN_TABLE); run calltap hub --migrate'],
    [
      'wrong password',
      'it refuses the user or the password (403, AUTHENTICATION_FAILED); correct --ship-user and its password',
    ],
    ['redirect', 'it sends calltap to another place (307), where it does not go; correct the URL'],
    ['break', 'it closed the connection'],
    ['lost answer', 'it closed the connection'],
    ['garbage', 'it answers as another server does; correct the URL'],
    ['endless', 'it answers as another server does; correct the URL'],
    ['other server', 'it answers as another server does; correct the URL'],
  ] as const satisfies readonly (readonly [Fault, string])[]) {
    it(`a store that does this is tried again, and that is said once: ${fault}`, async (t) => {
      const store = new FakeStore(t);
      await store.start();
      const hangs = reason === 'it does not answer in time';
      const times = hangs ? { answerMs: 300 } : {};
      const { shipment, said } = shipmentTo(t, store.port, temporaryFolder(t), { times });
      let faults = 0;
      store.fault = () => (faults++ < 3 ? fault : 'none');
      shipment.start();
      for (const key of upTo(300)) shipment.add('calls', rowText(key));
      await shipment.drain(PATIENT_MS);
      assert.deepEqual(store.keys('calls'), upTo(300));
      await untilHolds(() => said.at(-1) === null);
      // A machine that is late makes the store that hung hang once more.
      assert.deepEqual(said.slice(0, hangs ? 1 : 3), [
        `http://127.0.0.1:${store.port}: ${reason}`,
        ...(hangs ? [] : [null]),
      ]);
      assert.ok(hangs ? shipment.counters.get('retries') >= 3 : shipment.counters.get('retries') === 3);
      assert.equal(shipment.counters.get('stored_calls'), 300);
      assert.equal(rowsLost(shipment.counters), 0);
      assertBalanced(shipment);
    });
  }

  it('a store that asks for patience gets it', async (t) => {
    const store = new FakeStore(t);
    await store.start();
    const { shipment } = shipmentTo(t, store.port, temporaryFolder(t));
    let faults = 0;
    store.fault = () => (faults++ < 1 ? 'busy' : 'none');
    shipment.start();
    shipment.add('calls', rowText(1));
    await shipment.drain(PATIENT_MS);
    const [first, second] = store.inserts.map(({ atMs }) => atMs);
    assert.ok((second ?? 0) - (first ?? 0) > 900);
  });

  it('the end waits for no store: what is under way stays on the disk', async (t) => {
    const store = new FakeStore(t);
    await store.start();
    const folder = temporaryFolder(t);
    store.fault = () => 'stall';
    const { shipment, said } = shipmentTo(t, store.port, folder);
    shipment.start();
    shipment.add('calls', rowText(1));
    await untilHolds(() => store.inserts.length === 1);
    shipment.add('calls', rowText(2));
    await Promise.all([shipment.close(), shipment.close()]);
    assertBalanced(shipment);
    assert.deepEqual([shipment.waitingRows, readdirSync(folder).length, said], [2, 2, []]);
    store.fault = () => 'none';
    const next = shipmentTo(t, store.port, folder);
    next.shipment.start();
    await next.shipment.drain(PATIENT_MS);
    assert.deepEqual(store.keys('calls'), [1, 2]);
  });

  it('rows are stored only when the store has read them all', async (t) => {
    const store = new FakeStore(t);
    await store.start();
    const { shipment, said } = shipmentTo(t, store.port, temporaryFolder(t));
    let faults = 0;
    store.fault = () => (faults++ < 2 ? 'early' : 'none');
    // More than the buffers of both ends, also when it is compressed.
    const noise = (): string => Buffer.from(upTo(90_000).map(() => Math.random() * 256)).toString('base64');
    for (const key of upTo(30)) shipment.add('messages', JSON.stringify({ key, version: 1, noise: noise() }));
    shipment.start();
    await shipment.drain(PATIENT_MS);
    assert.deepEqual(store.keys('messages'), upTo(30));
    assert.ok(faults > 2 && said.length > 0);
    assertBalanced(shipment);
  });

  it('what the store refuses is kept aside, counted and said; the rest goes on', async (t) => {
    const store = new FakeStore(t);
    await store.start();
    const folder = temporaryFolder(t);
    const { shipment, said } = shipmentTo(t, store.port, folder);
    store.fault = ({ table }) => (table === 'calls' ? 'refuse' : 'none');
    shipment.start();
    for (const key of upTo(10)) for (const table of ['calls', 'ids'] as const) shipment.add(table, rowText(key));
    await shipment.drain(PATIENT_MS);
    shipment.add('calls', rowText(10));
    await shipment.drain(PATIENT_MS);
    assert.deepEqual([store.keys('ids'), store.keys('calls')], [upTo(10), []]);
    assert.equal(shipment.counters.get('refused'), 11);
    assertBalanced(shipment);
    const kept = readdirSync(folder).sort();
    assert.equal(kept.length, 2);
    const [name = ''] = kept;
    assert.match(name, /-calls-10\.refused$/);
    assert.deepEqual(said, [
      `http://127.0.0.1:${store.port}: it refused 10 rows of calls (400, CANNOT_PARSE_INPUT_ASSERTION_FAILED); kept in ${name}`,
    ]);
    assert.equal(
      gunzipSync(readFileSync(join(folder, name))).toString(),
      upTo(10)
        .map((key) => `${rowText(key)}\n`)
        .join(''),
    );
    store.fault = () => 'none';
    shipment.add('calls', rowText(11));
    await shipment.drain(PATIENT_MS);
    assert.equal(said.at(-1), null);
    // The next run leaves it alone.
    assert.equal(shipmentTo(t, store.port, folder).shipment.counters.get('found'), 0);
  });

  it('a segment that the store fails at each time holds up no other', async (t) => {
    const store = new FakeStore(t);
    await store.start();
    const { shipment } = shipmentTo(t, store.port, temporaryFolder(t));
    store.fault = ({ table }) => (table === 'calls' ? 'no table' : 'none');
    shipment.start();
    shipment.add('calls', rowText(0));
    await untilHolds(() => shipment.counters.get('retries') > 0);
    for (const key of upTo(10)) shipment.add('messages', rowText(key));
    await untilHolds(() => store.keys('messages').length === 10);
    await untilHolds(() => shipment.waitingRows === 1);
    assertBalanced(shipment);
  });

  it('while the persistence gate is closed nothing is written, and the rows are counted', async (t) => {
    const store = new FakeStore(t);
    await store.start();
    const folder = temporaryFolder(t);
    let isOpen = false;
    const { shipment } = shipmentTo(t, store.port, folder, { mayWrite: () => isOpen });
    shipment.start();
    for (const key of upTo(20)) shipment.add('calls', rowText(key));
    await shipment.drain(PATIENT_MS);
    assert.deepEqual([readdirSync(folder), store.inserts], [[], []]);
    assert.equal(shipment.counters.get('gate_closed'), 20);
    isOpen = true;
    for (const key of upTo(20, 20)) shipment.add('calls', rowText(key));
    await shipment.drain(PATIENT_MS);
    assert.deepEqual(store.keys('calls'), upTo(20, 20));
    assertBalanced(shipment);
  });

  it('memory is bounded: beyond it the oldest rows of the table that matters least go, and are counted', async (t) => {
    const { shipment } = shipmentTo(t, await freePort(), temporaryFolder(t), { times: { segmentMs: 3_600_000 } });
    const wide = 64 * 1024;
    // What a turn of the event loop adds; the disk gets no turn.
    for (const key of upTo(100)) shipment.add('calls', rowText(key, 1, wide));
    for (const key of upTo(400)) {
      shipment.add('messages', rowText(key, 1, wide));
      assert.ok(shipment.waitingBytes <= SHIP_WAITING_BYTES);
    }
    assert.ok(shipment.counters.get('memory_full') >= 500 - SHIP_WAITING_BYTES / wide);
    shipment.add('agents', rowText(1, 1, SHIP_SEGMENT_BYTES));
    assert.equal(shipment.counters.get('too_long'), 1);
    assertBalanced(shipment);
    await shipment.drain(0);
    const store = new FakeStore(t);
    await store.start();
    await shipment.close();
    shipment.add('calls', rowText(1));
    assert.equal(shipment.counters.get('unsent_at_end'), 1);
    assertBalanced(shipment);
  });

  it('who can wait gets room without the clock, also where no table has a whole segment', async (t) => {
    const { shipment } = shipmentTo(t, await freePort(), temporaryFolder(t), { times: { segmentMs: 3_600_000 } });
    for (const key of upTo(60)) for (const table of SHIP_TABLES) shipment.add(table, rowText(key, 1, 32 * 1024));
    assert.ok(shipment.waitingBytes > 2 * SHIP_SEGMENT_BYTES);
    await shipment.room();
    assert.ok(shipment.waitingBytes <= SHIP_SEGMENT_BYTES);
    assert.equal(rowsLost(shipment.counters), 0);
    assertBalanced(shipment);
  });

  it('segments hold at most 4 MiB of one table, whole lines, and count on', async (t) => {
    const folder = temporaryFolder(t);
    const { shipment } = shipmentTo(t, await freePort(), folder);
    for (const key of upTo(2_000)) shipment.add('messages', rowText(key, 1, 5_000));
    await shipment.close();
    const keys: number[] = [];
    for (const name of readdirSync(folder).sort()) {
      const text = gunzipSync(readFileSync(join(folder, name))).toString();
      assert.ok(text.length <= SHIP_SEGMENT_BYTES && text.endsWith('\n'));
      const lines = text.split('\n').slice(0, -1);
      assert.equal(name.split('-')[3], `${lines.length}.seg`);
      keys.push(...lines.map((line) => Number(/"key":(\d+)/.exec(line)?.[1])));
    }
    assert.deepEqual(keys, upTo(2_000));
    assert.equal(shipment.counters.get('segments_written'), readdirSync(folder).length);
    assertBalanced(shipment);
  });

  it('a line is its bytes, however many a letter takes', async (t) => {
    const folder = temporaryFolder(t);
    const { shipment } = shipmentTo(t, await freePort(), folder);
    shipment.add('messages', '{"a":"ü☎"}');
    shipment.add('messages', `${'x'.repeat(SHIP_SLAB_BYTES)}é`);
    shipment.add('messages', 'z'.repeat(SHIP_SEGMENT_BYTES));
    assert.equal(shipment.counters.get('too_long'), 1);
    assertBalanced(shipment);
    await shipment.close();
    const [name = ''] = readdirSync(folder);
    const text = gunzipSync(readFileSync(join(folder, name))).toString('utf8');
    assert.equal(text, `{"a":"ü☎"}\n${'x'.repeat(SHIP_SLAB_BYTES)}é\n`);
  });

  it('gives losses and metrics, zero where nothing ships', async (t) => {
    const { shipment } = shipmentTo(t, await freePort(), temporaryFolder(t), { mostBytes: MIB });
    await shipment.close();
    shipment.add('ids', rowText(1));
    assert.deepEqual(
      shipLosses(shipment).filter(([, count]) => count > 0),
      [['unsent_at_end', 1]],
    );
    const values = (families: ReturnType<typeof shipFamilies>) =>
      families.flatMap(({ samples }) => samples.map(({ value }) => value));
    assert.equal(values(shipFamilies(shipment)).filter((value) => value === 1).length, 2);
    assert.ok(values(shipFamilies(null)).every((value) => value === 0));
    assert.equal(rowsStored(shipment.counters), 0);
  });
});
