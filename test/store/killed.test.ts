/**
 * Three agents ship while the store is killed at random, and while they are killed themselves: what was seen is stored, each
 * call once. `CALLTAP_FLEET_CALLS=100000 npm run store -- killed` sends more.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { skipWithoutStore, startMigratedStore, type TestStore } from '../helpers/store.ts';
import { CallSender, ShippingAgent } from './agents.ts';

const skip = skipWithoutStore();
const CALLS = Number(process.env['CALLTAP_FLEET_CALLS'] ?? 3_000);
const KILLS = 10;
const HOSTS = ['sbc1', 'sbc2', 'sbc3'] as const;
/** Calls a second of one sender. */
const PACE = 300;
const HOUR_MS = 3_600_000;
/** A row is made two seconds after a call has ended, at the next tick of a second, and is on the disk within two more. */
const ON_DISK_MS = 6_000;

async function agent(t: TestContext, host: string, store: TestStore, spool: string): Promise<ShippingAgent> {
  const one = new ShippingAgent(host, ['--ship', `${store.url}/calltap`, '--ship-spool', spool]);
  t.after(() => one.end('SIGKILL'));
  await one.ready();
  return one;
}

const callIds = (host: string, count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, i) => `${host}-${from + i}@lab`);

test(`a store that is killed ${KILLS} times has all calls at the end, each once, and minutes that add up`, {
  skip,
}, async (t) => {
  const store = await startMigratedStore(t);
  const folder = temporaryFolder(t);
  const agents = await Promise.all(HOSTS.map((host) => agent(t, host, store, join(folder, host))));
  // One sender's clock is an hour late.
  const senders = HOSTS.map((_, i) => new CallSender(i === 2 ? -HOUR_MS : 0));
  t.after(() => {
    for (const sender of senders) sender.close();
  });
  const each = Math.ceil(CALLS / HOSTS.length);
  const sending = Promise.all(
    agents.map(async (one, i) => senders[i]?.send(one.hepPort, callIds(one.host, each), Math.min(PACE, each / 10))),
  );
  for (let n = 0; n < KILLS; n++) {
    await sleep(200 + Math.random() * 1_500);
    await store.kill();
    await sleep(Math.random() * 500);
    await store.start();
  }
  await sending;
  // Each call is told of when it has ended.
  await allStored(store, each, agents);
  for (const one of agents) {
    const count = await one.counts();
    const lost = count('calltap_ship_lost_total');
    const [row] = await store.rows(
      'SELECT count() AS rows, uniqExact(number) AS numbers, uniqExact(call_id) AS calls, max(number) AS last FROM calls FINAL WHERE host = {host:String}',
      { param_host: one.host },
    );
    assert.equal(lost, 0);
    assert.deepEqual(row, { rows: each, numbers: each, calls: each, last: each }, one.host);
    const [messages] = await store.rows('SELECT count() AS n FROM messages FINAL WHERE host = {host:String}', {
      param_host: one.host,
    });
    assert.deepEqual(messages, { n: 6 * each });
    await one.end('SIGINT');
  }
  // With the last row of each minute, which an agent makes as it ends.
  const [sums] = await store.rows("SELECT sum(attempts) AS n FROM minute FINAL WHERE direction = 'in'");
  assert.deepEqual(sums, { n: each * HOSTS.length });
});

/** Resolves when all rows of all agents are stored, and every call has its last row. */
async function allStored(store: TestStore, each: number, agents: readonly ShippingAgent[]): Promise<void> {
  for (;;) {
    for (const one of agents) await one.settled();
    const [row] = await store.rows("SELECT countIf(state = 'Completed') AS ended FROM calls FINAL");
    if ((row as { ended: number }).ended === each * HOSTS.length) return;
    await sleep(500);
  }
}

test(`agents that are killed ${KILLS} times lose no call whose row was made two seconds before`, {
  skip,
}, async (t) => {
  const store = await startMigratedStore(t);
  const spool = join(temporaryFolder(t), 'spool');
  const sender = new CallSender();
  t.after(() => sender.close());
  const safe: string[] = [];
  const each = 60;
  for (let n = 0; n < KILLS; n++) {
    const one = await agent(t, 'sbc1', store, spool);
    const first = callIds(`run${n}`, each);
    await sender.send(one.hepPort, first, 1_000);
    await sleep(ON_DISK_MS + Math.random() * 1_000);
    safe.push(...first);
    // These may be lost: they have just begun.
    await sender.send(one.hepPort, callIds(`run${n}-late`, each), 1_000);
    await sleep(Math.random() * 2_000);
    await one.end('SIGKILL');
  }
  const last = await agent(t, 'sbc1', store, spool);
  await last.settled();
  const rows = (await store.rows('SELECT boot, number, call_id FROM calls FINAL')) as {
    boot: string;
    number: number;
    call_id: string;
  }[];
  const stored = new Set(rows.map(({ call_id }) => call_id));
  assert.deepEqual(
    safe.filter((callId) => !stored.has(callId)),
    [],
  );
  assert.equal(new Set(rows.map(({ boot, number }) => `${boot} ${number}`)).size, rows.length, 'a call is there twice');
  assert.equal(new Set(rows.map(({ boot }) => boot)).size, KILLS);
  // What is missing shows as a gap: the agent said how many calls it had begun.
  const gaps = (await store.rows(
    'SELECT boot, max(number) AS last, count() AS rows FROM calls FINAL GROUP BY boot',
  )) as { last: number; rows: number }[];
  for (const { last: number, rows: count } of gaps) assert.equal(number, count, 'rows are made in the order of calls');
});
