/**
 * One audio stream at one IPv4 address, as nearly every description names it: entry and media line in one, made of its row
 * when somebody asks.
 */
import type { EndpointKey } from '../../core/ip.ts';
import { endpointKeyAddress } from '../../core/ip.ts';
import type { CodecSet } from './codec-set.ts';
import type { MediaMode, SdpEntry, SdpEvent, SdpMediaLine, SdpOccasion, SdpShape } from './sdp-timeline.ts';

export class PlainSdpEntry implements SdpEntry, SdpMediaLine {
  readonly tsUs: number;
  readonly isOffer: boolean;
  readonly side: number;
  readonly sender: EndpointKey;
  readonly toPublicPeer: boolean;
  readonly event: SdpEvent | null;
  readonly isRefused: boolean;
  readonly port: number;
  readonly #shape: SdpShape;
  readonly #v4: number;

  constructor(o: SdpOccasion, shape: SdpShape, v4: number, port: number) {
    this.tsUs = o.tsUs;
    this.isOffer = o.isOffer;
    this.side = o.side;
    this.sender = o.sender;
    this.toPublicPeer = o.toPublicPeer;
    this.event = o.event;
    this.isRefused = o.isRefused;
    this.port = port;
    this.#shape = shape;
    this.#v4 = v4;
  }

  get hasT38(): boolean {
    return false;
  }
  get type(): string {
    return 'audio';
  }
  get proto(): string {
    return this.#shape.proto;
  }
  get address(): string {
    return endpointKeyAddress(plainKey(this.#v4, 0));
  }
  get mode(): MediaMode {
    return this.#shape.mode;
  }
  get isRtp(): boolean {
    return this.#shape.isRtp;
  }
  get codecs(): CodecSet {
    return this.#shape.codecs;
  }
  get media(): readonly SdpMediaLine[] {
    return [this];
  }
}

/** Endpoint key of an address given as a signed 32-bit number. */
export function plainKey(v4: number, port: number): number {
  return (v4 >>> 0) * 65_536 + port;
}
