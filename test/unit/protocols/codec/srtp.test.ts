/** SRTP by the vectors of RFC 3711 appendix B.3, and by packets protected here and opened there. */
import assert from 'node:assert/strict';
import { createCipheriv, createHmac } from 'node:crypto';
import { test } from 'node:test';
import { deriveKey, findReader, SrtpReader, srtpKeysOf } from '../../../../src/protocols/codec/srtp.ts';

const MASTER = Buffer.from('e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe6', 'hex');

test('key derivation: RFC 3711 appendix B.3', () => {
  assert.equal(deriveKey(MASTER, 0, 16).toString('hex'), 'c61e7a93744f39ee10734afe3ff7a087');
  assert.equal(deriveKey(MASTER, 2, 14).toString('hex'), '30cbbc08863d8c85d49db34a9ae1');
  assert.equal(deriveKey(MASTER, 1, 20).toString('hex'), 'cebe321f6ff7716b6fd4ab49af256a156d38baa4');
});

/** A protected packet, after the formulas of sections 4.1.1 and 4.2 in integers. */
function protect(seq: number, roc: number, payload: Buffer, tagBytes: number): Buffer {
  const header = Buffer.from([0x80, 0, seq >> 8, seq & 255, 0, 0, 0, 1, 0xca, 0xfe, 0xba, 0xbe]);
  const salt = BigInt(`0x${deriveKey(MASTER, 2, 14).toString('hex')}`);
  const iv = (salt << 16n) ^ (0xcafebaben << 64n) ^ (((BigInt(roc) << 16n) | BigInt(seq)) << 16n);
  const ivBytes = Buffer.from(iv.toString(16).padStart(32, '0'), 'hex');
  const body = createCipheriv('aes-128-ctr', deriveKey(MASTER, 0, 16), ivBytes).update(payload);
  const packet = Buffer.concat([header, body]);
  const counter = Buffer.alloc(4);
  counter.writeUInt32BE(roc);
  const tag = createHmac('sha1', deriveKey(MASTER, 1, 20))
    .update(packet)
    .update(counter)
    .digest();
  return Buffer.concat([packet, tag.subarray(0, tagBytes)]);
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
  const keys = srtpKeysOf(`v=0\r\n${text}a=crypto:3 AES_256_CM_HMAC_SHA1_80 inline:${'A'.repeat(62)}\r\n`, 32);
  assert.deepEqual(
    keys.map((k) => k.tagBytes),
    [4, 10],
  );
  const packet = protect(5, 0, Buffer.from('x'), 10);
  assert.notEqual(findReader([Buffer.alloc(3), packet], keys)?.open(packet, 12, 0) ?? null, null);
  assert.equal(findReader([packet], keys.slice(0, 1)), null);
});
