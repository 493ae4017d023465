/**
 * Streams that only RTCP speaks of: their media runs where this capture does not look.
 */

import type { EndpointKey } from '../../core/ip.ts';
import { endpointKeyPort, endpointKeyWithPort } from '../../core/ip.ts';
import { dropSilent } from '../../core/maps.ts';
import type { RemoteReport } from './rtcp-data.ts';

/**
 * Streams kept that only RTCP speaks of; one gives its place when it was silent long.
 *
 * @cap memory 2 MiB, rtcp_streams_untracked: streams that RTCP alone speaks of
 */
export const MAX_UNSEEN_STREAMS = 4_096;

/** Microseconds of silence after which a stream that only RTCP speaks of, or a flow of ICMP errors, gives its place. @cap */
export const SILENT_US = 60_000_000;

/** Streams looked up by one endpoint; a flood of SSRCs from one port keeps only the newest findable. @cap */
export const MAX_ENDPOINT_STREAMS = 64;

export type UnseenStream = {
  readonly ssrc: number;
  /** Socket its RTCP comes from. */
  readonly source: EndpointKey;
  /** Socket that its RTCP goes to, as it was last seen. */
  peer: EndpointKey;
  /** First and newest report, by the clock of who reported them; and when the last came in, by ours. */
  readonly firstUs: number;
  newestUs: number;
  lastUs: number;
  /** By the sender's last report; 0 while it sent none. */
  sentPackets: number;
  sentOctets: number;
  /** What its receiver reported last. */
  remote: RemoteReport | null;
};

/** Where reports about a stream run: `source` is the end that sends the stream. */
export type RtcpEnds = { readonly source: EndpointKey; readonly peer: EndpointKey };

export class UnseenStreams {
  /** In the order in which they were spoken of. */
  readonly #byKey = new Map<string, UnseenStream>();
  /** By source socket, and by the media port below it (RFC 3550 section 11). */
  readonly #byEndpoint = new Map<EndpointKey, UnseenStream[]>();
  /** Streams beyond the cap, and those that gave their place. */
  refused = 0;
  evicted = 0;

  /** The stream, made when it is new; null while the cap is full of streams that were spoken of lately. */
  note(ends: RtcpEnds, ssrc: number, tsUs: number, arrivedUs = tsUs): UnseenStream | null {
    const { source, peer } = ends;
    const key = `${ssrc}@${source}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      known.peer = peer;
      known.newestUs = tsUs;
      known.lastUs = arrivedUs;
      this.#byKey.delete(key);
      this.#byKey.set(key, known);
      return known;
    }
    if (this.#byKey.size >= MAX_UNSEEN_STREAMS) {
      const gone = dropSilent(this.#byKey, arrivedUs - SILENT_US);
      if (gone === null) {
        this.refused++;
        return null;
      }
      this.evicted++;
      this.#forget(gone);
    }
    const times = { firstUs: tsUs, newestUs: tsUs, lastUs: arrivedUs };
    const made = { ssrc, source, peer, ...times, sentPackets: 0, sentOctets: 0, remote: null };
    this.#byKey.set(key, made);
    for (const endpoint of mediaSocketsOf(source)) this.#index(endpoint, made);
    return made;
  }

  #forget(stream: UnseenStream): void {
    for (const endpoint of mediaSocketsOf(stream.source)) {
      const rest = (this.#byEndpoint.get(endpoint) ?? []).filter((s) => s !== stream);
      if (rest.length === 0) this.#byEndpoint.delete(endpoint);
      else this.#byEndpoint.set(endpoint, rest);
    }
  }

  /** Streams whose media would come from this endpoint, the newest of many. */
  at(endpoint: EndpointKey): readonly UnseenStream[] {
    return this.#byEndpoint.get(endpoint) ?? [];
  }

  get size(): number {
    return this.#byKey.size;
  }

  #index(key: EndpointKey, stream: UnseenStream): void {
    const list = this.#byEndpoint.get(key);
    if (list === undefined) this.#byEndpoint.set(key, [stream]);
    else {
      if (list.length >= MAX_ENDPOINT_STREAMS) list.shift();
      list.push(stream);
    }
  }
}

/** Where the media may come from whose RTCP comes from `source`: RTCP has the port above it, or the same (RFC 5761). */
export function mediaSocketsOf(source: EndpointKey): EndpointKey[] {
  const port = endpointKeyPort(source);
  return port % 2 === 1 ? [source, endpointKeyWithPort(source, port - 1)] : [source];
}
