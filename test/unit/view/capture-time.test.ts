/** Capture times reach the documents to the microsecond, whichever way they go. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, BOB, basicCall } from '../../../fixtures/build/basic-call.ts';
import { Capture } from '../../../fixtures/build/capture.ts';
import { rtpStream, voice } from '../../../fixtures/build/rtp.ts';
import { timestampText } from '../../../src/core/timestamp.ts';
import { dialogDocument } from '../../helpers/at-once.ts';
import { readCapture } from '../../helpers/read-capture.ts';

test('the first window of a stream begins when the stream does, the others whole windows later', async (t) => {
  const capture = new Capture();
  const starts: number[] = [];
  const call = basicCall('windows');
  capture.add(call.messages);
  for (let i = 0; i < 64; i++) {
    // Nanoseconds of the year 2025 are no exact doubles.
    const startUs = call.at(2500) + i * 977;
    starts.push(startUs);
    const plan = voice({ payloadType: 0, count: 300 });
    capture.add(rtpStream({ src: ALICE.rtp, dst: BOB.rtp, ssrc: 0xc0 + i, startUs }, plan).datagrams);
  }
  const { session } = await readCapture(t, capture.pcap());
  const [d] = [...session.dialogs.oldestFirst()];
  assert.ok(d !== undefined);
  const { streams } = dialogDocument(session.evidence, d);
  assert.equal(streams.length, starts.length);
  for (const [i, startUs] of starts.entries()) {
    const s = streams[i];
    assert.equal(s?.first_seen, timestampText(startUs));
    assert.deepEqual(
      s.quality_intervals.map((w) => w.timestamp),
      [timestampText(startUs), timestampText(startUs + 5_000_000)],
    );
  }
});
