/** The files of calls: never one that was there, few open at a time, and what a disk or a cap refuses is counted. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { CallFile } from '../../../src/export/call-file.ts';
import type { CallFileCaps } from '../../../src/export/call-files.ts';
import { CallFiles } from '../../../src/export/call-files.ts';
import type { CapturedFrame } from '../../../src/ingest/frame-intake.ts';
import { temporaryFolder } from '../../helpers/read-capture.ts';

const EPB = 6;
const SHB = 0x0a0d0d0a;

/** A frame that begins with `text`; `n` microseconds after the start of a second. */
function frame(text: string, n = 0, linkType = 1): CapturedFrame {
  const bytes = Buffer.from(`----${text}`);
  const time = { tsUs: 1_764_100_000_000_000 + n, nanos: (n % 1e6) * 1000 };
  return {
    ...{ source: 0, frame: n, isPart: false, linkType, wireLength: 2000 },
    ...time,
    bytes,
    start: 4,
    end: bytes.length,
  };
}

type Block = { readonly type: number; readonly body: Buffer };

/** The blocks of a pcapng file; fails where one is not whole. */
function blocks(path: string): Block[] {
  const b = readFileSync(path);
  const found: Block[] = [];
  for (let at = 0; at < b.length; ) {
    const length = b.readUInt32LE(at + 4);
    assert.equal(b.readUInt32LE(at + length - 4), length, 'both lengths');
    found.push({ type: b.readUInt32LE(at), body: b.subarray(at + 8, at + length - 4) });
    at += length;
  }
  return found;
}

function texts(path: string): string[] {
  const frames = blocks(path).filter(({ type }) => type === EPB);
  return frames.map(({ body }) => body.toString('latin1', 20, 20 + body.readUInt32LE(12)));
}

function kit(t: TestContext, caps: Partial<CallFileCaps> = {}) {
  const folder = temporaryFolder(t);
  const files = new CallFiles(folder, { open: 8, buffers: 16, perSecond: 1000, ...caps });
  t.after(() => files.close());
  return { folder, files, count: (name: Parameters<typeof files.counters.get>[0]) => files.counters.get(name) };
}

test('a frame is written with its time to the nanosecond, its link type and its lengths', (t) => {
  const { folder, files } = kit(t);
  const file = new CallFile('one');
  files.write(file, { ...frame('abc', 999_999), nanos: 999_999_999, tsUs: 1_764_100_001_000_000 });
  files.write(file, frame('later', 5, 101));
  files.finish(file);
  const [section, ethernet, first, raw, second] = blocks(join(folder, 'one.pcapng'));
  assert.deepEqual([section?.type, ethernet?.body.readUInt16LE(0), raw?.body.readUInt16LE(0)], [SHB, 1, 101]);
  const time = (b: Block | undefined): bigint =>
    (BigInt(b?.body.readUInt32LE(4) ?? 0) << 32n) | BigInt(b?.body.readUInt32LE(8) ?? 0);
  assert.equal(time(first), 1_764_100_000_999_999_999n);
  assert.equal(time(second), 1_764_100_000_000_005_000n);
  assert.deepEqual([first?.body.readUInt32LE(0), second?.body.readUInt32LE(0)], [0, 1], 'interfaces');
  assert.deepEqual([first?.body.readUInt32LE(12), first?.body.readUInt32LE(16)], [3, 2000]);
  assert.equal(statSync(join(folder, 'one.pcapng')).mode & 0o777, 0o600);
});

test('200 calls over 8 descriptors: all frames are there, in order', (t) => {
  const { folder, files, count } = kit(t, { buffers: 16 });
  const calls = Array.from({ length: 200 }, (_, i) => new CallFile(`call-${i}`));
  for (let round = 0; round < 5; round++) {
    for (const [i, file] of calls.entries()) files.write(file, frame(`${i}:${round}`, round));
    assert.ok(files.openCount <= 8);
  }
  files.close();
  assert.equal(count('files'), 200);
  assert.equal(count('frames'), 1000);
  for (const i of [0, 99, 199])
    assert.deepEqual(
      texts(join(folder, `call-${i}.pcapng`)),
      [0, 1, 2, 3, 4].map((round) => `${i}:${round}`),
    );
});

