/** A hold at whose end the codec changes: segments, stream and hints say the same of it, whatever of the gap it explains. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { TALK_MS } from '../../fixtures/build/scene-kit.ts';
import { streamQuality } from '../../src/analysis/stream-quality.ts';
import { askStream } from '../../src/view/documents.ts';
import { callHints } from '../../src/view/explained.ts';
import { dialogFacts } from '../helpers/at-once.ts';
import type { Change, Spoken } from '../helpers/held-call.ts';
import { HOLD, heldCapture, heldFor, SSRC } from '../helpers/held-call.ts';
import { readCapture } from '../helpers/read-capture.ts';

const PCMA = 8;
const FLAWLESS = 4.4093;
const [BEFORE, HELD, BEHIND] = [(HOLD.fromMs - TALK_MS) / 20, 650, 600];
const GONE: Spoken = { gone: [HOLD], behind: { fromMs: HOLD.toMs, payloadType: PCMA } };

async function heard(t: TestContext, changes: readonly Change[], callee: Spoken) {
  const { session } = await readCapture(t, heldCapture('held', { changes, callee }));
  const { evidence, streams, dialogs } = session;
  const stream = [...streams.fromNewest()].find((s) => s.ssrc === SSRC.callee) ?? assert.fail();
  const quality = streamQuality(stream, evidence.capture.quality) ?? assert.fail();
  const { segments = [], spans = [] } = askStream(evidence, stream) ?? {};
  const sum = (of: 'packets' | 'expected' | 'lost'): number => segments.reduce((all, s) => all + s[of], 0);
  assert.deepEqual(
    [sum('expected'), sum('lost')],
    [quality.expected, quality.lost],
    'the sums are those of the stream',
  );
  assert.equal(sum('packets'), quality.snapshot.packets);
  const [d] = [...dialogs.oldestFirst()];
  return { quality, segments, spans, hints: d === undefined ? [] : callHints(dialogFacts(evidence, d)) };
}

test('a hold that explains all: no segment lost anything, and the hold has its span', async (t) => {
  const { segments, spans } = await heard(t, heldFor({ direction: 'inactive' }, { direction: 'inactive' }), GONE);
  assert.deepEqual(
    segments.map(({ codec, packets, expected, lost, mos }) => [codec, packets, expected, lost, mos]),
    [
      ['PCMU', BEFORE, BEFORE, 0, FLAWLESS],
      ['PCMA', BEHIND, BEHIND, 0, FLAWLESS],
    ],
  );
  const heldMs = spans.map(({ from, to }) => Date.parse(to) - Date.parse(from));
  assert.deepEqual(
    spans.map(({ kind }) => kind),
    ['held'],
  );
  assert.ok(Math.abs((heldMs[0] ?? 0) - (HOLD.toMs - HOLD.fromMs)) < 500, `${heldMs[0]} ms`);
});

test('the same gap without a hold is loss of the type that ended, and its score is that of the whole gap', async (t) => {
  const { segments } = await heard(t, [], GONE);
  assert.deepEqual(
    segments.map(({ codec, expected, lost }) => [codec, expected, lost]),
    [
      ['PCMU', BEFORE + HELD, HELD],
      ['PCMA', BEHIND, 0],
    ],
  );
  // Four fifths of what was due, most of it in windows behind the last packet.
  assert.ok((segments[0]?.mos ?? FLAWLESS) < 1.2, `${segments[0]?.mos}`);
});

test('a hold that explains a part of a gap: the rest is one burst, not scattered', async (t) => {
  const changes = heldFor(
    { direction: 'inactive' },
    { direction: 'inactive' },
    {},
    { fromMs: HOLD.fromMs + 5000, toMs: HOLD.fromMs + 7000 },
  );
  const { quality, segments, hints } = await heard(t, changes, GONE);
  assert.ok(quality.lost > 400 && quality.lost < HELD - 90, `${quality.lost}`);
  assert.equal(quality.lossRuns, 1);
  assert.equal(segments[0]?.lost, quality.lost);
  assert.match(hints.join('\n'), /in bursts of/);
  assert.doesNotMatch(hints.join('\n'), /scattered/);
});

test('what is lost on both sides of a hold stays where it was', async (t) => {
  const { segments } = await heard(t, heldFor({ direction: 'inactive' }, { direction: 'inactive' }), {
    ...GONE,
    lost: (slot) => slot === 60 || slot === 100 || slot === 1200,
  });
  assert.deepEqual(
    segments.map(({ packets, expected, lost }) => [packets, expected, lost]),
    [
      [BEFORE - 2, BEFORE, 2],
      [BEHIND - 1, BEHIND, 1],
    ],
  );
});
