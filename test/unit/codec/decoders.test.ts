/** Decoders against sound that others encoded, aligned by the best lag. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aLaw, muLaw } from '../../../fixtures/build/audio.ts';
import { createDecoder, isDecodable } from '../../../src/codec/decoder.ts';
import { decodeAlaw, decodeL16, decodeMulaw } from '../../../src/codec/g711.ts';
import { chirp, G722, OPUS } from './vectors.ts';

/** Best correlation of `got` with the sound over lags up to `maxLag` samples; the first samples settle the filters. */
export function correlation(got: Int16Array, want: (i: number) => number, maxLag: number, skip: number): number {
  let best = 0;
  for (let lag = 0; lag <= maxLag; lag++) {
    let [xy, xx, yy] = [0, 0, 0];
    for (let i = skip; i + lag < got.length - skip; i++) {
      const [x, y] = [want(i), got[i + lag] ?? 0];
      xy += x * y;
      xx += x * x;
      yy += y * y;
    }
    best = Math.max(best, xy / Math.sqrt(xx * yy || 1));
  }
  return best;
}

test('G.711: every code of both laws decodes to what encodes to it', () => {
  const codes = Uint8Array.from({ length: 256 }, (_, i) => i);
  decodeMulaw(codes).forEach((sample, code) => {
    // The two zeros of mu-law are one number.
    if (code !== 0x7f) assert.equal(muLaw(sample), code);
  });
  for (const [code, sample] of decodeAlaw(codes).entries()) assert.equal(aLaw(sample), code);
  // ITU-T G.711 tables 1a and 2a: the largest and the smallest values, scaled to 16 bits.
  assert.deepEqual([...decodeMulaw(Uint8Array.of(0x80, 0x00, 0xff, 0x7f))], [32124, -32124, 0, 0]);
  assert.deepEqual([...decodeAlaw(Uint8Array.of(0xaa, 0x2a, 0xd5, 0x55))], [32256, -32256, 8, -8]);
});

test('L16 is high byte first; of several channels the first is taken', () => {
  assert.deepEqual([...decodeL16(Uint8Array.of(0x12, 0x34, 0xff, 0xfe), 1)], [0x1234, -2]);
  assert.deepEqual([...decodeL16(Uint8Array.of(0x12, 0x34, 0xff, 0xfe, 0, 1, 0, 2), 2)], [0x1234, 1]);
  assert.deepEqual([...decodeL16(Uint8Array.of(1), 1)], []);
});

test('G.722 of spandsp: correlation above 0.99', async () => {
  const decoder = await createDecoder('G722', 8000, 1);
  assert.equal(decoder?.sampleRate, 16_000);
  const got = decoder?.decode(G722) ?? new Int16Array(0);
  assert.equal(got.length, G722.length * 2);
  const r = correlation(got, (i) => chirp(i, 16_000), 40, 400);
  assert.ok(r > 0.99, `correlation ${r}`);
});

test('Opus of libopus: correlation above 0.9', async () => {
  const decoder = await createDecoder('opus', 48_000, 2);
  const parts: number[] = [];
  for (let at = 0; at < OPUS.length; ) {
    const length = OPUS.readUInt16BE(at);
    parts.push(...(decoder?.decode(OPUS.subarray(at + 2, at + 2 + length)) ?? []));
    at += 2 + length;
  }
  decoder?.close();
  assert.equal(parts.length, 28_800);
  const r = correlation(Int16Array.from(parts), (i) => chirp(i, 48_000), 400, 2000);
  assert.ok(r > 0.9, `correlation ${r}`);
});

test('G.729 and what else has no decoder is named by nobody', async () => {
  assert.equal(await createDecoder('G729', 8000, 1), null);
  assert.deepEqual(['pcmu', 'Opus', 'G729', 'iLBC', 'GSM'].map(isDecodable), [true, true, false, false, false]);
});

test('payloads of no codec are survived', async () => {
  for (const codec of ['PCMU', 'PCMA', 'G722', 'opus', 'L16']) {
    const decoder = await createDecoder(codec, codec === 'opus' ? 48_000 : 8000, 1);
    for (const bytes of [new Uint8Array(0), Uint8Array.of(255), new Uint8Array(2000).fill(0xa7)])
      decoder?.decode(bytes);
    decoder?.close();
  }
});
