/**
 * Agents, each in a network namespace, are killed while they capture and ship: the question of docs/fleet.md says of each boot
 * how many calls may be missing, and no more are; what was on the disk is stored by the next run.
 */
import assert from 'node:assert/strict';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { fleetStatements, skipWithoutStore, startMigratedStore, type TestStore } from '../helpers/store.ts';
import { missing } from '../live/lab.ts';
import { FleetHost } from './fleet-host.ts';

const skip = skipWithoutStore() || missing();
/** Ten in all. */
const KILLS = { sbc1: 4, sbc2: 3, sbc3: 3 } as const;
const PER_SEC = 25;
/** Longer than any run. */
const CALLS = '100000';
/** An agent tells of itself each ten seconds: some runs are killed before the second time, some after it. */
const LIFE_MS = [7_000, 16_000] as const;
/** The last row of a call is made two seconds after its end, at the next tick of a second; two seconds later it is on the disk. */
const ON_DISK_MS = 5_000;
/** What a packet takes to the agent, in its ring. */
const CAPTURED_MS = 500;
const LOOK_MS = 200;

/** The statement of docs/fleet.md. */
const MISSING = fleetStatements().find((statement) => statement.includes('AS missing'));

type Boot = {
  readonly host: string;
  readonly boot: string;
  readonly last_heartbeat: string;
  readonly begun: number;
  readonly stored: number;
  readonly missing: number;
};

/** `begins` and `ends`: Call-IDs by when the caller sent the INVITE, and got the last answer. */
type Life = {
  readonly host: string;
  readonly killedMs: number;
  /** How late the agent and its disk were. */
  readonly lateMs: number;
  readonly begins: ReadonlyMap<string, number>;
  readonly ends: ReadonlyMap<string, number>;
};

async function live(host: FleetHost, run: number, disk: FileHandle): Promise<Life> {
  await host.startAgent();
  const caller = host.phone('call', `${host.name}-run${run}`, CALLS, `${PER_SEC}`);
  const [least, most] = LIFE_MS;
  const lateMs = await lateness(host, disk, least + Math.random() * (most - least));
  const killedMs = await host.killAgent();
  await host.stop(caller, 'SIGKILL');
  const begins = new Map<string, number>();
  const ends = new Map<string, number>();
  for (const line of caller.output().split('\n')) {
    const [, atMs, what, callId] = /^(\d+) (begins|ends) (.*)$/.exec(line) ?? [];
    if (callId !== undefined && Number(atMs) < killedMs) (what === 'begins' ? begins : ends).set(callId, Number(atMs));
  }
  return { host: host.name, killedMs, lateMs, begins, ends };
}

/**
 * Waits, and asks the agent meanwhile. Resolves to how late it, its disk and this process were in all: other programs may hold up
 * a packet, then the look at its call, then the row.
 */
async function lateness(host: FleetHost, disk: FileHandle, waitMs: number): Promise<number> {
  let lateMs = 0;
  for (const endMs = performance.now() + waitMs; performance.now() < endMs; ) {
    const beganMs = performance.now();
    await sleep(LOOK_MS);
    await host.ask('/metrics');
    await disk.write('x');
    await disk.sync();
    lateMs += performance.now() - beganMs - LOOK_MS;
  }
  return lateMs;
}

test('killed ten times: no more calls of a boot are missing than a question says, and none whose row was on the disk', {
  skip,
}, async (t) => {
  const store = await startMigratedStore(t);
  const disk = await open(join(temporaryFolder(t), 'probe'), 'w');
  t.after(() => disk.close());
  const hosts = Object.keys(KILLS).map((name) => new FleetHost(t, name, store));
  const lives = (
    await Promise.all(
      hosts.map(async (host) => {
        const own: Life[] = [];
        for (let run = 0; run < KILLS[host.name as keyof typeof KILLS]; run++) own.push(await live(host, run, disk));
        // Sends what the killed ones left.
        await host.startAgent();
        await until(
          () => host.settled(),
          () => `${host.name} still has rows`,
        );
        await host.endAgent();
        return own;
      }),
    )
  ).flat();
  const boots = await bootsOf(store);
  let [gone, safe] = [0, 0];
  for (const life of lives) {
    const checked = assertBound(t, life, await storedOf(store, life), boots);
    gone += checked.gone;
    safe += checked.safe;
  }
  assert.equal(boots.length, lives.length + hosts.length, 'each boot is shown');
  t.diagnostic(`${gone} calls are missing; ${safe} had to be there, and are`);
  assert.ok(gone > 0 && safe > 0, `${gone} missing, ${safe} not: the kills came too late, or the machine was`);
});

async function bootsOf(store: TestStore): Promise<Boot[]> {
  assert.ok(MISSING !== undefined);
  return (await store.rows(MISSING)) as Boot[];
}

type Stored = { readonly boot: string; readonly number: number; readonly call_id: string; readonly state: string };

/** Its calls that are stored. */
async function storedOf(store: TestStore, { host, begins }: Life): Promise<Stored[]> {
  const rows = (await store.rows('SELECT boot, number, call_id, state FROM calls FINAL WHERE host = {host:String}', {
    param_host: host,
  })) as Stored[];
  return rows.filter(({ call_id }) => begins.has(call_id));
}

/** `gone`: calls that are missing. `safe`: those that had to be there by when they ended. */
type Checked = { readonly gone: number; readonly safe: number };

function assertBound(t: TestContext, life: Life, stored: Stored[], boots: readonly Boot[]): Checked {
  const { lateMs } = life;
  const states = new Map(stored.map(({ call_id, state }) => [call_id, state]));
  assert.equal(states.size, stored.length, 'a call is there twice');
  const [name = '', ...more] = new Set(stored.map(({ boot }) => boot));
  assert.deepEqual(more, [], 'calls of one run have one boot');
  const boot = boots.find((one) => one.boot === name) ?? assert.fail(`no boot ${name}`);
  const gone = [...life.begins.keys()].filter((callId) => !states.has(callId)).length;
  const beatMs = Date.parse(boot.last_heartbeat);
  const later = [...life.begins.values()].filter((atMs) => atMs > beatMs - CAPTURED_MS - lateMs).length;
  t.diagnostic(
    `${life.host} ${name}: ${life.begins.size} calls, ${boot.begun} known to the store, ${stored.length} stored, ${gone} missing: at most ${boot.missing} and ${later} that began after the last heartbeat; ${Math.ceil(lateMs)} ms late`,
  );
  assert.equal(boot.stored, stored.length);
  assert.ok(gone <= boot.missing + later, `${gone} are missing`);
  const safe = [...life.ends].filter(([, endMs]) => endMs < life.killedMs - ON_DISK_MS - lateMs);
  for (const [callId, endMs] of safe)
    assert.match(
      states.get(callId) ?? 'missing',
      /^(Completed|Failed)$/,
      `${callId}: ${life.killedMs - endMs} ms before`,
    );
  return { gone, safe: safe.length };
}
