/**
 * What an operator calls addresses and networks: `--names FILE`, in the format of /etc/hosts, and `[names]` of the
 * configuration. Nothing is asked of DNS.
 */
import type { Cidr } from './cidr.ts';
import { hasPrefix, parseCidr } from './cidr.ts';
import { parseIpv4, parseIpv6 } from './ip.ts';
import type { Result } from './result.ts';
import { fail, ok } from './result.ts';

/** Names of addresses and networks, and characters of one. @cap */
export const MAX_NAMED = 10_000;
const MAX_NAME_CHARS = 40;

export type NamedAddress = { readonly net: Cidr; readonly name: string };

/** A name, as tables can show it. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._@/+-]*$/u;

export class Names {
  readonly #single = new Map<string, string>();
  /** The longest prefix first. */
  readonly #nets: readonly NamedAddress[];
  readonly #named: readonly NamedAddress[];
  readonly #bytes = new Uint8Array(16);

  constructor(named: readonly NamedAddress[]) {
    this.#named = named;
    const isSingle = ({ net }: NamedAddress): boolean => net.bits === (net.version === 4 ? 32 : 128);
    for (const one of named.filter(isSingle)) this.#single.set(keyOf(one.net.address, one.net.version), one.name);
    this.#nets = named.filter((one) => !isSingle(one)).sort((a, b) => b.net.bits - a.net.bits);
  }

  /** Addresses and networks that have such a name. */
  networks(fits: (name: string) => boolean): Cidr[] {
    return this.#named.filter(({ name }) => fits(name)).map(({ net }) => net);
  }

  /** Null where an address has no name. */
  of(address: string): string | null {
    if (this.#single.size === 0 && this.#nets.length === 0) return null;
    const four = parseIpv4(address);
    const six = four < 0 ? parseIpv6(address) : null;
    if (four < 0 && six === null) return null;
    if (four >= 0) new DataView(this.#bytes.buffer).setUint32(0, four);
    else this.#bytes.set(six ?? this.#bytes);
    const version = four >= 0 ? 4 : 6;
    const single = this.#single.get(keyOf(this.#bytes, version));
    if (single !== undefined) return single;
    return this.#nets.find(({ net }) => net.version === version && hasPrefix(this.#bytes, net))?.name ?? null;
  }
}

export const NO_NAMES = new Names([]);

function keyOf(address: Uint8Array, version: number): string {
  return Buffer.from(address.buffer, address.byteOffset, version === 4 ? 4 : 16).toString('hex');
}

/** Says that name and address were given the wrong way round; null where they were not. */
export function swapped(address: string, name: string): string | null {
  const isSwapped = !parseCidr(address).ok && parseCidr(name).ok;
  return isSwapped ? `name and address are the wrong way round, and ${name}=${address.slice(0, 60)} is right` : null;
}

/** Lines of an address or network and its name; `#` begins a comment. Or the number of a bad line, and why it is bad. */
export function readNames(text: string): Result<NamedAddress[], string> {
  const named: NamedAddress[] = [];
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const [address, name] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (address === undefined || address === '') continue;
    const one = readName(address, name ?? '');
    if (!one.ok) return fail(`line ${i + 1}: ${one.reason}`);
    named.push(one.value);
    if (named.length > MAX_NAMED) return fail(`there are more than ${MAX_NAMED} names`);
  }
  return ok(named);
}

export function readName(address: string, name: string): Result<NamedAddress, string> {
  const net = parseCidr(address);
  if (!net.ok) return fail(`the first word is ${net.reason}`);
  if (name.length > MAX_NAME_CHARS || !NAME.test(name))
    return fail(
      name === '' ? 'the name is missing' : `a name has at most ${MAX_NAME_CHARS} letters, digits and . _ @ / + -`,
    );
  return ok({ net: net.value, name });
}
