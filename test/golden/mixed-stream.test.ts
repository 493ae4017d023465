/** Two sources that share an SSRC and a socket: what a receiver makes of both has no score, and what it lacks of one no finding. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { streamMos, streamQuality } from '../../src/analysis/stream-quality.ts';
import { streamDocument } from '../../src/view/documents.ts';
import { readCapture } from '../helpers/read-capture.ts';
import { ONE_SSRC } from './scenes/one-ssrc.ts';
import { captureOf } from './scenes/scene.ts';

async function fromCallee(t: TestContext, name: string) {
  const scene = ONE_SSRC.find((s) => s.name === name);
  assert.ok(scene !== undefined);
  const { session } = await readCapture(t, captureOf(scene));
  const { evidence } = session;
  const streams = [...session.streams.fromNewest()].map((stream) => ({
    stream,
    quality: streamQuality(stream, evidence.capture.quality),
    mos: streamMos(stream, evidence.capture.quality),
    document: streamDocument(evidence, stream),
  }));
  const isMixed = streams.map(({ quality }) => quality?.isMixed);
  const of = streams.find(({ document }) => document?.src === '198.51.100.20:30000');
  assert.ok(of?.quality && of.document);
  return { isMixed, mos: of.mos, quality: of.quality, document: of.document };
}

for (const name of [
  'two-sources-one-socket-one-ssrc',
  'two-sources-one-ssrc-60-ahead',
  'two-sources-one-ssrc-0-ahead',
  'two-sources-one-ssrc-late-in-a-long-call',
])
  test(`${name}: no MOS of the stream and of its windows, and nothing lost`, async (t) => {
    const { isMixed, mos, quality, document } = await fromCallee(t, name);
    assert.equal(isMixed.filter((is) => is === true).length, 1);
    assert.deepEqual([mos, quality.mos, quality.worstMos, document.mos], [null, null, null, undefined]);
    assert.equal(document.loss_pct, 0);
    assert.ok(document.quality_intervals.length >= 4);
    for (const w of document.quality_intervals)
      assert.deepEqual([w.mos, w.verdict, w.loss_pct], [undefined, undefined, 0]);
  });

for (const name of [
  'one-way-of-a-call-in-two-taps',
  'one-socket-one-ssrc-one-after-the-other',
  'repairs-with-numbers-of-their-own',
])
  test(`${name}: one source, with a MOS`, async (t) => {
    const { isMixed, mos } = await fromCallee(t, name);
    assert.deepEqual(isMixed, [false, false]);
    assert.ok(mos !== null && mos > 4);
  });
