/** The native table is read by offset: counters, windows, payload types. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWindow } from '../../../../src/protocols/rtp/open-window.ts';
import {
  LANE_MODE,
  STREAM,
  STREAM_BYTES,
  STREAM_FLAG,
  WINDOW,
  WINDOW_BYTES,
} from '../../../../src/protocols/rtp/stream-layout.ts';
import { packetMs, streamJitter } from '../../../../src/protocols/rtp/stream-snapshot.ts';
import { StreamTable } from '../../../../src/protocols/rtp/stream-table.ts';
import { laneOf, parseWindows, windowCounts, windowJitterMs } from '../../../../src/protocols/rtp/stream-window.ts';

const INFO = { streamBytes: STREAM_BYTES, streamChunk: 4 };
const FIRST_US = 1_700_000_000_123_456;

/** A table of two chunks of four; the second appears later. */
function table(): { table: StreamTable; view: DataView; second: { memory: ArrayBuffer | undefined } } {
  const memory = new ArrayBuffer(4 * STREAM_BYTES);
  const second: { memory: ArrayBuffer | undefined } = { memory: undefined };
  const t = new StreamTable((i) => (i === 0 ? memory : second.memory), INFO);
  return { table: t, view: new DataView(memory), second };
}

function fill(v: DataView, index: number): void {
  const at = index * STREAM_BYTES;
  const u32 = (field: number, value: number): void => v.setUint32(at + field, value, true);
  const ns = (field: number, us: number): void => v.setBigInt64(at + field, BigInt(us) * 1000n, true);
  u32(STREAM.generation, 3);
  u32(STREAM.ssrc, 0xdeadbeef);
  v.setUint16(at + STREAM.sport, 4000, true);
  v.setUint16(at + STREAM.dport, 5000, true);
  v.setUint8(at + STREAM.ipVersion, 4);
  v.setUint8(at + STREAM.state, 2);
  v.setBigUint64(at + STREAM.packets, 1000n, true);
  v.setBigUint64(at + STREAM.octets, 5_000_000_000n, true);
  ns(STREAM.firstNs, FIRST_US);
  ns(STREAM.lastNs, FIRST_US + 20_000_000);
  u32(STREAM.maxDeltaUs, 45_500);
  u32(STREAM.extMax, 65_536 + 1009);
  u32(STREAM.baseExt, 65_536 + 100);
  u32(STREAM.expectedPrev, 90);
  u32(STREAM.unique, 990);
  u32(STREAM.duplicates, 10);
  u32(STREAM.lossRuns, 7);
  u32(STREAM.jitterN, 900);
  u32(STREAM.pt0Count, 950);
  u32(STREAM.ptCount, 50);
  v.setUint8(at + STREAM.pt, 0);
  v.setUint8(at + STREAM.pt + 1, 101);
  v.setUint8(at + STREAM.eventMask, 2);
  v.setUint8(at + STREAM.mainPt, 0);
  v.setFloat32(at + STREAM.jitter0, 1.5, true);
  v.setFloat32(at + STREAM.jitter0Wsum, 100, true);
  v.setFloat64(at + STREAM.jitterSum, 800, true);
  v.setUint16(at + STREAM.tsStep, 160, true);
  for (let i = 0; i < 16; i++) v.setUint8(at + STREAM.windowLo + i, 255);
  ns(STREAM.windowStartNs, FIRST_US + 15_000_000);
  ns(STREAM.windowEndNs, FIRST_US + 20_000_000);
  u32(STREAM.wPackets, 760);
  u32(STREAM.wExpected, 750);
  u32(STREAM.wUnique, 750);
  u32(STREAM.wLossRuns, 3);
  u32(STREAM.wJitterN, 700);
}

