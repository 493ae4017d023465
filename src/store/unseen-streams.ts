/**
 * Streams that only RTCP speaks of: their media runs where this capture does not look.
 */
import type { EndpointKey } from '../core/ip.ts';
import { endpointKeyPort, endpointKeyWithPort } from '../core/ip.ts';
import type { RemoteReport } from './rtcp-data.ts';

const MAX_STREAMS = 4_096;

export type UnseenStream = {
  readonly ssrc: number;
  /** Socket its RTCP comes from. */
  readonly source: EndpointKey;
  readonly firstUs: number;
  lastUs: number;
  /** By the sender's last report; 0 while it sent none. */
  sentPackets: number;
  sentOctets: number;
  /** What its receiver reported last. */
  remote: RemoteReport | null;
};

export class UnseenStreams {
  readonly #byKey = new Map<string, UnseenStream>();
  /** By source socket, and by the media port below it (RFC 3550 section 11). */
  readonly #byEndpoint = new Map<EndpointKey, UnseenStream[]>();
  /** Streams beyond the cap. */
  refused = 0;

  /** The stream, made when it is new; null beyond the cap. */
  note(source: EndpointKey, ssrc: number, tsUs: number): UnseenStream | null {
    const key = `${ssrc}@${source}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      known.lastUs = tsUs;
      return known;
    }
    if (this.#byKey.size >= MAX_STREAMS) {
      this.refused++;
      return null;
    }
    const made = { ssrc, source, firstUs: tsUs, lastUs: tsUs, sentPackets: 0, sentOctets: 0, remote: null };
    this.#byKey.set(key, made);
    const port = endpointKeyPort(source);
    this.#index(source, made);
    if (port % 2 === 1) this.#index(endpointKeyWithPort(source, port - 1), made);
    return made;
  }

  /** Streams whose media would come from this endpoint. */
  at(endpoint: EndpointKey): readonly UnseenStream[] {
    return this.#byEndpoint.get(endpoint) ?? [];
  }

  get size(): number {
    return this.#byKey.size;
  }

  #index(key: EndpointKey, stream: UnseenStream): void {
    const list = this.#byEndpoint.get(key);
    if (list === undefined) this.#byEndpoint.set(key, [stream]);
    else list.push(stream);
  }
}
