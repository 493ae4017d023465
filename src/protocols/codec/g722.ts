/**
 * G.722 at 64 kbit/s to linear PCM at 16 kHz (ITU-T G.722): two sub-band ADPCM decoders and a synthesis filter. One
 * decoder a stream, fed in the order of the sequence; a gap leaves its state as it was.
 *
 * Names follow the Recommendation: section 4 for the blocks, tables 7 to 20 for the constants.
 */

const QMF = [3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11];
const WL = [-60, -30, 58, 172, 334, 538, 1198, 3042];
const RL42 = [0, 7, 6, 5, 4, 3, 2, 1, 7, 6, 5, 4, 3, 2, 1, 0];
const ILB = [
  2048, 2093, 2139, 2186, 2233, 2282, 2332, 2383, 2435, 2489, 2543, 2599, 2656, 2714, 2774, 2834, 2896, 2960, 3025,
  3091, 3158, 3228, 3298, 3371, 3444, 3520, 3597, 3676, 3756, 3838, 3922, 4008,
];
const WH = [0, -214, 798];
const RH2 = [2, 1, 2, 1];
const QM2 = [-7408, -1616, 7408, 1616];
const QM4 = [0, -20456, -12896, -8968, -6288, -4240, -2584, -1200, 20456, 12896, 8968, 6288, 4240, 2584, 1200, 0];
const QM6 = [
  -136, -136, -136, -136, -24808, -21904, -19008, -16704, -14984, -13512, -12280, -11192, -10232, -9360, -8576, -7856,
  -7192, -6576, -6000, -5456, -4944, -4464, -4008, -3576, -3168, -2776, -2400, -2032, -1688, -1360, -1040, -728, 24808,
  21904, 19008, 16704, 14984, 13512, 12280, 11192, 10232, 9360, 8576, 7856, 7192, 6576, 6000, 5456, 4944, 4464, 4008,
  3576, 3168, 2776, 2400, 2032, 1688, 1360, 1040, 728, 432, 136, -432, -136,
];

function clamp16(v: number): number {
  return v > 32767 ? 32767 : v < -32768 ? -32768 : v;
}

/** One sub-band: the adaptive predictor of section 3.6.2 to 3.6.4 and the scale factor. */
class Band {
  s = 0;
  det: number;
  nb = 0;
  #sp = 0;
  #sz = 0;
  readonly #r = new Int32Array(3);
  readonly #a = new Int32Array(3);
  readonly #p = new Int32Array(3);
  readonly #d = new Int32Array(7);
  readonly #b = new Int32Array(7);

  constructor(det: number) {
    this.det = det;
  }

  /** Block 4: takes the quantized difference in and predicts the next sample. */
  update(difference: number): void {
    const a = this.#a;
    const p = this.#p;
    const r = this.#r;
    const d = this.#d;
    const b = this.#b;
    d[0] = difference;
    r[0] = clamp16(this.s + difference);
    p[0] = clamp16(this.#sz + difference);
    const sign0 = (p[0] ?? 0) >> 15;
    const sign1 = (p[1] ?? 0) >> 15;
    const sign2 = (p[2] ?? 0) >> 15;
    // Second pole.
    let wd1 = clamp16((a[1] ?? 0) << 2);
    let wd2 = sign0 === sign1 ? -wd1 : wd1;
    if (wd2 > 32767) wd2 = 32767;
    let wd3 = sign0 === sign2 ? 128 : -128;
    wd3 += (wd2 >> 7) + (((a[2] ?? 0) * 32512) >> 15);
    const ap2 = Math.max(-12288, Math.min(12288, wd3));
    // First pole.
    wd1 = sign0 === sign1 ? 192 : -192;
    wd2 = ((a[1] ?? 0) * 32640) >> 15;
    const limit = clamp16(15360 - ap2);
    const ap1 = Math.max(-limit, Math.min(limit, clamp16(wd1 + wd2)));
    // Zeros.
    wd1 = difference === 0 ? 0 : 128;
    const sign = difference >> 15;
    for (let i = 6; i > 0; i--) {
      wd2 = (d[i] ?? 0) >> 15 === sign ? wd1 : -wd1;
      wd3 = ((b[i] ?? 0) * 32640) >> 15;
      b[i] = clamp16(wd2 + wd3);
    }
    for (let i = 6; i > 0; i--) d[i] = d[i - 1] ?? 0;
    r[2] = r[1] ?? 0;
    r[1] = r[0] ?? 0;
    p[2] = p[1] ?? 0;
    p[1] = p[0] ?? 0;
    a[1] = ap1;
    a[2] = ap2;
    this.#sp = clamp16(((clamp16((r[1] ?? 0) * 2) * ap1) >> 15) + ((clamp16((r[2] ?? 0) * 2) * ap2) >> 15));
    let sz = 0;
    for (let i = 6; i > 0; i--) sz += (clamp16((d[i] ?? 0) * 2) * (b[i] ?? 0)) >> 15;
    this.#sz = clamp16(sz);
    this.s = clamp16(this.#sp + this.#sz);
  }

  /** Blocks 3: the scale factor of the next sample, from the logarithmic one. */
  scale(step: number, max: number, shift: number): void {
    this.nb = Math.max(0, Math.min(max, ((this.nb * 127) >> 7) + step));
    const wd1 = (this.nb >> 6) & 31;
    const wd2 = shift - (this.nb >> 11);
    const wd3 = wd2 < 0 ? (ILB[wd1] ?? 0) << -wd2 : (ILB[wd1] ?? 0) >> wd2;
    this.det = wd3 << 2;
  }
}

export class G722Decoder {
  readonly #low = new Band(32);
  readonly #high = new Band(8);
  readonly #x = new Int32Array(24);

  /** Two samples a byte. */
  decode(bytes: Uint8Array): Int16Array {
    const out = new Int16Array(bytes.length * 2);
    for (let i = 0; i < bytes.length; i++) {
      const code = bytes[i] ?? 0;
      const low = this.#decodeLow(code & 0x3f);
      const high = this.#decodeHigh(code >> 6);
      this.#synthesize(low, high, out, i * 2);
    }
    return out;
  }

  #decodeLow(code: number): number {
    const band = this.#low;
    const four = code >> 2;
    const reconstructed = Math.max(-16384, Math.min(16383, band.s + ((band.det * (QM6[code] ?? 0)) >> 15)));
    const difference = (band.det * (QM4[four] ?? 0)) >> 15;
    band.scale(WL[RL42[four] ?? 0] ?? 0, 18432, 8);
    band.update(difference);
    return reconstructed;
  }

  #decodeHigh(code: number): number {
    const band = this.#high;
    const difference = (band.det * (QM2[code] ?? 0)) >> 15;
    const reconstructed = Math.max(-16384, Math.min(16383, difference + band.s));
    band.scale(WH[RH2[code] ?? 0] ?? 0, 22528, 10);
    band.update(difference);
    return reconstructed;
  }

  #synthesize(low: number, high: number, out: Int16Array, at: number): void {
    const x = this.#x;
    x.copyWithin(0, 2);
    x[22] = low + high;
    x[23] = low - high;
    let odd = 0;
    let even = 0;
    for (let i = 0; i < 12; i++) {
      even += (x[2 * i] ?? 0) * (QMF[i] ?? 0);
      odd += (x[2 * i + 1] ?? 0) * (QMF[11 - i] ?? 0);
    }
    out[at] = clamp16(odd >> 11);
    out[at + 1] = clamp16(even >> 11);
  }
}