test('a stream reads as plain numbers', () => {
  const { table: t, view } = table();
  fill(view, 2);
  const s = t.read(2);
  assert.ok(s !== null);
  assert.equal(s.ssrc, 0xdeadbeef);
  assert.equal(s.generation, 3);
  assert.equal(s.octets, 5_000_000_000);
  assert.ok(Math.abs(s.firstUs - FIRST_US) <= 0.5);
  assert.ok(Math.abs(s.lastUs - FIRST_US - 20_000_000) <= 0.5);
  assert.equal(s.maxDeltaMs, 45.5);
  assert.equal(s.expected, 1000);
  assert.equal(s.lost, 10);
  assert.equal(s.isAccepted, true);
  assert.equal(s.isRetired, false);
  assert.equal(s.payloadType, 0);
  assert.deepEqual(s.payloadTypes, [
    { payloadType: 0, packets: 950, isEvent: false },
    { payloadType: 101, packets: 50, isEvent: true },
  ]);
  assert.deepEqual(streamJitter(s, 8000), { meanMs: 1, nowMs: 1.5 });
  assert.equal(packetMs(s, 8000), 20);
  const open = openWindow(s);
  assert.ok(open !== null);
  assert.equal(open.packets, 240);
  assert.equal(open.expected, 250);
  assert.equal(open.lost, 10);
  assert.equal(open.lossRuns, 4);
  assert.equal(windowJitterMs(open, 8000), 0.5);
  assert.ok(Math.abs(open.lengthUs - 5_000_000) < 1);
});

test('a copy stays as it was read, however many are made after it', () => {
  const { table: t, view } = table();
  fill(view, 2);
  const ssrcs = Array.from({ length: 100 }, (_, i) => 1000 + i);
  const copies = ssrcs.map((ssrc) => {
    view.setUint32(2 * STREAM_BYTES + STREAM.ssrc, ssrc, true);
    return t.read(2);
  });
  assert.deepEqual(
    copies.map((s) => s?.ssrc),
    ssrcs,
  );
  assert.ok(copies.every((s) => s?.expected === 1000 && s.windowEndUs === copies[0]?.windowEndUs));
});

test('unused slots, chunks to come, and what TypeScript writes back', () => {
  const { table: t, view, second } = table();
  assert.equal(t.read(0), null);
  assert.equal(t.read(5), null);
  assert.equal(t.lastSeenUs(5), null);
  assert.equal(t.generation(5), 0);
  t.setClaimed(5, true);
  second.memory = new ArrayBuffer(4 * STREAM_BYTES);
  fill(new DataView(second.memory), 1);
  assert.equal(t.read(5)?.ssrc, 0xdeadbeef);
  assert.equal(t.generation(5), 3);
  assert.ok(Math.abs((t.lastSeenUs(5) ?? 0) - FIRST_US - 20_000_000) <= 0.5);
  t.setClaimed(1, true);
  t.setClock(1, 48_000);
  assert.equal(view.getUint8(STREAM_BYTES + STREAM.claimed), 1);
  assert.equal(view.getUint32(STREAM_BYTES + STREAM.clockHint, true), 48_000);
  view.setUint8(STREAM_BYTES + STREAM.flags, STREAM_FLAG.RETIRED);
  view.setUint32(STREAM_BYTES + STREAM.generation, 1, true);
  assert.equal(t.read(1)?.isRetired, true);
});

test('an addon of another layout is refused', () => {
  assert.throws(() => new StreamTable(() => undefined, { streamBytes: STREAM_BYTES + 8, streamChunk: 4 }), RangeError);
});

test('loss is never negative, and an empty window is none', () => {
  const { table: t, view } = table();
  fill(view, 0);
  view.setUint32(STREAM.unique, 1010, true);
  view.setUint32(STREAM.wPackets, 1000, true);
  const s = t.read(0);
  assert.equal(s?.lost, 0);
  assert.ok(s !== null);
  assert.equal(openWindow(s), null);
});

