/**
 * Counts ICMP errors that quote something other than SIP, by the 5-tuple of the quoted datagram and under a cap. The first
 * match ties an error to a call: the same flow, its SSRC, one end of a stream, or one end that an SDP named.
 */

import type { EndpointKey } from '../../core/ip.ts';
import { endpointKeyAddress, endpointKeyPort, endpointKeyWithPort } from '../../core/ip.ts';
import { dropSilent } from '../../core/maps.ts';
import type { IcmpError } from '../../decode/icmp.ts';
import { PROTOCOL_UDP } from '../../decode/icmp.ts';
import type { Dialog } from '../dialogs/dialog.ts';
import type { EndpointIndex } from '../media/endpoint-index.ts';
import type { Stream } from '../media/stream.ts';
import type { StreamStore } from '../media/stream-store.ts';
import { SILENT_US } from '../media/unseen-streams.ts';

/**
 * Flows that ICMP errors about media are about, and endpoints; errors about further ones are only counted.
 *
 * @cap memory 3 MiB, icmp_flows_untracked: flows and sockets that ICMP refused
 */
export const MAX_ICMP_FLOWS = 4_096;
const MAX_ICMP_ENDPOINTS = 4_096;

/** Flows of ICMP errors of one dialog that its answers name. @cap icmp_flows_beyond_dialog */
export const MAX_DIALOG_ICMP_FLOWS = 64;

/** Flows of ICMP errors that are looked at again for each stream or socket that came since. @cap */
const ICMP_FLOWS_AGAIN = 64;

/** Errors over which the attribution of a flow is tried again, and then at each power of two. */
const RETRY_ERRORS = 4;

export type IcmpAttribution = 'flow' | 'ssrc' | 'endpoint' | 'sdp_endpoint' | 'none';
export type IcmpPayload = 'rtp' | 'rtcp' | 'unread' | 'not_media';

export type IcmpFlow = {
  readonly src: EndpointKey;
  readonly dst: EndpointKey;
  readonly protocol: number;
  readonly ipVersion: number;
  readonly type: number;
  readonly code: number;
  /** Address of the host or router that sent the error. */
  readonly reportedBy: string;
  readonly firstUs: number;
  lastUs: number;
  errors: number;
  payload: IcmpPayload;
  payloadType: number | null;
  rtcpType: number | null;
  ssrc: number | null;
  attribution: IcmpAttribution;
  dialog: Dialog | null;
  streams: number;
};

export class IcmpMediaTally {
  readonly #endpoints: EndpointIndex;
  readonly #streams: StreamStore;
  readonly #flows = new Map<string, IcmpFlow>();
  readonly #byDialog = new WeakMap<Dialog, readonly IcmpFlow[]>();
  /** Streams and endpoints there were when flows without a call were last looked at. */
  #knownThen = 0;
  /** Unreachable endpoints and their errors, for flows beyond the cap too. */
  readonly #unreachable = new Map<EndpointKey, number>();
  errors = 0;
  /** The quote ended before the ports. */
  unkeyed = 0;
  /** Errors about flows beyond the cap. */
  untrackedFlows = 0;
  /** Flows that gave their place. */
  evictedFlows = 0;
  /** Flows beyond those of one dialog. */
  beyondDialog = 0;
  /** Errors about endpoints beyond the cap. */
  untalliedEndpoints = 0;

  constructor(endpoints: EndpointIndex, streams: StreamStore) {
    this.#endpoints = endpoints;
    this.#streams = streams;
  }

  get flows(): IterableIterator<IcmpFlow> {
    return this.#flows.values();
  }

  /** Errors in all, those about media, and those tied to a stream or a call. */
  totals(): { errors: number; media: number; attributed: number } {
    let media = 0;
    let attributed = 0;
    for (const flow of this.#flows.values()) {
      if (flow.payload === 'rtp' || flow.payload === 'rtcp' || flow.attribution === 'flow') media += flow.errors;
      if (flow.attribution !== 'none') attributed += flow.errors;
    }
    return { errors: this.errors, media, attributed };
  }

  get flowCount(): number {
    return this.#flows.size;
  }

