/**
 * RTCP to the streams it speaks of: sender reports to the sender's stream, report blocks to the
 * stream they judge. Never overwrites what was measured.
 */

import type { EndpointKey } from '../../core/ip.ts';
import { endpointKey } from '../../core/ip.ts';
import type { RoundTrip } from '../../protocols/rtp/round-trip.ts';
import { betterRoundTrip, echoRoundTrip, reportedRoundTrip } from '../../protocols/rtp/round-trip.ts';
import type { ReportBlock, Rtcp, RtcpPacket } from '../../protocols/rtp/rtcp.ts';
import { ntpMiddle, parseRtcp, RTCP_REASONS } from '../../protocols/rtp/rtcp.ts';
import type { VoipMetrics } from '../../protocols/rtp/rtcp-xr.ts';
import type { Packet } from '../../sources/packet.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { RtcpSideData } from '../../store/media/rtcp-data.ts';
import type { Stream } from '../../store/media/stream.ts';
import type { StreamStore } from '../../store/media/stream-store.ts';
import type { RtcpEnds } from '../../store/media/unseen-streams.ts';
import { UnseenStreams } from '../../store/media/unseen-streams.ts';

export class RtcpTracker {
  readonly #streams: StreamStore;
  #named: Dialog | null = null;
  #met: Dialog | null = null;
  packets = 0;
  /** What receivers said of a stream in VoIP metrics (RFC 3611 section 4.7). */
  voipMetrics = 0;
  /** Packets that did not parse, by reason: SRTCP looks like this. */
  readonly refused = new Map<string, number>(RTCP_REASONS.map((r) => [r, 0]));
  /** Streams that were not there when RTCP spoke of them. */
  readonly unseen = new UnseenStreams();

  constructor(streams: StreamStore) {
    this.#streams = streams;
  }

  /** The dialog of the first stream it speaks of that has one, null without one. */
  onPacket(buf: Uint8Array, start: number, end: number, c: Packet): Dialog | null {
    this.packets++;
    const parsed = parseRtcp(buf.subarray(start, end));
    if (!parsed.ok) {
      this.refused.set(parsed.reason, (this.refused.get(parsed.reason) ?? 0) + 1);
      return null;
    }
    return this.onReports(parsed.value, c);
  }

  /**
   * The same for reports that came in another form. Where the endpoints lead to no stream, `dialog` is the one that the
   * sender says they belong to.
   */
  onReports(rtcp: Rtcp, c: Packet, dialog: Dialog | null = null): Dialog | null {
    this.#named = dialog;
    this.#met = null;
    for (const p of rtcp.packets) this.#onReport(p, c);
    return this.#met;
  }

  #onReport(p: RtcpPacket, c: Packet): void {
    switch (p.kind) {
      case 'sr': {
        const data = this.#sent(c, p.ssrc);
        if (data !== null) {
          data.senderReports.add(ntpMiddle(p.ntpSeconds, p.ntpFraction), c.tsUs);
          data.senderReportCount++;
          data.lastSenderPackets = p.packets;
          data.lastSenderOctets = p.octets;
        } else {
          const unseen = this.unseen.note(endsOf(c), p.ssrc, c.tsUs, c.arrivedUs);
          if (unseen !== null) {
            unseen.sentPackets = p.packets;
            unseen.sentOctets = p.octets;
          }
        }
        for (const r of p.reports) this.#onBlock(p.ssrc, r, c);
        return;
      }
      case 'rr':
        // Who sends no media yet, or none that comes past, shows that its path does.
        if (this.#sent(c, p.ssrc) === null) this.unseen.note(endsOf(c), p.ssrc, c.tsUs, c.arrivedUs);
        for (const r of p.reports) this.#onBlock(p.ssrc, r, c);
        return;
      case 'bye':
        for (const ssrc of p.ssrcs) {
          const data = this.#sent(c, ssrc);
          if (data !== null) data.hasBye = true;
        }
        return;
      case 'xr':
        for (const b of p.blocks) {
          if (b.kind !== 'voip_metrics') continue;
          this.#onVoipMetrics(b, c);
        }
        return;
      default:
        return;
    }
  }

  #onVoipMetrics(metrics: VoipMetrics, c: Packet): void {
    this.voipMetrics++;
    const data = this.#received(c, metrics.ssrc);
    this.#improve(data, reportedRoundTrip(metrics.roundTripMs));
    if (data === null) return;
    data.voip = { metrics, atUs: c.tsUs, from: sourceKey(c), reports: (data.voip?.reports ?? 0) + 1 };
  }

  #onBlock(reporter: number, r: ReportBlock, c: Packet): void {
    const data = this.#received(c, r.ssrc);
    const remote = {
      atUs: c.tsUs,
      fractionLost: r.fractionLost,
      cumulativeLost: r.cumulativeLost,
      jitterTimestampUnits: r.jitter,
    };
    if (data === null) {
      const unseen = this.unseen.note({ source: destinationKey(c), peer: sourceKey(c) }, r.ssrc, c.tsUs, c.arrivedUs);
      if (unseen !== null) unseen.remote = remote;
      return;
    }
    data.receiverReportCount++;
    data.remote = remote;
    data.noteHighest(reporter, r.highestSequence, c.tsUs);
    this.#improve(data, echoRoundTrip(data.senderReports, r.lastSr, r.delaySinceLastSr, c.tsUs));
  }

  #improve(data: RtcpSideData | null, came: RoundTrip | null): void {
    if (data !== null) data.roundTrip = betterRoundTrip(data.roundTrip, came);
  }

  /** The stream the sender of this RTCP packet sends. */
  #sent(c: Packet, ssrc: number): RtcpSideData | null {
    return this.#dataAt(sourceKey(c), ssrc, c.tsUs);
  }

  /** The stream the sender of this RTCP packet receives and judges. */
  #received(c: Packet, ssrc: number): RtcpSideData | null {
    return this.#dataAt(destinationKey(c), ssrc, c.tsUs);
  }

  #dataAt(key: EndpointKey, ssrc: number, atUs: number): RtcpSideData | null {
    const stream = this.#streams.forRtcpSource(key, ssrc, atUs) ?? this.#ofNamed(ssrc);
    if (stream === null) return null;
    this.#met ??= stream.dialog;
    stream.rtcp ??= new RtcpSideData();
    return stream.rtcp;
  }

  /** A stream of the dialog that the sender named. */
  #ofNamed(ssrc: number): Stream | null {
    return this.#named === null ? null : (this.#streams.ownedBy(this.#named).find((s) => s.ssrc === ssrc) ?? null);
  }
}

function endsOf(c: Packet): RtcpEnds {
  return { source: sourceKey(c), peer: destinationKey(c) };
}

function sourceKey(c: Packet): EndpointKey {
  return endpointKey(c.addresses, c.srcOff, c.ipVersion, c.srcPort);
}

function destinationKey(c: Packet): EndpointKey {
  return endpointKey(c.addresses, c.dstOff, c.ipVersion, c.dstPort);
}
