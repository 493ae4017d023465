/**
 * Decides who may send HEP: the networks of --hep-allow, and loopback alone where none is given.
 *
 * The native gate enforces the list for datagrams, this class for connections; both read the same entries.
 */

import { isLoopback } from '../../core/bind.ts';
import { type Cidr, hasPrefix, parseCidr } from '../../core/cidr.ts';
import type { ServiceError } from '../../core/errors.ts';
import { failure } from '../../core/errors.ts';
import { endpointText } from '../../core/ip.ts';

/** Networks of `--hep-allow`: CT_HEP_ALLOW_MAX of native/hep/hep_gate.h. @cap */
export const HEP_ALLOW_MAX = 256;

export const CIDR_BYTES = 18;

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

/** Refuses a listener that the network could reach without anybody having said who may send. */
export function checkHepBind(address: string, port: number, allow: readonly string[]): void {
  if (allow.length > 0 || isLoopback(address)) return;
  throw failure('HEP_BIND_NOT_LOOPBACK', { address: endpointText(address, port) });
}

/** Why `udp://…` or `tcp://…` could not be bound; `errno` by name, or other words. */
export function hepBindError(url: string, errno: string, cause?: unknown): ServiceError {
  return failure('HEP_BIND_FAILED', { url, cause: errno }, cause);
}
