/**
 * Three agents, each in a network namespace, ship while the store is killed at random and away for long, while the disk of one
 * is full, and while what another sees is an hour late: each call is stored once, or counted.
 * `CALLTAP_FLEET_CALLS=100000 npm run store -- killed` makes more calls, and the store is away for ten minutes.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../helpers/patience.ts';
import { fillDisk, smallDisk } from '../helpers/small-disk.ts';
import { skipWithoutStore, startMigratedStore, type TestStore } from '../helpers/store.ts';
import { missing } from '../live/lab.ts';
import { type Counts, FleetHost } from './fleet-host.ts';
import { isBusy } from './phone.ts';

const skip = skipWithoutStore() || missing();
const CALLS = Number(process.env['CALLTAP_FLEET_CALLS'] ?? 3_000);
const IS_LONG = CALLS >= 100_000;
const AWAY_MS = IS_LONG ? 600_000 : 5_000;
/** Calls are made all the time that the store is killed and away. */
const CALLING_SEC = (IS_LONG ? 60 : 20) + AWAY_MS / 1_000;
const KILLS = 10;
const HOUR_MS = 3_600_000;
const EACH = Math.ceil(CALLS / 3);
const ANSWERED = Array.from({ length: EACH }, (_, n) => n).filter((n) => !isBusy(n)).length;
/** INVITE, 180, 200, ACK, BYE, 200; INVITE, 180, 486, ACK. */
const MESSAGES = 6 * ANSWERED + 4 * (EACH - ANSWERED);
/** Rows that the full disk costs. A second writes its calls first, and its messages last: so many are of more than one second. */
const LOST_ROWS = 1_000;
/** The longest that an agent waits before it tries again, and what a slow machine takes for the rest. */
const PATIENT_MS = 180_000;

type Loss = { readonly calls: number; readonly minutes: number; readonly messages: number; readonly rows: number };

/** Rows that the agent counts as lost, by what it counted when it had nothing left to send. */
function lossOf(host: FleetHost, count: Counts): Loss {
  const lost = (table: string): number =>
    count(`calltap_ship_made_total{table="${table}"}`) - count(`calltap_ship_stored_total{table="${table}"}`);
  const rows = count('calltap_ship_lost_total');
  assert.equal(rows, count('calltap_ship_made_total') - count('calltap_ship_stored_total'));
  assert.equal(rows, count('calltap_ship_lost_total{reason="spool_errors"}'), host.name);
  assert.equal(count('calltap_ship_left_out_total'), 0, host.name);
  return { calls: lost('calls'), minutes: lost('minute'), messages: lost('messages'), rows };
}

/** Calls of a host whose last state is stored. */
async function endedCalls(store: TestStore, host: FleetHost): Promise<number> {
  const ended = "SELECT countIf(state IN ('Completed', 'Failed')) AS n FROM calls FINAL WHERE host = {host:String}";
  const [row] = (await store.rows(ended, { param_host: host.name })) as { n: number }[];
  return row?.n ?? 0;
}

/** Resolves when each call of the host is stored, or a row of it is counted as lost. */
async function whenTold(store: TestStore, host: FleetHost): Promise<Loss> {
  for (const endMs = performance.now() + PATIENT_MS; performance.now() < endMs; await sleep(500)) {
    const settled = await host.settled();
    if (settled === null) continue;
    const loss = lossOf(host, settled);
    if ((await endedCalls(store, host)) + loss.calls >= EACH) return loss;
  }
  return assert.fail(`${host.name}: ${await endedCalls(store, host)} of ${EACH} calls, ${await host.ask('/metrics')}`);
}

/** The store is away while the disk of `host` is full for a while: until rows are lost. */
async function awayWithFullDisk(store: TestStore, host: FleetHost, disk: string): Promise<void> {
  const backMs = performance.now() + AWAY_MS;
  await store.kill();
  const free = fillDisk(disk);
  await until(
    async () => (await host.counts())('calltap_ship_lost_total{reason="spool_errors"}') >= LOST_ROWS,
    () => 'the disk is never full',
  );
  free();
  await sleep(Math.max(0, backMs - performance.now()));
  await store.start();
}

async function threeHosts(t: TestContext, store: TestStore): Promise<{ hosts: FleetHost[]; disk: string } | null> {
  const disk = smallDisk(t, IS_LONG ? '256m' : '64m');
  if (disk === null) return null;
  // A kernel stamps what an interface brings, and all namespaces have one clock: a clock that is off is another host's.
  const hosts = [
    new FleetHost(t, 'sbc1', store),
    new FleetHost(t, 'sbc2', store, 'wire', disk),
    new FleetHost(t, 'sbc3', store, 'hep'),
  ];
  await Promise.all(hosts.map((host) => host.startAgent()));
  return { hosts, disk };
}

