/**
 * Finds a long gap in a stream that no description explains. Media that went elsewhere for a while leaves the same gap as an
 * outage, if another leg alone was on hold or the two other ends were bridged.
 */

import { packetMs } from '../../protocols/rtp/stream-snapshot.ts';
import type { StreamQuality } from '../stream-quality.ts';

/** Nobody holds a call for less. */
const LEAST_SEC = 3;
/** So much of the silence the missing packets must fill, or they are not those of the silence. */
const LEAST_PART = 0.8;

export type UnexplainedGap = { readonly lost: number; readonly sec: number };

/** The longest silence of the stream, where its sequence went on meanwhile; null without one, and where a hold explains one. */
export function unexplainedGap({
  snapshot: s,
  clockRate,
  tsStep,
  lost,
  lossRuns,
  held,
}: StreamQuality): UnexplainedGap | null {
  if (held.gaps > 0 || s.maxDeltaMs < LEAST_SEC * 1000) return null;
  const ms = packetMs(s, clockRate, tsStep);
  if (ms <= 0) return null;
  const due = Math.round(s.maxDeltaMs / ms) - 1;
  const longest = lost - Math.max(0, lossRuns - 1);
  return longest < due * LEAST_PART ? null : { lost: Math.min(longest, due), sec: s.maxDeltaMs / 1000 };
}
