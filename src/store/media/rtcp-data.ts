/**
 * What RTCP said about a stream, kept apart from what was measured (RFC 3550 section 6.4, RFC 3611).
 */

import type { EndpointKey } from '../../core/ip.ts';
import type { RoundTrip } from '../../protocols/rtp/round-trip.ts';
import { SenderReportHistory } from '../../protocols/rtp/round-trip.ts';
import type { VoipMetrics } from '../../protocols/rtp/rtcp-xr.ts';

/** What the receiver reported last. */
export type RemoteReport = {
  atUs: number;
  fractionLost: number;
  cumulativeLost: number;
  jitterTimestampUnits: number;
};

/** Copies of a report, which hops and taps make, come closer together. */
const LEAST_APART_US = 500_000;

/** Reports of one receiver, the newest of which name the same packet as the last that arrived. */
export type StandingReports = {
  /** SSRC of who reports; several may. */
  reporter: number;
  /** With the cycles before it (RFC 3550 section 6.4.1). */
  highestSequence: number;
  /** The first and the last of them. */
  sinceUs: number;
  atUs: number;
  reports: number;
  /** An earlier report named another packet. */
  hasMoved: boolean;
};

export type VoipReport = {
  readonly metrics: VoipMetrics;
  readonly atUs: number;
  readonly from: EndpointKey;
  readonly reports: number;
};

export class RtcpSideData {
  readonly senderReports = new SenderReportHistory();
  senderReportCount = 0;
  receiverReportCount = 0;
  lastSenderPackets = 0;
  lastSenderOctets = 0;
  remote: RemoteReport | null = null;
  standing: StandingReports | null = null;
  roundTrip: RoundTrip | null = null;
  /** What its receiver said last of how it sounds (RFC 3611 section 4.7), and from where; so often. */
  voip: VoipReport | null = null;
  hasBye = false;

  /** Notes which packet a receiver named as the last that arrived. */
  noteHighest(reporter: number, highestSequence: number, atUs: number): void {
    const s = this.standing;
    if (s === null || s.reporter !== reporter) {
      this.standing = { reporter, highestSequence, sinceUs: atUs, atUs, reports: 1, hasMoved: false };
    } else if (s.highestSequence !== highestSequence) {
      s.highestSequence = highestSequence;
      s.sinceUs = atUs;
      s.atUs = atUs;
      s.reports = 1;
      s.hasMoved = true;
    } else if (atUs - s.atUs >= LEAST_APART_US) {
      s.atUs = atUs;
      s.reports++;
    }
  }
}
