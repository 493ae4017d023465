/** A stream that changes from a static payload type to a dynamic one: each packet counts at its own clock (RFC 3550 A.8). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, BOB, basicCall, CALL_TIMES } from '../../fixtures/build/basic-call.ts';
import { Capture } from '../../fixtures/build/capture.ts';
import { rtpStream, voice } from '../../fixtures/build/rtp.ts';
import { CODEC } from '../../fixtures/build/sdp.ts';
import { streamQuality } from '../../src/analysis/stream-quality.ts';
import { streamDocument } from '../../src/view/documents.ts';
import { readCapture } from '../helpers/read-capture.ts';

test('PCMU and then Opus, both without jitter, have none', async (t) => {
  const payload = (): Uint8Array => new Uint8Array(160);
  const codecs = [CODEC.PCMU, CODEC.OPUS];
  const call = basicCall('payload-type-change', { offered: codecs, accepted: codecs, byeMs: 20_000 });
  const startUs = call.at(CALL_TIMES.ack + 40);
  const to = { src: ALICE.rtp, dst: BOB.rtp, ssrc: 0x51515151, startUs, firstSequence: 10 };
  const half = 400;
  const stream = rtpStream(to, [
    ...voice({ payloadType: CODEC.PCMU.payloadType, count: half, payload }),
    ...voice({
      payloadType: CODEC.OPUS.payloadType,
      count: half,
      payload,
      fromUs: half * 20_000,
      fromTimestamp: half * 160,
      clock: CODEC.OPUS.clock,
      marker: false,
    }),
  ]);
  const { session } = await readCapture(t, new Capture().add(call.messages).add(stream.datagrams).pcap(), []);
  const [found] = session.streams.fromNewest();
  assert.ok(found !== undefined);
  const quality = streamQuality(found, session.evidence.capture.quality);
  assert.equal(quality?.snapshot.packets, 2 * half);
  assert.equal(quality.codec, 'PCMU');
  assert.ok(quality.jitterMs < 0.005, `jitter ${quality.jitterMs} ms`);
  const document = streamDocument(session.evidence, found);
  assert.ok(document !== null && document.quality_intervals.length > 2);
  for (const interval of document.quality_intervals)
    assert.ok(interval.jitter_ms < 0.005, `window ${interval.jitter_ms} ms`);
});
