/** HEP datagrams of versions 1, 2 and 3 give what they mirror, or a reason. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { hep3Length, readHep } from '../../../../src/decode/hep/hep.ts';
import { HepPacket } from '../../../../src/decode/hep/packet.ts';
import { endsOf, hepOf, payloadOf as payload } from '../../../helpers/hep-packet.ts';
import { bytes, join } from '../tcp/tcp-fixture.ts';

const u16 = (n: number): number[] => [n >> 8, n & 255];
const u32 = (n: number): number[] => [...u16(n >>> 16), ...u16(n & 0xffff)];

function chunk(type: number, data: readonly number[] | Uint8Array, vendor = 0): Uint8Array {
  return Uint8Array.from([...u16(vendor), ...u16(type), ...u16(data.length + 6), ...data]);
}

function packet(chunks: readonly Uint8Array[], magic = 'HEP3'): Uint8Array {
  const body = join(...chunks);
  return join(bytes(magic), Uint8Array.from(u16(body.length + 6)), body);
}

const addressed = [
  chunk(1, [2]),
  chunk(2, [17]),
  chunk(3, [212, 202, 0, 1]),
  chunk(4, [82, 116, 0, 211]),
  chunk(7, u16(12_010)),
  chunk(8, u16(5_060)),
  chunk(9, u32(1_313_440_459)),
  chunk(0x0a, u32(120_000)),
  chunk(0x0b, [1]),
  chunk(0x0c, u32(228)),
];
const example = packet([...addressed, chunk(0x0f, bytes('INVITE sip:bob'))]);

/** Reads from the middle of a larger array, as records are. */
const amid = (b: Uint8Array): Uint8Array => join(Uint8Array.of(1, 2, 3), b, Uint8Array.of(9));
const value = (b: Uint8Array, arrivedUs?: number): HepPacket => hepOf(amid(b), 3, 3 + b.length, arrivedUs);
const reason = (b: Uint8Array): string => readHep(amid(b), 3, 3 + b.length, new HepPacket()) ?? 'ok';

describe('HEP3', () => {
  it('the example of the document', () => {
    assert.equal(example.length, 113);
    const p = value(example);
    assert.deepEqual(endsOf(p), [
      [212, 202, 0, 1],
      [82, 116, 0, 211],
    ]);
    assert.deepEqual(
      [p.ipVersion, p.proto, p.srcPort, p.dstPort, p.tsUs, p.protocolType, p.agentId],
      [4, 17, 12_010, 5_060, 1_313_440_459_120_000, 1, 228],
    );
    assert.equal(payload(p), 'INVITE sip:bob');
    assert.equal(p.isCompressed, false);
  });

  it('the old name EEP3, and bytes behind the packet', () => {
    assert.equal(payload(value(join(packet([chunk(0x0f, bytes('x'))], 'EEP3'), bytes('trailing')))), 'x');
  });

  it('the key and the Call-ID a report belongs to; what is not asked for is skipped', () => {
    const p = value(
      packet([
        ...addressed,
        chunk(0x0d, u16(30)),
        chunk(0x0e, bytes('myhep')),
        chunk(0x11, bytes('call-1@x\0')),
        chunk(0x13, bytes('node\0')),
        chunk(0x25, bytes('{}')),
        chunk(0x0f, []),
      ]),
    );
    assert.deepEqual([Buffer.from(p.authKey ?? []).toString(), p.correlationId], ['myhep', 'call-1@x']);
    assert.equal(p.start, p.end);
  });

  it('an address that is missing is all zeros', () => {
    assert.deepEqual(endsOf(value(packet([chunk(4, [1, 2, 3, 4])]))), [
      [0, 0, 0, 0],
      [1, 2, 3, 4],
    ]);
  });

  it('a keep-alive without payload', () => {
    const p = value(packet(addressed));
    assert.equal(p.end - p.start, 0);
  });

  it('believes the addresses that are there, not the family', () => {
    const six = Array.from({ length: 16 }, (_, i) => i);
    const p = value(packet([chunk(1, [2]), chunk(5, six), chunk(6, six)]));
    assert.equal(p.ipVersion, 6);
    assert.deepEqual(endsOf(p), [six, six]);
    assert.equal(value(packet([chunk(1, [10]), chunk(3, [1, 2, 3, 4]), chunk(4, [1, 2, 3, 4])])).ipVersion, 4);
    const both = [chunk(3, [1, 2, 3, 4]), chunk(4, [1, 2, 3, 4]), chunk(5, six), chunk(6, six)];
    assert.equal(value(packet([...both, chunk(1, [10])])).ipVersion, 6);
    assert.equal(value(packet(both)).ipVersion, 4);
    assert.equal(value(packet([chunk(1, [2])])).ipVersion, 0);
  });

  it('of a chunk that comes twice the first counts', () => {
    const p = value(
      packet([chunk(0x0f, bytes('first')), chunk(0x0f, bytes('second')), chunk(7, u16(1)), chunk(7, u16(2))]),
    );
    assert.deepEqual([payload(p), p.srcPort], ['first', 1]);
  });

  it('skips chunks of vendors, of unknown types and of wrong sizes', () => {
    const p = value(
      packet([chunk(7, u16(9), 3), chunk(0x99, [1]), chunk(0xffff, [1]), chunk(8, [1]), chunk(7, u16(5))]),
    );
    assert.deepEqual([p.srcPort, p.dstPort], [5, 0]);
  });

  it('takes off the terminator that some senders count', () => {
    assert.equal(payload(value(packet([chunk(0x0b, [1]), chunk(0x0f, bytes('BYE\0\0'))]))), 'BYE');
    assert.equal(payload(value(packet([chunk(0x0b, [5]), chunk(0x0f, bytes('{}\0'))]))), '{}\0');
  });

  it('leaves a compressed payload as it is, and takes a plain one in its place', () => {
    const packed = gzipSync('INVITE sip:a SIP/2.0\0');
    const p = value(packet([chunk(0x0b, [1]), chunk(0x10, packed), chunk(0x0e, bytes('key'))]));
    assert.deepEqual([Buffer.from(p.bytes.subarray(p.start, p.end)), p.isCompressed], [packed, true]);
    assert.deepEqual(Buffer.from(p.authKey ?? []), Buffer.from('key'));
    const both = value(packet([chunk(0x10, packed), chunk(0x0f, bytes('plain'))]));
    assert.deepEqual([payload(both), both.isCompressed], ['plain', false]);
    assert.equal(value(packet([chunk(0x10, [])])).isCompressed, false);
  });

  it('names what is wrong', () => {
    const good = chunk(7, u16(1));
    const withLength = (n: number): Uint8Array => join(good.subarray(0, 4), Uint8Array.from(u16(n)), good.subarray(6));
    assert.equal(reason(bytes('')), 'not_hep');
    assert.equal(reason(bytes('HEP')), 'not_hep');
    assert.equal(reason(bytes('HEP3')), 'short_header');
    assert.equal(reason(bytes('HEP3\0')), 'short_header');
    assert.equal(reason(bytes('HEP3\0\x05')), 'bad_length');
    assert.equal(reason(bytes('HEP3\0\x06')), 'ok');
    assert.equal(reason(bytes('HEP3\0\x07')), 'truncated');
    assert.equal(reason(example.subarray(0, -1)), 'truncated');
    for (const n of [0, 5, 9, 65_535]) assert.equal(reason(packet([withLength(n)])), 'bad_chunk_length', String(n));
    assert.equal(reason(packet([good, Uint8Array.of(0, 0, 0)])), 'bad_chunk_length');
  });

  it('frames packets on a stream', () => {
    assert.equal(hep3Length(example, 0, example.length), 113);
    assert.equal(hep3Length(example, 0, 5), 0);
    assert.equal(hep3Length(example, 1, example.length), -1);
    assert.equal(hep3Length(bytes('HEP3\0\0'), 0, 6), -1);
  });
});

