/** --ship when its process is killed and when its disk is full: what was made is stored or counted. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { rowsLost, rowsMade, rowsStored, SHIP_TABLES } from '../../src/actions/ship/counters.ts';
import { readName } from '../../src/actions/ship/segment.ts';
import { FakeStore, type Fault } from '../helpers/fake-store.ts';
import { freePort, until, untilHolds } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { smallDisk } from '../helpers/small-disk.ts';
import { assertBalanced, shipmentTo } from '../unit/actions/ship/lab.ts';

const CHILD = fileURLToPath(new URL('./ship-child.js', import.meta.url));
const PATIENT_MS = 120_000;
const KILLS = 10;
/** What was added longer before a kill is on the disk, where the machine is not late itself. */
const BOUND_MS = 2_000;
const KEYS_A_RUN = 1_000_000;
const FAULTS: readonly Fault[] = ['none', 'none', 'none', 'lost answer', 'break', '500', 'stall'];

type Report = { readonly atMs: number; readonly keys: number; readonly lateMs: number };

/** Runs the child until it is killed, between 2.5 and 5 s after its first row. */
async function killed(folder: string, port: number, run: number): Promise<{ reports: Report[]; killedMs: number }> {
  const boot = String(run).padStart(16, '0');
  const args = [CHILD, folder, String(port), boot, String(run * KEYS_A_RUN)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const ended = once(child, 'close');
  await until(
    () => text.includes('\n') || (child.exitCode === null ? null : assert.fail('the child ended')),
    () => 'it never begins',
  );
  await sleep(2_500 + randomInt(2_500));
  child.kill('SIGKILL');
  const killedMs = Date.now();
  await ended;
  const reports = text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ').map(Number))
    .map(([atMs = 0, keys = 0, lateMs = 0]) => ({ atMs, keys, lateMs }));
  return { reports, killedMs };
}

/** Segments are whole: as many lines as their name says, of one table. */
function assertWhole(folder: string): void {
  for (const file of readdirSync(folder)) {
    const name = readName(file);
    if (name?.kind !== 'seg') continue;
    const text = gunzipSync(readFileSync(join(folder, file))).toString();
    assert.ok(text.endsWith('}\n'), file);
    assert.equal(text.split('\n').length - 1, name.rows, file);
  }
}

test('killed ten times: what was made more than two seconds before is stored by the next run', {
  timeout: 280_000,
}, async (t) => {
  const folder = join(temporaryFolder(t), 'ship');
  const store = new FakeStore(t);
  await store.start();
  store.fault = () => FAULTS[randomInt(FAULTS.length)] ?? 'none';
  const runs: Awaited<ReturnType<typeof killed>>[] = [];
  for (let run = 0; run < KILLS; run++) {
    // In some runs the store is away for good.
    runs.push(await killed(folder, run % 3 === 2 ? await freePort() : store.port, run));
    assertWhole(folder);
  }
  const torn = readdirSync(folder).filter((name) => name.endsWith('.tmp')).length;
  store.fault = () => 'none';
  const { shipment } = shipmentTo(t, store.port, folder, { boot: 'f'.repeat(16), times: { answerMs: PATIENT_MS } });
  assert.ok(readdirSync(folder).every((name) => !name.endsWith('.tmp')));
  shipment.start();
  await shipment.drain(PATIENT_MS);
  assertBalanced(shipment);
  assert.deepEqual([shipment.waitingRows, rowsLost(shipment.counters)], [0, 0]);
  assert.deepEqual(readdirSync(folder), ['probe']);
  let missing = 0;
  let oldestMs = 0;
  for (const [run, { reports, killedMs }] of runs.entries()) {
    const first = run * KEYS_A_RUN;
    const stored = new Set<number>();
    for (const table of SHIP_TABLES) {
      const keys = store.keys(table).filter((key) => key >= first && key < first + KEYS_A_RUN);
      // Nothing is missing but the last ones.
      assert.ok(
        keys.every((key, i) => i === 0 || key === (keys[i - 1] ?? 0) + SHIP_TABLES.length),
        `run ${run} ${table}`,
      );
      for (const key of keys) stored.add(key);
    }
    const lateMs = reports.at(-1)?.lateMs ?? assert.fail();
    const due = reports.findLast(({ atMs }) => atMs < killedMs - BOUND_MS - lateMs);
    for (let i = 0; i < (due?.keys ?? 0); i++)
      assert.ok(stored.has(first + i), `run ${run}, row ${i}: ${lateMs} ms late`);
    const gone = reports.find(({ keys }) =>
      Array.from({ length: keys }, (_, i) => first + i).some((k) => !stored.has(k)),
    );
    missing += Math.max(0, (reports.at(-1)?.keys ?? 0) - stored.size);
    oldestMs = Math.max(oldestMs, gone === undefined ? 0 : killedMs - gone.atMs);
  }
  const rows = runs.reduce((sum, { reports }) => sum + (reports.at(-1)?.keys ?? 0), 0);
  assert.ok(rows > 0 && store.count > 0);
  t.diagnostic(
    `${rows} rows, ${missing} missing, the oldest of them ${oldestMs} ms old; ${torn} torn files at the end`,
  );
});

test('a full disk: rows are counted, it is said once, and it goes on when there is room', {
  skip: process.getuid?.() === 0 ? false : 'mounting a disk needs root',
  timeout: 120_000,
}, async (t) => {
  const folder = smallDisk(t, '1m');
  if (folder === null) return;
  const port = await freePort();
  const { shipment, said } = shipmentTo(t, port, folder, { mostBytes: 1024 ** 3 });
  const store = new FakeStore(t);
  shipment.start();
  let key = 0;
  const addSome = (): void => {
    for (let i = 0; i < 10; i++)
      shipment.add('calls', JSON.stringify({ key: key++, version: 1, noise: randomBytes(6_000).toString('base64') }));
  };
  await until(
    () => {
      addSome();
      return shipment.counters.get('spool_errors') > 0;
    },
    () => 'the disk is never full',
    20,
  );
  const isOfDisk = (reason: string | null): boolean => reason === `${folder}: cannot write rows (ENOSPC)`;
  assert.equal(said.filter(isOfDisk).length, 1);
  assertBalanced(shipment);
  // A segment may be on its way to the disk at this moment.
  await until(
    () => {
      const kept = readdirSync(folder);
      return kept.length > 0 && kept.every((name) => name.endsWith('.seg'));
    },
    () => `a part of a segment is left: ${readdirSync(folder).join(' ')}`,
  );
  assertWhole(folder);
  // What the store takes makes room.
  await store.start(port);
  await until(
    () => shipment.waitingRows === 0,
    () => `${shipment.waitingRows} rows wait`,
  );
  const lost = shipment.counters.get('spool_errors');
  addSome();
  await shipment.drain(PATIENT_MS);
  await untilHolds(() => said.at(-1) === null);
  assert.equal(shipment.counters.get('spool_errors'), lost);
  assert.equal(store.count, rowsMade(shipment.counters) - lost);
  assert.equal(rowsStored(shipment.counters), store.count);
  assertBalanced(shipment);
  await shipment.close();
});
