/** What HEP costs: nothing before its key is right, and then no more than its sender's share of a second. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { INFLATE_HEP_SENDERS } from '../../../src/decode/hep/inflate.ts';
import {
  INFLATE_BYTES_PER_SECOND,
  INFLATE_SHARE_LEAST_BYTES,
  INFLATE_SHARE_MOST_BYTES,
  INFLATED_MESSAGE_BYTES,
  INFLATION_COST_BYTES,
} from '../../../src/decode/inflate-budget.ts';
import { HepDoor, type HepSender } from '../../../src/ingest/hep-door.ts';
import { ScannedHep } from '../../../src/ingest/scanned-hep.ts';
import { HepAuth } from '../../../src/sources/hep/auth.ts';

const SECOND = 1_000_000;
const SIP = 'OPTIONS sip:a@b SIP/2.0\r\nCall-ID: 1\r\nCSeq: 1 OPTIONS\r\n\r\n';
const BOMB = gzipSync(Buffer.alloc(262_000));

function chunk(type: number, data: Uint8Array): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(6 + data.length, 4);
  return Buffer.concat([head, data]);
}

function packet(...chunks: readonly Buffer[]): Buffer {
  const body = Buffer.concat([chunk(0x0b, Buffer.from([1])), ...chunks]);
  const head = Buffer.from('HEP3\0\0', 'latin1');
  head.writeUInt16BE(6 + body.length, 4);
  return Buffer.concat([head, body]);
}

const compressed = (data: Uint8Array, ...more: readonly Buffer[]): Buffer => packet(chunk(0x10, data), ...more);
const key = (text: string): Buffer => chunk(0x0e, Buffer.from(text));

function from(address: readonly number[], tsUs = 10 * SECOND): HepSender {
  return {
    addresses: Uint8Array.from([9, 9, ...address]),
    srcOff: 2,
    ipVersion: address.length === 16 ? 6 : 4,
    tsUs,
  };
}

const ipv4 = (n: number): number[] => [10, (n >> 16) & 255, (n >> 8) & 255, n & 255];

class Bed {
  readonly door: HepDoor;
  readonly #packet: ScannedHep;

  constructor(auth: string | null = null) {
    this.door = new HepDoor(auth === null ? null : new HepAuth(auth));
    this.#packet = new ScannedHep(this.door);
  }

  /** The text that is read, or why none is. */
  read(b: Buffer, sender: HepSender = from(ipv4(1))): string {
    this.#packet.read(b, 0, b.length, sender);
    const { refused, scan } = this.#packet;
    return refused ?? Buffer.from(scan.bytes.subarray(scan.start, scan.end)).toString('latin1');
  }
}

describe('compressed HEP payloads', () => {
  for (const [name, pack] of [
    ['gzip', gzipSync],
    ['zlib', deflateSync],
    ['raw deflate', deflateRawSync],
  ] as const) {
    it(`${name} is inflated up to the length of a message`, () => {
      const bed = new Bed();
      assert.equal(bed.read(compressed(pack(`${SIP}\0`))), SIP);
      assert.equal(bed.read(compressed(pack(Buffer.alloc(INFLATED_MESSAGE_BYTES, 65)))).length, INFLATED_MESSAGE_BYTES);
      assert.equal(bed.read(compressed(pack(Buffer.alloc(INFLATED_MESSAGE_BYTES + 1, 65)))), 'inflated_too_long');
      assert.equal(bed.read(compressed(pack(SIP).subarray(0, -9))), 'inflate_failed');
    });
  }

  it('raw deflate that begins like zlib is read as what it is', () => {
    // A stored block of 29 bytes: 08 1d is also the header of zlib with a window of 256 bytes.
    const stored = Buffer.from([0x08, 29, 0, ~29 & 255, 255, ...Buffer.from(SIP.slice(0, 29))]);
    assert.equal(new Bed().read(compressed(Buffer.concat([stored, deflateRawSync(SIP.slice(29))]))), SIP);
  });

  it('what is no compressed data is refused', () => {
    assert.equal(new Bed().read(compressed(Buffer.from('not compressed'))), 'inflate_failed');
  });

  it('payloads of types that are only counted are not inflated', () => {
    const bed = new Bed();
    const log = Buffer.concat([chunk(0x0b, Buffer.from([100])), chunk(0x10, BOMB)]);
    const head = Buffer.from('HEP3\0\0', 'latin1');
    head.writeUInt16BE(6 + log.length, 4);
    bed.read(Buffer.concat([head, log]));
    assert.equal(bed.door.inflater.inflations, 0);
  });
});

