/** Whatever the bytes, HEP packets are read inside their bounds, and a reused object keeps nothing of the last one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hep1, hep2, hep3 } from '../../fixtures/build/hep.ts';
import { readHep } from '../../src/decode/hep/hep.ts';
import { HepPacket } from '../../src/decode/hep/packet.ts';
import { endsOf, payloadOf } from '../helpers/hep-packet.ts';

/** All that a packet says. */
function told(b: Uint8Array, start: number, end: number, p: HepPacket): unknown {
  const refused = readHep(b, start, end, p);
  if (refused !== null) return refused;
  const { proto, srcPort, dstPort, tsUs, agentId, protocolType, isCompressed, authKey, correlationId } = p;
  assert.ok(p.bytes === b && p.start >= start && p.start <= p.end && p.end <= end);
  return {
    ends: endsOf(p),
    payload: payloadOf(p),
    authKey: authKey && Buffer.from(authKey).toString('hex'),
    ...{ proto, srcPort, dstPort, tsUs, agentId, protocolType, isCompressed, correlationId },
  };
}

const reused = new HepPacket();

const chunk = fc
  .record({
    vendor: fc.constantFrom(0, 0, 0, 2, 0x100),
    type: fc.oneof(fc.integer({ min: 0, max: 0x12 }), fc.integer({ min: 0, max: 0xffff })),
    size: fc.constantFrom(0, 1, 2, 4, 16, 5),
    length: fc.constantFrom(null, null, null, null, 0, 5, 6, 0xffff),
    fill: fc.integer({ min: 0, max: 255 }),
  })
  .map(({ vendor, type, size, length, fill }) => {
    const b = Buffer.alloc(6 + size, fill);
    b.writeUInt16BE(vendor, 0);
    b.writeUInt16BE(type, 2);
    b.writeUInt16BE(length ?? 6 + size, 4);
    return b;
  });

const madeUp = fc
  .record({
    chunks: fc.array(chunk, { maxLength: 14 }),
    total: fc.constantFrom(0, 0, 0, 0, 1, -1, -7),
    extra: fc.nat(3),
  })
  .map(({ chunks, total, extra }) => {
    const body = Buffer.concat(chunks);
    const head = Buffer.from('HEP3\0\0', 'latin1');
    head.writeUInt16BE(Math.max(0, 6 + body.length + total), 4);
    return Buffer.concat([head, body, Buffer.alloc(extra)]);
  });

const packet = fc
  .record({
    version: fc.constantFrom(1, 2, 3),
    six: fc.boolean(),
    payload: fc.uint8Array({ maxLength: 60 }),
    tsUs: fc.integer({ min: 0, max: 4_000_000_000 }),
    compressed: fc.boolean(),
    authKey: fc.option(fc.string({ maxLength: 8 }), { nil: undefined }),
    protocolType: fc.constantFrom(1, 5, 100),
    edits: fc.array(fc.record({ at: fc.nat(), value: fc.integer({ min: 0, max: 255 }) }), { maxLength: 3 }),
    cut: fc.option(fc.nat(), { nil: undefined }),
  })
  .map((o) => {
    const address = o.six ? '2001:db8::1' : '192.0.2.1';
    const m = { src: { address, port: 5060 }, dst: { address, port: 5062 }, tsUs: o.tsUs * 1000, payload: o.payload };
    const options = { protocolType: o.protocolType, compressed: o.compressed };
    const made =
      o.version === 1
        ? hep1(m)
        : o.version === 2
          ? hep2(m)
          : hep3(m, o.authKey === undefined ? options : { ...options, authKey: o.authKey });
    const b = Buffer.from(made);
    for (const { at, value } of o.edits) b[at % b.length] = value;
    return o.cut === undefined ? b : b.subarray(0, o.cut % (b.length + 1));
  });

test('a reused packet says of any bytes, wherever they lie, what a new one says', () => {
  fc.assert(
    fc.property(fc.oneof(packet, madeUp, fc.uint8Array({ maxLength: 80 })), fc.nat(20), (b, lead) => {
      const amid = Buffer.concat([Buffer.alloc(lead, 0x0e), b, Buffer.from('\0\0\0\x0f\0\x09abc')]);
      assert.deepEqual(told(amid, lead, lead + b.length, reused), told(Buffer.from(b), 0, b.length, new HepPacket()));
    }),
    { numRuns: 5000 },
  );
});