test('the lane follows the SDP clock, then what the stream found out itself', () => {
  const one = { laneMode: LANE_MODE.ONE, otherClock: 0, clock: 0 };
  const all = { laneMode: LANE_MODE.ALL, otherClock: 32_000, clock: 48_000 };
  assert.equal(laneOf(one, 48_000), 0);
  assert.equal(laneOf(all, 8000), 0);
  assert.equal(laneOf(all, 16_000), 1);
  assert.equal(laneOf(all, 48_000), 2);
  assert.equal(laneOf(all, 90_000), 3);
  assert.equal(laneOf(all, 32_000), 4);
  assert.equal(laneOf(all, null), 2);
  assert.equal(laneOf(all, 11_025), 2);
  assert.equal(laneOf({ ...all, clock: 0 }, null), 0);
});

test('a closed window reads back', () => {
  const b = new Uint8Array(8 + WINDOW_BYTES).subarray(8);
  const v = new DataView(b.buffer, b.byteOffset);
  const at = 0;
  v.setFloat64(at + WINDOW.startUs, FIRST_US, true);
  v.setFloat64(at + WINDOW.lengthUs, 5_000_000, true);
  const fields = ['packets', 'expected', 'lost', 'duplicates', 'reordered', 'lossRuns'] as const;
  for (let lane = 0; lane < 5; lane++) v.setUint16(at + WINDOW.discarded + lane * 2, 60 + lane, true);
  for (const [i, f] of fields.entries()) v.setUint32(at + WINDOW[f], 100 + i, true);
  for (let i = 0; i < 5; i++) v.setFloat32(at + WINDOW.jitterMs + i * 4, i + 0.5, true);
  v.setUint32(at + WINDOW.jitterN, 99, true);
  v.setUint32(at + WINDOW.otherClock, 32_000, true);
  v.setUint32(at + WINDOW.clock, 48_000, true);
  v.setUint8(at + WINDOW.pt, 111);
  v.setUint8(at + WINDOW.laneMode, LANE_MODE.ALL);
  v.setUint16(at + WINDOW.tsStep, 960, true);
  const [w] = parseWindows(b, 1, 5);
  assert.ok(w !== undefined);
  assert.deepEqual(parseWindows(b, 1, 0), []);
  assert.equal(w.tsStep, 960);
  assert.equal(w.startUs, FIRST_US);
  for (const [i, f] of fields.entries()) assert.equal(w[f], 100 + i);
  assert.deepEqual(w.jitterMs, [0.5, 1.5, 2.5, 3.5, 4.5]);
  assert.equal(windowJitterMs(w, 90_000), 3.5);
  assert.equal(windowJitterMs(w, null), 2.5);
  assert.deepEqual(w.lateIn, [60, 61, 62, 63, 64]);
  assert.equal(windowCounts(w, 90_000).discarded, 63);
  assert.equal(windowCounts(w, null).discarded, 62);
  assert.equal(w.payloadType, 111);
  assert.equal(w.jitterSamples, 99);
});

test('a record without packets is an outage: windows of total loss, of which only as many are made as are asked for', () => {
  const b = new Uint8Array(WINDOW_BYTES);
  const v = new DataView(b.buffer);
  v.setFloat64(WINDOW.startUs, FIRST_US, true);
  v.setFloat64(WINDOW.lengthUs, 5_000_000, true);
  for (const field of ['expected', 'lost'] as const) v.setUint32(WINDOW[field], 60_001, true);
  v.setUint32(WINDOW.lossRuns, 240, true);
  const all = parseWindows(b, 1, 720);
  assert.equal(all.length, 240);
  assert.equal(
    all.reduce((sum, w) => sum + w.expected, 0),
    60_001,
  );
  for (const [i, w] of all.entries()) {
    assert.ok(w.packets === 0 && w.lost === w.expected && w.expected >= 250 && w.lossRuns === 1);
    assert.equal(w.startUs, FIRST_US + i * 5_000_000);
  }
  assert.deepEqual(parseWindows(b, 1, 3), all.slice(-3));
  v.setUint32(WINDOW.lossRuns, 0xffffffff, true);
  assert.equal(parseWindows(b, 1, 720).length, 720);
});
