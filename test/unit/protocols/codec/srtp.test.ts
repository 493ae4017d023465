/** SRTP by the vectors of RFC 3711 appendix B.3, and by packets protected here and opened there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveKey, SrtpOpener, SrtpReader, srtpKeysOf } from '../../../../src/protocols/codec/srtp.ts';
import { protect as protectBy } from '../../../helpers/srtp-packets.ts';

const MASTER: Buffer = Buffer.from('e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe6', 'hex');

test('key derivation: RFC 3711 appendix B.3', () => {
  assert.equal(deriveKey(MASTER, 0, 16).toString('hex'), 'c61e7a93744f39ee10734afe3ff7a087');
  assert.equal(deriveKey(MASTER, 2, 14).toString('hex'), '30cbbc08863d8c85d49db34a9ae1');
  assert.equal(deriveKey(MASTER, 1, 20).toString('hex'), 'cebe321f6ff7716b6fd4ab49af256a156d38baa4');
});

function protect(seq: number, roc: number, payload: Buffer, tagBytes: number, master = MASTER): Buffer {
  const header = Buffer.from([0x80, 0, seq >> 8, seq & 255, 0, 0, 0, 1, 0xca, 0xfe, 0xba, 0xbe]);
  return protectBy(Buffer.concat([header, payload]), roc, { master, tagBytes });
}

test('packets of both tag lengths and of a later turn of the sequence are opened, others are not', () => {
  const payload = Buffer.from('the spoken word');
  for (const tagBytes of [10, 4]) {
    const reader = new SrtpReader({ master: MASTER, tagBytes });
    for (const [seq, roc] of [
      [1, 0],
      [65_535, 0],
      [0, 1],
      [700, 3],
    ] as const) {
      const packet = protect(seq, roc, payload, tagBytes);
      assert.deepEqual(Buffer.from(reader.open(packet, 12, roc) ?? []).subarray(12), payload);
      assert.equal(reader.open(packet, 12, roc + 1), null);
      packet[14] = (packet[14] ?? 0) ^ 1;
      assert.equal(reader.open(packet, 12, roc), null);
    }
  }
  assert.equal(new SrtpReader({ master: MASTER, tagBytes: 10 }).open(Buffer.alloc(13, 0x80), 12, 0), null);
});

test('keys are read from a body, and the one that fits is found', () => {
  const other = Buffer.alloc(30, 7);
  const text = [other, MASTER]
    .map(
      (k, i) =>
        `a=crypto:${i + 1} AES_CM_128_HMAC_SHA1_${i === 0 ? 32 : 80} inline:${k.toString('base64')}|2^20|1:4\r\n`,
    )
    .join('');
  const keys = srtpKeysOf(`v=0\r\n${text}a=crypto:3 AEAD_AES_256_GCM inline:${'A'.repeat(60)}\r\n`, 32);
  assert.deepEqual(
    keys.map((k) => k.tagBytes),
    [4, 10],
  );
  const packet = protect(5, 0, Buffer.from('x'), 10);
  assert.notEqual(new SrtpOpener(keys).open(packet, 12, 0), null);
  assert.equal(new SrtpOpener(keys.slice(0, 1)).open(packet, 12, 0), null);
});

test('key derivation with 256 bits: RFC 6188 section 7.2', () => {
  const master = Buffer.from(
    'f0f04914b513f2763a1b1fa130f10e2998f6f6e43e4309d1e622a0e332b9f1b63b04803de51ee7c96423ab5b78d2',
    'hex',
  );
  assert.equal(
    deriveKey(master, 0, 32).toString('hex'),
    '5ba1064e30ec51613cad926c5a28ef731ec7fb397f70a960653caf06554cd8c4',
  );
  assert.equal(deriveKey(master, 2, 14).toString('hex'), 'fa31791685ca444a9e07c6c64e93');
  const line = `a=crypto:1 AES_256_CM_HMAC_SHA1_80 inline:${master.toString('base64')}`;
  const packet = protect(5, 0, Buffer.from('word'), 10, master);
  assert.equal(new SrtpOpener(srtpKeysOf(line, 4)).open(packet, 12, 0)?.length, 16);
});

test('another key of the signaling takes over where the first one fits no more; what none opens is counted', () => {
  const second = Buffer.alloc(30, 7);
  const opener = new SrtpOpener([MASTER, second].map((master) => ({ master, tagBytes: 10 })));
  const opens = (seq: number, master: Buffer): boolean =>
    opener.open(protect(seq, 0, Buffer.from('word'), 10, master), 12, 0) !== null;
  for (let seq = 1; seq <= 5; seq++) assert.ok(opens(seq, MASTER));
  for (let seq = 6; seq <= 10; seq++) assert.ok(opens(seq, second));
  assert.deepEqual([opener.opened, opener.unopened], [10, 0]);
  for (let seq = 11; seq <= 60; seq++) assert.ok(!opens(seq, Buffer.alloc(30, 9)));
  assert.deepEqual([opener.opened, opener.unopened], [10, 50]);
  // After so many failures one packet in sixteen is tried with the other keys.
  const found = Array.from({ length: 16 }, (_, i) => opens(61 + i, MASTER));
  assert.ok(found.includes(true));
  assert.ok(found.at(-1));
});
