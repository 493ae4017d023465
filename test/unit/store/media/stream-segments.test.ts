/** Where streams changed their type: the newest are kept, all together have an end, and what is joined stays counted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, BOB, basicCall } from '../../../../fixtures/build/basic-call.ts';
import { EPOCH_US } from '../../../../fixtures/build/capture.ts';
import type { SegmentEnd } from '../../../../src/protocols/rtp/stream-segment.ts';
import type { Stream } from '../../../../src/store/media/stream.ts';
import { MAX_STREAM_SEGMENTS, StreamSegments } from '../../../../src/store/media/stream-segments.ts';
import { TrackerKit } from '../../ingest/dialogs/tracker-kit.ts';
import { StreamKit } from './stream-kit.ts';

const A = { address: '10.0.0.1', port: 4000 };
const B = { address: '10.0.0.2', port: 5000 };

/** The stream has had so many packets by then. */
function endAt(packets: number, payloadType: number, jitterMs = 1): SegmentEnd {
  const lanes = [0, 0, 0, 0, 0];
  return {
    nextUs: packets,
    lastUs: packets - 1,
    mark: {
      packets,
      expected: packets,
      unique: packets,
      duplicates: 0,
      reordered: 0,
      lossRuns: 0,
      jitterN: packets,
      lateIn: lanes,
    },
    jitterMs: lanes.map(() => jitterMs),
    payloadType,
    tsStep: 160,
    laneMode: 0,
    otherClock: 0,
    clock: 0,
  };
}

/** Read anew: what was asserted of it before does not hold any more. */
const endsOf = (stream: Stream): readonly SegmentEnd[] => stream.ends ?? [];

test('of sixteen segments the oldest two become one, under the type of more packets', () => {
  const stream = new StreamKit().stream(A, B);
  const segments = new StreamSegments();
  assert.deepEqual(endsOf(stream), []);
  const most = MAX_STREAM_SEGMENTS - 1;
  segments.add(stream, endAt(10, 18, 4));
  for (let i = 1; i < most; i++) segments.add(stream, endAt(10 + i * 30, i % 2 === 0 ? 18 : 0, 8));
  assert.deepEqual([endsOf(stream).length, segments.joined], [most, 0]);
  segments.add(stream, endAt(1000, 9));
  assert.deepEqual([endsOf(stream).length, segments.joined], [most, 1]);
  const first = endsOf(stream)[0];
  assert.deepEqual([first?.mark.packets, first?.payloadType, first?.jitterMs[0]], [40, 0, 7]);
  assert.equal(endsOf(stream).at(-1)?.payloadType, 9);
});

test('all streams together keep so many; beyond them each keeps as many as it has', () => {
  const kit = new StreamKit();
  const segments = new StreamSegments(3, 3);
  const [one, two] = [kit.stream(A, B), kit.stream(B, A)];
  for (const packets of [10, 20, 30]) segments.add(one, endAt(packets, 0));
  segments.add(two, endAt(10, 0));
  assert.deepEqual(endsOf(two), []);
  segments.add(one, endAt(40, 8));
  assert.deepEqual(
    endsOf(one).map((end) => end.mark.packets),
    [20, 30, 40],
  );
  assert.equal(segments.joined, 2);
  segments.forget(one);
  for (const packets of [20, 30, 40]) segments.add(two, endAt(packets, 0));
  assert.equal(endsOf(two).length, 3);
  segments.add(two, endAt(50, 0));
  assert.equal(endsOf(two)[0]?.mark.packets, 30);
});

test('streams of no dialog take half of the room, and leave the rest to those of calls', () => {
  const dialogs = new TrackerKit();
  const kit = new StreamKit(dialogs.endpoints);
  dialogs.play(basicCall('owner'));
  const atUs = EPOCH_US + 3_000_000;
  const stranger = kit.stream(A, B, { atUs });
  const ofCall = kit.stream(ALICE.rtp, BOB.rtp, { atUs });
  assert.deepEqual([stranger.dialog === null, ofCall.dialog === null], [true, false]);
  const segments = new StreamSegments(4, 2);
  for (const packets of [10, 20, 30, 40, 50]) segments.add(stranger, endAt(packets, packets % 20));
  for (const packets of [10, 20]) segments.add(ofCall, endAt(packets, 0));
  assert.deepEqual([endsOf(stranger).length, endsOf(ofCall).length, segments.joined], [2, 2, 3]);
});
