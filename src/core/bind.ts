/** Decides which address a listener really binds, and whether only this host can reach it. */

import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** True for an address that no other host can reach; a name is never loopback before it is resolved. */
export function isLoopback(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && LOOPBACK.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/**
 * The IP address to bind for `host`, or null when the name does not resolve. What was checked is what gets bound. Of a
 * name with both, such as localhost, the IPv4 address: clients that try IPv6 first then try IPv4; not all do so the other way.
 */
export async function resolveHost(host: string): Promise<string | null> {
  if (isIP(host) !== 0) return host;
  try {
    return (await lookup(host, { order: 'ipv4first' })).address;
  } catch {
    return null;
  }
}
