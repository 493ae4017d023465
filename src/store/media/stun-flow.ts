/**
 * What one client and one STUN or TURN server said to each other (RFC 8489, RFC 8656).
 */

import type { EndpointKey } from '../../core/ip.ts';

/** Channels remembered of one TURN allocation. @cap */
const MAX_TURN_CHANNELS = 16;

/** How a stream was carried by a relay. */
export type RelayUse = { readonly channel: number | null; readonly peer: EndpointKey | null };

export class StunFlow {
  readonly client: EndpointKey;
  readonly server: EndpointKey;
  /** Binding requests sent, retransmissions included, and answers that came. */
  requests = 0;
  answers = 0;
  /** The client as the server sees it. */
  mapped: EndpointKey | null = null;
  /** Address the server relays for the client. */
  relayed: EndpointKey | null = null;
  /** When the allocation lapses unless it is refreshed; NaN while none is known, or once it was given back. */
  expiresUs = Number.NaN;
  /** When the server first said that it knows no such allocation (437); NaN otherwise. */
  missingUs = Number.NaN;
  /** Peer of each channel bound, null where the binding was not seen. */
  readonly channels = new Map<number, EndpointKey | null>();

  constructor(client: EndpointKey, server: EndpointKey) {
    this.client = client;
    this.server = server;
  }

  bind(channel: number, peer: EndpointKey | null): void {
    if (this.channels.size < MAX_TURN_CHANNELS || this.channels.has(channel)) this.channels.set(channel, peer);
  }

  /** When the relay had stopped carrying anything by `endUs`: capture time, or NaN when it had not. */
  lapsedUs(endUs: number): number {
    const at = Number.isNaN(this.missingUs) ? this.expiresUs : Math.min(this.missingUs, this.expiresUs || Infinity);
    return at < endUs ? at : Number.NaN;
  }
}
