/** What encodeHep3 writes, readHep reads: for any facts and payload, and against the document's example. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeHep3, type HepAgent, type HepFacts } from '../../../../src/actions/hep-out/hep-encode.ts';
import * as CHUNK from '../../../../src/decode/hep/chunks.ts';
import { chunkNumber, chunkText, endsOf, hepOf } from '../../../helpers/hep-packet.ts';

const word = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });
const name = fc.string({ maxLength: 60, unit: 'grapheme' }).filter((s) => s === '' || !s.endsWith('\0'));

const agent: fc.Arbitrary<HepAgent> = fc
  .record({
    agentId: word(4_294_967_295),
    texts: fc.record({ nodeName: name, authKey: name }, { requiredKeys: [] }),
  })
  .map(({ texts, ...rest }) => ({ ...rest, ...texts }));

const facts: fc.Arbitrary<HepFacts> = fc.record({
  ipVersion: fc.constantFrom(4 as const, 6 as const),
  proto: fc.constantFrom(6, 17, 132),
  addresses: fc.uint8Array({ minLength: 40, maxLength: 40 }),
  srcOff: fc.integer({ min: 0, max: 8 }),
  dstOff: fc.integer({ min: 16, max: 24 }),
  srcPort: word(65_535),
  dstPort: word(65_535),
  // Times that a reader believes, from 2000 to 2034.
  tsUs: fc.integer({ min: 946_684_800_000_000, max: 2_050_000_000_999_999 }),
  protocolType: fc.constantFrom(1, 5),
  vlan: word(4_095),
  tos: word(255),
  tcpFlags: word(255),
  correlationId: fc.option(name, { nil: undefined }),
});

describe('HEP 3 out', () => {
  it('round trip', () => {
    fc.assert(
      fc.property(agent, facts, fc.uint8Array({ maxLength: 2_000 }), word(50), (who, f, payload, lead) => {
        const inside = Buffer.concat([Buffer.alloc(lead, 0xee), payload, Buffer.alloc(3, 0xee)]);
        const made = encodeHep3(who, f, inside, lead, lead + payload.length) ?? assert.fail();
        const p = hepOf(made);
        const n = f.ipVersion === 6 ? 16 : 4;
        assert.equal(p.ipVersion, f.ipVersion);
        assert.deepEqual(
          endsOf(p),
          [f.srcOff, f.dstOff].map((at) => [...f.addresses.subarray(at, at + n)]),
        );
        assert.deepEqual(
          [p.proto, p.srcPort, p.dstPort, p.tsUs, p.protocolType, p.agentId],
          [f.proto, f.srcPort, f.dstPort, f.tsUs, f.protocolType, who.agentId],
        );
        for (const [type, value] of [
          [CHUNK.VLAN, f.vlan] as const,
          [CHUNK.TOS, f.tos] as const,
          [CHUNK.TCP_FLAGS, f.tcpFlags] as const,
        ])
          assert.equal(chunkNumber(made, type), value > 0 ? value : null);
        assert.equal(p.correlationId, f.correlationId || null);
        assert.equal(chunkText(made, CHUNK.NODE), who.nodeName || null);
        assert.equal(p.authKey === null ? undefined : Buffer.from(p.authKey).toString(), who.authKey || undefined);
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
    addresses: Uint8Array.of(212, 202, 0, 1, 82, 116, 0, 211),
    srcOff: 0,
    dstOff: 4,
    srcPort: 12_010,
    dstPort: 5_060,
    tsUs: 1_313_440_459_120_000,
    protocolType: 1,
    vlan: 0,
    tos: 0,
    tcpFlags: 0,
  };
  const who = { agentId: 228 };

  it('the example of the document: 113 bytes, the same chunks', () => {
    const made = encodeHep3(who, plain, Buffer.from('INVITE sip:bob')) ?? assert.fail();
    // The example has a time stamp, addresses, ports, type and agent; no other chunk.
    assert.equal(made.length, 113);
    assert.equal(made.subarray(0, 6).toString('hex'), '484550330071');
    assert.equal(made.subarray(6, 13).toString('hex'), '00000001000702');
  });

  it('what does not fit a datagram is refused, at the byte', () => {
    const room = 65_507 - (113 - 14);
    assert.equal(encodeHep3(who, plain, new Uint8Array(room))?.length, 65_507);
    assert.equal(encodeHep3(who, plain, new Uint8Array(room + 1)), null);
  });

  it('an impossible time or an identifier beyond reason does no harm', () => {
    for (const tsUs of [Number.NaN, -5, Number.POSITIVE_INFINITY, 9e18]) {
      const made = encodeHep3(who, { ...plain, tsUs, correlationId: 'x'.repeat(1_025) }, Buffer.from('x'));
      const read = hepOf(made ?? assert.fail());
      assert.equal(read.correlationId, null);
      assert.ok(Number.isNaN(read.tsUs) || read.tsUs >= 0);
    }
  });
});
