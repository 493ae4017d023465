/** The length of windows is told by most of them, whatever a silence or a change of codec makes of some. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carriedCodecs } from '../../../src/core/carried-codecs.ts';
import { usualStepMs } from '../../../src/core/usual-step.ts';

test('most windows say how long one is', () => {
  assert.equal(usualStepMs([], 5000), 5000);
  assert.equal(usualStepMs([[7]], 5000), 5000);
  assert.equal(usualStepMs([[0, 1000, 2000.4, 30_000]], 5000), 1000);
  assert.equal(usualStepMs([[0, 2000, 7000, 12_000, 42_000], [100]], 5000), 5000, 'a change of codec, and a silence');
  assert.equal(usualStepMs([[0, 2000, 7000]], 5000), 2000, 'of equals the shortest');
});

test('codecs of a stream in a few words', () => {
  assert.equal(carriedCodecs({ codec: 'PCMU', payload_type: 0 }), 'PCMU');
  assert.equal(carriedCodecs({ payload_type: 99, segments: [] }), 'type 99');
  const segments = [{ codec: 'G729', payload_type: 18 }, { payload_type: 99 }, { codec: 'PCMU', payload_type: 0 }];
  assert.equal(carriedCodecs({ codec: 'PCMU', payload_type: 0, segments }), 'G729 > type 99 > PCMU');
  const many = [...segments, ...segments];
  assert.equal(carriedCodecs({ codec: 'PCMU', payload_type: 0, segments: many }), 'G729 > type 99 > PCMU > G729 > ...');
});
