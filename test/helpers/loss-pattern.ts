/** The burst accumulators of a loss pattern, counted the slow way as the native table does it. */
import type { BurstGapState } from '../../src/protocols/rtp/burst-gap.ts';

/** `received[0]` and the last entry must be true: a stream runs from its first to its highest packet. */
export function burstStateOf(received: readonly boolean[], base = 65_536): BurstGapState {
  const extMax = base + received.length - 1;
  const judged = Math.max(0, received.length - 128);
  const state = {
    burstCount: 0,
    burstPackets: 0,
    burstLost: 0,
    gapLost: 0,
    clusterFirst: 0,
    clusterLast: 0,
    clusterLost: 0,
  };
  for (let i = 0; i < judged; i++) {
    if (received[i]) continue;
    if (state.clusterLost > 0 && base + i - state.clusterLast - 1 >= 16) {
      if (state.clusterLost === 1) state.gapLost++;
      else {
        state.burstCount++;
        state.burstPackets += state.clusterLast - state.clusterFirst + 1;
        state.burstLost += state.clusterLost;
      }
      state.clusterLost = 0;
    }
    if (state.clusterLost === 0) state.clusterFirst = base + i;
    state.clusterLast = base + i;
    state.clusterLost++;
  }
  const words = [0, 0, 0, 0];
  for (let bit = 0; bit < 128; bit++) {
    const at = received.length - 1 - bit;
    if (at < 0 || received[at]) words[bit >> 5] = ((words[bit >> 5] ?? 0) | (1 << (bit & 31))) >>> 0;
  }
  let lossRuns = 0;
  received.forEach((r, i) => {
    if (!r && received[i - 1]) lossRuns++;
  });
  return { ...state, expected: received.length, lossRuns, extMax, received: words };
}
