/**
 * Writes an RTCP datagram as the JSON that HEP carries under type 5, in the field names and the shape that Homer reads.
 *
 * Figures stay as they were in the packet (RFC 3550 section 6.4): fraction_lost of 256, ia_jitter in timestamp units, lsr and
 * dlsr, and under ntp_timestamp_usec the fraction of a second, which is what the agents of Homer write there. A receiver report
 * has a sender_information of zeros: without one the QoS tab of Homer 7 stays empty. One object a datagram: the report, and
 * beside it the first SDES source and what an extended report says of calls (RFC 3611 section 4.7).
 */
import { fail, ok, type Result } from '../../core/result.ts';
import type { ReportBlock, Rtcp } from '../../protocols/rtp/rtcp.ts';
import { parseRtcp } from '../../protocols/rtp/rtcp.ts';
import type { VoipMetrics } from '../../protocols/rtp/rtcp-xr.ts';

const PACKET_TYPE = { sr: 200, rr: 201, xr: 207 } as const;
const VOIP_METRICS = 7;

const NO_SENDER = { ntp_timestamp_sec: 0, ntp_timestamp_usec: 0, rtp_timestamp: 0, packets: 0, octets: 0 };

/** The JSON text, or the reason for its absence: not RTCP, or without a sender, receiver or extended report. */
export function rtcpToJson(bytes: Uint8Array): Result<string, 'not_rtcp' | 'no_report'> {
  const parsed = parseRtcp(bytes);
  if (!parsed.ok) return fail('not_rtcp');
  const document = reportOf(parsed.value);
  return document === null ? fail('no_report') : ok(JSON.stringify(document));
}

function reportOf({ packets }: Rtcp): Record<string, unknown> | null {
  const report = packets.find((p) => p.kind === 'sr' || p.kind === 'rr');
  const sdes = packets.find((p) => p.kind === 'sdes');
  const voip = packets
    .flatMap((p) => (p.kind === 'xr' ? p.blocks : []))
    .find((block): block is VoipMetrics => block.kind === 'voip_metrics');
  const extended = packets.find((p) => p.kind === 'xr');
  const main = report ?? (voip === undefined ? undefined : extended);
  if (main?.kind !== 'sr' && main?.kind !== 'rr' && main?.kind !== 'xr') return null;
  const blocks = main.kind === 'xr' ? [] : main.reports;
  return {
    sender_information:
      main.kind === 'sr'
        ? {
            ntp_timestamp_sec: main.ntpSeconds,
            ntp_timestamp_usec: main.ntpFraction,
            rtp_timestamp: main.rtpTimestamp,
            packets: main.packets,
            octets: main.octets,
          }
        : NO_SENDER,
    ssrc: main.ssrc,
    type: PACKET_TYPE[main.kind],
    report_count: blocks.length,
    report_blocks: blocks.map(blockOf),
    report_blocks_xr: extendedOf(voip),
    sdes_ssrc: (sdes?.kind === 'sdes' ? sdes.chunks[0]?.ssrc : undefined) ?? 0,
  };
}

function blockOf(r: ReportBlock): Record<string, number> {
  return {
    source_ssrc: r.ssrc,
    fraction_lost: r.fractionLost,
    packets_lost: r.cumulativeLost,
    highest_seq_no: r.highestSequence,
    ia_jitter: r.jitter,
    lsr: r.lastSr,
    dlsr: r.delaySinceLastSr,
  };
}

/** Zeros where there is none, as the agents of Homer write it. */
function extendedOf(voip: VoipMetrics | undefined): Record<string, number> {
  return {
    type: voip === undefined ? 0 : VOIP_METRICS,
    id: voip?.ssrc ?? 0,
    fraction_lost: voip?.lossRate ?? 0,
    fraction_discard: voip?.discardRate ?? 0,
    burst_density: voip?.burstDensity ?? 0,
    gap_density: voip?.gapDensity ?? 0,
    burst_duration: voip?.burstDurationMs ?? 0,
    gap_duration: voip?.gapDurationMs ?? 0,
    round_trip_delay: voip?.roundTripMs ?? 0,
    end_system_delay: voip?.endSystemDelayMs ?? 0,
  };
}
