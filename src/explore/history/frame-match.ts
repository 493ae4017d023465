/**
 * Whether a frame may belong to some calls, by bytes at the places where IP has addresses and ports, wherever in the frame a header
 * stands: under a tunnel too, and in what ICMP quotes. It takes too many rather than too few: what it takes is decoded afterwards as
 * every capture is.
 */
import { parseIpv4, parseIpv6 } from '../../core/ip.ts';
import type { Wanted } from './wanted.ts';

/** So far into a frame a header is looked for: under some tunnels. */
const LOOKED_AT = 200;

const TCP = 6;
const ICMP = 1;
const ICMP_6 = 58;
const FRAGMENT_6 = 44;
/** Headers of IPv6 behind which a transport stands at once. */
const TRANSPORTS_6: ReadonlySet<number> = new Set([TCP, 17, 132]);

type Known = { readonly bytes: Uint8Array; readonly media: Set<number>; readonly signaling: Set<number> };

export class FrameMatch {
  readonly #four: Known[] = [];
  readonly #six: Known[] = [];
  /** First bytes of addresses. */
  readonly #first = new Uint8Array(256);

  constructor(wanted: readonly Wanted[]) {
    const known = new Map<string, Known>();
    for (const { hosts, sockets, media, hasConnection } of wanted) {
      for (const host of hosts) this.#know(known, host);
      if (hasConnection) for (const { host, port } of sockets) this.#know(known, host)?.signaling.add(port);
      for (const { host, port } of media) this.#know(known, host)?.media.add(port);
    }
  }

  #know(known: Map<string, Known>, host: string): Known | null {
    const found = known.get(host);
    if (found !== undefined) return found;
    const bytes = addressBytes(host);
    if (bytes === null) return null;
    const one: Known = { bytes, media: new Set(), signaling: new Set() };
    known.set(host, one);
    (bytes.length === 4 ? this.#four : this.#six).push(one);
    this.#first[bytes[0] ?? 0] = 1;
    return one;
  }

  /** Whether the frame from `start` up to `end` has sockets of a call, is a fragment between its addresses, or an error about it. */
  matches(b: Uint8Array, start: number, end: number): boolean {
    const last = Math.min(end, start + LOOKED_AT) - 4;
    for (let i = start + 8; i <= last; i++) {
      if (this.#first[b[i] ?? 0] === 0) continue;
      if (this.#isFour(b, start, i, end) || this.#isSix(b, start, i, end)) return true;
    }
    return false;
  }

  #isFour(b: Uint8Array, start: number, at: number, end: number): boolean {
    if (at + 4 > end) return false;
    const known = find(this.#four, b, at);
    if (known === null) return false;
    for (const [header, isSource] of [
      [at - 12, true],
      [at - 16, false],
    ] as const) {
      const version = header < start ? 0 : (b[header] ?? 0);
      if (version >> 4 !== 4 || (version & 15) < 5 || header + 20 > end) continue;
      const other = find(this.#four, b, isSource ? header + 16 : header + 12);
      const protocol = b[header + 9] ?? 0;
      const isFragment = (((b[header + 6] ?? 0) & 0x3f) | (b[header + 7] ?? 0)) !== 0;
      if (isFragment ? other !== null : protocol === ICMP) return true;
      const ports = header + (version & 15) * 4;
      if (ports + 4 <= end && hasSockets(b, ports, isSource, protocol, known, other)) return true;
    }
    return false;
  }

  #isSix(b: Uint8Array, start: number, at: number, end: number): boolean {
    if (at + 16 > end) return false;
    const known = find(this.#six, b, at);
    if (known === null) return false;
    for (const [header, isSource] of [
      [at - 8, true],
      [at - 24, false],
    ] as const) {
      if (header < start || (b[header] ?? 0) >> 4 !== 6 || header + 40 > end) continue;
      const other = find(this.#six, b, isSource ? header + 24 : header + 8);
      const next = b[header + 6] ?? 0;
      if (next === ICMP_6) return true;
      // Behind other headers the ports stand further on.
      if (next === FRAGMENT_6 || !TRANSPORTS_6.has(next)) {
        if (other !== null) return true;
        continue;
      }
      if (header + 44 <= end && hasSockets(b, header + 40, isSource, next, known, other)) return true;
    }
    return false;
  }
}

/** Media is known by one of its sockets, a connection by both. `ports`: where they stand. */
function hasSockets(
  b: Uint8Array,
  ports: number,
  isSource: boolean,
  protocol: number,
  known: Known,
  other: Known | null,
): boolean {
  const [source, target] = [portAt(b, ports), portAt(b, ports + 2)];
  const [own, far] = isSource ? [source, target] : [target, source];
  if (known.media.has(own)) return true;
  return protocol === TCP && other !== null && known.signaling.has(own) && other.signaling.has(far);
}

function portAt(b: Uint8Array, at: number): number {
  return ((b[at] ?? 0) << 8) | (b[at + 1] ?? 0);
}

function find(list: readonly Known[], b: Uint8Array, at: number): Known | null {
  next: for (const one of list) {
    const { bytes } = one;
    for (let i = 0; i < bytes.length; i++) if (b[at + i] !== bytes[i]) continue next;
    return one;
  }
  return null;
}

/** Null for what is no address. */
function addressBytes(host: string): Uint8Array | null {
  const four = parseIpv4(host);
  if (four < 0) return parseIpv6(host);
  return Uint8Array.of(four >>> 24, (four >>> 16) & 255, (four >>> 8) & 255, four & 255);
}
