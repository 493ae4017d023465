/** Hosts whose clocks differ: the offset is told by messages that two of them saw, is shown, and is taken out of the ladder. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { AskLadder } from '../../src/contract/index.ts';
import { NO_NAMES } from '../../src/core/names.ts';
import { Store } from '../../src/explore/clickhouse/store.ts';
import { createStoreExplorer } from '../../src/explore/clickhouse/store-explorer.ts';
import { StoreReaders } from '../../src/explore/clickhouse/store-reader.ts';
import { run } from '../cli/run-program.ts';
import { storePlace } from '../helpers/fake-store.ts';
import { readCaptureFile, temporaryFolder } from '../helpers/read-capture.ts';
import { fileOf, readRecords, stampedAt } from '../helpers/split-capture.ts';
import { skipWithoutStore, startMigratedStore } from '../helpers/store.ts';
import { AT } from '../live/hop-cases.ts';
import { movedToNow } from './moved-capture.ts';

const skip = skipWithoutStore();
const AHEAD_MS = 400;
/** One call through two proxies; the phone that answers is a host with an agent too. */
const HOSTS = ['edge', 'core', 'callee'] as const;
const LATE = 'core';

const order = ({ steps }: AskLadder): string[] => steps.map(({ src, dst, summary }) => `${src} ${dst} ${summary}`);

test('a host whose clock is 0.4 s ahead: the offset is estimated, shown, and applied', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  const folder = temporaryFolder(t);
  const whole = movedToNow('fixtures/hops/three-hops.pcap', join(folder, 'whole.pcap'), 0.5);
  const { fileHeader, records } = readRecords(whole);
  for (const host of HOSTS) {
    const address = Buffer.from(AT[host].split('.').map(Number));
    // Behind an Ethernet header.
    const seen = records.filter(({ data }) => [26, 30].some((at) => data.subarray(at, at + 4).equals(address)));
    const shiftUs = host === LATE ? AHEAD_MS * 1000 : 0;
    const path = join(folder, `${host}.pcap`);
    const stamped = seen.map((record) => stampedAt(record, record.tsUs + shiftUs));
    writeFileSync(path, fileOf(fileHeader, stamped));
    const to = ['--ship', `${store.url}/calltap`, '--ship-spool', join(folder, `spool-${host}`), '--ship-host', host];
    const { code, stderr } = await run([path, ...to]);
    assert.equal(code, 0, stderr);
  }
  const { session } = await readCaptureFile(t, whole, ['--api', '127.0.0.1:0']);
  const readers = new StoreReaders(
    new Store(storePlace(store.url), { user: null, password: null, ca: null }, 'calltap'),
  );
  t.after(() => readers.close());
  const hub = createStoreExplorer(readers, { names: NO_NAMES, callIdHeaders: [] });
  const [call] =
    (await session.explorer.page({ filter: null, sort: { by: 'created', isDescending: false } }, 10, ''))?.calls ?? [];
  assert.ok(call !== undefined);
  const local = await session.explorer.ladder([call.call_id]);
  const found = await hub.ladder([call.call_id]);
  assert.ok(local && found);

  const clocks = new Map(found.clocks?.map(({ host, ahead_ms, pairs }) => [host, { ahead_ms, pairs }]));
  assert.deepEqual([...clocks.keys()].toSorted(), [...HOSTS].toSorted());
  for (const host of HOSTS) {
    const { ahead_ms = Number.NaN, pairs = 0 } = clocks.get(host) ?? {};
    const expected = host === LATE ? AHEAD_MS : 0;
    assert.ok(Math.abs(ahead_ms - expected) < 1, `${host} is ${ahead_ms} ms ahead`);
    if (host !== 'edge') assert.ok(pairs >= 4, `${host}: ${pairs} pairs`);
  }
  assert.deepEqual(order(found), order(local), 'the order is that of one capture of all hosts');
  const times = found.steps.map(({ at }) => at);
  assert.deepEqual(times, times.toSorted());
  for (const [i, step] of found.steps.entries()) {
    const offMs = Math.abs(Date.parse(step.at) - Date.parse(local.steps[i]?.at ?? ''));
    assert.ok(offMs <= 1, `${step.summary} is ${offMs} ms off`);
  }
});
