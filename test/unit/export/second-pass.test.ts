/** A second pass writes what was selected, and says in one line why it cannot. */
import assert from 'node:assert/strict';
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { basicCall } from '../../../fixtures/build/basic-call.ts';
import { Capture } from '../../../fixtures/build/capture.ts';
import { hep3 } from '../../../fixtures/build/hep.ts';
import { bothWays } from '../../../fixtures/build/scene-kit.ts';
import { packageRoot } from '../../../src/core/package.ts';
import type { CallCapture } from '../../../src/explore/captures.ts';
import { OutputFile } from '../../../src/export/capture-file.ts';
import { writeDialogs } from '../../../src/export/selected-frames.ts';
import { refuseReadOnce, type WrittenFrames } from '../../../src/sources/file/second-pass.ts';
import { loadNative } from '../../../src/sources/native.ts';
import type { OpenSession } from '../../helpers/open-session.ts';
import { openSession } from '../../helpers/open-session.ts';
import { temporaryFolder } from '../../helpers/read-capture.ts';
import { readRecords } from '../../helpers/split-capture.ts';

const CALL = basicCall('one');
const noLibpcap = loadNative().expressionRefusal('udp').isMissing && 'no libpcap';

/** A call of 7 messages and 176 packets of voice. */
function callBytes(): Uint8Array {
  const capture = new Capture().add(CALL.messages);
  for (const media of bothWays(CALL, 2240, 4000)) capture.add(media);
  return capture.pcap();
}

async function read(t: TestContext, paths: readonly string[], options: readonly string[] = []): Promise<OpenSession> {
  const session = openSession([...paths.flatMap((path) => ['-I', path]), ...options], {
    keepsFrames: true,
    writesLater: true,
  });
  t.after(() => session.close());
  await session.read(paths, () => undefined);
  return session;
}

async function writeAll(session: OpenSession, to: string): Promise<WrittenFrames> {
  const output = OutputFile.open(to, { bytes: 0, seconds: 0 });
  try {
    assert.ok(session.file !== null);
    return await writeDialogs(session.dialogs.oldestFirst(), session.ingest.stores, session.file, output);
  } finally {
    output.close();
  }
}

test('two taps of a link give each frame once', async (t) => {
  const folder = temporaryFolder(t);
  const paths = ['a', 'b'].map((name) => join(folder, `${name}.pcap`));
  for (const path of paths) writeFileSync(path, callBytes());
  const session = await read(t, paths);
  const done = await writeAll(session, join(folder, 'out.pcapng'));
  const one = readRecords(paths[0] ?? '').records.length;
  assert.equal(done.frames, one);
  assert.equal(session.file?.secondProgress(), 1);
});

test('files are read again as often as is asked', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'call.pcap');
  writeFileSync(path, callBytes());
  const session = await read(t, [path]);
  const all = readRecords(path).records.length;
  for (const to of ['a.pcapng', 'b.pcapng', 'c.pcapng'])
    assert.equal((await writeAll(session, join(folder, to))).frames, all);
});

test('two second passes at a time do not meet', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'call.pcap');
  writeFileSync(path, callBytes());
  const session = await read(t, [path]);
  const all = readRecords(path).records.length;
  const both = await Promise.all(['a.pcapng', 'b.pcapng'].map((to) => writeAll(session, join(folder, to))));
  assert.deepEqual(
    both.map((done) => done.frames),
    [all, all],
  );
});

test('a second pass asked for while the files are read begins when they were read', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'long.pcap');
  const once = new Capture().add(CALL.messages).pcap();
  const records = once.subarray(24);
  writeFileSync(path, Buffer.concat([once, ...Array.from({ length: 19_999 }, () => records)]));
  const session = openSession(['-I', path], { keepsFrames: true, writesLater: true });
  t.after(() => session.close());
  const output = OutputFile.open(join(folder, 'early.pcapng'), { bytes: 0, seconds: 0 });
  t.after(() => output.close());
  const early: Promise<WrittenFrames>[] = [];
  const captures: Promise<CallCapture>[] = [];
  const ends: [string, number][] = [];
  await session.read(
    [path],
    (_path, { end, frames }) => ends.push([end, frames]),
    () => {
      assert.ok(session.file !== null);
      assert.equal(session.dialogs.size, 0);
      early.push(session.file.writeSelected({ ordinals: [Float64Array.of(139_999)], flows: [] }, output.id));
      captures.push(Promise.resolve(session.explorer.capture([CALL.callId])));
    },
  );
  assert.deepEqual(ends, [['ok', 140_000]]);
  assert.deepEqual(
    (await Promise.all(early)).map(({ frames }) => frames),
    [1],
  );
  const capture = (await Promise.all(captures))[0];
  assert.ok(capture !== undefined);
  capture.file.destroy();
  assert.ok(!capture.isRebuilt && capture.bytes > 7 * 300, `${capture.bytes} bytes`);
});

