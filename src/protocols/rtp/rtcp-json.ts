/**
 * Reads the JSON that HEP agents send in place of RTCP (HEP protocol type 5) into the packets RTCP would have given.
 *
 * Field names as collectors read them; figures in the units of RFC 3550 section 6.4. What is missing or null is 0, as in
 * a report that has nothing to tell; what is no number makes the whole text unreadable. Agents written in Go name every
 * field always: a receiver report of theirs has sender information that is all 0, and no blocks are null.
 */
import type { Result } from '../../core/result.ts';
import { fail, ok } from '../../core/result.ts';
import type { ReportBlock, Rtcp, RtcpPacket } from './rtcp.ts';
import type { VoipMetrics } from './rtcp-xr.ts';

/** Blocks of one report of RTCP as JSON: RTCP has 5 bits for their number. @cap */
const MAX_RTCP_JSON_BLOCKS = 31;

const MICROSECONDS = 1_000_000;
const TWO_32 = 4_294_967_296;
/** The cumulative number of lost packets has 24 bits and a sign (RFC 3550 section 6.4.1). */
const TWO_24 = 0x1000000;
const LOST_SIGN = 0x800000;
const RECEIVER_REPORT = 201;
const VOIP_METRICS = 7;
const UNKNOWN_MS = 0xffff;

type Fields = Readonly<Record<string, unknown>>;

const utf8 = new TextDecoder('utf-8');

/** The sender or receiver report the text holds. */
export function parseRtcpJson(bytes: Uint8Array): Result<Rtcp, 'bad_json' | 'no_report'> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(utf8.decode(bytes));
  } catch {
    return fail('bad_json');
  }
  const document = fieldsOf(parsed);
  if (document === null) return fail('bad_json');
  const sender = senderOf(document);
  const blocks: unknown = document['report_blocks'] ?? [];
  const ssrc = numberOf(document, 'ssrc');
  if (ssrc === null || !Array.isArray(blocks)) return fail('bad_json');
  const reports: ReportBlock[] = [];
  for (const each of blocks.slice(0, MAX_RTCP_JSON_BLOCKS)) {
    if (each === null) continue;
    const fields = fieldsOf(each);
    const block = fields === null ? null : blockOf(fields);
    if (block === null) return fail('bad_json');
    reports.push(block);
  }
  const metrics = metricsOf(document);
  const extended = metrics === null ? [] : [{ kind: 'xr', ssrc, blocks: [metrics] } as const];
  if (sender === null && reports.length === 0 && metrics === null) return fail('no_report');
  const packet = sender === null ? ({ kind: 'rr', ssrc, reports } as const) : senderReport(ssrc, sender, reports);
  if (packet === null) return fail('bad_json');
  return ok({ packets: [packet, ...extended], isReducedSize: false, stoppedBy: null });
}

/** The sender information; null in a receiver report, whose agent may have written zeros. */
function senderOf(document: Fields): Fields | null {
  const sender = fieldsOf(document['sender_information']);
  if (sender === null || Number(document['type']) === RECEIVER_REPORT) return null;
  return Object.values(sender).every((value) => Number(value) === 0) ? null : sender;
}

function senderReport(ssrc: number, sender: Fields, reports: readonly ReportBlock[]): RtcpPacket | null {
  const ntpSeconds = numberOf(sender, 'ntp_timestamp_sec');
  const fraction = numberOf(sender, 'ntp_timestamp_usec');
  const rtpTimestamp = numberOf(sender, 'rtp_timestamp');
  const packets = numberOf(sender, 'packets');
  const octets = numberOf(sender, 'octets');
  if (ntpSeconds === null || fraction === null || rtpTimestamp === null || packets === null || octets === null)
    return null;
  return { kind: 'sr', ssrc, ntpSeconds, ntpFraction: ntpFraction(fraction), rtpTimestamp, packets, octets, reports };
}

/**
 * VoIP metrics of an extended report (RFC 3611 section 4.7), as far as agents write them. Those written in Go name the member always:
 * without a block it is all 0.
 */
function metricsOf(document: Fields): VoipMetrics | null {
  const fields = fieldsOf(document['report_blocks_xr']);
  if (fields === null || numberOf(fields, 'type') !== VOIP_METRICS) return null;
  const of = (name: string): number => numberOf(fields, name) ?? 0;
  return {
    kind: 'voip_metrics',
    ssrc: of('id'),
    lossRate: Math.min(of('fraction_lost'), 255),
    discardRate: Math.min(of('fraction_discard'), 255),
    burstDensity: Math.min(of('burst_density'), 255),
    gapDensity: Math.min(of('gap_density'), 255),
    burstDurationMs: of('burst_duration'),
    gapDurationMs: of('gap_duration'),
    roundTripMs: of('round_trip_delay'),
    endSystemDelayMs: of('end_system_delay'),
    gmin: 0,
    jitterBufferMs: UNKNOWN_MS,
    jitterBufferMaxMs: UNKNOWN_MS,
  };
}

/** Some agents send microseconds, as the name says, others the fraction as it was in the packet. */
function ntpFraction(value: number): number {
  if (value >= MICROSECONDS) return value;
  // The middle of the fractions that give these microseconds.
  return Math.min(Math.floor(((value + 0.5) * TWO_32) / MICROSECONDS), TWO_32 - 1);
}

function blockOf(fields: Fields): ReportBlock | null {
  const ssrc = numberOf(fields, 'source_ssrc');
  const fractionLost = numberOf(fields, 'fraction_lost');
  const cumulativeLost = lostOf(fields);
  const highestSequence = numberOf(fields, 'highest_seq_no');
  const jitter = numberOf(fields, 'ia_jitter');
  const lastSr = numberOf(fields, 'lsr');
  const delaySinceLastSr = numberOf(fields, 'dlsr');
  if (ssrc === null || fractionLost === null || cumulativeLost === null || highestSequence === null) return null;
  if (jitter === null || lastSr === null || delaySinceLastSr === null) return null;
  return { ssrc, fractionLost, cumulativeLost, highestSequence, jitter, lastSr, delaySinceLastSr };
}

/** Agents that read the 24 bits without their sign, and those that read them with it. */
function lostOf(fields: Fields): number | null {
  const lost = numberOf(fields, 'packets_lost', -LOST_SIGN);
  if (lost === null || lost >= TWO_24) return null;
  return lost >= LOST_SIGN ? lost - TWO_24 : lost;
}

function fieldsOf(value: unknown): Fields | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.fromEntries(Object.entries(value));
}

/** A whole number of 32 bits, as a number or in digits; 0 when it is missing, null when it is anything else. */
function numberOf(fields: Fields, name: string, min = 0): number | null {
  const value = fields[name];
  if (value === undefined || value === null) return 0;
  const number = typeof value === 'string' && /^-?[0-9]{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) return null;
  return number >= min && number < TWO_32 ? number : null;
}
