/**
 * IP headers (RFC 791, RFC 8200) and what they carry, rewritten: addresses replaced, options taken out, lengths and checksums
 * right.
 */
import { adjustChecksum, sumOf } from './checksum.ts';
import { rewriteGre } from './gre.ts';
import { rewriteIcmp } from './icmp-packet.ts';
import { rewriteTcp } from './tcp-segment.ts';
import { rewriteUdp } from './udp.ts';
import type { Carrier, Walk } from './walk.ts';

const IPV4_HEADER = 20;
const IPV6_HEADER = 40;
const MAX_LENGTH = 0xffff;
/** Extension headers of one IPv6 packet. @cap */
const MAX_EXTENSIONS = 16;

const NO_OPERATION = 1;

const PROTOCOL = { HOP_BY_HOP: 0, ICMP: 1, IPV4: 4, TCP: 6, UDP: 17, IPV6: 41, ROUTING: 43, FRAGMENT: 44 } as const;
const GRE = 47;
const ESP = 50;
const AH = 51;
const ICMPV6 = 58;
const DESTINATION = 60;
const MPLS = 137;

/** By the version nibble. */
export function rewriteIp(w: Walk, at: number, end: number): number {
  if (at >= end) return w.leave('cut_short');
  const version = (w.b[at] ?? 0) >> 4;
  if (version === 4) return rewriteIpv4(w, at, end);
  return version === 6 ? rewriteIpv6(w, at, end) : w.leave('not_ip');
}

export function rewriteIpv4(w: Walk, at: number, end: number): number {
  const { b } = w;
  if (end - at < IPV4_HEADER) return w.leave('cut_short');
  const header = ((b[at] ?? 0) & 15) * 4;
  const said = w.be16(at + 2);
  const total = said === 0 ? end - at : said;
  if ((b[at] ?? 0) >> 4 !== 4 || header < IPV4_HEADER || total < header) return w.leave('malformed');
  if (header > end - at) return w.leave('cut_short');
  const stop = Math.min(end, at + total);
  w.zero(stop, end);
  const before = sumOf(b, at, at + header) - w.be16(at + 10);
  const addressesBefore = sumOf(b, at + 12, at + 20);
  b.fill(NO_OPERATION, at + IPV4_HEADER, at + header);
  w.services.addresses.ip4(b, at + 12);
  w.services.addresses.ip4(b, at + 16);
  const carrier = { src: at + 12, dst: at + 16, size: 4, grown: sumOf(b, at + 12, at + 20) - addressesBefore };
  const fragment = w.be16(at + 6);
  const missing = at + total - stop;
  const protocol = b[at + 9] ?? 0;
  const grown =
    (fragment & 0x3fff) === 0
      ? rewriteCarried(w, protocol, at + header, stop, missing, carrier)
      : rewriteFragment(w, at + header, stop, missing, carrier, {
          id: w.be16(at + 4),
          protocol,
          offset: (fragment & 0x1fff) * 8,
          isMore: (fragment & 0x2000) !== 0,
        });
  if (!Number.isFinite(grown)) return grown;
  if (total + grown > MAX_LENGTH) return w.leave('too_long');
  if (said !== 0) w.put16(at + 2, total + grown);
  // A fragment whose datagram shrank may be the last one now.
  if ((fragment & 0x2000) !== 0 && isLast(w)) w.put16(at + 6, fragment & ~0x2000);
  adjustChecksum(b, at + 10, sumOf(b, at, at + header) - w.be16(at + 10) - before);
  return grown;
}

export function rewriteIpv6(w: Walk, at: number, end: number): number {
  const { b } = w;
  if (end - at < IPV6_HEADER) return w.leave('cut_short');
  if ((b[at] ?? 0) >> 4 !== 6) return w.leave('malformed');
  const said = w.be16(at + 4);
  // A jumbogram says its length in an option (RFC 2675).
  if (said === 0 && b[at + 6] === PROTOCOL.HOP_BY_HOP) return w.leave('too_long');
  const stop = said === 0 ? end : Math.min(end, at + IPV6_HEADER + said);
  w.zero(stop, end);
  const missing = said === 0 ? 0 : at + IPV6_HEADER + said - stop;
  const before = sumOf(b, at + 8, at + IPV6_HEADER);
  w.services.addresses.ip6(b, at + 8);
  w.services.addresses.ip6(b, at + 24);
  const carrier = { src: at + 8, dst: at + 24, size: 16, grown: sumOf(b, at + 8, at + IPV6_HEADER) - before };
  const grown = afterExtensions(w, b[at + 6] ?? 0, at + IPV6_HEADER, stop, missing, carrier);
  if (!Number.isFinite(grown)) return grown;
  if (said + grown > MAX_LENGTH) return w.leave('too_long');
  if (said !== 0) w.put16(at + 4, said + grown);
  return grown;
}

