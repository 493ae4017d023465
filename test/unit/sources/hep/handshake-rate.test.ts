/** How many handshakes may begin, of one source and of all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HEP_TCP_CONNECTIONS, MAX_HEP_SOURCE_CONNECTIONS } from '../../../../src/sources/hep/connections.ts';
import {
  HandshakeRate,
  HEP_TLS_HANDSHAKES_PER_SECOND,
  MAX_HEP_SOURCE_HANDSHAKES_PER_SECOND,
} from '../../../../src/sources/hep/handshake-rate.ts';

/** How many of so many handshakes begin at this time. */
function begun(rate: HandshakeRate, times: number, nowMs: number, sourceOf: (i: number) => string): number {
  return Array.from({ length: times }, (_, i) => rate.take(sourceOf(i), nowMs)).filter(Boolean).length;
}

test('a source has as many at once as it has places, then some a second, and takes none from another', () => {
  const rate = new HandshakeRate(0);
  assert.equal(
    begun(rate, 1_000, 0, () => 'flood'),
    MAX_HEP_SOURCE_CONNECTIONS,
  );
  assert.equal(
    begun(rate, 1_000, 10_000, () => 'flood'),
    10 * MAX_HEP_SOURCE_HANDSHAKES_PER_SECOND,
  );
  assert.equal(rate.take('agent', 10_000), true);
});

test('all sources have as many at once as there are places, then some a second', () => {
  const rate = new HandshakeRate(0);
  const each = (i: number): string => `s${i}`;
  assert.equal(begun(rate, 5_000, 0, each), HEP_TCP_CONNECTIONS);
  assert.equal(begun(rate, 5_000, 2_000, each), 2 * HEP_TLS_HANDSHAKES_PER_SECOND);
  // A clock that is set back gives nothing.
  assert.equal(begun(rate, 5_000, 0, each), 0);
});
