/** From where the figures of a stream are worth a word: what a listener notices, whatever the wire says. */
import type { StreamQuality } from './stream-quality.ts';

const AUDIBLE = { lossPct: 1, jitterMs: 30, latePart: 0.01, mos: 3.6 } as const;

export type Audible = {
  readonly isLossy: boolean;
  readonly isJittery: boolean;
  /** Packets that a jitter buffer of 60 ms does not wait for. */
  readonly isLate: boolean;
  readonly isPoor: boolean;
};

export function audible({ snapshot: s, lossPct, jitterMs, mos }: StreamQuality): Audible {
  // Key presses repeat themselves, and senders of nothing else leave gaps in their numbers.
  const isKeysOnly = s.eventPackets >= s.packets;
  return {
    isLossy: lossPct >= AUDIBLE.lossPct && !isKeysOnly,
    isJittery: jitterMs >= AUDIBLE.jitterMs,
    isLate: s.expected > 0 && s.discarded / s.expected >= AUDIBLE.latePart,
    isPoor: mos !== null && mos < AUDIBLE.mos,
  };
}
