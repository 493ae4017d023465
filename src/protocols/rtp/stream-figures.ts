/**
 * Figures of a stream that several places show, each by one function: a column, a filter, an order, a hub and the metrics
 * say the same of it.
 */
import { lossPct } from './quality.ts';
import type { StreamWindow } from './stream-window.ts';

/** The counters that they are made of. */
export type StreamCounts = {
  readonly packets: number;
  /** Of these, the ones that carry key presses (RFC 4733). */
  readonly eventPackets: number;
  readonly expected: number;
  readonly lost: number;
};

/** Senders of key presses alone leave gaps in their numbers, and repeat themselves: nobody hears what is missing. */
export function isKeysOnly(s: StreamCounts): boolean {
  return s.eventPackets > 0 && s.eventPackets >= s.packets;
}

/** Loss that somebody may hear, in percent; null of key presses alone. */
export function heardLossPct(s: StreamCounts): number | null {
  return isKeysOnly(s) ? null : lossPct(s.lost, s.expected);
}

/** Packets that came, but later than a jitter buffer waits, in percent of what was expected. */
export function latePct(late: number, expected: number): number {
  return lossPct(late, expected);
}

/**
 * Packets of each window that never came. When a window closed, some of its packets were still under way: a later window
 * got more than it expected, and what it got too many is taken back here from the nearest windows before it. So the sum
 * over all windows is that of the stream.
 */
export function windowLosses(windows: readonly StreamWindow[]): number[] {
  const losses = windows.map(({ net }) => net.lost);
  let surplus = 0;
  for (let i = windows.length - 1; i >= 0; i--) {
    const lost = (losses[i] ?? 0) - surplus;
    losses[i] = Math.max(0, lost);
    surplus = Math.max(0, -lost);
  }
  return losses;
}
