/**
 * Decides who may send HEP: the networks of --hep-allow, and loopback alone where none is given.
 *
 * Networks are CIDR (RFC 4632, RFC 4291 section 2.3) or single addresses; bits behind the prefix do not matter. The
 * native gate enforces the list for datagrams, this class for connections; both read the same entries.
 */

import { isLoopback } from '../../core/bind.ts';
import type { ServiceError } from '../../core/errors.ts';
import { failure } from '../../core/errors.ts';
import { endpointText, parseIpv4, parseIpv6 } from '../../core/ip.ts';
import { HEP_ALLOW_MAX } from '../../core/limits.ts';
import { fail, ok, type Result } from '../../core/result.ts';

export const CIDR_BYTES = 18;

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
  if (net.version === 4 || net.bits < 96 || !isMapped(net.address)) return net;
  const address = new Uint8Array(16);
  address.set(net.address.subarray(12, 16));
  return { version: 4, bits: net.bits - 96, address };
}

function isMapped(b: Uint8Array): boolean {
  for (let i = 0; i < 10; i++) if (b[i] !== 0) return false;
  return b[10] === 0xff && b[11] === 0xff;
}

const LOOPBACK: readonly string[] = ['127.0.0.0/8', '::1'];

export class HepAllow {
  readonly networks: readonly Cidr[];

  constructor(networks: readonly Cidr[]) {
    this.networks = networks;
  }

  /** The list of --hep-allow, or loopback when it is empty. Throws ServiceError naming what is wrong. */
  static parse(texts: readonly string[]): HepAllow {
    if (texts.length > HEP_ALLOW_MAX) {
      throw failure('HEP_ALLOW_TOO_MANY', { max: HEP_ALLOW_MAX });
    }
    const networks: Cidr[] = [];
    for (const text of texts.length === 0 ? LOOPBACK : texts) {
      const r = parseCidr(text.trim());
      if (!r.ok) {
        const shown = text.slice(0, 60).replace(/[^\x20-\x7e]/g, '?');
        throw failure('HEP_ALLOW_INVALID', { network: shown, reason: r.reason });
      }
      networks.push(r.value);
    }
    return new HepAllow(networks);
  }

  /** `address` as in a record: network order, IPv4 in the first 4 bytes. */
  allows(address: Uint8Array, version: number): boolean {
    return this.networks.some((net) => net.version === version && hasPrefix(address, net));
  }

  /** The entries as struct ct_cidr, one after the other. */
  packed(): Uint8Array {
    const out = new Uint8Array(this.networks.length * CIDR_BYTES);
    this.networks.forEach((net, i) => {
      out[i * CIDR_BYTES] = net.version;
      out[i * CIDR_BYTES + 1] = net.bits;
      out.set(net.address, i * CIDR_BYTES + 2);
    });
    return out;
  }
}

function hasPrefix(address: Uint8Array, net: Cidr): boolean {
  const whole = net.bits >> 3;
  for (let i = 0; i < whole; i++) if (address[i] !== net.address[i]) return false;
  const rest = net.bits & 7;
  return rest === 0 || ((address[whole] ?? 0) ^ (net.address[whole] ?? 0)) >> (8 - rest) === 0;
}

/** Refuses a listener that the network could reach without anybody having said who may send. */
export function checkHepBind(address: string, port: number, allow: readonly string[]): void {
  if (allow.length > 0 || isLoopback(address)) return;
  throw failure('HEP_BIND_NOT_LOOPBACK', { address: endpointText(address, port) });
}

/** Why `udp://…` or `tcp://…` could not be bound; `errno` by name, or other words. */
export function hepBindError(url: string, errno: string, cause?: unknown): ServiceError {
  return failure('HEP_BIND_FAILED', { url, cause: errno }, cause);
}
