/**
 * Finds a far end that hears nothing: its RTCP names the same packet as the last that arrived, report after report, while
 * this capture sees packets go to it (RFC 3550 section 6.4.1).
 *
 * One receiver must say so in three reports, and while packets ran without a pause. A client that reports zeros never counts.
 * Who never named another packet must have counted losses; else nobody knows that it counts.
 */
import { counted } from '../../core/counted.ts';
import { endpointKeyText } from '../../core/ip.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import type { RtcpSideData } from '../../store/media/rtcp-data.ts';
import type { MediaFindings } from '../findings.ts';
import { isTalk } from './agreements.ts';
import type { MediaCase, MediaStream } from './check.ts';
import { inForceAt } from './in-force.ts';
import { isSparse, packetsIn } from './late-media.ts';
import { senderSide } from './meant-silence.ts';

const LEAST_REPORTS = 3;
/** From the first of these reports to the last; or from the first packet, for who never heard one. */
const STOPPED_US = 10_000_000;
const NEVER_US = 4_000_000;
/** A stream that ended so long before the last report had ended. */
const ENDED_US = 1_000_000;

export function checkRemote(c: MediaCase, f: MediaFindings): void {
  const { d, audio } = c;
  // A hold may stop what is passed on behind this capture.
  if (!c.isRtpCaptured || (d.marks & MARK.HELD) !== 0) return;
  const said = new Set<0 | 1 | null>();
  for (const s of audio) {
    const { rtcp } = s.stream;
    if (rtcp === null || rtcp.standing === null || !hearsNothing(s, rtcp, audio)) continue;
    // What was held when the capture began has no mark.
    const inForce = inForceAt(d, rtcp.standing.atUs);
    if (
      inForce === null
        ? Number.isNaN(d.answerUs)
        : !inForce.bySide.every((own) => own.at(-1)?.media.some(isTalk) ?? true)
    )
      continue;
    const sender = senderSide(d, s.stream);
    // A relay's streams carry the same packets.
    if (said.has(sender) || (said.size === 0 && c.sharesMedia())) continue;
    said.add(sender);
    const { hasMoved, reports, atUs } = rtcp.standing;
    const sinceUs = sinceOf(s, rtcp.standing);
    const who = sender === null ? 'the receiver' : sender === 0 ? 'the callee' : 'the caller';
    const from = `${sender === null ? '' : `the ${sender === 0 ? 'caller' : 'callee'} at `}${endpointKeyText(s.stream.srcKey)}`;
    const startUs = Number.isNaN(d.answerUs) ? d.createdUs : d.answerUs;
    const when = hasMoved ? `since ${(Math.max(0, sinceUs - startUs) / 1e6).toFixed(1)} s after the answer` : 'at all';
    f.hints.push({
      finding: 'remote-hears-nothing',
      text: `By its RTCP reports ${who} hears nothing ${when}: ${counted(reports, 'report')} in ${((atUs - sinceUs) / 1e6).toFixed(1)} s named the same last packet, and ${from} sent about ${counted(packetsIn(s, sinceUs, atUs), 'packet')} to ${endpointKeyText(s.stream.dstKey)} meanwhile.`,
    });
  }
}

type Standing = NonNullable<RtcpSideData['standing']>;

function sinceOf({ firstUs }: MediaStream, { hasMoved, sinceUs }: Standing): number {
  return hasMoved ? sinceUs : firstUs;
}

function hearsNothing(s: MediaStream, { standing, remote }: RtcpSideData, audio: readonly MediaStream[]): boolean {
  if (standing === null || remote === null || standing.reports < LEAST_REPORTS) return false;
  const { hasMoved, sinceUs, atUs, highestSequence } = standing;
  const isCounting = hasMoved ? highestSequence !== 0 : remote.cumulativeLost > 0 || remote.fractionLost > 0;
  if (!isCounting || atUs - sinceOf(s, standing) < (hasMoved ? STOPPED_US : NEVER_US)) return false;
  // Packets ran all the time, under no other SSRC of that socket.
  const runs = s.firstUs <= sinceUs && s.lastUs >= atUs - ENDED_US && s.pauses === 0 && s.comfortNoisePackets === 0;
  const isAlone = !audio.some((o) => o !== s && o.stream.srcKey === s.stream.srcKey && o.lastUs > sinceUs);
  return runs && !isSparse(s) && isAlone;
}
