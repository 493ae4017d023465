/** A gap that no description explains has two readings, where its packets fill a long silence. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { UnexplainedGap } from '../../../src/analysis/media/unexplained-gap.ts';
import { unexplainedGap } from '../../../src/analysis/media/unexplained-gap.ts';
import { streamQuality } from '../../../src/analysis/stream-quality.ts';
import type { HeldPlan } from '../../helpers/held-call.ts';
import { HOLD, heldCapture, heldFor, SSRC } from '../../helpers/held-call.ts';
import { readCapture } from '../../helpers/read-capture.ts';

async function gapOf(t: TestContext, plan: HeldPlan): Promise<UnexplainedGap | null> {
  const { session } = await readCapture(t, heldCapture('held', plan));
  const [stream] = [...session.streams.fromNewest()].filter((s) => s.ssrc === SSRC.callee);
  const q = stream === undefined ? null : streamQuality(stream, session.evidence.capture.quality);
  assert.ok(q !== null);
  return unexplainedGap(q);
}

test('a gap has two readings where its packets fill a silence of three seconds, and no others', async (t) => {
  const after = (ms: number) => ({ fromMs: 8000, toMs: 8000 + ms });
  const of = (callee: NonNullable<HeldPlan['callee']>) => gapOf(t, { callee });
  assert.deepEqual(await of({ gone: [after(4000)] }), { lost: 200, sec: 4.02 });
  assert.deepEqual(await of({ gone: [after(4000)], lost: (n) => n % 100 === 3 }), { lost: 200, sec: 4.02 });
  assert.equal(await of({ gone: [after(2500)] }), null, 'too short');
  assert.equal(await of({ paused: [after(4000)] }), null, 'its sender paused');
  const scattered = (n: number) => n % 5 === 2;
  assert.equal(await of({ paused: [after(4000)], lost: scattered }), null, 'what is missing is elsewhere');
});

test('nothing is said where a hold explains a gap: the longest silence is the hold', async (t) => {
  const changes = heldFor({ direction: 'sendonly' }, { direction: 'recvonly' });
  const gone = [HOLD, { fromMs: 22_000, toMs: 26_000 }];
  assert.equal(await gapOf(t, { changes, callee: { gone } }), null);
});
