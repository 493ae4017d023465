/**
 * The figures of a run as one line. Apart from what prints calls, which needs all of analysis.
 */
import type { CaptureSession } from '../../app/capture-session.ts';
import { toStats } from '../../view/stats.ts';
import { standardOutput } from './standard-streams.ts';

/** One line of figures, for scripts and the benchmark. */
export function printStatsJson(session: CaptureSession, elapsedSec: number): Promise<void> {
  const rtp = session.streams.totals();
  const packets = session.source.counter('frames');
  return standardOutput.print(
    `${JSON.stringify({
      packets,
      sipMessages: session.tracker.counts.messages,
      dialogs: session.dialogs.size,
      streams: session.streams.size,
      rtpPackets: rtp.packets,
      rtpLost: rtp.lost,
      elapsedSec,
      packetsPerSec: Math.round(packets / elapsedSec),
      stats: toStats(session),
    })}\n`,
  );
}
