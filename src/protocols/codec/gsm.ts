/**
 * GSM full rate at 13 kbit/s to linear PCM at 8 kHz (ETSI EN 300 961, GSM 06.10): regular pulses excite a long-term
 * predictor and a lattice filter. Fixed point as the standard prescribes it, so the samples are its samples, bit for bit.
 *
 *     RTP frame of 33 bytes (RFC 3551 section 4.5.8): 0xD | 8 log area ratios | 4 x (lag, gain, grid, maximum, 13 pulses)
 *
 * Names follow the standard: section 5.2 for the arithmetic, tables 4.1 to 4.6 for the constants.
 */

const GSM_FRAME_BYTES = 33;
const GSM_FRAME_SAMPLES = 160;
const SIGNATURE = 0xd;
/** Samples of a sub-frame; four make a frame. */
const SUBFRAME = 40;
const MIN_LAG = 40;
const LAST_LAG = 120;
const PULSES = 13;

/** Log area ratios, first to eighth: width in bits, smallest code, offset B, and 1/A with 18 fractional bits. */
const LAR_BITS = [6, 6, 5, 5, 4, 4, 3, 3];
const MIC = [-32, -32, -16, -16, -8, -8, -4, -4];
const LAR_B = [0, 0, 2048, -2560, 94, -1792, -341, -1144];
const INVA = [13107, 13107, 13107, 13107, 19223, 17476, 31454, 29708];
/** Long-term gains. */
const QLB = [3277, 11469, 21299, 32767];
/** Normalized inverse mantissas of the maximum. */
const FAC = [18431, 20479, 22527, 24575, 26623, 28671, 30719, 32767];
/** De-emphasis, 0.86 with 15 fractional bits. */
const DEEMPHASIS = 28180;

function clamp16(v: number): number {
  return v > 32767 ? 32767 : v < -32768 ? -32768 : v;
}

/** Rounded product of two fractions; only -1 times -1 has no room. */
function multR(a: number, b: number): number {
  return clamp16((a * b + 16384) >> 15);
}

/** The filter glides from the last frame's ratios to this one's (section 5.2.9.1): samples, and what they mix of both. */
const GLIDE: readonly { from: number; to: number; mix: (last: number, now: number) => number }[] = [
  { from: 0, to: 13, mix: (last, now) => clamp16(clamp16((last >> 2) + (now >> 2)) + (last >> 1)) },
  { from: 13, to: 27, mix: (last, now) => clamp16((last >> 1) + (now >> 1)) },
  { from: 27, to: 40, mix: (last, now) => clamp16(clamp16((last >> 2) + (now >> 2)) + (now >> 1)) },
  { from: 40, to: GSM_FRAME_SAMPLES, mix: (_last, now) => now },
];

