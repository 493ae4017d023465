/** Several streams of one SSRC: which of them is answered for it. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ALICE, BOB } from '../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import type { Endpoint } from '../../fixtures/build/packet.ts';
import { rtpStream, voice } from '../../fixtures/build/rtp.ts';
import { readCapture } from '../helpers/read-capture.ts';

const SSRC = 0x5eed;
const ELSEWHERE: Endpoint = { address: '198.51.100.77', port: 30_000 };
const THERE: Endpoint = { address: '198.51.100.78', port: 30_000 };

/** `count` packets from `src` to `dst`, from second `atSec` on and sequence `first` on. */
type Part = readonly [src: Endpoint, dst: Endpoint, atSec: number, first: number, count: number];

async function answered(t: TestContext, parts: readonly Part[]): Promise<{ packets: number; src: string }> {
  const capture = new Capture();
  for (const [src, dst, atSec, firstSequence, count] of parts) {
    const at = { src, dst, ssrc: SSRC, startUs: EPOCH_US + atSec * 1e6, firstSequence };
    capture.add(rtpStream(at, voice({ payloadType: 0, count })).datagrams);
  }
  const { session } = await readCapture(t, capture.pcap());
  assert.equal(session.streams.size, parts.length);
  const found = await session.explorer.stream(SSRC);
  assert.ok(found);
  return { packets: found.packets, src: found.src };
}

test('on the same sockets the newest, although the one before had more packets', async (t) => {
  const { packets } = await answered(t, [
    [ALICE.rtp, BOB.rtp, 0, 1000, 500],
    [ALICE.rtp, BOB.rtp, 11, 40_000, 100],
  ]);
  assert.equal(packets, 100);
});

test('between sockets the one with most packets, then the oldest', async (t) => {
  const most = await answered(t, [
    [ALICE.rtp, BOB.rtp, 0, 1000, 200],
    [ELSEWHERE, THERE, 1, 1000, 300],
  ]);
  assert.equal(most.packets, 300);
  const oldest = await answered(t, [
    [ALICE.rtp, BOB.rtp, 0, 1000, 200],
    [ELSEWHERE, THERE, 1, 1000, 200],
  ]);
  assert.ok(oldest.src.startsWith(ALICE.rtp.address));
});

test('what began anew is compared as what it is now', async (t) => {
  const { packets, src } = await answered(t, [
    [ALICE.rtp, BOB.rtp, 0, 1000, 500],
    [ELSEWHERE, THERE, 1, 1000, 300],
    [ALICE.rtp, BOB.rtp, 11, 40_000, 100],
  ]);
  assert.equal(packets, 300);
  assert.ok(src.startsWith(ELSEWHERE.address));
});
