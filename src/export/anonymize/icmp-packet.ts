/**
 * ICMP (RFC 792, RFC 4443), rewritten: errors with the packet that they quote, and echo. Neighbours, routers and redirects name
 * addresses in places of their own; they say nothing of calls, and are left out.
 */
import { adjustChecksum, sumOf } from './checksum.ts';
import type { Carrier, Walk } from './walk.ts';

const HEADER = 8;
const ECHOES = { 4: new Set([0, 8]), 6: new Set([128, 129]) } as const;
const ERRORS = { 4: new Set([3, 4, 11, 12]), 6: new Set([1, 2, 3, 4]) } as const;
const TCP = 6;
const UDP = 17;

export function rewriteIcmp(w: Walk, at: number, stop: number, isSix: boolean, c: Carrier): number {
  const { b } = w;
  const version = isSix ? 6 : 4;
  if (stop - at < HEADER || (c.size === 16) !== isSix) return w.leave('icmp');
  const type = b[at] ?? 0;
  const before = sumOf(b, at, stop);
  let grown = 0;
  if (ECHOES[version].has(type)) w.zero(at + HEADER, stop);
  else if (ERRORS[version].has(type)) grown = rewriteQuote(w, at, stop, version);
  else return w.leave('icmp');
  if (!Number.isFinite(grown)) return grown;
  const pseudo = isSix ? c.grown + grown : 0;
  adjustChecksum(b, at + 2, sumOf(b, at, stop + grown) - before + pseudo);
  // Of zeros alone: an answer to an echo without a name or a number. It was right, or it would not be zero.
  if (!isSix && sumOf(b, at, stop) === 0) w.put16(at + 2, 0xffff);
  return grown;
}

/** The quote, and extensions behind it (RFC 4884), which become zero. */
function rewriteQuote(w: Walk, at: number, stop: number, version: 4 | 6): number {
  const { b, services } = w;
  const quote = at + HEADER;
  const words = b[at + (version === 6 ? 4 : 5)] ?? 0;
  const hasLength = version === 4 || b[at] === 1 || b[at] === 3;
  const end = hasLength && words > 0 ? Math.min(stop, quote + words * (version === 6 ? 8 : 4)) : stop;
  w.zero(end, stop);
  // Extensions of zeros are none.
  if (end < stop) b[at + (version === 6 ? 4 : 5)] = words;
  const six = version === 6;
  if (end - quote < (six ? 40 : 20) || (b[quote] ?? 0) >> 4 !== version) {
    w.zero(quote, end);
    return 0;
  }
  const header = six ? 40 : ((b[quote] ?? 0) & 15) * 4;
  const [src, dst, size] = six ? [quote + 8, quote + 24, 16] : [quote + 12, quote + 16, 4];
  const first = Math.min(end, quote + header);
  const headerBefore = sumOf(b, quote, first);
  const before = sumOf(b, src, dst + size);
  if (!six) b.fill(1, quote + 20, first);
  for (const place of [src, dst]) six ? services.addresses.ip6(b, place) : services.addresses.ip4(b, place);
  const addressesGrown = sumOf(b, src, dst + size) - before;
  const isLater = !six && (w.be16(quote + 6) & 0x1fff) !== 0;
  const protocol = b[quote + (six ? 6 : 9)] ?? 0;
  const lengthAt = quote + (six ? 4 : 2);
  const said = w.be16(lengthAt);
  const last = Math.min(end, quote + (six ? 40 : 0) + said);
  let grown = 0;
  if (!isLater && protocol === UDP && last - first >= HEADER) grown = quotedUdp(w, first, last, addressesGrown);
  else w.zero(protocol === TCP && !isLater ? first + 8 : first, last);
  if (!Number.isFinite(grown)) return grown;
  w.zero(last + grown, end + grown);
  // Of a quote that holds the whole packet, the length is that of the quote.
  if (last === quote + (six ? 40 : 0) + said) w.put16(lengthAt, said + grown);
  if (!six) adjustChecksum(b, quote + 10, sumOf(b, quote, first) - headerBefore);
  return grown;
}

/** Lengths follow where the whole datagram is quoted. */
function quotedUdp(w: Walk, at: number, end: number, addressesGrown: number): number {
  const { b } = w;
  const hasSum = w.be16(at + 6) !== 0;
  const said = w.be16(at + 4);
  const before = sumOf(b, at + HEADER, end);
  const grown = end - at > HEADER ? w.services.contents.quoted(w, at + HEADER, end) : 0;
  if (!Number.isFinite(grown)) return grown;
  const isWhole = said === end - at;
  if (isWhole) w.put16(at + 4, said + grown);
  const change = sumOf(b, at + HEADER, end + grown) - before + addressesGrown + (isWhole ? 2 * grown : 0);
  if (hasSum) adjustChecksum(b, at + 6, change, true);
  return grown;
}
