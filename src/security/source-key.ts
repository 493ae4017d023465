/**
 * Who is one source: an IPv4 address, or the network of IPv6 that one sender can be expected to have to himself.
 *
 * A customer gets a /64 at least (RFC 6177, RFC 4291 section 2.5.4) and may send from any address of it. Where a /64 is
 * shared by strangers, or a sender has more, the prefix is another one:
 *
 *     ::ffff:0:0/96   the IPv4 address in it (RFC 4291 section 2.5.5.2)
 *     64:ff9b::/96    /128, an IPv4 sender behind a translator (RFC 6052)
 *     2001::/32       /128, Teredo: the /64 is that of a server (RFC 4380)
 *     2002::/16       /48, 6to4: what belongs to one IPv4 address (RFC 3056)
 *     fe80::/10       /128, all neighbours of a link (RFC 4291 section 2.5.6)
 *     ::/64           /128, loopback and what was never assigned
 */
import { ipText, ipv4Number, ipv6Text, isMapped } from '../core/ip.ts';

/** Key for maps: the address as a number for IPv4, the network as text (`2001:db8::/64`) for IPv6. */
export type SourceKey = number | string;

/** Whether the network of so many bits at b[off..] holds an address that must not be banned with it. */
export type IsSharedNetwork = (b: Uint8Array, off: number, bits: number) => boolean;

const network = new Uint8Array(16);

/** Key of the source whose address bytes stand at `off`. In a shared network each address is a source of its own. */
export function sourceKey(b: Uint8Array, off: number, version: number, isShared: IsSharedNetwork | null): SourceKey {
  if (version !== 6) return ipv4Number(b, off);
  if (isMapped(b, off)) return ipv4Number(b, off + 12);
  let bits = ownBits(b, off);
  if (bits < 128 && isShared?.(b, off, bits) === true) bits = 128;
  const whole = bits >> 3;
  for (let i = 0; i < 16; i++) network[i] = i < whole ? (b[off + i] ?? 0) : 0;
  return `${ipv6Text(network, 0)}/${bits}`;
}

/** Text of the address at `off`, an IPv4-mapped one as the IPv4 address that it is. */
export function sourceAddress(b: Uint8Array, off: number, version: number): string {
  return version === 6 && isMapped(b, off) ? ipText(b, off + 12, 4) : ipText(b, off, version);
}

/** The network that is judged as one, as text; null for IPv4. */
export function sourceNetwork(key: SourceKey): string | null {
  return typeof key === 'string' ? key : null;
}

function isZero(b: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (b[i] !== 0) return false;
  return true;
}

function ownBits(b: Uint8Array, off: number): number {
  const high = (b[off] ?? 0) * 256 + (b[off + 1] ?? 0);
  const next = (b[off + 2] ?? 0) * 256 + (b[off + 3] ?? 0);
  if (high === 0x2002) return 48;
  if (high === 0x2001 && next === 0) return 128;
  if ((high & 0xffc0) === 0xfe80) return 128;
  if (high === 0x64 && next === 0xff9b && isZero(b, off + 4, off + 12)) return 128;
  return isZero(b, off, off + 8) ? 128 : 64;
}
