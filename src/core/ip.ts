/**
 * IP addresses as bytes, text and map keys.
 *
 * Text follows RFC 5952 for IPv6; an endpoint is `a.b.c.d:port` or `[v6]:port`.
 */

import { HashInput } from './hash.ts';

const OCTET_TEXT: readonly string[] = Array.from({ length: 256 }, (_, i) => String(i));

/** Text of the IPv4 address at `off`. */
function ipv4Text(b: Uint8Array, off: number): string {
  return `${OCTET_TEXT[b[off] ?? 0]}.${OCTET_TEXT[b[off + 1] ?? 0]}.${OCTET_TEXT[b[off + 2] ?? 0]}.${OCTET_TEXT[b[off + 3] ?? 0]}`;
}

/** The IPv4 address at `off` as one unsigned number. */
export function ipv4Number(b: Uint8Array, off: number): number {
  return ((b[off] ?? 0) * 256 + (b[off + 1] ?? 0)) * 65536 + (b[off + 2] ?? 0) * 256 + (b[off + 3] ?? 0);
}

/** Text of the IPv6 address at `off` (RFC 5952; IPv4-mapped in mixed notation). */
export function ipv6Text(b: Uint8Array, off: number): string {
  const words: number[] = [];
  for (let i = 0; i < 16; i += 2) words.push(((b[off + i] ?? 0) << 8) | (b[off + i + 1] ?? 0));
  if (words.slice(0, 5).every((w) => w === 0) && words[5] === 0xffff) return `::ffff:${ipv4Text(b, off + 12)}`;
  let best = -1;
  let bestLen = 1;
  for (let i = 0; i < 8; i++) {
    let j = i;
    while (j < 8 && words[j] === 0) j++;
    if (j - i > bestLen) {
      best = i;
      bestLen = j - i;
    }
    if (j > i) i = j;
  }
  const hex = (from: number, to: number): string =>
    words
      .slice(from, to)
      .map((w) => w.toString(16))
      .join(':');
  return best < 0 ? hex(0, 8) : `${hex(0, best)}::${hex(best + bestLen, 8)}`;
}

/** Text of an address by IP version (4 or 6). */
export function ipText(b: Uint8Array, off: number, version: number): string {
  return version === 6 ? ipv6Text(b, off) : ipv4Text(b, off);
}

