/** Quality windows over all streams have a budget: strangers lose theirs first, the older ones, and each keeps its newest. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, BOB, basicCall } from '../../../../fixtures/build/basic-call.ts';
import { EPOCH_US } from '../../../../fixtures/build/capture.ts';
import { WINDOW, WINDOW_BYTES } from '../../../../src/protocols/rtp/stream-layout.ts';
import type { Stream } from '../../../../src/store/media/stream.ts';
import { StreamWindows } from '../../../../src/store/media/stream-windows.ts';
import { TrackerKit } from '../../ingest/dialogs/tracker-kit.ts';
import { StreamKit } from './stream-kit.ts';

function windowAt(startUs: number): Uint8Array {
  const bytes = new Uint8Array(WINDOW_BYTES);
  const view = new DataView(bytes.buffer);
  view.setFloat64(WINDOW.startUs, startUs, true);
  view.setUint32(WINDOW.packets, 1, true);
  return bytes;
}

test('beyond the budget strangers lose the older half of theirs, and the newest stay in order', () => {
  const dialogs = new TrackerKit();
  const kit = new StreamKit(dialogs.endpoints);
  dialogs.play(basicCall('owner'));
  const own = kit.stream(ALICE.rtp, BOB.rtp, { atUs: EPOCH_US + 3_000_000 });
  const strangers = Array.from({ length: 100 }, (_, i) =>
    kit.stream({ address: `203.0.113.${i}`, port: 4000 }, { address: '203.0.113.200', port: 5000 }),
  );
  const streams: Stream[] = [own, ...strangers];
  const windows = new StreamWindows(streams, 600 * WINDOW_BYTES);
  for (let n = 0; n < 200; n++)
    for (const stream of streams) {
      windows.add(stream, windowAt(n), 0);
      assert.ok(windows.bytes <= 600 * WINDOW_BYTES, `${windows.bytes} bytes`);
      assert.equal(windows.list(stream).at(-1)?.startUs, n, 'what was told last is there');
    }
  const starts = (s: Stream): number[] => windows.list(s).map((w) => w.startUs);
  for (const stream of strangers) {
    const kept = starts(stream);
    assert.deepEqual(
      kept,
      kept.map((_, i) => 200 - kept.length + i),
      'the newest, without a gap',
    );
  }
  assert.deepEqual(
    starts(own),
    Array.from({ length: 200 }, (_, n) => n),
    'a call keeps all',
  );
  const kept = streams.reduce((sum, s) => sum + s.windowCount, 0);
  assert.equal(windows.dropped, 200 * 101 - kept, 'each is kept or counted');
  for (const stream of streams) windows.forget(stream);
  assert.equal(windows.bytes, 0);
});

test('where nobody else has any, a stream gives up its own older half', () => {
  const kit = new StreamKit();
  const alone = kit.stream(ALICE.rtp, BOB.rtp);
  const windows = new StreamWindows([...new Array<undefined>(1000).fill(undefined), alone], 10 * WINDOW_BYTES);
  for (let n = 0; n < 300; n++) windows.add(alone, windowAt(n), 0);
  assert.ok(windows.bytes <= 10 * WINDOW_BYTES && alone.windowCount >= 4);
  const kept = windows.list(alone).map((w) => w.startUs);
  assert.deepEqual(
    kept,
    kept.map((_, i) => 300 - kept.length + i),
  );
});

test('an outage takes the place of one window and shows as many as it lasted, up to the hour', () => {
  const kit = new StreamKit();
  const stream = kit.stream(ALICE.rtp, BOB.rtp);
  const windows = new StreamWindows([stream]);
  const outage = windowAt(1);
  const view = new DataView(outage.buffer);
  view.setUint32(WINDOW.packets, 0, true);
  for (const field of ['expected', 'lost'] as const) view.setUint32(WINDOW[field], 750, true);
  view.setUint32(WINDOW.lossRuns, 3, true);
  windows.add(stream, windowAt(0), 0);
  windows.add(stream, outage, 0);
  windows.add(stream, windowAt(2), 0);
  assert.deepEqual(
    windows.list(stream).map((w) => w.packets),
    [1, 0, 0, 0, 1],
  );
  assert.equal(windows.bytes, 4 * WINDOW_BYTES);
  assert.equal(windows.list(stream, 1).at(-1)?.startUs, 2);
  view.setUint32(WINDOW.lossRuns, 65_000, true);
  windows.add(stream, outage, 0);
  assert.equal(windows.list(stream).length, 720);
});
