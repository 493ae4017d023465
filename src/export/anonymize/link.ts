/**
 * Link layers, rewritten: Ethernet with tags, PPP and PPPoE, MPLS, Linux cooked headers, and those that name an IP version
 * alone. The link types are those of native/decode/link.c; what it reads and this does not is left out and counted.
 */
import { rewriteIp, rewriteIpv4, rewriteIpv6 } from './network.ts';
import { rewritePdu } from './pdu.ts';
import type { Walk } from './walk.ts';

/** Tags of VLANs before one payload. @cap */
const MAX_TAGS = 4;

const PADDED_ETHER_TYPES = new Set([0x8100, 0x88a8, 0x9100, 0x9200]);

/** The whole frame, of this LINKTYPE_*. */
export function rewriteLink(w: Walk, linkType: number): number {
  const end = w.length;
  switch (linkType) {
    case 1:
      return rewriteEther(w, 0, end);
    case 0:
    case 108:
      return rewriteIp(w, 4, end);
    case 12:
    case 14:
    case 101:
      return rewriteIp(w, 0, end);
    case 228:
      return rewriteIpv4(w, 0, end);
    case 229:
      return rewriteIpv6(w, 0, end);
    case 113:
      return rewriteCooked(w, 14, 6, 16, end);
    case 276:
      return rewriteCooked(w, 0, 12, 20, end);
    case 9:
    case 50:
      return rewritePpp(w, 0, end);
    case 51:
      return rewritePppoe(w, 0, end);
    case 252:
      return rewritePdu(w);
    default:
      return w.leave('link');
  }
}

export function rewriteEther(w: Walk, at: number, end: number): number {
  if (end - at < 14) return w.leave('cut_short');
  w.services.addresses.mac(w.b, at);
  w.services.addresses.mac(w.b, at + 6);
  return rewriteEthertype(w, w.be16(at + 12), at + 14, end);
}

export function rewriteEthertype(w: Walk, first: number, from: number, end: number): number {
  let type = first;
  let at = from;
  for (let n = 0; n < MAX_TAGS && PADDED_ETHER_TYPES.has(type); n++) {
    if (end - at < 4) return w.leave('cut_short');
    type = w.be16(at + 2);
    at += 4;
  }
  switch (type) {
    case 0x0800:
      return rewriteIpv4(w, at, end);
    case 0x86dd:
      return rewriteIpv6(w, at, end);
    case 0x8847:
    case 0x8848:
      return w.enter() ? rewriteMpls(w, at, end) : w.leave('too_deep');
    case 0x8864:
      return w.enter() ? rewritePppoe(w, at, end) : w.leave('too_deep');
    case 0x880b:
      return rewritePpp(w, at, end);
    default:
      return w.leave('not_ip');
  }
}

/** | label 20 | class 3 | bottom 1 | TTL 8 | ...; the first nibble after the stack is the custom (RFC 4928). */
export function rewriteMpls(w: Walk, from: number, end: number): number {
  let at = from;
  for (let n = 0; ; n++) {
    if (n === MAX_TAGS || end - at < 4) return w.leave('cut_short');
    const isBottom = ((w.b[at + 2] ?? 0) & 1) !== 0;
    at += 4;
    if (isBottom) break;
  }
  const nibble = (w.b[at] ?? 0) >> 4;
  if (nibble === 4 || nibble === 6) return rewriteIp(w, at, end);
  // The control word of a pseudowire, and a frame.
  return nibble === 0 ? rewriteEther(w, at + 4, end) : w.leave('tunnel');
}

/** | 11 | 00 | session 16 | length 16 | PPP |   RFC 2516 §4 */
function rewritePppoe(w: Walk, at: number, end: number): number {
  if (end - at < 6) return w.leave('cut_short');
  const length = w.be16(at + 4);
  if (w.b[at] !== 0x11 || w.b[at + 1] !== 0) return w.leave('malformed');
  const stop = Math.min(end, at + 6 + length);
  w.zero(stop, end);
  const grown = rewritePpp(w, at + 6, stop);
  if (Number.isFinite(grown)) w.put16(at + 4, length + grown);
  return grown;
}

/** | ff 03, or not | protocol, of 1 byte when its low bit is set |   RFC 1661 §2 */
function rewritePpp(w: Walk, from: number, end: number): number {
  const at = w.b[from] === 0xff && w.b[from + 1] === 3 ? from + 2 : from;
  if (end - at < 2) return w.leave('cut_short');
  const size = ((w.b[at] ?? 0) & 1) === 1 ? 1 : 2;
  const protocol = size === 1 ? w.b[at] : w.be16(at);
  if (protocol === 0x0021) return rewriteIpv4(w, at + size, end);
  if (protocol === 0x0057) return rewriteIpv6(w, at + size, end);
  return w.leave('not_ip');
}

/** Linux cooked: the Ethertype, an address of up to eight bytes and the payload stand at these offsets. */
function rewriteCooked(w: Walk, type: number, address: number, payload: number, end: number): number {
  if (end < payload) return w.leave('cut_short');
  w.services.addresses.mac(w.b, address);
  w.zero(address + 6, address + 8);
  return rewriteEthertype(w, w.be16(type), payload, end);
}
