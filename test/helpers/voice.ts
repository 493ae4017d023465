/** A sound like speech that is known sample for sample, and how like it another sound is. */

/** Voices differ by their pitch, in hertz: 100 to 150. */
export type Voice = { readonly pitch: number };

const HARMONICS = 20;

/**
 * `length` samples of a voice: harmonics below 3.4 kHz over a gliding pitch, shaped by two formants, in syllables of no
 * period shorter than a minute. Each moment of it is unlike each other.
 */
export function speak({ pitch }: Voice, rate: number, length: number): Int16Array {
  const out = new Int16Array(length);
  for (let i = 0; i < length; i++) {
    const t = i / rate;
    const turn = 2 * Math.PI * t;
    const phase = pitch * turn - ((pitch * 0.1) / 0.37) * Math.cos(0.37 * turn);
    const hertz = pitch * (1 + 0.1 * Math.sin(0.37 * turn));
    const loud =
      (0.2 + 0.8 * Math.max(0, Math.sin(3.13 * turn))) *
      (0.3 + 0.7 * Math.max(0, Math.sin(0.831 * turn + pitch))) *
      (0.6 + 0.4 * Math.sin(0.291 * turn));
    let sum = 0;
    for (let k = 1; k <= HARMONICS; k++) {
      const at = k * hertz;
      sum +=
        Math.sin(k * phase) / (1 + ((at - 550) / 250) ** 2) +
        (0.4 * Math.sin(k * phase)) / (1 + ((at - 1700) / 400) ** 2);
    }
    out[i] = Math.round(2200 * loud * sum);
  }
  return out;
}

/** Correlation of two sounds, the second `lag` samples late, over the range of the second. */
export function correlationAt(want: Int16Array, got: Int16Array, lag: number, from = 0, to = got.length): number {
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = Math.max(from, lag); i < Math.min(to, want.length + lag); i++) {
    const [x, y] = [want[i - lag] ?? 0, got[i] ?? 0];
    xy += x * y;
    xx += x * x;
    yy += y * y;
  }
  return xx === 0 || yy === 0 ? 0 : xy / Math.sqrt(xx * yy);
}

/** Loudness in steps of `step` samples, around its mean. */
function envelope(sound: Int16Array, step: number): Int16Array {
  const steps = Array.from({ length: Math.floor(sound.length / step) }, (_, k) => {
    let sum = 0;
    for (let i = k * step; i < (k + 1) * step; i++) sum += Math.abs(sound[i] ?? 0);
    return sum / step;
  });
  const mean = steps.reduce((a, b) => a + b, 0) / Math.max(1, steps.length);
  return Int16Array.from(steps, (value) => value - mean);
}

/**
 * How many samples later than in `want` the sound is in `got`: first by loudness, a millisecond a step, at most `maxSec`
 * either way, then sample by sample.
 */
export function lagOf(want: Int16Array, got: Int16Array, rate: number, maxSec: number): number {
  const step = Math.round(rate / 1000);
  const [wide, narrow] = [envelope(want, step), envelope(got, step)];
  const best = (from: number, to: number, score: (lag: number) => number): number => {
    let [at, most] = [from, Number.NEGATIVE_INFINITY];
    for (let lag = from; lag <= to; lag++) {
      const r = score(lag);
      if (r > most) [at, most] = [lag, r];
    }
    return at;
  };
  const reach = Math.round(maxSec * 1000);
  const coarse = best(-reach, reach, (lag) => correlationAt(wide, narrow, lag)) * step;
  const near = Math.round(rate * 0.012);
  // Half a second of it is enough: the harmonics do the rest.
  const middle = Math.floor(got.length / 2);
  const half = Math.round(rate * 0.25);
  return best(coarse - near, coarse + near, (lag) => correlationAt(want, got, lag, middle - half, middle + half));
}
