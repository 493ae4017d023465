/**
 * What an operator calls trunks: `[trunks]` of the configuration names the addresses, networks and domains of carriers and
 * customers, and with `local` those of our own side.
 */
import type { Cidr } from './cidr.ts';
import { hasPrefix, parseCidr } from './cidr.ts';
import { parseIpv4, parseIpv6 } from './ip.ts';
import type { NamedAddress } from './names.ts';
import { MAX_NAMED, Names, readName, swapped } from './names.ts';
import type { Result } from './result.ts';
import { fail, ok } from './result.ts';

/** Trunks that the configuration can name, and characters of a domain (RFC 1035 section 2.3.4). @cap */
export const MAX_TRUNKS = 200;
const MAX_DOMAIN_CHARS = 255;

/** Where a trunk is: one of both. */
export type TrunkPlace = NamedAddress | { readonly domain: string; readonly name: string };

/** The row of what has no row of its own. */
export const OTHER_TRUNK = 'other';
/** The key of `[trunks]` that names our own side, and no trunk. */
export const LOCAL_SIDE = 'local';

const DOMAIN = /^(?=.*[a-z])[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9])?$/i;

export class Trunks {
  readonly names: readonly string[];
  readonly #places: readonly TrunkPlace[];
  readonly #byAddress: Names;
  readonly #byDomain: ReadonlyMap<string, string>;
  readonly #local: readonly Cidr[];
  /** The configuration says which side is our own, so that others without a name are strangers. */
  readonly knowsStrangers: boolean;

  /** `local` is what the configuration calls our own side, `here` the addresses of this host, which are too. */
  constructor(places: readonly TrunkPlace[], local: readonly Cidr[], here: readonly Cidr[] = []) {
    this.knowsStrangers = local.length > 0;
    this.names = [...new Set(places.map(({ name }) => name))];
    this.#places = places;
    this.#byAddress = new Names(places.filter((place) => 'net' in place));
    this.#byDomain = new Map(places.flatMap((place) => ('domain' in place ? [[place.domain, place.name]] : [])));
    this.#local = [...local, ...here];
  }

  get hasDomains(): boolean {
    return this.#byDomain.size > 0;
  }

  /** The trunk that has this address; null where none has. */
  of(address: string): string | null {
    return this.#byAddress.of(address);
  }

  /** Addresses and networks of the trunk of this name; none where only domains say where it is. */
  networksOf(name: string): readonly Cidr[] {
    return this.#places.flatMap((place) => ('net' in place && place.name === name ? [place.net] : []));
  }

  /** What a trunk at this address is called: its name, else the address; null for our own side. */
  called(address: string): string | null {
    return this.of(address) ?? (this.isLocal(address) ? null : address);
  }

  /** The trunk of this domain, or of the nearest one that it lies in. */
  ofDomain(host: string): string | null {
    if (host.length > MAX_DOMAIN_CHARS) return null;
    for (let at = 0, rest = host.toLowerCase(); at >= 0; rest = rest.slice(at + 1)) {
      const name = this.#byDomain.get(rest);
      if (name !== undefined) return name;
      at = rest.indexOf('.');
    }
    return null;
  }

  /** Whether an address is our own side's, and no trunk's. */
  isLocal(address: string): boolean {
    if (this.#local.length === 0) return false;
    const four = parseIpv4(address);
    const bytes = four >= 0 ? Uint8Array.of(four >>> 24, four >>> 16, four >>> 8, four) : parseIpv6(address);
    const version = four >= 0 ? 4 : 6;
    return bytes !== null && this.#local.some((net) => net.version === version && hasPrefix(bytes, net));
  }
}

/** One place of a trunk, as the configuration has it; or why it is none. */
export function readTrunkPlace(text: string, name: string): Result<TrunkPlace, string> {
  if (name === OTHER_TRUNK) return fail(`no trunk can be called ${OTHER_TRUNK}`);
  const place = readName(text, name);
  if (place.ok) return place;
  const wrong = swapped(text, name);
  if (wrong !== null) return fail(wrong);
  // A name that is bad is bad for a domain too.
  const named = readName('192.0.2.1', name);
  if (!named.ok) return fail(named.reason);
  if (text.length > MAX_DOMAIN_CHARS || !DOMAIN.test(text))
    return fail(`${text.slice(0, 60)} is not an address, a network or a domain`);
  return ok({ domain: text.toLowerCase(), name });
}

/** All places together; or what is too much of them. */
export function trunksOf(
  places: readonly TrunkPlace[],
  local: readonly Cidr[],
  here: readonly Cidr[] = [],
): Result<Trunks, string> {
  if (places.length > MAX_NAMED) return fail(`there are more than ${MAX_NAMED} addresses`);
  const trunks = new Trunks(places, local, here);
  return trunks.names.length > MAX_TRUNKS ? fail(`there are more than ${MAX_TRUNKS} trunks`) : ok(trunks);
}

/** An address or network of our own side. */
export function readLocal(text: string): Result<Cidr, string> {
  const net = parseCidr(text);
  return net.ok ? net : fail(`${text.slice(0, 60)} is ${net.reason}`);
}
