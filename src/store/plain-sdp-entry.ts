/**
 * One audio stream at one IPv4 address, as nearly every description names it: entry, media line and claim in one small
 * object, where the general form takes four and their texts.
 */
import type { EndpointKey } from '../core/ip.ts';
import { endpointKey, endpointKeyAddress } from '../core/ip.ts';
import { isPublicAt } from '../core/private-address.ts';
import type { CodecSet } from './codec-set.ts';
import type { Dialog } from './dialog.ts';
import type { Claim } from './endpoint-index.ts';
import type { Carrier } from './fingerprint.ts';
import type { SdpShape } from './sdp-shapes.ts';
import type { MediaMode, SdpEntry, SdpEvent, SdpMediaLine } from './sdp-timeline.ts';

const OFFER = 1;
const SIDE = 2;
const PUBLIC_PEER = 4;

export class PlainSdpEntry implements SdpEntry, SdpMediaLine, Claim {
  readonly dialog: Dialog;
  tsUs: number;
  readonly port: number;
  readonly sender: EndpointKey;
  event: SdpEvent | null = null;
  isRefused = false;
  readonly #shape: SdpShape;
  readonly #v4: number;
  #bits: number;

  constructor(dialog: Dialog, shape: SdpShape, v4: number, port: number, isOffer: boolean, side: number, c: Carrier) {
    this.dialog = dialog;
    this.tsUs = c.tsUs;
    this.port = port;
    this.sender = endpointKey(c.addresses, c.srcOff, c.ipVersion, c.srcPort);
    this.#shape = shape;
    this.#v4 = v4;
    const isPublic = isPublicAt(c.addresses, c.dstOff, c.ipVersion);
    this.#bits = (isOffer ? OFFER : 0) | (side === 0 ? 0 : SIDE) | (isPublic ? PUBLIC_PEER : 0);
  }

  get isOffer(): boolean {
    return (this.#bits & OFFER) !== 0;
  }
  set isOffer(value: boolean) {
    this.#bits = value ? this.#bits | OFFER : this.#bits & ~OFFER;
  }
  get side(): number {
    return (this.#bits & SIDE) === 0 ? 0 : 1;
  }
  get toPublicPeer(): boolean {
    return (this.#bits & PUBLIC_PEER) !== 0;
  }
  get hasT38(): boolean {
    return false;
  }
  get type(): string {
    return 'audio';
  }
  get mediaType(): string {
    return 'audio';
  }
  get fromUs(): number {
    return this.tsUs;
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
  get isSrtp(): boolean {
    return this.#shape.isSrtp;
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
