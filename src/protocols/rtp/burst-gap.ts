/**
 * Splits a stream's losses into bursts and gaps (RFC 3611 section 4.7.2, Gmin 16).
 *
 * A burst is the longest run that begins and ends with a lost packet and holds no 16 consecutive received
 * ones; a loss alone, with 16 received on either side, belongs to a gap. What precedes the first packet
 * counts as received. Packets are counted directly; the Markov estimate of RFC 3611 appendix A.2 is not
 * used: it is meant for a receiver that keeps six counters, and it has no value without a second burst.
 * Only loss makes a burst here; packets discarded by the stated buffer are counted apart.
 *
 * The native table judged every sequence number that left its 128-bit bitmap; this finishes the rest.
 */
import { burstRatio } from './emodel.ts';
import { GMIN, WINDOW_BITS } from './stream-layout.ts';

export type BurstGapState = {
  /** Sequence numbers from the first packet to the highest. */
  readonly expected: number;
  readonly burstCount: number;
  readonly burstPackets: number;
  readonly burstLost: number;
  readonly gapLost: number;
  /** The cluster of losses not yet closed: its first and last extended sequence number. */
  readonly clusterFirst: number;
  readonly clusterLast: number;
  readonly clusterLost: number;
  readonly lossRuns: number;
  readonly extMax: number;
  /** Bit i of the 128: extMax - i was received. Four words, lowest bits first. */
  readonly received: readonly number[];
};

export type BurstGap = {
  readonly burstCount: number;
  /** Mean length of a burst, and of a gap; the last gap reaches to the end of the stream. */
  readonly burstDurationMs: number;
  readonly gapDurationMs: number;
  /** Lost packets in percent of the packets expected within bursts, and within gaps. */
  readonly burstLossPct: number;
  readonly gapLossPct: number;
  /** Losses come in clearly longer runs than random loss would make them. */
  readonly isBursty: boolean;
};

/** Burst ratio (G.107) from which loss is called bursty; random loss scatters within a few percent of 1. */
const BURSTY_RATIO = 1.25;

/** Packets that were not expected although their numbers are missing, and how many runs they make. */
export type Unexpected = { readonly lost: number; readonly gaps: number };

/** The metrics, or null while nothing is lost. `packetMs` is the measured packet time. */
export function finishBurstGap(
  state: BurstGapState,
  packetMs: number,
  unexpected: Unexpected = { lost: 0, gaps: 0 },
): BurstGap | null {
  let { burstCount, burstPackets, burstLost, gapLost } = state;
  let first = state.clusterFirst;
  let last = state.clusterLast;
  let inCluster = state.clusterLost;

  const close = (): void => {
    if (inCluster === 1) gapLost++;
    else if (inCluster > 1) {
      burstCount++;
      burstPackets += last - first + 1;
      burstLost += inCluster;
    }
    inCluster = 0;
  };
  // Read once: each reading makes an array.
  const { received } = state;
  for (let word = WINDOW_BITS / 32 - 1; word >= 0; word--) {
    const missing = ~(received[word] ?? 0);
    // As of most streams most of the time.
    if (missing === 0) continue;
    for (let bit = 31; bit >= 0; bit--) {
      if (((missing >>> bit) & 1) === 0) continue;
      const sequence = state.extMax - (word * 32 + bit);
      if (inCluster > 0 && sequence - last - 1 >= GMIN) close();
      if (inCluster === 0) first = sequence;
      last = sequence;
      inCluster++;
    }
  }
  close();
  // Each of them is a burst, or most of one.
  burstCount = Math.max(0, burstCount - unexpected.gaps);
  burstPackets = Math.max(0, burstPackets - unexpected.lost);
  burstLost = Math.max(0, burstLost - unexpected.lost);
  if (burstCount === 0) {
    // Losses beside it had been one burst with it.
    gapLost += burstLost;
    burstLost = 0;
    burstPackets = 0;
  }
  const expected = state.expected - unexpected.lost;

  const lost = burstLost + gapLost;
  if (lost === 0) return null;
  const gapPackets = Math.max(0, expected - burstPackets);
  return {
    burstCount,
    burstDurationMs: burstCount === 0 ? 0 : (burstPackets / burstCount) * packetMs,
    // The first packet and the highest were received: a gap stands before, between and after the bursts.
    gapDurationMs: (gapPackets / (burstCount + 1)) * packetMs,
    burstLossPct: burstPackets === 0 ? 0 : (burstLost / burstPackets) * 100,
    gapLossPct: gapPackets === 0 ? 0 : (gapLost / gapPackets) * 100,
    isBursty:
      burstCount > 0 && burstRatio(lost, Math.max(1, state.lossRuns - unexpected.gaps), expected) >= BURSTY_RATIO,
  };
}