test(`a store that is killed ${KILLS} times has each call once, but what was counted, and minutes that add up`, {
  skip,
  timeout: 1_500_000,
}, async (t) => {
  const store = await startMigratedStore(t);
  const fleet = await threeHosts(t, store);
  if (fleet === null) return;
  const [sbc1, sbc2, sbc3] = fleet.hosts as [FleetHost, FleetHost, FleetHost];
  const much = (host: FleetHost): string[] => [host.name, `${EACH}`, `${EACH / CALLING_SEC}`];
  const callers = [
    sbc1.phone('call', ...much(sbc1)),
    sbc2.phone('call', ...much(sbc2)),
    sbc3.phone('mirror', ...much(sbc3), `${-HOUR_MS}`),
  ];
  for (let n = 0; n < KILLS; n++) {
    await sleep(200 + Math.random() * (IS_LONG ? 8_000 : 2_500));
    if (n === KILLS / 2) await awayWithFullDisk(store, sbc2, fleet.disk);
    await store.kill();
    await sleep(Math.random() * 500);
    await store.start();
  }
  for (const { ended, output } of callers) assert.equal(await ended, 0, output().slice(-2_000));
  const losses = await Promise.all(fleet.hosts.map((host) => whenTold(store, host)));
  // Each makes the last row of its minute as it ends.
  for (const host of fleet.hosts) await host.endAgent();
  for (const [i, host] of fleet.hosts.entries()) {
    const loss = losses[i] ?? assert.fail();
    const of = { param_host: host.name };
    const told = await store.rows('SELECT losses FROM agents FINAL WHERE host = {host:String}', of);
    assert.deepEqual(told, [{ losses: loss.rows === 0 ? {} : { ship_spool_errors: loss.rows } }], 'the store is told');
    const [calls] = (await store.rows(
      'SELECT count() AS rows, uniqExact(number) AS numbers, uniqExact(call_id) AS ids, max(number) AS last FROM calls FINAL WHERE host = {host:String}',
      of,
    )) as { rows: number; numbers: number; ids: number; last: number }[];
    const ended = await endedCalls(store, host);
    t.diagnostic(`${host.name}: ${EACH} calls, ${ended} stored, rows counted as lost: ${JSON.stringify(loss)}`);
    assert.ok(calls !== undefined);
    assert.deepEqual([calls.numbers, calls.ids], [calls.rows, calls.rows], `${host.name}: a call is there twice`);
    assert.equal(calls.last, EACH, host.name);
    assert.ok(ended + loss.calls >= EACH, `${host.name}: ${EACH - ended} calls are missing, ${loss.calls} are counted`);
    const [messages] = (await store.rows('SELECT count() AS n FROM messages FINAL WHERE host = {host:String}', of)) as {
      n: number;
    }[];
    assert.equal((messages?.n ?? 0) + loss.messages, MESSAGES, host.name);
    if (host !== sbc2) assert.deepEqual([loss.rows, ended], [0, EACH], host.name);
  }
  assert.ok((losses[1]?.calls ?? 0) > 0, 'the full disk cost no call');
  await assertMinutes(
    store,
    fleet.hosts.filter((_, i) => losses[i]?.minutes === 0),
  );
  const [late] = (await store.rows("SELECT max(created_at) AS last FROM calls FINAL WHERE host = 'sbc3'")) as {
    last: string;
  }[];
  assert.ok(Date.parse(late?.last ?? '') < Date.now() - HOUR_MS, `${late?.last} is not late`);
});

/** What trunks counted by minute is what was called; where no row of a call is missing, also what SQL counts of the calls. */
async function assertMinutes(store: TestStore, hosts: readonly FleetHost[]): Promise<void> {
  for (const host of hosts) {
    const of = { param_host: host.name };
    const minutes = (await store.rows(
      "SELECT minute, sum(attempts) AS tried, sum(answered) AS answered FROM minute FINAL WHERE host = {host:String} AND direction = 'in' GROUP BY minute ORDER BY minute",
      of,
    )) as { minute: string; tried: number; answered: number }[];
    const sum = (what: 'tried' | 'answered'): number => minutes.reduce((all, row) => all + row[what], 0);
    assert.deepEqual([sum('tried'), sum('answered')], [EACH, ANSWERED], host.name);
    if ((await endedCalls(store, host)) < EACH) continue;
    const counted = await store.rows(
      'SELECT toStartOfMinute(created_at) AS minute, count() AS tried, countIf(code = 200) AS answered FROM calls FINAL WHERE host = {host:String} GROUP BY minute ORDER BY minute',
      of,
    );
    assert.deepEqual(minutes, counted, host.name);
  }
}
