/**
 * What RTCP said about a stream, kept apart from what was measured (RFC 3550 section 6.4, RFC 3611).
 */

import type { RoundTrip } from '../../protocols/rtp/round-trip.ts';
import { SenderReportHistory } from '../../protocols/rtp/round-trip.ts';

/** What the receiver reported last. */
export type RemoteReport = {
  atUs: number;
  fractionLost: number;
  cumulativeLost: number;
  jitterTimestampUnits: number;
};

export class RtcpSideData {
  readonly senderReports = new SenderReportHistory();
  senderReportCount = 0;
  receiverReportCount = 0;
  lastSenderPackets = 0;
  lastSenderOctets = 0;
  remote: RemoteReport | null = null;
  roundTrip: RoundTrip | null = null;
  hasBye = false;
}
