/** HEP packets out of a TCP stream, wherever it is cut and whatever stands between them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hep3Length } from '../../../../src/decode/hep/hep.ts';
import { HepFramer } from '../../../../src/sources/hep/framer.ts';

function packet(payload: Uint8Array, magic = 'HEP3'): Buffer {
  const head = Buffer.from(`${magic}\0\0`, 'latin1');
  head.writeUInt16BE(6 + payload.length, 4);
  return Buffer.concat([head, payload]);
}

/** What comes out of `stream` when it arrives in pieces that end at `cuts`. */
function frame(stream: Buffer, cuts: readonly number[]): { packets: string[]; framer: HepFramer } {
  const packets: string[] = [];
  const framer = new HepFramer(hep3Length, (b, start, end) => packets.push(b.subarray(start, end).toString('hex')));
  let at = 0;
  for (const cut of [...cuts, stream.length]) {
    if (cut > at) framer.push(Buffer.from(stream.subarray(at, cut)));
    at = Math.max(at, cut);
    assert.ok(framer.pendingBytes <= 65_535);
  }
  return { packets, framer };
}

describe('framing HEP over TCP', () => {
  it('every cut of a stream gives its packets', () => {
    const all = [packet(Buffer.from('one')), packet(Buffer.alloc(0)), packet(Buffer.from('HEP3 inside'), 'EEP3')];
    const stream = Buffer.concat(all);
    const want = all.map((p) => p.toString('hex'));
    for (let a = 0; a <= stream.length; a++) {
      for (let b = a; b <= stream.length; b++) {
        const { packets, framer } = frame(stream, [a, b]);
        assert.deepEqual(packets, want, `${a} ${b}`);
        assert.deepEqual([framer.resyncs, framer.skippedBytes, framer.pendingBytes], [0, 0, 0]);
      }
    }
  });

  it('any packets in any pieces', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 }),
        fc.array(fc.nat(2_000), { maxLength: 20 }),
        (payloads, cuts) => {
          const all = payloads.map((p) => packet(p));
          const stream = Buffer.concat(all);
          const sorted = cuts.filter((c) => c < stream.length).sort((x, y) => x - y);
          const { packets, framer } = frame(stream, sorted);
          assert.deepEqual(
            packets,
            all.map((p) => p.toString('hex')),
          );
          assert.equal(framer.skippedBytes, 0);
        },
      ),
    );
  });

  it('the longest packet, byte by byte at its ends', () => {
    const long = packet(Buffer.alloc(65_529, 7));
    const { packets } = frame(Buffer.concat([long, long]), [1, 2, 3, 4, 5, 6, 7, 65_534, 65_535, 65_536, 131_069]);
    assert.deepEqual(
      packets.map((p) => p.length / 2),
      [65_535, 65_535],
    );
  });

  it('finds the next packet after what is none, whatever the cut', () => {
    const good = packet(Buffer.from('good'));
    for (const junk of [
      'junk',
      'HEP',
      'HE',
      'H',
      'HEP4HEPHEHH',
      'GET / HTTP/1.1\r\n\r\n',
      'HEP3\0\x05',
      'HEP3\0\0\0\0',
      'EEEP',
    ]) {
      const bytes = Buffer.from(junk, 'latin1');
      const stream = Buffer.concat([good, bytes, good]);
      for (let cut = 0; cut <= stream.length; cut++) {
        const { packets, framer } = frame(stream, [cut]);
        assert.deepEqual(packets, [good.toString('hex'), good.toString('hex')], `${JSON.stringify(junk)} at ${cut}`);
        assert.equal(framer.skippedBytes, bytes.length);
        assert.equal(framer.resyncs, 1);
        assert.equal(framer.skippedInARow, 0);
      }
    }
  });

  it('any bytes: nothing is kept beyond a packet, and all is accounted for', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.constantFrom(
        ...['HEP3', 'EEP3', 'HEP3\0\x07', 'H', 'HEP', 'HEP3\xff\xff'].map((s) =>
          Uint8Array.from(Buffer.from(s, 'latin1')),
        ),
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        let delivered = 0;
        const framer = new HepFramer(hep3Length, (b, start, end) => {
          assert.ok(start >= 0 && end <= b.length && end - start >= 6);
          delivered += end - start;
        });
        let sent = 0;
        for (const p of pieces) {
          sent += p.length;
          framer.push(Buffer.from(p));
          assert.ok(framer.pendingBytes <= 65_535);
        }
        assert.equal(delivered + framer.skippedBytes + framer.pendingBytes, sent);
      }),
    );
  });
});
