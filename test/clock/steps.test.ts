/**
 * A step of the clock of the capturing host is told once, with its time and size, and nothing is found because of it; what
 * looks like one and is none is not told.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EPOCH_US } from '../../fixtures/build/capture.ts';
import { findingNames } from '../../src/analysis/finding-names.ts';
import { streamQuality } from '../../src/analysis/stream-quality.ts';
import { dialogFacts } from '../helpers/at-once.ts';
import type { OpenSession } from '../helpers/open-session.ts';
import { readCapture } from '../helpers/read-capture.ts';
import { type ClockStep, LOOK_KINDS, SET_MS, steadyCaptures, steppedCaptures } from './captures.ts';

/** In all of a kind: `CALLTAP_CLOCK_LOOKS=12` makes two hundred. */
const EACH = Number(process.env['CALLTAP_CLOCK_LOOKS'] ?? 2);
/** What the jitter of the packets beside a step leaves unknown of its size. */
const JITTER_MS = 25;

/** What is said of each call, and how long its parts took. */
function judged(session: OpenSession): Map<string, { found: string[]; spansMs: number[]; late: number[] }> {
  const { evidence } = session;
  const out = new Map<string, { found: string[]; spansMs: number[]; late: number[] }>();
  for (const d of session.dialogs.oldestFirst()) {
    const spans = [d.progressUs, d.answerUs, d.endedUs].map((us) => (us - d.createdUs) / 1000);
    const late = [...session.streams.ownedBy(d)].map((s) => streamQuality(s, evidence.capture.quality)?.late ?? -1);
    out.set(d.callId, { found: findingNames(dialogFacts(evidence, d)).sort(), spansMs: spans, late });
  }
  return out;
}

function sameSteps(session: OpenSession, wanted: readonly ClockStep[]): void {
  const steps = session.evidence.capture.clockSteps;
  assert.equal(steps.length, wanted.length, JSON.stringify(steps));
  for (const [i, { atMs, sizeMs }] of wanted.entries()) {
    const { atUs = 0, sizeUs = 0 } = steps[i] ?? {};
    assert.ok(Math.abs(sizeUs / 1000 - sizeMs) <= JITTER_MS, `${sizeUs / 1000} ms, wanted ${sizeMs}`);
    assert.ok(Math.abs((atUs - EPOCH_US) / 1000 - atMs) <= 2 * JITTER_MS, `at ${(atUs - EPOCH_US) / 1000} ms`);
  }
}

for (const { name, bytes, steady, steps } of steppedCaptures()) {
  test(`${name}: named, and the calls are judged as without it`, async (t) => {
    const { session } = await readCapture(t, bytes);
    sameSteps(session, steps);
    const wanted = judged((await readCapture(t, steady)).session);
    const got = judged(session);
    assert.deepEqual([...got.keys()], [...wanted.keys()]);
    for (const [callId, { found, spansMs, late }] of wanted) {
      const one = got.get(callId);
      assert.ok(one !== undefined);
      assert.deepEqual(one.found, found, callId);
      assert.deepEqual(one.late, late, callId);
      for (const [i, ms] of spansMs.entries()) {
        const off = Math.abs((one.spansMs[i] ?? 0) - ms);
        assert.ok(!(off > 2 * JITTER_MS), `${callId}: ${one.spansMs[i]} ms, wanted ${ms}`);
      }
    }
    // The call that loses packets is found in both.
    assert.ok([...got.values()].some(({ found }) => found.includes('packet-loss')));
  });
}

test(`${EACH} captures of each of ${LOOK_KINDS} kinds in which no clock was set: none is told`, async (t) => {
  for (const { name, bytes } of steadyCaptures(EACH))
    await t.test(name, async (t) => {
      const { session } = await readCapture(t, bytes);
      assert.deepEqual(session.evidence.capture.clockSteps, [], `${SET_MS}`);
    });
});
