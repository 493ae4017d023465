/**
 * What a listener makes of loss and delay: the E-model's R factor and its MOS (ITU-T G.107, narrow band).
 *
 * R = 93.2 - Id - Ie,eff with the default values of G.107 for everything that is not measured. Loss is in
 * percent. Scales are never mixed: wideband codecs have no value here.
 */

/** R of a perfect narrow-band connection with G.107's default values. */
export const R_MAX = 93.2;

/** Delay in milliseconds above which conversation suffers sharply (Cole and Rosenbluth's approximation). */
const DELAY_KNEE_MS = 177.3;

/** What the codec does to speech: alone, and how well it bears loss (G.113 Appendix I). */
export type Impairment = {
  readonly ie: number;
  /** Packet-loss robustness, or null where none is published: scorable only without loss. */
  readonly bpl: number | null;
};

/** Impairment by one-way mouth-to-ear delay. */
export function delayImpairment(oneWayDelayMs: number): number {
  const over = Math.max(0, oneWayDelayMs - DELAY_KNEE_MS);
  return 0.024 * Math.max(0, oneWayDelayMs) + 0.11 * over;
}

/**
 * Ie,eff = Ie + (95 - Ie) * Ppl / (Ppl / BurstR + Bpl), or null when there is loss and no Bpl.
 * `burstRatio` is 1 for random loss; a value under 1 counts as 1.
 */
export function effectiveImpairment(codec: Impairment, lossPct: number, burstRatio: number): number | null {
  if (lossPct <= 0) return codec.ie;
  if (codec.bpl === null) return null;
  return codec.ie + ((95 - codec.ie) * lossPct) / (lossPct / Math.max(1, burstRatio) + codec.bpl);
}

/** The R factor, held within 0 and 100; null when the codec has no value for this loss. */
export function rFactor(codec: Impairment, lossPct: number, burstRatio: number, oneWayDelayMs: number): number | null {
  const ieEff = effectiveImpairment(codec, lossPct, burstRatio);
  if (ieEff === null) return null;
  return Math.min(100, Math.max(0, R_MAX - delayImpairment(oneWayDelayMs) - ieEff));
}

/** MOS of an R factor (G.107 Annex B): 1 below R 6.5, where the formula dips under 1; 4.5 from R 100. */
export function mosOfR(r: number): number {
  if (r < 6.5) return 1;
  if (r >= 100) return 4.5;
  return Math.min(4.5, Math.max(1, 1 + 0.035 * r + 7e-6 * r * (r - 60) * (100 - r)));
}

/**
 * How much longer the runs of lost packets are than random loss would make them (G.107: BurstR): the
 * mean run, 1 / (1 - p) for random loss. 1 at least.
 */
export function burstRatio(lost: number, lossRuns: number, expected: number): number {
  if (lost <= 0 || lossRuns <= 0 || expected <= 0) return 1;
  const received = 1 - Math.min(1, lost / expected);
  return Math.max(1, (lost / lossRuns) * received);
}