describe('the key comes first', () => {
  it('without it nothing is inflated or scanned, wherever it stands', () => {
    const bed = new Bed('sesame');
    const wrong = [
      compressed(BOMB),
      compressed(BOMB, key('other')),
      packet(key('sesam'), chunk(0x10, BOMB)),
      packet(key('other'), chunk(0x10, BOMB), key('sesame')),
      packet(chunk(0x0f, Buffer.from(SIP))),
    ];
    for (const b of wrong) assert.equal(bed.read(b), 'auth_failed');
    assert.equal(bed.door.inflater.inflations, 0);
    assert.equal(bed.read(compressed(gzipSync(SIP), key('sesame'))), SIP);
    assert.equal(bed.read(packet(key('sesame'), chunk(0x10, gzipSync(SIP)))), SIP);
  });
});

describe('the budget of inflation', () => {
  it('a sender of bombs uses up its own share, and is read again in the next second', () => {
    const bed = new Bed();
    const counts = new Map<string, number>();
    for (let i = 0; i < 2_000; i++) {
      const said = bed.read(compressed(BOMB));
      counts.set(said, (counts.get(said) ?? 0) + 1);
    }
    const { inflater } = bed.door;
    assert.ok(inflater.inflatedBytes <= INFLATE_SHARE_MOST_BYTES, String(inflater.inflatedBytes));
    assert.deepEqual([...counts.keys()], ['inflated_too_long', 'inflate_over_budget']);
    assert.equal(bed.read(packet(chunk(0x0f, Buffer.from(SIP)))), SIP, 'a plain message costs nothing');
    assert.equal(bed.read(compressed(gzipSync(SIP)), from(ipv4(2))), SIP, 'another sender');
    assert.equal(bed.read(compressed(gzipSync(SIP)), from(ipv4(1), 11 * SECOND)), SIP, 'the next second');
  });

  for (const [name, data] of [
    ['empty ones', deflateRawSync('')],
    ['broken ones', Buffer.from('ffffff', 'hex')],
    ['small ones', deflateRawSync(Buffer.alloc(2_000))],
  ] as const) {
    it(`${name} have a cost too`, () => {
      const bed = new Bed();
      const packets = (2 * INFLATE_SHARE_MOST_BYTES) / INFLATION_COST_BYTES;
      for (let i = 0; i < packets; i++) bed.read(compressed(data));
      assert.ok(bed.door.inflater.inflations <= INFLATE_SHARE_MOST_BYTES / INFLATION_COST_BYTES);
    });
  }

  it('forged senders without number share what a second has, and take nothing from who was there', () => {
    const bed = new Bed();
    const agent = (second: number): HepSender => from([192, 0, 2, 1], second * SECOND);
    assert.equal(bed.read(compressed(gzipSync(SIP)), agent(10)), SIP);
    for (let i = 0; i < 20_000; i++) {
      bed.read(compressed(BOMB), from(ipv4(i), 10 * SECOND));
      if (i % 4_000 === 0) assert.equal(bed.read(compressed(gzipSync(SIP)), agent(10)), SIP);
    }
    const all = INFLATE_BYTES_PER_SECOND * (1 + Math.log(INFLATE_HEP_SENDERS)) + INFLATE_SHARE_LEAST_BYTES;
    assert.ok(bed.door.inflater.inflatedBytes < all, String(bed.door.inflater.inflatedBytes));
    assert.equal(bed.read(compressed(gzipSync(SIP)), agent(11)), SIP);
  });

  it('addresses of one IPv6 network share', () => {
    const bed = new Bed();
    const sender = (n: number): HepSender => from([...new Array<number>(8).fill(7), ...ipv4(n), ...ipv4(n)]);
    for (let i = 0; i < 2_000; i++) bed.read(compressed(BOMB), sender(i));
    assert.ok(bed.door.inflater.inflatedBytes <= INFLATE_SHARE_MOST_BYTES);
  });
});
