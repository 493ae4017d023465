/** What a hold excuses of a stream, from its counters and whatever windows of it are kept. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, BOB } from '../../../fixtures/build/basic-call.ts';
import { Capture } from '../../../fixtures/build/capture.ts';
import { receiverReport } from '../../../fixtures/build/rtcp.ts';
import { excuseHeld } from '../../../src/analysis/media/held-loss.ts';
import { lastWindow, streamQuality } from '../../../src/analysis/stream-quality.ts';
import { recounted } from '../../../src/protocols/rtp/stream-window.ts';
import { callHints } from '../../../src/view/explained.ts';
import { dialogFacts } from '../../helpers/at-once.ts';
import type { HeldPlan } from '../../helpers/held-call.ts';
import { HOLD, heldCall, heldCapture, heldFor, SSRC } from '../../helpers/held-call.ts';
import type { OpenSession } from '../../helpers/open-session.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const BRIDGED: HeldPlan = {
  endMs: 60_000,
  changes: heldFor({ direction: 'sendonly' }, { direction: 'recvonly' }),
  callee: { gone: [HOLD] },
};

function calleeOf({ streams }: OpenSession) {
  const [stream] = [...streams.fromNewest()].filter((s) => s.ssrc === SSRC.callee);
  const s = stream === undefined ? null : streams.snapshot(stream);
  assert.ok(stream !== undefined && s !== null);
  return { stream, s, windows: () => streams.windows(stream) };
}

async function read(t: TestContext, plan: HeldPlan): Promise<OpenSession> {
  return (await readCapture(t, heldCapture('held', plan))).session;
}

test('what is excused does not depend on how many windows are kept', async (t) => {
  for (const lost of [() => false, (n: number) => n % 25 === 3]) {
    const session = await read(t, { ...BRIDGED, callee: { gone: [HOLD], lost } });
    const { stream, s, windows } = calleeOf(session);
    const all = excuseHeld(stream, s, windows());
    assert.ok(Math.abs(all.lost - 650) <= 3, `${all.lost}`);
    for (let dropped = 1; dropped <= windows().length; dropped++) {
      const { lost: excused } = excuseHeld(stream, s, windows().slice(dropped));
      assert.ok(Math.abs(excused - 650) <= 4, `${excused} without the first ${dropped}`);
    }
  }
});

test('without a gap nothing is excused, whatever is kept', async (t) => {
  const session = await read(t, { ...BRIDGED, callee: { paused: [HOLD], lost: (n: number) => n % 25 === 3 } });
  const { stream, s, windows } = calleeOf(session);
  for (let dropped = 0; dropped <= windows().length; dropped++)
    assert.ok(excuseHeld(stream, s, windows().slice(dropped)).lost <= 4, `${dropped}`);
});

test('a window that is not over is excused as well, and the last window by itself', async (t) => {
  const session = await read(t, { ...BRIDGED, endMs: 19_500 });
  const { stream } = calleeOf(session);
  const { quality } = session.evidence.capture;
  const running = { ...quality, isExhausted: false, nowUs: 0 };
  const q = streamQuality(stream, running);
  assert.deepEqual([q?.lost, q?.lossPct], [0, 0]);
  assert.equal(q?.windows.length, 1, 'the first alone is over');
  assert.equal(lastWindow(stream, quality)?.window.lost, 0);
});

test('one that falls silent at times is excused what is missing', async (t) => {
  // Every second second without a packet, and a hold of 13 s through which its sequence went on.
  const pauses = Array.from({ length: 20 }, (_, k) => ({ fromMs: 20_000 + k * 2000, toMs: 21_000 + k * 2000 }));
  const session = await read(t, { ...BRIDGED, callee: { gone: [HOLD], paused: pauses } });
  const { stream } = calleeOf(session);
  assert.ok((streamQuality(stream, session.evidence.capture.quality)?.lost ?? 99) <= 2);
});

test('more packets than the hold had time for are lost', async (t) => {
  const session = await read(t, BRIDGED);
  const { stream, s, windows } = calleeOf(session);
  // As if each took twice the time.
  const slow = windows().map((w) => ({ ...recounted(w, w), tsStep: 320 }));
  const { lost } = excuseHeld(stream, s, slow);
  assert.ok(lost >= 325 && lost <= 330, `${lost}`);
});

test('the receiver counts the hold by the sequence as well: nothing was lost behind the capture', async (t) => {
  const { call, media } = heldCall('held', BRIDGED);
  const rtcp = (party: typeof ALICE) => ({ ...party.rtp, port: party.rtp.port + 1 });
  const block = { ssrc: SSRC.callee, fractionLost: 0, lost: 650, highestSequence: 1, jitter: 0, lastSr: 0 };
  const bytes = receiverReport(SSRC.caller, [{ ...block, delaySinceLastSr: 0 }]);
  const report = { tsUs: call.at(25_000), src: rtcp(ALICE), dst: rtcp(BOB), bytes };
  const capture = new Capture().add(call.messages).add([...media, report]);
  const { session } = await readCapture(t, capture.pcap());
  const [d] = [...session.dialogs.oldestFirst()];
  assert.ok(d !== undefined);
  assert.equal(calleeOf(session).stream.rtcp?.remote?.cumulativeLost, 650);
  assert.deepEqual(callHints(dialogFacts(session.evidence, d)), []);
});
