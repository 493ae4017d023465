/** Which frames of a capture go to which call's file, and what is counted where one is missing. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { basicCall, CALL_MESSAGES } from '../../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import { hep3 } from '../../../fixtures/build/hep.ts';
import type { Datagram } from '../../../fixtures/build/rtp.ts';
import { bothWays, said } from '../../../fixtures/build/scene-kit.ts';
import { packageRoot } from '../../../src/core/package.ts';
import { frameKey, WaitingFrames } from '../../../src/export/waiting-frames.ts';
import { DialogStore } from '../../../src/store/dialogs/dialog-store.ts';
import { openSession } from '../../helpers/open-session.ts';
import { temporaryFolder } from '../../helpers/read-capture.ts';
import { readRecords } from '../../helpers/split-capture.ts';
import { dialogInit } from '../store/dialogs/dialog-init.ts';

const PACKET = 6;
/** The last message of a call; see CALL_TIMES. */
const BYE_OK_MS = 5230;

/** The frames of each file, by the piece of the Call-ID in its name. */
function framesIn(folder: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const name of readdirSync(folder)) {
    const b = readFileSync(join(folder, name));
    let n = 0;
    for (let at = 0; at < b.length; at += b.readUInt32LE(at + 4)) if (b.readUInt32LE(at) === PACKET) n++;
    found[/_([^_]+?)-calltap[^_]*\.pcapng$/.exec(name)?.[1] ?? name] = n;
  }
  return found;
}

type Done = { readonly files: Record<string, number>; readonly losses: Record<string, number>; readonly open: number };

async function splitFile(
  t: TestContext,
  path: string,
  options: readonly string[] = [],
  isEnabled = true,
): Promise<Done> {
  const folder = temporaryFolder(t);
  const session = openSession(['-I', path, '-O', folder, '--split', 'call', ...options]);
  t.after(() => session.close());
  session.outputs.gate.request(isEnabled);
  await session.read([path], () => undefined);
  const open = session.outputs.callFiles?.openCount ?? 0;
  session.close();
  const losses = Object.fromEntries((session.outputs.written?.losses ?? []).filter(([, n]) => n > 0));
  return { files: framesIn(folder), losses, open };
}

function split(t: TestContext, capture: Capture, options: readonly string[] = [], isEnabled = true): Promise<Done> {
  const path = join(temporaryFolder(t), 'in.pcap');
  writeFileSync(path, capture.pcap());
  return splitFile(t, path, options, isEnabled);
}

test('media counts until 32 seconds after the end; then the file is closed', async (t) => {
  const call = basicCall('call');
  const late = (atMs: number): Datagram[] => said(call, 'caller', atMs, atMs + 200);
  const capture = new Capture().add(call.messages);
  for (const media of bothWays(call, 2240, 4000)) capture.add(media);
  capture.add(late(BYE_OK_MS + 31_000)).add(late(BYE_OK_MS + 33_000));
  const { files, losses, open } = await split(t, capture);
  assert.deepEqual([files, losses, open], [{ call: CALL_MESSAGES + 2 * 88 + 10 }, {}, 0]);
});

test('media before its description is lost, and counted', async (t) => {
  const call = basicCall('call');
  const capture = new Capture().add(call.messages);
  for (const media of bothWays(call, -400, 4000)) capture.add(media);
  const { files, losses } = await split(t, capture);
  assert.deepEqual([files, losses], [{ call: CALL_MESSAGES + 2 * 200 }, { early_media: 2 * 20 }]);
});

test('a filter is asked at the first message: what a call becomes changes nothing', async (t) => {
  const capture = new Capture();
  for (const [i, name] of ['one', 'two', 'three'].entries())
    capture.add(basicCall(name, { startUs: EPOCH_US + i * 1000 }).messages);
  assert.deepEqual((await split(t, capture, ['--filter', 'callid:t*'])).files, { two: 7, three: 7 });
  assert.deepEqual((await split(t, capture, ['--filter', 'ip:198.51.100.20 -callid:t*'])).files, { one: 7 });
  // Only the answer has this header.
  assert.deepEqual((await split(t, capture, ['--filter', 'text:"SIP/2.0 200 OK"'])).files, {});
});