/** Numbers of up to 8 bits out of a frame, high bits first. Past the end come zeros. */
class BitReader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, firstBit: number) {
    this.#bytes = bytes;
    this.#at = firstBit;
  }

  take(width: number): number {
    const at = this.#at >> 3;
    const pair = ((this.#bytes[at] ?? 0) << 8) | (this.#bytes[at + 1] ?? 0);
    const value = (pair >> (16 - (this.#at & 7) - width)) & ((1 << width) - 1);
    this.#at += width;
    return value;
  }
}

/** One decoder a stream, fed in the order of the sequence; a gap leaves its state as it was. */
export class GsmDecoder {
  /** Residual: 120 samples of the past, then the sub-frame in work. */
  readonly #residual = new Int32Array(LAST_LAG + SUBFRAME);
  readonly #excitation = new Int32Array(GSM_FRAME_SAMPLES);
  readonly #lattice = new Int32Array(9);
  #ratios = new Int32Array(8);
  #lag = MIN_LAG;
  #emphasis = 0;

  /** The frames of a payload; reading ends at what has no signature or is cut short. */
  decode(bytes: Uint8Array): Int16Array {
    let frames = 0;
    while ((frames + 1) * GSM_FRAME_BYTES <= bytes.length && (bytes[frames * GSM_FRAME_BYTES] ?? 0) >> 4 === SIGNATURE)
      frames++;
    const out = new Int16Array(frames * GSM_FRAME_SAMPLES);
    for (let i = 0; i < frames; i++)
      this.#frame(
        bytes.subarray(i * GSM_FRAME_BYTES, (i + 1) * GSM_FRAME_BYTES),
        out.subarray(i * GSM_FRAME_SAMPLES, (i + 1) * GSM_FRAME_SAMPLES),
      );
    return out;
  }

  #frame(bytes: Uint8Array, out: Int16Array): void {
    const bits = new BitReader(bytes, 4);
    const ratios = Int32Array.from(LAR_BITS, (width, i) => {
      const coded = (bits.take(width) + (MIC[i] ?? 0)) << 10;
      return clamp16(2 * multR(INVA[i] ?? 0, clamp16(coded - 2 * (LAR_B[i] ?? 0))));
    });
    for (let j = 0; j < 4; j++) this.#subframe(bits, j * SUBFRAME);
    const past = this.#ratios;
    for (const { from, to, mix } of GLIDE) {
      const mixed = ratios.map((now, i) => reflection(mix(past[i] ?? 0, now)));
      this.#filter(mixed, from, to, out);
    }
    this.#ratios = ratios;
  }

  /** Sections 5.2.15 to 5.2.17 and 5.3.1, 5.3.2: pulses on their grid, added to what the lag and the gain predict. */
  #subframe(bits: BitReader, at: number): void {
    const lag = bits.take(7);
    // A lag outside the range can only be an error of transmission: the last good one stands.
    if (lag >= MIN_LAG && lag <= LAST_LAG) this.#lag = lag;
    const gain = QLB[bits.take(2)] ?? 0;
    const grid = bits.take(2);
    const { exponent, mantissa } = maximum(bits.take(6));
    const factor = FAC[mantissa] ?? 0;
    const shift = 6 - exponent;
    const half = shift === 0 ? 0 : 1 << (shift - 1);
    const d = this.#residual;
    d.fill(0, LAST_LAG);
    for (let i = 0; i < PULSES; i++) {
      const pulse = multR(factor, (2 * bits.take(3) - 7) << 12);
      d[LAST_LAG + grid + 3 * i] = clamp16(pulse + half) >> shift;
    }
    for (let k = LAST_LAG; k < LAST_LAG + SUBFRAME; k++)
      d[k] = clamp16((d[k] ?? 0) + multR(gain, d[k - this.#lag] ?? 0));
    this.#excitation.set(d.subarray(LAST_LAG), at);
    d.copyWithin(0, SUBFRAME);
  }

  /** Sections 5.3.4 to 5.3.7: the lattice of eight reflections, then de-emphasis, scaling up, and thirteen bits. */
  #filter(reflections: Int32Array, from: number, to: number, out: Int16Array): void {
    const v = this.#lattice;
    for (let k = from; k < to; k++) {
      let s = this.#excitation[k] ?? 0;
      for (let i = 7; i >= 0; i--) {
        const r = reflections[i] ?? 0;
        const last = v[i] ?? 0;
        s = clamp16(s - multR(r, last));
        v[i + 1] = clamp16(last + multR(r, s));
      }
      v[0] = s;
      this.#emphasis = clamp16(s + multR(this.#emphasis, DEEMPHASIS));
      out[k] = clamp16(2 * this.#emphasis) & ~7;
    }
  }
}

/** Section 5.2.9.2: a log area ratio, piecewise straight, to the reflection coefficient it stands for. */
function reflection(ratio: number): number {
  const size = Math.min(32767, Math.abs(ratio));
  const bent = size < 11059 ? size << 1 : size < 20070 ? size + 11059 : clamp16((size >> 2) + 26112);
  return ratio < 0 ? -bent : bent;
}

/** Section 5.2.15: exponent (-4 to 6) and mantissa (0 to 7) of the coded maximum of a sub-frame. */
function maximum(code: number): { readonly exponent: number; readonly mantissa: number } {
  let exponent = code > 15 ? (code >> 3) - 1 : 0;
  let mantissa = code - (exponent << 3);
  if (mantissa === 0) return { exponent: -4, mantissa: 7 };
  while (mantissa <= 7) {
    mantissa = (mantissa << 1) | 1;
    exponent--;
  }
  return { exponent, mantissa: mantissa - 8 };
}
