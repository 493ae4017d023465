/** What encodeHep3 writes, readHep reads: for any facts and payload, and against the document's example. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeHep3, type HepFacts } from '../../../../src/actions/hep-out/hep-encode.ts';
import * as CHUNK from '../../../../src/decode/hep/chunks.ts';
import { chunkText, endsOf, hepOf } from '../../../helpers/hep-packet.ts';

const word = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });
const name = fc.string({ maxLength: 60, unit: 'grapheme' }).filter((s) => s === '' || !s.endsWith('\0'));

const facts: fc.Arbitrary<HepFacts> = fc
  .record({
    ipVersion: fc.constantFrom(4 as const, 6 as const),
    proto: fc.constantFrom(6, 17, 132),
    src: fc.uint8Array({ minLength: 16, maxLength: 16 }),
    dst: fc.uint8Array({ minLength: 16, maxLength: 16 }),
    srcPort: word(65_535),
    dstPort: word(65_535),
    tsUs: fc.integer({ min: 0, max: 4_294_967_295_999_999 }),
    protocolType: fc.constantFrom(1, 5),
    agentId: word(4_294_967_295),
    texts: fc.record({ correlationId: name, nodeName: name, authKey: name }, { requiredKeys: [] }),
  })
  .map(({ texts, ...rest }) => ({ ...rest, ...texts }));

describe('HEP 3 out', () => {
  it('round trip', () => {
    fc.assert(
      fc.property(facts, fc.uint8Array({ maxLength: 2_000 }), word(50), (f, payload, lead) => {
        const inside = Buffer.concat([Buffer.alloc(lead, 0xee), payload, Buffer.alloc(3, 0xee)]);
        const made = encodeHep3(f, inside, lead, lead + payload.length);
        assert.ok(made.ok);
        const p = hepOf(made.value);
        const n = f.ipVersion === 6 ? 16 : 4;
        assert.equal(p.ipVersion, f.ipVersion);
        assert.deepEqual(endsOf(p), [[...f.src.subarray(0, n)], [...f.dst.subarray(0, n)]]);
        assert.deepEqual(
          [p.proto, p.srcPort, p.dstPort, p.tsUs, p.protocolType, p.agentId],
          [f.proto, f.srcPort, f.dstPort, f.tsUs, f.protocolType, f.agentId],
        );
        assert.equal(p.correlationId, f.correlationId || null);
        assert.equal(chunkText(made.value, CHUNK.NODE), f.nodeName || null);
        assert.equal(p.authKey === null ? undefined : Buffer.from(p.authKey).toString(), f.authKey || undefined);
        // The reader drops the terminators that some senders add to SIP.
        let end = payload.length;
        if (f.protocolType === 1) while (end > 0 && payload[end - 1] === 0) end--;
        assert.deepEqual(Buffer.from(p.bytes.subarray(p.start, p.end)), Buffer.from(payload.subarray(0, end)));
      }),
    );
  });

  const plain: HepFacts = {
    ipVersion: 4,
    proto: 17,
    src: Uint8Array.of(212, 202, 0, 1),
    dst: Uint8Array.of(82, 116, 0, 211),
    srcPort: 12_010,
    dstPort: 5_060,
    tsUs: 1_313_440_459_120_000,
    protocolType: 1,
    agentId: 228,
  };

  it('the example of the document: 113 bytes, the same chunks', () => {
    const made = encodeHep3(plain, Buffer.from('INVITE sip:bob'));
    assert.ok(made.ok);
    // The example has a time stamp, addresses, ports, type and agent; no other chunk.
    assert.equal(made.value.length, 113);
    assert.equal(made.value.subarray(0, 6).toString('hex'), '484550330071');
    assert.equal(made.value.subarray(6, 13).toString('hex'), '00000001000702');
  });

  it('what does not fit is told, at the byte', () => {
    const room = 65_535 - (113 - 14);
    assert.equal(encodeHep3(plain, new Uint8Array(room)).ok, true);
    assert.deepEqual(encodeHep3(plain, new Uint8Array(room + 1)), { ok: false, reason: 'too_long' });
    assert.equal(encodeHep3(plain, new Uint8Array(100), 0, 100, 199).ok, true);
    assert.equal(encodeHep3(plain, new Uint8Array(100), 0, 100, 198).ok, false);
  });

  it('an impossible time or an identifier beyond reason does no harm', () => {
    for (const tsUs of [Number.NaN, -5, Number.POSITIVE_INFINITY, 9e18]) {
      const made = encodeHep3({ ...plain, tsUs, correlationId: 'x'.repeat(1_025) }, Buffer.from('x'));
      assert.ok(made.ok);
      const read = hepOf(made.value);
      assert.equal(read.correlationId, null);
      assert.ok(read.tsUs >= 0);
    }
  });
});
