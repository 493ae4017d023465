/**
 * Prefix-preserving replacement of IP addresses (Crypto-PAn: Xu, Fan, Ammar, Moon, "Prefix-preserving IP address
 * anonymization", ICNP 2002): two addresses that share their first n bits share the first n bits of their replacements, and no
 * more. What is private stays private, and what is public stays public: the bits that tell it never change.
 */
import { ipv4Number, parseIpv6 } from '../../core/ip.ts';
import { BLOCK, Blocks, subKey } from './prf.ts';

/** `prefix/bits`, and how many bits of an address in it stay: those of the prefix, unless named. */
type Row = readonly [prefix: string, bits: number, kept?: number];
type Special = { readonly prefix: Uint8Array; readonly bits: number; readonly kept: number };

const IPV4_ROWS: readonly Row[] = [
  ['0.0.0.0', 32],
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8, 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['224.0.0.0', 24, 32],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['255.255.255.255', 32],
];
/** An address that holds an IPv4 one has 96 bits of its own: the rest is replaced as that is. */
const IPV6_ROWS: readonly Row[] = [
  ['::', 127, 128],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['fc00::', 8],
  ['fd00::', 8],
  ['fe80::', 64],
  ['fe80::', 10],
  ['ff02::', 120, 128],
  ['ff00::', 8, 16],
  ['2000::', 3],
];
const HOLDS_IPV4: readonly Uint8Array[] = ['::ffff:0:0', '64:ff9b::'].map((text) => bytesOf(text));
const IPV4_AT = 12;

const IPV4_SPECIAL = specials(IPV4_ROWS);
const IPV6_SPECIAL = specials(IPV6_ROWS);

/** Addresses whose replacements are remembered, by a part of their hash; the later one stays. @cap */
const IPV4_CACHE = 262_144;
const IPV6_CACHE = 16_384;

export class Addresses {
  readonly #ip4: Blocks;
  readonly #ip6: Blocks;
  readonly #pad: Buffer;
  readonly #macs: Blocks;
  readonly #in4 = new Uint8Array(4);
  readonly #out4 = new Uint8Array(4);
  readonly #from4 = new Uint32Array(IPV4_CACHE);
  readonly #to4 = new Uint32Array(IPV4_CACHE);
  readonly #from6 = new Uint8Array(BLOCK * IPV6_CACHE);
  readonly #to6 = new Uint8Array(BLOCK * IPV6_CACHE);
  readonly #mac = new Uint8Array(BLOCK);

  constructor(key: Uint8Array) {
    this.#ip4 = new Blocks(key, 'ip4');
    this.#ip6 = new Blocks(key, 'ip6');
    this.#pad = subKey(key, 'pad').subarray(0, BLOCK);
    this.#macs = new Blocks(key, 'mac');
  }

