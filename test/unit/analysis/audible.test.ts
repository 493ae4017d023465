/** What a listener notices: late packets and loss of speech, not the gaps of a stream of key presses alone. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, BOB, basicCall } from '../../../fixtures/build/basic-call.ts';
import { callCase, talk } from '../../../fixtures/build/case-kit.ts';
import { qualityTruthCases } from '../../../fixtures/build/quality-truth.ts';
import { dtmf, rtpStream } from '../../../fixtures/build/rtp.ts';
import type { Audible } from '../../../src/analysis/stream-quality.ts';
import { audible, streamQuality } from '../../../src/analysis/stream-quality.ts';
import { readCapture } from '../../helpers/read-capture.ts';

async function heard(t: TestContext, bytes: Uint8Array): Promise<Map<string, Audible>> {
  const { session } = await readCapture(t, bytes);
  const found = new Map<string, Audible>();
  for (const stream of session.streams.fromNewest()) {
    const q = streamQuality(stream, session.evidence.capture.quality);
    if (q !== null) found.set(q.codec ?? '', audible(q));
  }
  return found;
}

test('packets that come too late are heard, though none is lost', async (t) => {
  const late = qualityTruthCases().find(({ name }) => name === 'late');
  assert.ok(late !== undefined);
  const all = [...(await heard(t, late.bytes)).values()];
  assert.ok(all.some((a) => a.isLate));
  assert.ok(all.every((a) => !a.isLossy));
});

test('gaps between key presses in a stream of their own are no loss to the ear; the same in speech are', async (t) => {
  const call = basicCall('keys-apart', { byeMs: 8000 });
  const plan = [1, 2, 3].flatMap((key, i) => dtmf(key, 10, i * 1_000_000, i * 8000));
  const gaps = new Set([10, 11, 12, 13, 14, 20, 21, 22]);
  const keys = rtpStream({ src: ALICE.rtp, dst: BOB.rtp, ssrc: 0x0d0d0002, startUs: call.at(3000) }, plan, {
    lost: gaps,
  });
  const speech = talk(call, BOB, ALICE, { count: 200, impairment: { lost: gaps } });
  const media = [keys.datagrams, speech.datagrams];
  const found = await heard(t, callCase('keys-apart', '', { calls: [call], media, dialogs: [] }).bytes);
  assert.deepEqual([found.get('telephone-event')?.isLossy, found.get('PCMU')?.isLossy], [false, true]);
});
