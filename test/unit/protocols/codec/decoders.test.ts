/** Decoders against sound that others encoded, aligned by the best lag. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { aLaw, muLaw } from '../../../../fixtures/build/audio.ts';
import { createDecoder, isDecodable } from '../../../../src/protocols/codec/decoder.ts';
import { decodeAlaw, decodeL16, decodeMulaw } from '../../../../src/protocols/codec/g711.ts';
import { chirp, G722, GSM, GSM_DECODED_SHA256, OPUS } from './vectors.ts';

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

async function gsm(...payloads: Uint8Array[]): Promise<Int16Array> {
  const decoder = await createDecoder('GSM', 8000, 1);
  assert.equal(decoder?.sampleRate, 8000);
  return Int16Array.from(payloads.flatMap((p) => [...(decoder?.decode(p) ?? [])]));
}

test('GSM of sox: the very samples that sox decodes, correlation above 0.98 with the sound', async () => {
  const got = await gsm(...Array.from({ length: 20 }, (_, i) => GSM.subarray(i * 33, i * 33 + 33)));
  const bytes = Buffer.alloc(got.length * 2);
  for (const [i, sample] of got.entries()) bytes.writeInt16LE(sample, i * 2);
  assert.equal(createHash('sha256').update(bytes).digest('hex'), GSM_DECODED_SHA256);
  const r = correlation(got, (i) => chirp(i, 8000), 40, 400);
  assert.ok(r > 0.98, `correlation ${r}`);
});

test('GSM: several frames in a payload are as good as one each; what is cut or unsigned is left out', async () => {
  const single = await gsm(GSM.subarray(0, 33), GSM.subarray(33, 66));
  assert.deepEqual(await gsm(GSM.subarray(0, 66)), single);
  assert.deepEqual(await gsm(GSM.subarray(0, 98)), single);
  const unsigned = Buffer.from(GSM.subarray(0, 99));
  unsigned[66] = 0xc0 | ((unsigned[66] ?? 0) & 15);
  assert.deepEqual(await gsm(unsigned), single);
  assert.equal((await gsm(new Uint8Array(33))).length, 0);
});

test('GSM: any bits are 160 samples of thirteen bits each', async () => {
  let state = 1;
  const noise = Uint8Array.from({ length: 33 * 200 }, (_, i) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return i % 33 === 0 ? 0xd0 | (state >>> 28) : state >>> 24;
  });
  const got = await gsm(noise);
  assert.equal(got.length, 200 * 160);
  assert.ok(got.every((s) => (s & 7) === 0));
  assert.ok(got.some((s) => s !== 0));
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
  assert.deepEqual(['pcmu', 'Opus', 'GSM', 'G729', 'iLBC'].map(isDecodable), [true, true, true, false, false]);
});

test('payloads of no codec are survived', async () => {
  for (const codec of ['PCMU', 'PCMA', 'G722', 'GSM', 'opus', 'L16']) {
    const decoder = await createDecoder(codec, codec === 'opus' ? 48_000 : 8000, 1);
    for (const bytes of [new Uint8Array(0), Uint8Array.of(255), new Uint8Array(2000).fill(0xa7)])
      decoder?.decode(bytes);
    decoder?.close();
  }
});