  /** The replacement of an IPv4 address as one unsigned number. */
  ip4(address: number): number {
    const slot = (Math.imul(address, 0x9e3779b1) >>> 8) % IPV4_CACHE;
    // 0.0.0.0 is its own replacement, so an empty slot is right too.
    if (this.#from4[slot] === address) return this.#to4[slot] ?? 0;
    const [bytes, out] = [this.#in4, this.#out4];
    new DataView(bytes.buffer).setUint32(0, address);
    this.#replace(this.#ip4, bytes, IPV4_SPECIAL, out);
    const replacement = ipv4Number(out, 0);
    this.#from4[slot] = address;
    this.#to4[slot] = replacement;
    return replacement;
  }

  /** Replaces the IPv4 address that stands at `at`. */
  replaceIp4(bytes: Uint8Array, at: number): void {
    const replacement = this.ip4(ipv4Number(bytes, at));
    bytes[at] = replacement >>> 24;
    bytes[at + 1] = replacement >>> 16;
    bytes[at + 2] = replacement >>> 8;
    bytes[at + 3] = replacement;
  }

  /** Replaces the IPv6 address that stands at `at`. */
  replaceIp6(bytes: Uint8Array, at: number): void {
    if (HOLDS_IPV4.some((prefix) => isSame(bytes, at, prefix, 0, IPV4_AT))) {
      this.replaceIp4(bytes, at + IPV4_AT);
      return;
    }
    let hash = 0;
    for (let i = 0; i < BLOCK; i++) hash = Math.imul(hash ^ (bytes[at + i] ?? 0), 0x01000193);
    const slot = BLOCK * ((hash >>> 8) % IPV6_CACHE);
    const [from, to] = [this.#from6, this.#to6];
    // The address of zeros is its own replacement.
    if (!isSame(bytes, at, from, slot, BLOCK)) {
      const address = Uint8Array.prototype.slice.call(bytes, at, at + BLOCK);
      from.set(address, slot);
      this.#replace(this.#ip6, address, IPV6_SPECIAL, to.subarray(slot, slot + BLOCK));
    }
    for (let i = 0; i < BLOCK; i++) bytes[at + i] = to[slot + i] ?? 0;
  }

  /** Replaces the six bytes of a MAC address. Broadcast stays; multicast stays multicast, a local one local. */
  replaceMac(bytes: Uint8Array, at: number): void {
    const block = this.#mac;
    let [all, some] = [0xff, 0];
    for (let i = 0; i < 6; i++) {
      const byte = bytes[at + i] ?? 0;
      block[i] = byte;
      all &= byte;
      some |= byte;
    }
    if (all === 0xff || some === 0) return;
    const other = this.#macs.of(block);
    const first = bytes[at] ?? 0;
    // What names a group of IP is what switches and dissectors look at.
    const isIpGroup = (first === 0x33 && bytes[at + 1] === 0x33) || (first === 0x01 && bytes[at + 1] === 0);
    for (let i = isIpGroup ? 3 : 1; i < 6; i++) bytes[at + i] = other[i] ?? 0;
    if (!isIpGroup) bytes[at] = ((other[0] ?? 0) & 0xfc) | (first & 0x03);
  }

  /** A bit flips by what stands before it: `free` is the first that may. */
  #replace(cipher: Blocks, address: Uint8Array, rows: readonly Special[], out: Uint8Array): void {
    const bits = 8 * address.length;
    const free = firstFree(address, rows);
    out.set(address);
    if (free >= bits) return;
    const blocks = Buffer.alloc(BLOCK * (bits - free));
    for (let bit = free; bit < bits; bit++) {
      const at = BLOCK * (bit - free);
      blocks.set(this.#pad, at);
      for (let i = 0; 8 * i < bit; i++) blocks[at + i] = mixed(address[i] ?? 0, this.#pad[i] ?? 0, bit - 8 * i);
      // Where an address goes on as the pad does, the blocks of two bits would be the same, and both would flip or none.
      blocks[at + BLOCK - 1] = (blocks[at + BLOCK - 1] ?? 0) ^ bit;
    }
    const drawn = cipher.of(blocks);
    for (let bit = free; bit < bits; bit++)
      if ((drawn[BLOCK * (bit - free)] ?? 0) & 1) out[bit >> 3] = (out[bit >> 3] ?? 0) ^ (0x80 >> (bit & 7));
  }
}

/** The first `bits` bits of `a`, then those of `b`. */
function mixed(a: number, b: number, bits: number): number {
  const mask = bits >= 8 ? 0xff : (0xff00 >> bits) & 0xff;
  return (a & mask) | (b & ~mask);
}

/** Bits before it lead to a special prefix or are part of one. */
function firstFree(address: Uint8Array, rows: readonly Special[]): number {
  let free = 0;
  for (const { prefix, bits, kept } of rows) {
    const common = commonBits(address, prefix);
    free = Math.max(free, common >= bits ? kept : common + 1);
  }
  return free;
}

function commonBits(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < a.length; i++) {
    const differs = (a[i] ?? 0) ^ (b[i] ?? 0);
    if (differs !== 0) return 8 * i + Math.clz32(differs) - 24;
  }
  return 8 * a.length;
}

function isSame(a: Uint8Array, at: number, b: Uint8Array, from: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (a[at + i] !== b[from + i]) return false;
  return true;
}

function specials(rows: readonly Row[]): Special[] {
  return rows.map(([prefix, bits, kept = bits]) => ({ prefix: bytesOf(prefix), bits, kept }));
}

function bytesOf(text: string): Uint8Array {
  return parseIpv6(text) ?? Uint8Array.from(text.split('.'), Number);
}