test('nothing is written while the gate is closed', async (t) => {
  assert.deepEqual((await split(t, new Capture().add(basicCall('call').messages), [], false)).files, {});
});

test('calls that are evicted from memory keep what was written', async (t) => {
  const capture = new Capture();
  for (let i = 0; i < 40; i++) capture.add(basicCall(`n${i}`, { startUs: EPOCH_US + i * 60e6 }).messages);
  const { files } = await split(t, capture, ['--max-dialogs', '3']);
  assert.deepEqual(Object.values(files), new Array(40).fill(CALL_MESSAGES));
});

test('a mirrored call has the packets of its mirror, ICMP errors the call that they are about', async (t) => {
  const ends = { src: { address: '192.0.2.1', port: 40_000 }, dst: { address: '192.0.2.2', port: 9060 } };
  const { messages } = basicCall('call');
  const packets = messages.map((m) => ({ ...ends, tsUs: m.tsUs, bytes: hep3({ ...m, payload: m.bytes }) }));
  assert.deepEqual((await split(t, new Capture().add(packets), ['-E'])).files, { call: CALL_MESSAGES });
  const path = join(packageRoot(), 'fixtures/pcap/call-icmp-signaling.pcap');
  assert.deepEqual(Object.values((await splitFile(t, path)).files), [readRecords(path).records.length]);
});

test('a frame may come after a tick; one that never comes is counted', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'in.pcap');
  writeFileSync(path, new Capture().add(basicCall('call').messages.slice(0, 1)).pcap());
  const to = temporaryFolder(t);
  const session = openSession(['-I', path, '-O', to, '--split', 'call']);
  await session.read([path], () => undefined);
  const { calls } = session.outputs;
  const [dialog] = session.dialogs.oldestFirst();
  assert.ok(calls !== null && dialog !== undefined);
  const at = { source: 0, bytes: Buffer.from('abc'), start: 0, end: 3, wireLength: 3, linkType: 1, nanos: 0 };
  const frame = (n: number) => ({ ...at, frame: n, tsUs: EPOCH_US, isPart: false });
  for (const n of [100, 101]) calls.add(dialog.slot, { source: 0, frame: n, parts: null });
  calls.onTick(EPOCH_US);
  calls.onFrame(frame(101), [], undefined);
  calls.add(dialog.slot, { source: 0, frame: 102, parts: null });
  calls.add(dialog.slot, { source: 0, frame: -1, parts: null });
  calls.onTick(EPOCH_US + 1e6);
  calls.onTick(EPOCH_US + 2e6);
  session.close();
  const losses = Object.fromEntries((session.outputs.written?.losses ?? []).filter(([, n]) => n > 0));
  assert.deepEqual([framesIn(to), losses], [{ call: 2 }, { parts_missing: 2, without_frame: 1 }]);
});

test('a part of a message waits under a cap, and is given once to each call', () => {
  const waiting = new WaitingFrames(2);
  const bytes = Buffer.from('xabcx');
  const part = { bytes, start: 1, end: 4, wireLength: 3, linkType: 1, tsUs: 0, nanos: 0, isPart: true, source: 1 };
  for (const frame of [-2, -3, -4]) waiting.keep({ ...part, frame });
  bytes.fill(0);
  const key = (frame: number): number => frameKey({ source: 1, frame });
  assert.deepEqual(
    [-2, -3, -4].map((frame) => waiting.has(key(frame))),
    [false, true, true],
  );
  const [a, b] = ['a', 'b'].map((callId) => new DialogStore(9, () => undefined).open(dialogInit(callId)));
  assert.ok(a !== undefined && b !== undefined);
  assert.equal(waiting.takeFor(key(-3), a)?.bytes.toString(), 'abc');
  assert.equal(waiting.takeFor(key(-3), a), null);
  assert.equal(waiting.takeFor(key(-3), b)?.end, 3);
  const keys = [0, 1, 7].flatMap((source) => [0, 1, -2, -3].map((frame) => frameKey({ source, frame })));
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(Number.isNaN(frameKey({ source: 1, frame: -1 })));
});
