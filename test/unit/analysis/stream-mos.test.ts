/** The MOS that is read in passing is that of the stream's quality. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { qualityTruthCases } from '../../../fixtures/build/quality-truth.ts';
import { worstMos } from '../../../src/analysis/call-figures.ts';
import { streamMos, streamQuality } from '../../../src/analysis/stream-quality.ts';
import { packageRoot } from '../../../src/core/package.ts';
import { rounded } from '../../../src/core/rounded.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const CAPTURES = [
  { name: 'demo', bytes: readFileSync(join(packageRoot(), 'fixtures/demo/demo.pcap')) },
  ...qualityTruthCases(),
];

for (const { name, bytes } of CAPTURES)
  test(`of each stream and each call: ${name}`, async (t) => {
    const { session } = await readCapture(t, bytes);
    const { evidence, streams, dialogs } = session;
    let scored = 0;
    for (const stream of streams.fromNewest()) {
      const mos = streamQuality(stream, evidence.capture.quality)?.mos ?? null;
      assert.equal(streamMos(stream, evidence.capture.quality), mos);
      if (mos !== null) scored++;
    }
    assert.ok(scored > 0);
    for (const d of dialogs.oldestFirst()) {
      const all = streams.ownedBy(d).flatMap((s) => streamQuality(s, evidence.capture.quality)?.mos ?? []);
      assert.equal(worstMos(evidence, d), all.length === 0 ? null : rounded(Math.min(...all), 4));
    }
  });