function afterExtensions(w: Walk, first: number, from: number, stop: number, missing: number, c: Carrier): number {
  const { b } = w;
  let protocol = first;
  let at = from;
  for (let n = 0; n < MAX_EXTENSIONS; n++) {
    const isOption = protocol === PROTOCOL.HOP_BY_HOP || protocol === DESTINATION;
    const isFragment = protocol === PROTOCOL.FRAGMENT;
    if (!isOption && !isFragment && protocol !== PROTOCOL.ROUTING && protocol !== AH)
      return rewriteCarried(w, protocol, at, stop, missing, c);
    if (stop - at < 8) return w.leave('cut_short');
    const next = b[at] ?? 0;
    const size = isFragment ? 8 : 8 + (b[at + 1] ?? 0) * (protocol === AH ? 4 : 8);
    if (size > stop - at) return w.leave('cut_short');
    if (isFragment) {
      const word = w.be16(at + 2);
      const fragment = { id: w.be32(at + 4), protocol: next, offset: word & 0xfff8, isMore: (word & 1) !== 0 };
      if (fragment.offset !== 0 || fragment.isMore) {
        const grown = rewriteFragment(w, at + 8, stop, missing, c, fragment);
        if (Number.isFinite(grown) && fragment.isMore && isLast(w)) w.put16(at + 2, word & ~1);
        return grown;
      }
    } else {
      w.zero(at + 2, at + size);
      // Options become padding (RFC 8200 §4.2), routes none.
      if (isOption) {
        b[at + 2] = 1;
        b[at + 3] = size - 4;
      }
    }
    protocol = next;
    at += size;
  }
  return w.leave('malformed');
}

/** The payload of IP protocol `protocol`. */
export function rewriteCarried(
  w: Walk,
  protocol: number,
  at: number,
  stop: number,
  missing: number,
  c: Carrier,
): number {
  switch (protocol) {
    case PROTOCOL.UDP:
      return rewriteUdp(w, at, stop, missing, c);
    case PROTOCOL.TCP:
      return rewriteTcp(w, at, stop, missing, c);
    case PROTOCOL.ICMP:
    case ICMPV6:
      return rewriteIcmp(w, at, stop, protocol === ICMPV6, c);
    case PROTOCOL.IPV4:
      return w.enter() ? rewriteIpv4(w, at, stop) : w.leave('too_deep');
    case PROTOCOL.IPV6:
      return w.enter() ? rewriteIpv6(w, at, stop) : w.leave('too_deep');
    case GRE:
      return rewriteGre(w, at, stop);
    case MPLS:
      return w.enter() ? w.services.steps.mpls(w, at, stop) : w.leave('too_deep');
    case ESP:
      return w.leave('encrypted');
    default:
      return w.leave('protocol');
  }
}

type FragmentHeader = {
  readonly id: number;
  readonly protocol: number;
  readonly offset: number;
  readonly isMore: boolean;
};

/** The walk that comes back with an answer puts it in. */
function rewriteFragment(w: Walk, at: number, stop: number, missing: number, c: Carrier, f: FragmentHeader): number {
  const { answer, b, services } = w;
  if (answer !== null) return 'reason' in answer ? w.leave(answer.reason) : w.replace(at, stop, answer.bytes);
  if (missing > 0) return w.leave('fragment');
  const key = b.toString('latin1', c.src, c.src + c.size) + b.toString('latin1', c.dst, c.dst + c.size);
  const { id, protocol, offset, isMore } = f;
  const addresses = Buffer.from(b.subarray(c.src, c.src + c.size * 2));
  const fragment = { offset, isMore, protocol, tsUs: w.tsUs, carrier: c, addresses };
  const token = services.fragments.take(`${key}${id}.${protocol}`, b.subarray(at, stop), fragment, services);
  return token === null ? w.leave('fragment') : w.hold(token);
}

function isLast({ answer }: Walk): boolean {
  return answer !== null && !('reason' in answer) && answer.isLast;
}
