/** RTCP of any bytes is read or refused by a reason, never thrown at. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRtcp, RTCP_REASONS } from '../../src/protocols/rtp/rtcp.ts';

/** A packet whose header is right and whose body is anything: the parsers behind the header see it. */
const packet = fc
  .tuple(
    fc.integer({ min: 0, max: 31 }),
    fc.constantFrom(200, 201, 202, 203, 204, 205, 206, 207),
    fc.array(fc.uint8Array({ minLength: 4, maxLength: 4 }), { maxLength: 40 }),
    fc.boolean(),
  )
  .map(([count, type, words, padded]) => {
    const head = Buffer.from([0x80 | (padded ? 0x20 : 0) | count, type, 0, words.length]);
    return Buffer.concat([head, ...words]);
  });

test('any bytes give packets or a reason of the closed set, and never throw', () => {
  const input = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.array(packet, { maxLength: 5 }).map((parts) => Buffer.concat(parts)),
  );
  const seen = new Set<string>();
  fc.assert(
    fc.property(input, (bytes) => {
      const r = parseRtcp(bytes);
      if (r.ok) assert.ok(r.value.packets.length > 0 && r.value.packets.length <= 32);
      else assert.ok(RTCP_REASONS.includes(r.reason), r.reason);
      seen.add(r.ok ? 'ok' : r.reason);
    }),
    { numRuns: 3000 },
  );
  for (const outcome of ['ok', 'short', 'length', 'receiver_report', 'source_description', 'extended_report']) {
    assert.ok(seen.has(outcome), `no input gave ${outcome}`);
  }
});

test('a view into a larger buffer is read from its own start', () => {
  fc.assert(
    fc.property(fc.array(packet, { minLength: 1, maxLength: 3 }), fc.integer({ min: 0, max: 9 }), (parts, shift) => {
      const whole = Buffer.concat(parts);
      const shifted = new Uint8Array(whole.length + shift + 5);
      shifted.set(whole, shift);
      assert.deepEqual(parseRtcp(shifted.subarray(shift, shift + whole.length)), parseRtcp(Uint8Array.from(whole)));
    }),
  );
});