test('a close ends a second pass', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'call.pcap');
  writeFileSync(path, callBytes());
  const session = await read(t, [path]);
  const done = writeAll(session, join(folder, 'a.pcapng'));
  session.close();
  assert.equal((await done).isStopped, true);
});

test('what --bpf left out is not written either', { skip: noLibpcap }, async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'call.pcap');
  writeFileSync(path, callBytes());
  const session = await read(t, [path], ['--bpf', 'udp port 5060 or udp src port 20000']);
  const done = await writeAll(session, join(folder, 'out.pcapng'));
  assert.equal(done.frames, CALL.messages.length + (readRecords(path).records.length - CALL.messages.length) / 2);
});

test('a mirrored call is written as the packets of its mirror', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'hep.pcap');
  const collector = { src: { address: '192.0.2.1', port: 40_000 }, dst: { address: '192.0.2.2', port: 9060 } };
  const packets = CALL.messages.map((m) => ({
    ...collector,
    tsUs: m.tsUs,
    bytes: hep3({ ...m, payload: m.bytes }),
  }));
  const other = { ...collector, tsUs: CALL.startUs + 1, bytes: Uint8Array.of(1, 2, 3) };
  // Reports by HEP name the call.
  const report = Buffer.from(
    '{"ssrc":7,"type":201,"report_count":1,"report_blocks":[{"source_ssrc":9,"fraction_lost":0}]}',
  );
  const at = { ...collector, tsUs: CALL.startUs + 3_000_000, payload: report };
  const reports = [CALL.callId, 'another'].map((correlationId) => ({
    ...at,
    bytes: hep3(at, { protocolType: 5, correlationId }),
  }));
  writeFileSync(path, new Capture().add([...packets, other, ...reports]).pcap());
  const done = await writeAll(await read(t, [path], ['-E']), join(folder, 'out.pcapng'));
  assert.equal(done.frames, CALL.messages.length + 1);
});

test('ICMP errors about its messages belong to a call', async (t) => {
  const path = join(packageRoot(), 'fixtures/pcap/call-icmp-signaling.pcap');
  const done = await writeAll(await read(t, [path]), join(temporaryFolder(t), 'out.pcapng'));
  assert.equal(done.frames, readRecords(path).records.length);
});

test('a file that changed meanwhile is one line', async (t) => {
  const folder = temporaryFolder(t);
  for (const [name, change] of [
    ['longer', (path: string) => appendFileSync(path, 'x')],
    [
      'another',
      (path: string) => {
        renameSync(path, `${path}.1`);
        writeFileSync(path, callBytes());
      },
    ],
    ['gone', (path: string) => renameSync(path, `${path}.1`)],
  ] as const) {
    const path = join(folder, `${name}.pcap`);
    writeFileSync(path, callBytes());
    const session = await read(t, [path]);
    change(path);
    await assert.rejects(writeAll(session, join(folder, 'out.pcapng')), {
      code: 'CAPTURE_READ_ONCE',
      exitCode: 1,
      message: `-I ${path}: it changed while it was read, so the frames of calls are not found again; read a file that is complete`,
    });
  }
});

test('what is no file cannot be read twice', () => {
  for (const path of ['-', '/dev/null'])
    assert.throws(() => refuseReadOnce([path]), {
      code: 'CAPTURE_READ_ONCE',
      message: `-I ${path}: it can be read only once, and to write the frames of calls it is read twice; save it to a file first`,
    });
  assert.doesNotThrow(() => refuseReadOnce([import.meta.filename]));
});

test('a reading that was stopped writes nothing', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'call.pcap');
  writeFileSync(path, callBytes());
  const session = await read(t, [path]);
  session.stopReading();
  const done = await writeAll(session, join(folder, 'out.pcapng'));
  assert.deepEqual(done, { frames: 0, missedFragments: 0, isStopped: true, skippedPairs: 0 });
});