test('a name that is taken, by a file or by a link, is left alone', (t) => {
  const { folder, files } = kit(t);
  writeFileSync(join(folder, 'taken.pcapng'), 'mine');
  const outside = join(temporaryFolder(t), 'outside');
  symlinkSync(outside, join(folder, 'link.pcapng'));
  for (const base of ['taken', 'link']) files.write(new CallFile(base), frame(base));
  files.close();
  assert.equal(readFileSync(join(folder, 'taken.pcapng'), 'utf8'), 'mine');
  assert.equal(existsSync(outside), false);
  const made = readdirSync(folder).filter((name) => /_[0-9a-f]{8}\.pcapng$/.test(name));
  assert.deepEqual(made.flatMap((name) => texts(join(folder, name))).sort(), ['link', 'taken']);
});

test('a file that was closed goes on under its name only while it is the same file', (t) => {
  const { folder, files } = kit(t);
  const [moved, linked] = [new CallFile('moved'), new CallFile('linked')];
  for (const file of [moved, linked]) files.write(file, frame('before'));
  files.tick();
  files.reopen();
  renameSync(join(folder, 'moved.pcapng'), join(folder, 'away'));
  renameSync(join(folder, 'linked.pcapng'), join(folder, 'kept'));
  const outside = join(temporaryFolder(t), 'outside');
  writeFileSync(outside, '');
  symlinkSync(outside, join(folder, 'linked.pcapng'));
  for (const file of [moved, linked]) files.write(file, frame('after'));
  files.close();
  assert.deepEqual(texts(join(folder, 'away')), ['before']);
  assert.deepEqual(texts(join(folder, 'moved.pcapng')), ['after'], 'a whole file of its own');
  assert.equal(blocks(join(folder, 'moved.pcapng'))[0]?.type, SHB);
  assert.equal(readFileSync(outside, 'utf8'), '');
  assert.equal(readdirSync(folder).length, 5);
});

test('the folder is the one that was opened, wherever its path leads', (t) => {
  const parent = temporaryFolder(t);
  const path = join(parent, 'calls');
  mkdirSync(path);
  const files = new CallFiles(path);
  renameSync(path, join(parent, 'moved'));
  mkdirSync(path);
  files.write(new CallFile('one'), frame('one'));
  files.close();
  assert.deepEqual([readdirSync(path), readdirSync(join(parent, 'moved'))], [[], ['one.pcapng']]);
});

test('more calls than a second may have get no file, then or later', (t) => {
  const { folder, files, count } = kit(t, { perSecond: 3 });
  const calls = Array.from({ length: 5 }, (_, i) => new CallFile(`call-${i}`));
  for (const file of calls) files.write(file, frame('a'));
  assert.match(files.tick().join('\n'), /^-O \S+: more than 3 calls begin in a second; [^\n]+$/);
  for (const file of calls) files.write(file, frame('b', 1_500_000));
  files.write(new CallFile('next'), frame('b', 1_500_000));
  files.close();
  assert.deepEqual([count('files'), count('files_refused'), count('beyond_cap')], [4, 2, 4]);
  assert.equal(readdirSync(folder).length, 4);
});

test('nothing is written while the gate is closed, and what came before is on the disk', (t) => {
  const { folder, files, count } = kit(t);
  const file = new CallFile('gate');
  files.write(file, frame('before'));
  files.setEnabled(false);
  assert.deepEqual(texts(join(folder, 'gate.pcapng')), ['before']);
  files.write(file, frame('meanwhile'));
  files.write(new CallFile('other'), frame('meanwhile'));
  files.tick();
  assert.deepEqual(readdirSync(folder), ['gate.pcapng']);
  files.setEnabled(true);
  files.write(file, frame('after'));
  files.close();
  assert.deepEqual(texts(join(folder, 'gate.pcapng')), ['before', 'after']);
  assert.equal(count('skipped_by_gate'), 2);
});
