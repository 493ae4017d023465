/** Streams that only RTCP speaks of: a flood of forged reports keeps its places no longer than it goes on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndpointKey } from '../../../../src/core/ip.ts';
import { endpointKeyFromText } from '../../../../src/core/ip.ts';
import type { RtcpEnds } from '../../../../src/store/media/unseen-streams.ts';
import {
  MAX_ENDPOINT_STREAMS,
  MAX_UNSEEN_STREAMS,
  SILENT_US,
  UnseenStreams,
} from '../../../../src/store/media/unseen-streams.ts';

const at = (n: number, port = 5001): EndpointKey =>
  endpointKeyFromText(`10.0.${n >> 8}.${n & 255}`, port) ?? assert.fail();
const between = (n: number): RtcpEnds => ({ source: at(n), peer: at(0xffff) });

test('a full table refuses while its streams are spoken of, and gives the place of one that is silent', () => {
  const unseen = new UnseenStreams();
  for (let n = 0; n < MAX_UNSEEN_STREAMS; n++) assert.ok(unseen.note(between(n), n, n) !== null);
  assert.equal(unseen.note(between(0), 99_999, SILENT_US - 1), null);
  assert.deepEqual([unseen.size, unseen.refused, unseen.evicted], [MAX_UNSEEN_STREAMS, 1, 0]);
  // The first goes on; the second is silent.
  assert.ok(unseen.note(between(0), 0, SILENT_US) !== null);
  assert.ok(unseen.note(between(7000), 7, SILENT_US + 2) !== null);
  assert.deepEqual([unseen.size, unseen.refused, unseen.evicted], [MAX_UNSEEN_STREAMS, 1, 1]);
  assert.deepEqual([unseen.at(at(0)).length, unseen.at(at(1)).length, unseen.at(at(1, 5000)).length], [1, 0, 0]);
  assert.deepEqual(
    unseen.at(at(7000, 5000)).map((s) => s.ssrc),
    [7],
    'its media would come from the port below',
  );
});

test('of a flood from one socket the newest are found there', () => {
  const unseen = new UnseenStreams();
  for (let ssrc = 0; ssrc < 1_000; ssrc++) unseen.note(between(1), ssrc, 0);
  for (const port of [5001, 5000])
    assert.deepEqual(
      unseen.at(at(1, port)).map((s) => s.ssrc),
      Array.from({ length: MAX_ENDPOINT_STREAMS }, (_, i) => 1_000 - MAX_ENDPOINT_STREAMS + i),
    );
  assert.equal(unseen.size, 1_000);
});
