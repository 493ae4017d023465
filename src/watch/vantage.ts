/**
 * Between which hosts media was seen, of the newest streams: what tells whether other media of these hosts would come past. Only
 * streams count that an answered call named, or the other host answered. Each is looked at once.
 */
import type { Host, SeenMedia } from '../analysis/media/path-ground.ts';
import type { EndpointKey } from '../core/ip.ts';
import { endpointKeyAddress, endpointKeyHost, parseIpv6 } from '../core/ip.ts';
import type { Stream } from '../store/media/stream.ts';
import type { Streams } from '../store/stores.ts';

/** New streams looked at for the hosts that have media here. @cap */
export const MAX_VANTAGE_STREAMS = 4_096;

/** Pairs of hosts with media that are kept; beyond, calltap forgets them all and begins again. @cap */
export const MAX_VANTAGE_PAIRS = 16_384;

/** A phone has media with few hosts: who has it with so many is a media server. */
const SERVER_PEERS = 4;
/** Newer ones may be told from noise earlier: so many more are looked at. */
const LATE_STREAMS = 64;
const NOBODY: ReadonlySet<Host> = new Set();

export class Vantage implements SeenMedia {
  readonly #streams: Pick<Streams, 'establishedEver' | 'orphanedEver' | 'fromNewest'>;
  readonly #pairs = new Set<string>();
  /** Hosts between which a stream of no answered call runs one way: anybody may send to a host that never answers. */
  readonly #oneWay = new Set<string>();
  readonly #networks = new Set<string>();
  readonly #peers = new Map<Host, Set<Host>>();
  #seen = 0;

  constructor(streams: Pick<Streams, 'establishedEver' | 'orphanedEver' | 'fromNewest'>) {
    this.#streams = streams;
  }

  /** Looks at the streams that came since. */
  update(): void {
    const { establishedEver, orphanedEver } = this.#streams;
    const shown = establishedEver + orphanedEver;
    if (shown === this.#seen) return;
    let left = Math.min(shown - this.#seen + LATE_STREAMS, MAX_VANTAGE_STREAMS);
    this.#seen = shown;
    for (const stream of this.#streams.fromNewest()) {
      if (left-- === 0) return;
      if (isOfCall(stream) || this.#isAnswered(stream)) this.#note(stream.srcKey, stream.dstKey);
    }
  }

  hasPair(a: Host, b: Host): boolean {
    return this.#pairs.has(pairText(a, b));
  }

  /** Media ran between the networks of the two hosts. */
  hasNetworks(a: string, b: string): boolean {
    return this.#networks.has(pairText(networkOf(a), networkOf(b)));
  }

  has(host: Host): boolean {
    return this.#peers.has(host);
  }

  isServer(host: Host): boolean {
    return (this.#peers.get(host) ?? NOBODY).size >= SERVER_PEERS;
  }

  /** Whether a stream has one of the other direction. */
  #isAnswered({ srcKey, dstKey }: Stream): boolean {
    const [src, dst] = [String(endpointKeyHost(srcKey)), String(endpointKeyHost(dstKey))];
    if (this.#oneWay.has(`${dst} ${src}`)) return true;
    if (this.#oneWay.size >= MAX_VANTAGE_PAIRS) this.#oneWay.clear();
    this.#oneWay.add(`${src} ${dst}`);
    return false;
  }

  #note(srcKey: EndpointKey, dstKey: EndpointKey): void {
    const [src, dst] = [endpointKeyHost(srcKey), endpointKeyHost(dstKey)];
    const pair = pairText(src, dst);
    if (this.#pairs.has(pair)) return;
    if (this.#pairs.size >= MAX_VANTAGE_PAIRS) this.#forget();
    this.#pairs.add(pair);
    this.#networks.add(pairText(networkOf(endpointKeyAddress(srcKey)), networkOf(endpointKeyAddress(dstKey))));
    for (const [one, other] of [
      [src, dst],
      [dst, src],
    ] as const) {
      const peers = this.#peers.get(one);
      if (peers === undefined) this.#peers.set(one, new Set([other]));
      else if (peers.size < SERVER_PEERS) peers.add(other);
    }
  }

  /** What is seen from then on fills it again. */
  #forget(): void {
    this.#pairs.clear();
    this.#networks.clear();
    this.#peers.clear();
  }
}

/** Anybody may call, and name a socket of his own. */
function isOfCall({ dialog, wasOwned }: Stream): boolean {
  return wasOwned || (dialog !== null && !Number.isNaN(dialog.answerUs));
}

function pairText(a: Host, b: Host): string {
  const [one, other] = [String(a), String(b)];
  return one < other ? `${one} ${other}` : `${other} ${one}`;
}

/** 256 IPv4 addresses, or the first 64 bits of an IPv6 address. */
function networkOf(address: string): string {
  const v6 = address.includes(':') ? parseIpv6(address) : null;
  if (v6 !== null) return Buffer.from(v6.subarray(0, 8)).toString('hex');
  return address.slice(0, address.lastIndexOf('.'));
}
