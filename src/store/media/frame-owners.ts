/**
 * Decides which dialogs own a media packet between two UDP sockets, for the files of calls.
 *
 * Every dialog that named both sockets owns it: two legs of a call may describe the same media. If none did (NAT, or a
 * description that is not known yet), the dialog that owns its stream does, else the newest dialog that named one socket.
 * RTCP may have a port of its own at one end or at both (RFC 3550 section 11, RFC 5761). A dialog keeps its sockets until 32
 * s after its end. It loses them earlier to a dialog that began after the last that is known of the first.
 */
import type { EndpointKey } from '../../core/ip.ts';
import { endpointKey, endpointKeyPort, endpointKeyWithPort } from '../../core/ip.ts';
import type { Packet } from '../../sources/packet.ts';
import type { Dialog } from '../dialogs/dialog.ts';
import type { EndpointIndex } from './endpoint-index.ts';
import { CLAIM_LINGER_US } from './endpoint-index.ts';
import type { Stream } from './stream.ts';

export class FrameOwners {
  readonly #endpoints: EndpointIndex;
  /** Claims on the source and on the destination, the newest first. */
  readonly #src: number[] = [];
  readonly #dst: number[] = [];
  readonly #found: Dialog[] = [];

  constructor(endpoints: EndpointIndex) {
    this.#endpoints = endpoints;
  }

  /** Valid until the next call. `stream` is that of an RTP packet. */
  of(p: Packet, stream: Stream | undefined, isControl: boolean): readonly Dialog[] {
    const src = endpointKey(p.addresses, p.srcOff, p.ipVersion, p.srcPort);
    const dst = endpointKey(p.addresses, p.dstOff, p.ipVersion, p.dstPort);
    return this.ofSockets(src, dst, p.tsUs, stream, isControl);
  }

  /** The same of two sockets at a time. */
  ofSockets(
    src: EndpointKey,
    dst: EndpointKey,
    atUs: number,
    stream: Stream | undefined,
    isControl: boolean,
  ): readonly Dialog[] {
    const found = this.#found;
    this.#between(src, dst, atUs);
    if (found.length > 0) return found;
    const srcMedia = isControl ? mediaPort(src) : src;
    const dstMedia = isControl ? mediaPort(dst) : dst;
    if (isControl) {
      this.#between(srcMedia, dstMedia, atUs);
      if (found.length === 0) this.#between(srcMedia, dst, atUs);
      if (found.length === 0) this.#between(src, dstMedia, atUs);
      if (found.length > 0) return found;
    }
    const owner = stream?.dialog ?? null;
    if (owner !== null && !(owner.endedUs < atUs - CLAIM_LINGER_US)) found.push(owner);
    else this.#addNewest(isControl ? [dst, src, dstMedia, srcMedia] : [dst, src], atUs);
    return found;
  }

  /** The dialogs that named both and that none came after. */
  #between(src: EndpointKey, dst: EndpointKey, atUs: number): void {
    const endpoints = this.#endpoints;
    const found = this.#found;
    found.length = 0;
    endpoints.claimsAt(src, atUs, this.#src);
    if (this.#src.length === 0) return;
    endpoints.claimsAt(dst, atUs, this.#dst);
    let newestUs = Number.NEGATIVE_INFINITY;
    for (const row of this.#dst) {
      const dialog = endpoints.dialogOf(row);
      if (dialog === null || found.includes(dialog)) continue;
      if (!this.#src.some((one) => endpoints.dialogOf(one) === dialog)) continue;
      found.push(dialog);
      newestUs = Math.max(newestUs, dialog.createdUs);
    }
    if (found.length < 2) return;
    let kept = 0;
    for (const dialog of found) if (lastKnownUs(dialog) >= newestUs) found[kept++] = dialog;
    found.length = kept;
  }

  #addNewest(keys: readonly EndpointKey[], atUs: number): void {
    const endpoints = this.#endpoints;
    let best: Dialog | null = null;
    let bestUs = Number.NEGATIVE_INFINITY;
    let isBestOver = true;
    for (const key of keys) {
      const row = endpoints.find(key, atUs);
      const dialog = endpoints.dialogOf(row);
      if (dialog === null) continue;
      const isOver = endpoints.isOver(row, atUs);
      if (isOver !== isBestOver ? isOver : endpoints.fromUs(row) <= bestUs) continue;
      best = dialog;
      bestUs = endpoints.fromUs(row);
      isBestOver = isOver;
    }
    if (best !== null) this.#found.push(best);
  }
}

function lastKnownUs({ endedUs, updatedUs }: Dialog): number {
  return Number.isNaN(endedUs) ? updatedUs : endedUs;
}

/** The socket of the media that RTCP on this one would be about. */
function mediaPort(key: EndpointKey): EndpointKey {
  const port = endpointKeyPort(key);
  return port === 0 ? key : endpointKeyWithPort(key, port - 1);
}