/** `<address>:<port>`, IPv6 in brackets. */
export function endpointText(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Host and port of `<address>:<port>`; a host alone is itself, with port 0. */
export function socketOf(text: string): { readonly host: string; readonly port: number } {
  const [, six, four, port] = /^(?:\[(.*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? four;
  return host === undefined ? { host: text, port: 0 } : { host, port: Number(port) };
}

/** The four octets of dotted IPv4 text as one unsigned number, or -1 when it is not an address. */
export function parseIpv4(text: string): number {
  let value = 0;
  let octet = -1;
  let dots = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 46) {
      if (octet < 0 || ++dots > 3) return -1;
      value = value * 256 + octet;
      octet = -1;
    } else if (c >= 48 && c <= 57) {
      octet = Math.max(octet, 0) * 10 + (c - 48);
      if (octet > 255) return -1;
    } else return -1;
  }
  return dots === 3 && octet >= 0 ? value * 256 + octet : -1;
}

/** The 16 bytes of IPv6 text (brackets and zone dropped), or null when it is not an address. */
export function parseIpv6(text: string): Uint8Array | null {
  let s = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  const zone = s.indexOf('%');
  if (zone >= 0) s = s.slice(0, zone);
  if (s.length < 2 || s.length > 45) return null;
  const out = new Uint8Array(16);
  const halves = s.split('::');
  if (halves.length > 2) return null;
  const words = (part: string): number[] | null => {
    if (part === '') return [];
    const list: number[] = [];
    const pieces = part.split(':');
    for (let i = 0; i < pieces.length; i++) {
      const piece = pieces[i] ?? '';
      if (i === pieces.length - 1 && piece.includes('.')) {
        const v4 = parseIpv4(piece);
        if (v4 < 0) return null;
        list.push(Math.floor(v4 / 65536), v4 % 65536);
      } else if (/^[0-9a-fA-F]{1,4}$/.test(piece)) list.push(Number.parseInt(piece, 16));
      else return null;
    }
    return list;
  };
  const head = words(halves[0] ?? '');
  const tail = halves.length === 2 ? words(halves[1] ?? '') : [];
  if (head === null || tail === null) return null;
  const total = head.length + tail.length;
  if (halves.length === 2 ? total > 7 : total !== 8) return null;
  const all = [...head, ...new Array<number>(8 - total).fill(0), ...tail];
  all.forEach((w, i) => {
    out[i * 2] = w >> 8;
    out[i * 2 + 1] = w & 255;
  });
  return out;
}

/** Key of an endpoint for maps: a number for IPv4, canonical text for IPv6. */
export type EndpointKey = number | string;

/** Key of the endpoint whose address bytes stand at `off`. */
export function endpointKey(b: Uint8Array, off: number, version: number, port: number): EndpointKey {
  if (version === 6) return `${ipv6Text(b, off)}|${port}`;
  return ipv4Number(b, off) * 65536 + port;
}

/** Key of an endpoint given as text (as SDP has it), or null when `address` is no IP address. */
export function endpointKeyFromText(address: string, port: number): EndpointKey | null {
  const v4 = parseIpv4(address);
  if (v4 >= 0) return v4 * 65536 + port;
  const v6 = parseIpv6(address);
  return v6 === null ? null : `${ipv6Text(v6, 0)}|${port}`;
}

/** Text of an endpoint key: `<address>:<port>`. */
export function endpointKeyText(key: EndpointKey): string {
  if (typeof key === 'string') {
    const bar = key.lastIndexOf('|');
    return endpointText(key.slice(0, bar), Number(key.slice(bar + 1)));
  }
  return `${endpointKeyAddress(key)}:${key % 65536}`;
}

/** The address part of an endpoint key, as text. */
export function endpointKeyAddress(key: EndpointKey): string {
  if (typeof key === 'string') return key.slice(0, key.lastIndexOf('|'));
  const address = Math.floor(key / 65536);
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}

/** The address part in whatever form tells it from others: no text is made of an IPv4 address. */
export function endpointKeyHost(key: EndpointKey): number | string {
  return typeof key === 'number' ? Math.floor(key / 65536) : endpointKeyAddress(key);
}

/** The port of an endpoint key. */
export function endpointKeyPort(key: EndpointKey): number {
  return typeof key === 'string' ? Number(key.slice(key.lastIndexOf('|') + 1)) : key % 65536;
}

/** The key of another port at the same address. */
export function endpointKeyWithPort(key: EndpointKey, port: number): EndpointKey {
  if (typeof key === 'string') return `${key.slice(0, key.lastIndexOf('|'))}|${port}`;
  return key - (key % 65536) + port;
}

/** An IPv4 address in IPv6 form is ten bytes of zero, two of ones, and the address (RFC 4291 section 2.5.5.2). */
const MAPPED_AT = 12;

export function isMapped(b: Uint8Array, off: number): boolean {
  for (let i = 0; i < 10; i++) if (b[off + i] !== 0) return false;
  return b[off + 10] === 0xff && b[off + 11] === 0xff;
}

/**
 * Whom a packet is counted to where strangers share room: a keyed hash of an IPv4 address, or of the /64 of an IPv6 one.
 *
 * Not a shorter prefix: customers of one provider are neighbours of its worst one, and would lose what is theirs for him.
 * Whoever owns 256 addresses gains little, as each of them still holds more than those who have a call or two. Within a
 * /64 a sender picks addresses as he likes (RFC 4291 section 2.5.4), so there the /64 is the address.
 */
export function sourcePrefix(b: Uint8Array, off: number, version: number): number {
  const isV4 = version !== 6 || isMapped(b, off);
  PREFIX.setAddress(0, b, version === 6 && isV4 ? off + MAPPED_AT : off, 4);
  if (isV4) return PREFIX.hash(1);
  PREFIX.setAddress(1, b, off + 4, 4);
  return PREFIX.hash(2);
}

/** A /64 at most. */
const PREFIX = new HashInput(2);
