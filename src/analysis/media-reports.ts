/**
 * What RTCP says of a call's media beyond what this capture saw: loss on the way from here to the receiver, and streams
 * that never came past (RFC 3550 section 6.4). It is told apart from what was measured and never put in its place.
 */
import { endpointKeyText } from '../core/ip.ts';
import type { MediaContext, MediaFindings, MediaStream } from './media-model.ts';

export function checkReports(streams: readonly MediaStream[], c: MediaContext, f: MediaFindings): void {
  for (const s of streams) checkRemoteLoss(s, c.thresholds.remoteLossPct, f);
  for (const u of c.unseen) {
    const loss = u.remote === null ? '' : `, of which the receiver lost ${u.remote.cumulativeLost}`;
    if (u.sentPackets > 0)
      f.hints.push(
        `RTCP says that ${endpointKeyText(u.source)} sent ${u.sentPackets} RTP packets${loss}; this capture saw none of them.`,
      );
  }
}

/** Packets lost in front of the capture show in its sequence numbers; those lost behind it only in the reports. */
function checkRemoteLoss(s: MediaStream, leastPct: number, f: MediaFindings): void {
  const remote = s.stream.rtcp?.remote ?? null;
  if (remote === null || s.expected === 0) return;
  const beyond = remote.cumulativeLost - s.lost;
  const pct = (beyond / s.expected) * 100;
  if (pct <= leastPct) return;
  f.hints.push(
    `The receiver of ${endpointKeyText(s.stream.srcKey)} reported ${remote.cumulativeLost} lost packets, ${beyond} more than this capture saw missing: they were lost behind it.`,
  );
}
