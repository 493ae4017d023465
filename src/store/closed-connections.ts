/**
 * TCP connections that carried SIP and were closed or reset (RFC 9293 section 3.6): when, and who began it. A connection that
 * runs between the same sockets later takes the place of the one before.
 */
import type { EndpointKey } from '../core/ip.ts';
import { dropOldest } from '../core/maps.ts';

/**
 * Connections that were closed, the newest of each pair of sockets.
 *
 * @cap memory 3 MiB, closed_connections_evicted: connections that were closed
 */
const MAX_CLOSED_CONNECTIONS = 8_192;

export type ClosedConnection = {
  /** Its first segment that was seen. */
  readonly sinceUs: number;
  /** The first FIN or RST. */
  readonly atUs: number;
  readonly isReset: boolean;
  /** Who sent it. */
  readonly by: EndpointKey;
};

export class ClosedConnections {
  readonly #byWay = new Map<string, ClosedConnection>();
  /** Connections that gave their place to newer ones. */
  evicted = 0;

  get size(): number {
    return this.#byWay.size;
  }

  add(by: EndpointKey, other: EndpointKey, sinceUs: number, atUs: number, isReset: boolean): void {
    const way = wayOf(by, other);
    // Put in again, so that the one that closed longest ago goes first.
    if (!this.#byWay.delete(way) && this.#byWay.size >= MAX_CLOSED_CONNECTIONS && dropOldest(this.#byWay))
      this.evicted++;
    this.#byWay.set(way, { sinceUs, atUs, isReset, by });
  }

  /** The newest between the two sockets; null when none was closed. */
  of(a: EndpointKey, b: EndpointKey): ClosedConnection | null {
    return this.#byWay.get(wayOf(a, b)) ?? null;
  }
}

/** The same for both directions. */
function wayOf(a: EndpointKey, b: EndpointKey): string {
  const [one, two] = [String(a), String(b)];
  return one < two ? `${one} ${two}` : `${two} ${one}`;
}