  /** An error about a datagram that is no SIP; `src` and `dst` are null when the quote does not name ports. */
  add(
    e: IcmpError,
    bytes: Uint8Array,
    src: EndpointKey | null,
    dst: EndpointKey | null,
    reportedBy: string,
    tsUs: number,
  ): void {
    this.errors++;
    if (src === null || dst === null) {
      this.unkeyed++;
      return;
    }
    this.#tallyEndpoint(dst);
    const key = `${e.protocol}|${src}>${dst}`;
    const known = this.#flows.get(key);
    if (known !== undefined) this.#flows.delete(key);
    else if (this.#flows.size >= MAX_ICMP_FLOWS && !this.#makeRoom(tsUs)) {
      this.untrackedFlows++;
      return;
    }
    const flow = known ?? newFlow(e, src, dst, reportedBy, tsUs);
    this.#flows.set(key, flow);
    flow.errors++;
    flow.lastUs = tsUs;
    if (flow.ssrc === null) readPayload(flow, e, bytes);
    const isDue = flow.errors <= RETRY_ERRORS || (flow.errors & (flow.errors - 1)) === 0;
    if (flow.attribution !== 'flow' && isDue) this.#attribute(flow);
  }

  /** The flow that no error has been about for long goes. */
  #makeRoom(nowUs: number): boolean {
    const gone = dropSilent(this.#flows, nowUs - SILENT_US);
    if (gone === null) return false;
    this.evictedFlows++;
    if (gone.dialog !== null) this.#list(gone.dialog, (list) => list.filter((f) => f !== gone));
    return true;
  }

  /**
   * Flows tied to this dialog. What could be tied to none is looked at again once there is more to tie it to: with many flows
   * once there is much more, or a stranger's errors would be looked at for each call.
   */
  ofDialog(d: Dialog): readonly IcmpFlow[] {
    const known = this.#streams.opened + this.#endpoints.size;
    const more = Math.abs(known - this.#knownThen);
    if (more > 0 && more * ICMP_FLOWS_AGAIN >= this.#flows.size) {
      this.#knownThen = known;
      for (const flow of this.#flows.values()) if (flow.attribution === 'none') this.#attribute(flow);
    }
    return this.#byDialog.get(d) ?? [];
  }

  /** Climbs the ladder: from the second time on, streams and descriptions may have come since. */
  #attribute(flow: IcmpFlow): void {
    const found = this.#ladder(flow);
    if (found === null) return;
    flow.attribution = found.rung;
    flow.streams = found.streams;
    if (found.dialog === flow.dialog) return;
    if (flow.dialog !== null) this.#list(flow.dialog, (list) => list.filter((f) => f !== flow));
    flow.dialog = found.dialog;
    if (found.dialog === null) return;
    if ((this.#byDialog.get(found.dialog)?.length ?? 0) >= MAX_DIALOG_ICMP_FLOWS) this.beyondDialog++;
    else this.#list(found.dialog, (list) => [...list, flow]);
  }

  #list(d: Dialog, change: (list: readonly IcmpFlow[]) => readonly IcmpFlow[]): void {
    this.#byDialog.set(d, change(this.#byDialog.get(d) ?? []));
  }

  #ladder(flow: IcmpFlow): { rung: IcmpAttribution; dialog: Dialog | null; streams: number } | null {
    const ends = this.#ends(flow);
    const near = this.#streamsAt(ends, flow.firstUs);
    const exact = near.filter((s) => s.srcKey === flow.src && s.dstKey === flow.dst);
    if (exact.length > 0) return { rung: 'flow', dialog: dialogOf(exact), streams: exact.length };
    if (flow.ssrc !== null) {
      const same = this.#bySsrc(flow, flow.ssrc);
      if (same.length > 0) return { rung: 'ssrc', dialog: dialogOf(same), streams: same.length };
    }
    const touching = near.filter((s) => ends.includes(s.srcKey) || ends.includes(s.dstKey));
    if (touching.length > 0) return { rung: 'endpoint', dialog: dialogOf(touching), streams: touching.length };
    for (const key of ends) {
      const dialog = this.#endpoints.dialogOf(this.#endpoints.latest(key, flow.firstUs));
      if (dialog !== null) return { rung: 'sdp_endpoint', dialog, streams: 0 };
    }
    return null;
  }

  /** Both ends; RTCP runs one port above the media it is about (RFC 3550 section 11). */
  #ends(flow: IcmpFlow): EndpointKey[] {
    const ends = [flow.dst, flow.src];
    if (flow.protocol !== PROTOCOL_UDP) return [];
    for (const key of [flow.dst, flow.src]) {
      const port = endpointKeyPort(key);
      if (port % 2 === 1 && flow.payload !== 'rtp') ends.push(endpointKeyWithPort(key, port - 1));
    }
    return ends;
  }

