/**
 * Reads an RTCP datagram: compound (RFC 3550 section 6) or reduced-size (RFC 5506), multiplexed with RTP or not
 * (RFC 5761).
 *
 *    0                   1                   2                   3
 *   |V=2|P|   RC    |  PT (192..223) |  length in words, less one    |
 *
 * Nothing in the bytes says that a packet is SRTCP. The lengths must add up, so that one is refused as
 * malformed in all but odd cases instead of being read as figures.
 */

import type { Result } from '../../core/result.ts';
import { fail, ok } from '../../core/result.ts';
import type { XrBlock } from './rtcp-xr.ts';
import { parseXrBlocks } from './rtcp-xr.ts';

/** Packets of RTCP read of one datagram. @cap */
const MAX_RTCP_PACKETS = 32;

export type ReportBlock = {
  readonly ssrc: number;
  /** Of 256, since the last report. */
  readonly fractionLost: number;
  readonly cumulativeLost: number;
  readonly highestSequence: number;
  /** In timestamp units. */
  readonly jitter: number;
  /** Middle 32 bits of the NTP time of the last sender report, 0 when none was received. */
  readonly lastSr: number;
  /** Since that report, in 1/65536 s. */
  readonly delaySinceLastSr: number;
};

export type SdesItem = { readonly type: number; readonly text: string };

export type RtcpPacket =
  | {
      readonly kind: 'sr';
      readonly ssrc: number;
      readonly ntpSeconds: number;
      readonly ntpFraction: number;
      readonly rtpTimestamp: number;
      readonly packets: number;
      readonly octets: number;
      readonly reports: readonly ReportBlock[];
    }
  | { readonly kind: 'rr'; readonly ssrc: number; readonly reports: readonly ReportBlock[] }
  | {
      readonly kind: 'sdes';
      readonly chunks: readonly { readonly ssrc: number; readonly items: readonly SdesItem[] }[];
    }
  | { readonly kind: 'bye'; readonly ssrcs: readonly number[]; readonly reason: string }
  | {
      readonly kind: 'app';
      readonly ssrc: number;
      readonly name: string;
      readonly subtype: number;
      readonly bytes: number;
    }
  | { readonly kind: 'xr'; readonly ssrc: number; readonly blocks: readonly XrBlock[] }
  | { readonly kind: 'other'; readonly packetType: number };

export type Rtcp = {
  readonly packets: readonly RtcpPacket[];
  /** Does not begin with a report: reduced-size (RFC 5506). */
  readonly isReducedSize: boolean;
  /** What ended the reading before the end of the datagram; null when all of it was read. */
  readonly stoppedBy: RtcpReason | null;
};

export const RTCP_REASONS = [
  'short',
  'version',
  'packet_type',
  'length',
  'padding',
  'sender_report',
  'receiver_report',
  'source_description',
  'bye',
  'app',
  'extended_report',
  'too_many',
] as const;
export type RtcpReason = (typeof RTCP_REASONS)[number];

/** Packets after which a malformed one no longer makes the datagram suspect. */
const SOUND_PACKETS = 2;

const TYPE = { SR: 200, RR: 201, SDES: 202, BYE: 203, APP: 204, XR: 207 } as const;
const LOWEST_TYPE = 192;
const HIGHEST_TYPE = 223;
const REPORT_BYTES = 24;

const text = new TextDecoder('utf-8');

/**
 * Reads a whole datagram. What is malformed after two sound packets ends the reading but keeps them: senders
 * that miscount their last packet exist, and ciphertext does not look like a second packet.
 */
export function parseRtcp(bytes: Uint8Array): Result<Rtcp, RtcpReason> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const packets: RtcpPacket[] = [];
  let stoppedBy: RtcpReason | null = null;
  // A header is four bytes.
  if (bytes.length < 4) return fail('short');
  for (let off = 0; off < bytes.length; ) {
    const step: Result<Step, RtcpReason> =
      packets.length === MAX_RTCP_PACKETS ? fail('too_many') : nextPacket(view, off);
    if (!step.ok) {
      if (packets.length < SOUND_PACKETS) return step;
      stoppedBy = step.reason;
      break;
    }
    packets.push(step.value.packet);
    off = step.value.next;
  }
  const kind = packets[0]?.kind;
  return ok({ packets, isReducedSize: kind !== 'sr' && kind !== 'rr', stoppedBy });
}

type Step = { readonly packet: RtcpPacket; readonly next: number };

/** The packet at `off` and where the next one begins. */
function nextPacket(view: DataView, off: number): Result<Step, RtcpReason> {
  // The header is four bytes.
  if (view.byteLength - off < 4) return fail('length');
  const first = view.getUint8(off);
  if (first >> 6 !== 2) return fail('version');
  const type = view.getUint8(off + 1);
  if (type < LOWEST_TYPE || type > HIGHEST_TYPE) return fail('packet_type');
  const next = off + 4 + view.getUint16(off + 2) * 4;
  // The packet lies within the datagram.
  if (next > view.byteLength) return fail('length');
  let end = next;
  if ((first & 0x20) !== 0) {
    // Only the last packet is padded; the count is whole words and leaves the header (section 6.4.1).
    const pad = end > off + 4 ? view.getUint8(end - 1) : 0;
    if (next !== view.byteLength || pad === 0 || pad % 4 !== 0 || pad > end - off - 4) return fail('padding');
    end -= pad;
  }
  const packet = parsePacket(view, type, first & 31, off, end);
  return packet.ok ? ok({ packet: packet.value, next }) : packet;
}