const le32 = (n: number): number[] => u32(n).reverse();

function legacy(version: number, length: number, time: readonly number[], family = 2): Uint8Array {
  const address = family === 2 ? [10, 0, 0, 1, 10, 0, 0, 2] : new Array<number>(32).fill(7);
  return join(
    Uint8Array.from([version, length, family, 17, ...u16(5_060), ...u16(5_080), ...address, ...time]),
    bytes('OPTIONS sip:a'),
  );
}

const TIME = [...le32(1_700_000_000), ...le32(250_000), 0x34, 0x12];

describe('HEP1 and HEP2', () => {
  it('version 1 has no time', () => {
    const p = value(legacy(1, 16, []));
    assert.deepEqual([p.ipVersion, p.proto, p.srcPort, p.dstPort, p.tsUs], [4, 17, 5_060, 5_080, Number.NaN]);
    assert.deepEqual([endsOf(p)[1], payload(p), p.protocolType], [[10, 0, 0, 2], 'OPTIONS sip:a', 1]);
    assert.equal(value(legacy(1, 40, [], 10)).ipVersion, 6);
  });

  for (const [name, length, time] of [
    ['packed', 26, TIME],
    ['padded', 28, [...TIME, 0, 0]],
    ['padded, not counted in the length', 16, [...TIME, 0, 0]],
    ['packed, not counted in the length', 16, TIME],
    ['big-endian', 26, [...u32(1_700_000_000), ...u32(250_000), 0x34, 0x12]],
  ] as const) {
    it(`version 2, ${name}`, () => {
      const p = value(legacy(2, length, time), 1_700_000_300_000_000);
      assert.deepEqual([p.tsUs, p.agentId, payload(p)], [1_700_000_000_250_000, 0x1234, 'OPTIONS sip:a']);
    });
  }

  it('names what is wrong', () => {
    assert.equal(reason(legacy(1, 17, [])), 'bad_length');
    assert.equal(reason(legacy(3, 16, [])), 'not_hep');
    assert.equal(reason(legacy(1, 16, [], 3)), 'not_hep');
    assert.equal(reason(legacy(1, 16, []).subarray(0, 7)), 'short_header');
    assert.equal(reason(legacy(1, 16, []).subarray(0, 12)), 'truncated');
    assert.equal(reason(legacy(2, 28, []).subarray(0, 20)), 'truncated');
    assert.equal(value(legacy(2, 26, new Array<number>(10).fill(0xff))).tsUs, Number.NaN);
  });
});
