/**
 * Networks as an operator writes them: CIDR (RFC 4632, RFC 4291 section 2.3) or single addresses. Bits behind the prefix
 * do not matter.
 */
import { isMapped, parseIpv4, parseIpv6 } from './ip.ts';
import { fail, ok, type Result } from './result.ts';

export type Cidr = { readonly version: 4 | 6; readonly bits: number; readonly address: Uint8Array };
export type CidrReason = 'not an address' | 'not a prefix length';

/** Reads `10.0.0.0/8`, `2001:db8::/32` or a single address. */
export function parseCidr(text: string): Result<Cidr, CidrReason> {
  const slash = text.indexOf('/');
  const host = slash < 0 ? text : text.slice(0, slash);
  const address = new Uint8Array(16);
  const four = parseIpv4(host);
  const six = four < 0 && !host.includes('%') && !host.includes('[') ? parseIpv6(host) : null;
  if (four >= 0) new DataView(address.buffer).setUint32(0, four);
  else if (six !== null) address.set(six);
  else return fail('not an address');
  const version = four >= 0 ? 4 : 6;
  const longest = version === 4 ? 32 : 128;
  if (slash < 0) return ok(normal({ version, bits: longest, address }));
  const prefix = text.slice(slash + 1);
  if (!/^[0-9]{1,3}$/.test(prefix) || Number(prefix) > longest) return fail('not a prefix length');
  return ok(normal({ version, bits: Number(prefix), address }));
}

/** A network of IPv4-mapped addresses is one of IPv4: that is what such a sender is judged as. */
function normal(net: Cidr): Cidr {
  if (net.version === 4 || net.bits < 96 || !isMapped(net.address, 0)) return net;
  const address = new Uint8Array(16);
  address.set(net.address.subarray(12, 16));
  return { version: 4, bits: net.bits - 96, address };
}

/** `address` in network order, an IPv4 address in its first four bytes, must be of the version of `net`. */
export function hasPrefix(address: Uint8Array, net: Cidr): boolean {
  const whole = net.bits >> 3;
  for (let i = 0; i < whole; i++) if (address[i] !== net.address[i]) return false;
  const rest = net.bits & 7;
  return rest === 0 || ((address[whole] ?? 0) ^ (net.address[whole] ?? 0)) >> (8 - rest) === 0;
}