  #streamsAt(ends: readonly EndpointKey[], atUs: number): Stream[] {
    const found = new Set<Stream>();
    for (const key of ends) for (const s of this.#streams.at(key, atUs)) found.add(s);
    return [...found];
  }

  /** Streams with this SSRC when they are of one call; where several calls use it, those of the same hosts. */
  #bySsrc(flow: IcmpFlow, ssrc: number): readonly Stream[] {
    const all = this.#streams.bySsrc(ssrc);
    if (isOneCall(all)) return all;
    const hosts = [endpointKeyAddress(flow.src), endpointKeyAddress(flow.dst)];
    const near = all.filter(
      (s) => hosts.includes(endpointKeyAddress(s.srcKey)) && hosts.includes(endpointKeyAddress(s.dstKey)),
    );
    return isOneCall(near) ? near : [];
  }

  #tallyEndpoint(key: EndpointKey): void {
    const known = this.#unreachable.get(key);
    if (known === undefined && this.#unreachable.size >= MAX_ICMP_ENDPOINTS) this.untalliedEndpoints++;
    else this.#unreachable.set(key, (known ?? 0) + 1);
  }
}

function isOneCall(streams: readonly Stream[]): boolean {
  return streams.length > 0 && streams.every((s) => s.dialog === streams[0]?.dialog);
}

function dialogOf(streams: readonly Stream[]): Dialog | null {
  return streams.find((s) => s.dialog !== null)?.dialog ?? null;
}

function newFlow(e: IcmpError, src: EndpointKey, dst: EndpointKey, reportedBy: string, tsUs: number): IcmpFlow {
  return {
    src,
    dst,
    protocol: e.protocol,
    ipVersion: e.ipVersion,
    type: e.type,
    code: e.code,
    reportedBy,
    firstUs: tsUs,
    lastUs: tsUs,
    errors: 0,
    payload: 'unread',
    payloadType: null,
    rtcpType: null,
    ssrc: null,
    attribution: 'none',
    dialog: null,
    streams: 0,
  };
}

/** RTP or RTCP by their fixed headers (RFC 3550 sections 5.1 and 6.4, RFC 5761 section 4), as far as they are quoted. */
function readPayload(flow: IcmpFlow, e: IcmpError, b: Uint8Array): void {
  if (e.protocol !== PROTOCOL_UDP) {
    flow.payload = 'not_media';
    return;
  }
  let at = e.payloadStart;
  if (e.payloadEnd - at < 2) return;
  // ChannelData: the media is four bytes further on.
  if ((b[at] ?? 0) >> 4 === 4 && e.payloadEnd - at >= 6) at += 4;
  const second = b[at + 1] ?? 0;
  const isVersion2 = (b[at] ?? 0) >> 6 === 2;
  if (!isVersion2 || e.srcPort < 1024 || e.dstPort < 1024) {
    flow.payload = 'not_media';
    return;
  }
  if (second >= 192 && second <= 223) {
    flow.payload = 'rtcp';
    flow.rtcpType = second;
    if (e.payloadEnd - at >= 8) flow.ssrc = be32(b, at + 4);
    return;
  }
  flow.payload = 'rtp';
  flow.payloadType = second & 0x7f;
  if (e.payloadEnd - at >= 12) flow.ssrc = be32(b, at + 8);
}

function be32(b: Uint8Array, at: number): number {
  return (b[at] ?? 0) * 0x1000000 + (b[at + 1] ?? 0) * 0x10000 + (b[at + 2] ?? 0) * 256 + (b[at + 3] ?? 0);
}
