/**
 * What RTCP says of the media beyond what this capture saw: loss on the way from here to the receiver, and streams that
 * never came past (RFC 3550 section 6.4). It is kept apart from what was measured and never put in its place.
 */
import { counted } from '../../core/counted.ts';
import { hexWord } from '../../core/fixed-digits.ts';
import { endpointKeyText } from '../../core/ip.ts';
import type { RemoteReport } from '../../store/media/rtcp-data.ts';
import { mediaSocketsOf, type UnseenStream } from '../../store/media/unseen-streams.ts';
import type { MediaFindings } from '../findings.ts';
import { note } from '../hint.ts';
import type { MediaCase, MediaStream } from './check.ts';
import { checkPhoneReports } from './lost-after-tap.ts';

/** Streams that RTCP alone speaks of, which the hints of a call name; further ones are counted in one hint. @cap */
const MAX_UNSEEN_HINTS = 8;

export function checkReports(c: MediaCase, f: MediaFindings): void {
  const told = checkPhoneReports(c, f);
  for (const s of c.streams) if (!told.has(s.stream)) checkRemoteLoss(s, c.thresholds.remoteLossPct, f);
  // Agents mirror signaling and reports, never RTP: that none came says something only where RTP is captured.
  if (!c.isRtpCaptured) return;
  const sent = c.unseen.filter(({ sentPackets }) => sentPackets > 0);
  for (const u of sent.slice(0, MAX_UNSEEN_HINTS)) f.hints.push(note(hintOf(u, rtpOf(c.during, u))));
  if (sent.length > MAX_UNSEEN_HINTS)
    f.hints.push(note(`RTCP says the same of ${counted(sent.length - MAX_UNSEEN_HINTS, 'further stream')}.`));
}

/** Who sends `s` reports that most of a stream arrives there that never came past: the other side is heard. */
export function hearsUnseen({ unseen }: MediaCase, s: MediaStream, sinceUs: number): boolean {
  return unseen.some(({ peer, sentPackets, remote }) => {
    if (remote === null || remote.atUs < sinceUs || remote.cumulativeLost * 2 >= sentPackets) return false;
    return mediaSocketsOf(peer).includes(s.stream.srcKey);
  });
}

/** RTP of the socket that the reports come from. Bridges pass media on under their own SSRC, and reports as they come. */
function rtpOf(during: readonly MediaStream[], u: UnseenStream): MediaStream | undefined {
  const sockets = mediaSocketsOf(u.source);
  return during.find(({ stream, firstUs }) => sockets.includes(stream.srcKey) && firstUs <= u.newestUs);
}

function hintOf(u: UnseenStream, rtp: MediaStream | undefined): string {
  const { source, ssrc, sentPackets, remote } = u;
  if (rtp !== undefined)
    return `RTCP from ${endpointKeyText(source)} names the SSRC 0x${hexWord(ssrc)}, and the RTP of the same socket has 0x${hexWord(rtp.stream.ssrc)}.`;
  return `RTCP says that ${endpointKeyText(source)} sent ${counted(sentPackets, 'RTP packet')}${lossText(remote)}; this capture saw none of them.`;
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
    note(
      `The receiver of ${endpointKeyText(s.stream.srcKey)} reported ${counted(remote.cumulativeLost, 'lost packet')}, ${beyond} more than this capture saw missing: they were lost after it.`,
    ),
  );
}
