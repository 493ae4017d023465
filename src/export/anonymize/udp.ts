/** UDP (RFC 768) and the packets that it carries: the tunnels of native/decode/tunnel.c, by the ports of bpf/tunnel_ports.h. */
import { adjustChecksum, sumOf } from './checksum.ts';
import type { Carrier, Walk } from './walk.ts';

const HEADER = 8;
const MAX_LENGTH = 0xffff;

export function rewriteUdp(w: Walk, at: number, stop: number, missing: number, c: Carrier): number {
  const { b } = w;
  if (stop - at < HEADER) return w.leave('cut_short');
  const said = w.be16(at + 4);
  const length = said === 0 ? stop - at + missing : said;
  if (length < HEADER || length > stop - at + missing) return w.leave('malformed');
  const end = Math.min(stop, at + length);
  w.zero(end, stop);
  const hasSum = w.be16(at + 6) !== 0;
  const before = hasSum ? sumOf(b, at, end) : 0;
  const grown = rewritePayload(w, at + HEADER, end, at + length - end, w.be16(at), w.be16(at + 2));
  if (!Number.isFinite(grown)) return grown;
  if (length + grown > MAX_LENGTH) return w.leave('too_long');
  if (said !== 0) w.put16(at + 4, length + grown);
  // The length stands in the header and once more in what is summed with it.
  if (hasSum) adjustChecksum(b, at + 6, sumOf(b, at, end + grown) - before + grown + c.grown, true);
  return grown;
}

function rewritePayload(w: Walk, at: number, end: number, missing: number, from: number, to: number): number {
  const tunnel = missing === 0 ? (inTunnel(w, at, end, to) ?? inTunnel(w, at, end, from)) : null;
  return tunnel ?? w.services.contents.datagram(w, at, end, missing, from, to);
}

/** Null where the port is of no tunnel, or its structure does not hold: the datagram is an ordinary one. */
function inTunnel(w: Walk, at: number, end: number, port: number): number | null {
  const found = TUNNELS.get(port)?.(w, at, end) ?? null;
  if (found === null) return null;
  if (!w.enter()) return w.leave('too_deep');
  const { steps } = w.services;
  const grown = found.isEther ? steps.ether(w, found.at, end) : steps.ip(w, found.at, end);
  if (found.lengthAt !== undefined && Number.isFinite(grown)) w.put16(found.lengthAt, w.be16(found.lengthAt) + grown);
  return grown;
}

/** `lengthAt`: where the header of the tunnel says how long the rest is. */
type Inner = { readonly at: number; readonly isEther: boolean; readonly lengthAt?: number };
type Opens = (w: Walk, at: number, end: number) => Inner | null;

const TUNNELS: ReadonlyMap<number, Opens> = new Map<number, Opens>([
  [4789, vxlan],
  [8472, vxlan],
  [4790, vxlan],
  [6081, geneve],
  [2152, gtp],
  [3544, teredo],
  [37_008, tzsp],
]);

/** | flags 8: I | reserved 24 | VNI 24 | reserved 8 |   RFC 7348; GPE names another protocol than Ethernet in the fourth byte. */
function vxlan(w: Walk, at: number, end: number): Inner | null {
  const flags = w.b[at] ?? 0;
  if (end - at < 8 || (flags & 0x08) === 0 || w.b[at + 7] !== 0) return null;
  if ((flags & 0x04) !== 0) return [1, 2].includes(w.b[at + 3] ?? 0) ? ipAt(w, at + 8, end) : null;
  return etherAt(w, at + 8, end);
}

/** | version 2, length of options 6 | flags | protocol 16 | VNI 24 | 0 | options |   RFC 8926 */
function geneve(w: Walk, at: number, end: number): Inner | null {
  if (end - at < 8 || (w.b[at] ?? 0) >> 6 !== 0 || w.b[at + 7] !== 0) return null;
  const inner = at + 8 + ((w.b[at] ?? 0) & 0x3f) * 4;
  const found = w.be16(at + 2) === 0x6558 ? etherAt(w, inner, end) : ipAt(w, inner, end);
  // Options say who knows what.
  if (found !== null) w.zero(at + 8, inner);
  return found;
}

/** | flags 8 | 255 | length 16 | TEID 32 | 4 more bytes and extensions, with any flag |   3GPP TS 29.281 */
function gtp(w: Walk, at: number, end: number): Inner | null {
  const flags = w.b[at] ?? 0;
  if (end - at < 8 || (flags & 0xf8) !== 0x30 || w.b[at + 1] !== 255 || w.be16(at + 2) + 8 > end - at) return null;
  let inner = at + 8;
  if ((flags & 7) !== 0) {
    inner += 4;
    while ((flags & 4) !== 0 && inner < end && w.b[inner - 1] !== 0) {
      const size = (w.b[inner] ?? 0) * 4;
      if (size === 0) return null;
      inner += size;
    }
  }
  const found = ipAt(w, inner, end) ?? etherAt(w, inner, end);
  return found === null ? null : { ...found, lengthAt: at + 2 };
}

/** | 0 1 | id, authentication | 0 0 | port and address, hidden |, each where it is, and an IPv6 packet   RFC 4380 */
function teredo(w: Walk, at: number, end: number): Inner | null {
  let inner = at;
  if (w.be16(inner) === 1) inner += 13 + (w.b[inner + 2] ?? 0) + (w.b[inner + 3] ?? 0);
  if (end - inner >= 8 && w.be16(inner) === 0) inner += 8;
  const found = ipAt(w, inner, end);
  if (found !== null) w.zero(at + (w.be16(at) === 1 ? 4 : 2), inner);
  return found;
}

/** | 1 | type 8 | 0 1 | tags, of which 1 is the last |. */
function tzsp(w: Walk, at: number, end: number): Inner | null {
  if (end - at < 5 || w.b[at] !== 1 || w.be16(at + 2) !== 1) return null;
  let tag = at + 4;
  while (tag < end && w.b[tag] !== 1) {
    if (w.b[tag] === 0) tag++;
    else {
      const next = tag + 2 + (w.b[tag + 1] ?? 0);
      w.zero(tag + 2, Math.min(next, end));
      tag = next;
    }
  }
  return etherAt(w, tag + 1, end);
}

/** A believable IP header. */
function ipAt(w: Walk, at: number, end: number): Inner | null {
  const { b } = w;
  const version = (b[at] ?? 0) >> 4;
  const isFour = version === 4 && end - at >= 20 && ((b[at] ?? 0) & 15) >= 5 && w.be16(at + 2) <= end - at;
  const isSix = version === 6 && end - at >= 40 && w.be16(at + 4) + 40 <= end - at;
  return isFour || isSix ? { at, isEther: false } : null;
}

/** An Ethernet header, with tags or not, in front of IP. */
function etherAt(w: Walk, at: number, end: number): Inner | null {
  let type = at + 12;
  for (let n = 0; n < 4 && end - type >= 6 && [0x8100, 0x88a8].includes(w.be16(type)); n++) type += 4;
  if (end - type < 2 || ![0x0800, 0x86dd].includes(w.be16(type))) return null;
  return ipAt(w, type + 2, end) === null ? null : { at, isEther: true };
}
