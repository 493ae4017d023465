/** The spool of --ship on disk: who may read it, what goes first where there is no room, and what others put there. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { SHIP_TABLES, type ShipTable, shipCounters } from '../../../../src/actions/ship/counters.ts';
import { Slabs, WaitingLines } from '../../../../src/actions/ship/lines.ts';
import { SHIP_REFUSED_BYTES } from '../../../../src/actions/ship/refused.ts';
import type { Segment, SpoolOptions } from '../../../../src/actions/ship/spool.ts';
import { SegmentSpool } from '../../../../src/actions/ship/spool.ts';
import { OnceTold } from '../../../../src/actions/trouble.ts';
import { ServiceError } from '../../../../src/core/errors.ts';
import { untilHolds } from '../../../helpers/patience.ts';
import { temporaryFolder } from '../../../helpers/read-capture.ts';
import { BOOT } from './lab.ts';

const BLOCK = 4_096;

function opened(folder: string, more: Partial<SpoolOptions> = {}) {
  const counters = shipCounters();
  const said: (string | null)[] = [];
  const options = { folder, mostBytes: 1024 * BLOCK, boot: BOOT, mayWrite: () => true, ...more };
  const spool = new SegmentSpool(options, counters, new OnceTold((reason) => said.push(reason)));
  spool.open();
  const write = async (table: ShipTable, rows = 1): Promise<void> => {
    const lines = new WaitingLines(new Slabs());
    for (let i = 0; i < rows; i++) lines.add('{}');
    await spool.write(table, lines.take(1_000_000));
    await spool.settled();
  };
  return { spool, counters, said, write };
}

function taken(spool: SegmentSpool): Segment[] {
  const all: Segment[] = [];
  for (let next = spool.take(); next !== null; next = spool.take()) all.push(next);
  return all;
}

describe('spool of rows', { timeout: 120_000 }, () => {
  it('only its user reads it, and the next run finds it and counts on', async (t) => {
    const folder = join(temporaryFolder(t), 'state', 'ship');
    const first = opened(folder, { boot: 'f'.repeat(16) });
    await first.write('calls', 12);
    await first.write('ids', 3);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
    assert.deepEqual([first.spool.bytes, first.spool.rows], [2 * BLOCK, 15]);
    const next = opened(folder);
    assert.equal(next.counters.get('found'), 15);
    await next.write('messages');
    assert.deepEqual([next.spool.bytes, next.spool.rows], [3 * BLOCK, 16]);
    assert.ok((next.spool.oldestMs ?? Number.POSITIVE_INFINITY) <= performance.now());
    assert.deepEqual(
      taken(next.spool).map(({ boot, n, table, rows }) => [boot[0], n, table, rows]),
      [
        ['f', 1, 'calls', 12],
        ['f', 2, 'ids', 3],
        ['0', 3, 'messages', 1],
      ],
    );
  });

  it('of what a crash was writing only whole segments stay; what has another name, or is no file, is left alone', async (t) => {
    const folder = temporaryFolder(t);
    const before = opened(folder);
    await before.write('calls', 2);
    const put = (name: string): void => writeFileSync(join(folder, name), 'x');
    put(`${BOOT}-0000000009-calls-1.tmp`);
    const whole = gzipSync('{}\n{}\n{}\n');
    writeFileSync(join(folder, `${BOOT}-0000000006-calls-3.tmp`), whole);
    writeFileSync(join(folder, `${BOOT}-0000000007-calls-4.tmp`), whole);
    writeFileSync(join(folder, `${BOOT}-0000000008-calls-3.tmp`), whole.subarray(0, -1));
    const others = [
      ...['notes.txt', `${BOOT}-0000000003-secrets-1.seg`, `${BOOT}-3-calls-1.seg`, `x-0000000003-calls-1.seg`],
      ...[`${BOOT}-0000000003-calls-99999999.seg`, `${BOOT}-9999999999999999-calls-1.seg`],
    ];
    for (const name of others) put(name);
    symlinkSync('/etc/passwd', join(folder, `${BOOT}-0000000004-calls-7.seg`));
    mkdirSync(join(folder, `${BOOT}-0000000005-calls-7.seg`));
    const { spool, counters, write } = opened(folder);
    assert.equal(counters.get('found'), 5);
    assert.deepEqual(
      taken(spool).map(({ n, rows }) => [n, rows]),
      [
        [1, 2],
        [6, 3],
      ],
    );
    const left = readdirSync(folder);
    assert.ok(!left.some((name) => name.endsWith('.tmp')));
    assert.ok(others.every((name) => left.includes(name)));
    // It counts on after what a crash left, too.
    await write('ids');
    assert.equal(spool.take()?.n, 10);
  });

  it('without room messages go first, then ids, streams, minutes, calls and agents, the oldest of each; all are counted', async (t) => {
    const folder = temporaryFolder(t);
    const { spool, counters, write } = opened(folder, { mostBytes: 12 * BLOCK });
    for (const table of SHIP_TABLES.toReversed()) for (let i = 0; i < 2; i++) await write(table);
    const rest = (): string[] => readdirSync(folder).map((name) => name.replace(/^[^-]+-0+(\d+)-(\w+)-.*$/, '$2 $1'));
    assert.equal(rest().length, 12);
    const gone: string[] = [];
    for (let i = 0; i < 11; i++) {
      const had = rest();
      await write('agents');
      await untilHolds(() => rest().length === 12);
      gone.push(...had.filter((name) => !rest().includes(name)));
    }
    assert.deepEqual(gone, [
      ...['messages 11', 'messages 12', 'ids 9', 'ids 10', 'streams 7', 'streams 8'],
      ...['minute 5', 'minute 6', 'calls 3', 'calls 4', 'agents 1'],
    ]);
    assert.equal(counters.get('spool_full'), 11);
    // What matters less than all that is there is not written at all.
    await write('messages', 5);
    assert.equal(counters.get('spool_full'), 16);
    assert.deepEqual([rest().length, spool.bytes, spool.rows], [12, 12 * BLOCK, 12]);
  });

  it('what is being sent does not go, and what came back is the next, or the last', async (t) => {
    const folder = temporaryFolder(t);
    const { spool, write } = opened(folder, { mostBytes: 2 * BLOCK });
    await write('messages');
    await write('messages');
    const sent = spool.take() ?? assert.fail();
    await write('calls');
    assert.deepEqual([sent.n, spool.bytes], [1, 2 * BLOCK]);
    assert.notEqual(spool.oldestMs, null);
    spool.putBack(sent, true);
    const next = spool.take() ?? assert.fail();
    assert.equal(next.table, 'calls');
    spool.putBack(next, false);
    assert.equal(spool.take(), next);
    await spool.remove(next);
    assert.equal(spool.take(), sent);
    await spool.remove(sent);
    assert.deepEqual([readdirSync(folder), spool.bytes, spool.rows, spool.oldestMs], [[], 0, 0, null]);
  });

  it('keeps the newest of what the store refused, to a size', async (t) => {
    const folder = temporaryFolder(t);
    for (let n = 1; n <= 2; n++) {
      const path = join(folder, `${BOOT}-000000000${n}-calls-1.refused`);
      writeFileSync(path, '');
      truncateSync(path, SHIP_REFUSED_BYTES / 2);
    }
    const { spool, counters, write } = opened(folder);
    assert.equal(counters.get('found'), 0);
    await write('calls');
    const name = await spool.refuse(spool.take() ?? assert.fail());
    assert.deepEqual(readdirSync(folder).sort(), [`${BOOT}-0000000002-calls-1.refused`, name]);
    assert.equal(spool.bytes, 0);
  });

  it('a segment that the disk lost, or cut, or that became a link is counted and not sent', async (t) => {
    const folder = temporaryFolder(t);
    const { spool, counters, write } = opened(folder);
    for (let i = 0; i < 4; i++) await write('calls', 5);
    const [lost = '', cut = '', linked = '', whole = ''] = readdirSync(folder)
      .sort()
      .map((name) => join(folder, name));
    rmSync(lost);
    truncateSync(cut, 3);
    rmSync(linked);
    symlinkSync(whole, linked);
    for (let i = 0; i < 3; i++) assert.equal(await spool.read(spool.take() ?? assert.fail()), null);
    assert.equal(counters.get('spool_errors'), 15);
    const file = (await spool.read(spool.take() ?? assert.fail())) ?? assert.fail();
    assert.deepEqual(await file.readFile(), readFileSync(whole));
    await file.close();
    assert.equal(spool.rows, 5);
  });

  it('takes no folder of another user, that others may write to, that is a link, or that is none', (t) => {
    const folder = temporaryFolder(t);
    const path = (name: string): string => join(folder, name);
    writeFileSync(path('file'), '');
    mkdirSync(path('shared'));
    chmodSync(path('shared'), 0o770);
    mkdirSync(path('own'));
    symlinkSync(path('own'), path('link'));
    const uid = process.geteuid?.();
    const foreign = ['/proc', '/usr'].find((one) => statSync(one).uid !== uid);
    for (const [name, reason] of [
      [path('file'), 'it is not a folder'],
      [path('shared'), 'others may write to it'],
      [path('link'), 'it is a symbolic link'],
      ...(foreign === undefined ? [] : [[foreign, 'it belongs to another user'] as const]),
    ] as const) {
      assert.throws(
        () => opened(name),
        (error) =>
          error instanceof ServiceError &&
          error.exitCode === 2 &&
          error.message.startsWith(`--ship-spool ${name}: ${reason}; `),
      );
    }
    assert.deepEqual(readdirSync(path('own')), []);
  });

  it('what the disk refuses is counted and said, and the next is tried again', async (t) => {
    const folder = join(temporaryFolder(t), 'ship');
    const { spool, counters, said, write } = opened(folder);
    // Somebody has the name already.
    symlinkSync('/dev/full', join(folder, `${BOOT}-0000000001-calls-4.tmp`));
    await write('calls', 4);
    assert.equal(counters.get('spool_errors'), 4);
    assert.deepEqual(said, [`${folder}: cannot write rows (EEXIST)`]);
    await write('calls', 4);
    assert.deepEqual([said.at(-1), spool.rows], [null, 4]);
  });
});