/** Middle 32 bits of a sender report's NTP time: what a receiver repeats as its LSR. */
export function ntpMiddle(ntpSeconds: number, ntpFraction: number): number {
  return ((ntpSeconds & 0xffff) * 65536 + (ntpFraction >>> 16)) >>> 0;
}

function parsePacket(
  v: DataView,
  type: number,
  count: number,
  off: number,
  end: number,
): Result<RtcpPacket, RtcpReason> {
  switch (type) {
    case TYPE.SR:
      return parseSenderReport(v, count, off, end);
    case TYPE.RR: {
      // SSRC, then 24 bytes a report; a profile may add more after them.
      if (end - off < 8 + count * REPORT_BYTES) return fail('receiver_report');
      return ok({ kind: 'rr', ssrc: v.getUint32(off + 4), reports: parseReports(v, count, off + 8) });
    }
    case TYPE.SDES:
      return parseSdes(v, count, off + 4, end);
    case TYPE.BYE:
      return parseBye(v, count, off + 4, end);
    case TYPE.APP:
      // SSRC and a name of four characters.
      if (end - off < 12) return fail('app');
      return ok({
        kind: 'app',
        ssrc: v.getUint32(off + 4),
        name: textAt(v, off + 8, 4),
        subtype: count,
        bytes: end - off - 12,
      });
    case TYPE.XR: {
      if (end - off < 8) return fail('extended_report');
      const blocks = parseXrBlocks(v, off + 8, end);
      return blocks.ok ? ok({ kind: 'xr', ssrc: v.getUint32(off + 4), blocks: blocks.value }) : fail('extended_report');
    }
    default:
      return ok({ kind: 'other', packetType: type });
  }
}

/* | header | SSRC | NTP seconds | NTP fraction | RTP timestamp | packets | octets | RC reports of 24 bytes | */
function parseSenderReport(v: DataView, count: number, off: number, end: number): Result<RtcpPacket, RtcpReason> {
  if (end - off < 28 + count * REPORT_BYTES) return fail('sender_report');
  return ok({
    kind: 'sr',
    ssrc: v.getUint32(off + 4),
    ntpSeconds: v.getUint32(off + 8),
    ntpFraction: v.getUint32(off + 12),
    rtpTimestamp: v.getUint32(off + 16),
    packets: v.getUint32(off + 20),
    octets: v.getUint32(off + 24),
    reports: parseReports(v, count, off + 28),
  });
}

/* | SSRC | fraction lost (8) cumulative lost (24, signed) | highest sequence | jitter | LSR | DLSR | */
function parseReports(v: DataView, count: number, from: number): ReportBlock[] {
  const out: ReportBlock[] = [];
  for (let i = 0; i < count; i++) {
    const at = from + i * REPORT_BYTES;
    out.push({
      ssrc: v.getUint32(at),
      fractionLost: v.getUint8(at + 4),
      cumulativeLost: (v.getInt32(at + 4) << 8) >> 8,
      highestSequence: v.getUint32(at + 8),
      jitter: v.getUint32(at + 12),
      lastSr: v.getUint32(at + 16),
      delaySinceLastSr: v.getUint32(at + 20),
    });
  }
  return out;
}

/* A chunk: SSRC, items of | type | length | text |, a zero byte, and padding to the next word. */
function parseSdes(v: DataView, count: number, from: number, end: number): Result<RtcpPacket, RtcpReason> {
  const chunks: { ssrc: number; items: SdesItem[] }[] = [];
  let at = from;
  for (let i = 0; i < count; i++) {
    if (end - at < 8) return fail('source_description');
    const chunk = { ssrc: v.getUint32(at), items: [] as SdesItem[] };
    at += 4;
    while (at < end && v.getUint8(at) !== 0) {
      // Type, length, and as many bytes of text within the packet.
      if (end - at < 2) return fail('source_description');
      const length = v.getUint8(at + 1);
      if (end - at - 2 < length) return fail('source_description');
      chunk.items.push({ type: v.getUint8(at), text: textAt(v, at + 2, length) });
      at += 2 + length;
    }
    // The list ends with a zero byte, and the next chunk begins on a word of the packet.
    if (at >= end) return fail('source_description');
    at += 4 - ((at - from) % 4);
    if (at > end) return fail('source_description');
    chunks.push(chunk);
  }
  return ok({ kind: 'sdes', chunks });
}

/* SC sources of four bytes, then optionally | length | reason |. */
function parseBye(v: DataView, count: number, from: number, end: number): Result<RtcpPacket, RtcpReason> {
  if (end - from < count * 4) return fail('bye');
  const ssrcs: number[] = [];
  for (let i = 0; i < count; i++) ssrcs.push(v.getUint32(from + i * 4));
  const at = from + count * 4;
  if (at === end) return ok({ kind: 'bye', ssrcs, reason: '' });
  const length = v.getUint8(at);
  if (end - at - 1 < length) return fail('bye');
  return ok({ kind: 'bye', ssrcs, reason: textAt(v, at + 1, length) });
}

function textAt(v: DataView, at: number, length: number): string {
  return text.decode(new Uint8Array(v.buffer, v.byteOffset + at, length));
}
