/**
 * Writes an RTCP datagram as the JSON that HEP carries under type 5, in the field names collectors read.
 *
 * Figures stay in the units of RFC 3550 section 6.4: fraction_lost of 256, ia_jitter in timestamp units, lsr and
 * dlsr as they were sent. One object a datagram: the report, and the first SDES source beside it.
 */
import { fail, ok, type Result } from '../../core/result.ts';
import type { ReportBlock, Rtcp } from '../../protocols/rtp/rtcp.ts';
import { parseRtcp } from '../../protocols/rtp/rtcp.ts';

const PACKET_TYPE = { sr: 200, rr: 201 } as const;

/** The JSON text, or the reason for its absence: not RTCP, or without a sender or receiver report. */
export function rtcpToJson(bytes: Uint8Array): Result<string, 'not_rtcp' | 'no_report'> {
  const parsed = parseRtcp(bytes);
  if (!parsed.ok) return fail('not_rtcp');
  const document = reportOf(parsed.value);
  return document === null ? fail('no_report') : ok(JSON.stringify(document));
}

function reportOf(rtcp: Rtcp): Record<string, unknown> | null {
  for (const packet of rtcp.packets) {
    if (packet.kind !== 'sr' && packet.kind !== 'rr') continue;
    const sdes = rtcp.packets.find((p) => p.kind === 'sdes');
    const sdesSsrc = sdes?.kind === 'sdes' ? sdes.chunks[0]?.ssrc : undefined;
    return {
      ...(packet.kind === 'sr' && {
        sender_information: {
          ntp_timestamp_sec: packet.ntpSeconds,
          // The fraction of a second as microseconds, as the field's name says.
          ntp_timestamp_usec: Math.floor((packet.ntpFraction * 1_000_000) / 4_294_967_296),
          rtp_timestamp: packet.rtpTimestamp,
          packets: packet.packets,
          octets: packet.octets,
        },
      }),
      ssrc: packet.ssrc,
      type: PACKET_TYPE[packet.kind],
      report_count: packet.reports.length,
      report_blocks: packet.reports.map(blockOf),
      ...(sdesSsrc !== undefined && { sdes_ssrc: sdesSsrc }),
    };
  }
  return null;
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
