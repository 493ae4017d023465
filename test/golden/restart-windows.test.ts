/** A sender that begins anew with a packet of voice and a key press behind it: no window has loss that the stream has not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, BOB, basicCall, CALL_TIMES } from '../../fixtures/build/basic-call.ts';
import { Capture } from '../../fixtures/build/capture.ts';
import { streamQuality } from '../../src/analysis/stream-quality.ts';
import { readCapture } from '../helpers/read-capture.ts';
import { Sender, VOICE } from '../timeline/sender.ts';

test('a key press confirms a restart, and is no step over lost packets', async (t) => {
  const call = basicCall('restart-windows', { byeMs: 30_000 });
  const startUs = call.at(CALL_TIMES.ack + 40);
  const to = { src: ALICE.rtp, dst: BOB.rtp, startUs, ssrc: 0x51, sequence: 400, timestamp: 1000 };
  // The voice behind the restart is the last packet of a window, the key the first of the next.
  const sender = new Sender(to).speak(VOICE.PCMU, 249);
  sender.sequence += 200;
  sender.timestamp += 77_000_000;
  sender.speak(VOICE.PCMU, 1).press(5, 8).speak(VOICE.PCMU, 400, 20, false);
  const { session } = await readCapture(t, new Capture().add(call.messages).add(sender.datagrams).pcap());
  const [stream] = session.streams.fromNewest();
  assert.ok(stream !== undefined);
  const quality = streamQuality(stream, session.evidence.capture.quality) ?? assert.fail();
  assert.deepEqual([quality.expected, quality.lost, quality.snapshot.resyncs], [658, 0, 1]);
  assert.deepEqual(
    quality.windows.map(({ lost }) => lost),
    [0, 0, 0],
  );
});
