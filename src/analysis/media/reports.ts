/**
 * What RTCP says of a call's media beyond what this capture saw: loss on the way from here to the receiver, and streams
 * that never came past (RFC 3550 section 6.4). It is told apart from what was measured and never put in its place.
 */

import { counted } from '../../core/counted.ts';
import { endpointKeyText } from '../../core/ip.ts';
import type { RemoteReport } from '../../store/media/rtcp-data.ts';
import type { MediaFindings } from '../findings.ts';
import type { MediaCase, MediaStream } from './check.ts';

export function checkReports(c: MediaCase, f: MediaFindings): void {
  for (const s of c.streams) checkRemoteLoss(s, c.thresholds.remoteLossPct, f);
  // Agents mirror signaling and reports, never RTP: that none came says something only where RTP is captured.
  if (!c.isRtpCaptured) return;
  for (const { source, sentPackets, remote } of c.unseen)
    if (sentPackets > 0)
      f.hints.push(
        `RTCP says that ${endpointKeyText(source)} sent ${counted(sentPackets, 'RTP packet')}${lossText(remote)}; this capture saw none of them.`,
      );
}

/** Duplicates make the number negative (RFC 3550 section 6.4.1). */
function lossText(remote: RemoteReport | null): string {
  if (remote === null) return '';
  return ` and that the receiver lost ${remote.cumulativeLost > 0 ? remote.cumulativeLost : 'none'} of them`;
}

/** Packets lost in front of the capture show in its sequence numbers; those lost after it only in the reports. */
function checkRemoteLoss(s: MediaStream, leastPct: number, f: MediaFindings): void {
  const remote = s.stream.rtcp?.remote ?? null;
  if (remote === null || s.expected === 0) return;
  const beyond = remote.cumulativeLost - s.lost;
  const pct = (beyond / s.expected) * 100;
  if (pct <= leastPct) return;
  f.hints.push(
    `The receiver of ${endpointKeyText(s.stream.srcKey)} reported ${counted(remote.cumulativeLost, 'lost packet')}, ${beyond} more than this capture saw missing: they were lost after it.`,
  );
}
