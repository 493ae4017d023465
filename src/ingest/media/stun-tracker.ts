/**
 * STUN, TURN and ICE to what they mean for calls: which address is whose, what a relay carries, which pair ICE chose
 * (RFC 8489, RFC 8656, RFC 8445).
 *
 * Everything is kept under a cap, the oldest goes first and is counted. Nothing here is touched by a message or packet
 * that is not STUN, but for one look per endpoint an SDP names.
 */

import { EndpointMap } from '../../core/endpoint-map.ts';
import type { EndpointKey } from '../../core/ip.ts';
import { endpointKey, endpointKeyAddress, endpointKeyPort } from '../../core/ip.ts';
import { dropOldest } from '../../core/maps.ts';
import type { StunMessage } from '../../protocols/stun/message.ts';
import { channelOf, parseStun, STUN_METHOD, STUN_REASONS } from '../../protocols/stun/message.ts';
import type { Packet } from '../../sources/packet.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { Claim, EndpointIndex } from '../../store/media/endpoint-index.ts';
import { IceChecks } from '../../store/media/ice-checks.ts';
import type { Stream } from '../../store/media/stream.ts';
import type { RelayUse } from '../../store/media/stun-flow.ts';
import { StunFlow } from '../../store/media/stun-flow.ts';
import { NONE } from '../../store/row-blocks.ts';
import { IceFragments } from './ice-fragments.ts';
import type { PairEnd } from './ice-pairs.ts';
import { claimsOfPair } from './ice-pairs.ts';

/**
 * Clients and servers of STUN and TURN.
 *
 * @cap memory 20 MiB, stun_flows_evicted: clients of STUN and TURN servers, with their channels
 */
const MAX_STUN_FLOWS = 8_192;

/**
 * Requests of STUN and TURN without an answer yet.
 *
 * @cap memory 4 MiB, stun_requests_evicted: STUN requests that wait
 */
const MAX_STUN_REQUESTS = 8_192;

/** Flows of STUN and TURN of one client host that are looked at. @cap */
const MAX_STUN_HOST_FLOWS = 32;

const ROLE_CONFLICT = 487;
const ALLOCATION_MISMATCH = 437;
/** RFC 8489 section 8.1 and RFC 8656 section 3.2: the ports servers listen on. */
const SERVER_PORTS = new Set([3478, 3479, 5349, 19302, 19305]);

/** A request that waits for its answer. */
type Pending = {
  readonly method: number;
  readonly src: EndpointKey;
  readonly dst: EndpointKey;
  /** Null for a connectivity check. */
  readonly flow: StunFlow | null;
  readonly username: string | null;
  readonly channel: number | null;
  readonly peer: EndpointKey | null;
};

type Alias = { readonly client: EndpointKey; readonly flow: StunFlow; readonly kind: 'relay' | 'mapped' };

export type StunDeps = {
  readonly endpoints: EndpointIndex;
  /** A dialog's media runs at this endpoint too. */
  readonly name: (key: EndpointKey, claim: Claim) => void;
};

export class StunTracker {
  readonly #d: StunDeps;
  readonly #flows = new Map<string, StunFlow>();
  readonly #byHost = new Map<string, StunFlow[]>();
  readonly #pending = new Map<string, Pending>();
  /** Mapped and relayed addresses, and the socket after each. */
  readonly #aliases = new EndpointMap<Alias>();
  readonly #fragments = new IceFragments();
  readonly #relayed = new WeakMap<Stream, RelayUse>();
  /** Connectivity checks of the sockets of calls. */
  readonly ice = new IceChecks();
  messages = 0;
  /** Messages that did not parse, by reason. */
  readonly refused = new Map<string, number>(STUN_REASONS.map((r) => [r, 0]));
  /** Attributes that did not fit ended the reading of these. */
  cut = 0;
  /** Connectivity checks refused because both agents took the same role (RFC 8445 section 7.3.1.1). */
  roleConflicts = 0;
  flowsEvicted = 0;
  requestsEvicted = 0;
  /** Addresses behind a server beyond the cap. */
  aliasesRefused = 0;

  constructor(deps: StunDeps) {
    this.#d = deps;
  }

  get flows(): number {
    return this.#flows.size;
  }

  get fragmentsEvicted(): number {
    return this.#fragments.evicted;
  }

  /** Fragments beyond those of one dialog. */
  get fragmentsRefused(): number {
    return this.#fragments.refused;
  }

  /** A STUN message, or ChannelData that carries no RTP. */
  onPacket(buf: Uint8Array, start: number, end: number, c: Packet): void {
    this.messages++;
    const src = endpointKey(c.addresses, c.srcOff, c.ipVersion, c.srcPort);
    const dst = endpointKey(c.addresses, c.dstOff, c.ipVersion, c.dstPort);
    const channel = channelOf(buf, start, end);
    if (channel !== null) {
      this.#onChannelData(channel, src, dst);
      return;
    }
    const parsed = parseStun(buf, start, end);
    if (!parsed.ok) {
      this.refused.set(parsed.reason, (this.refused.get(parsed.reason) ?? 0) + 1);
      return;
    }
    const m = parsed.value;
    if (m.isCut) this.cut++;
    if (m.cls === 'request') this.#onRequest(m, src, dst, c.tsUs);
    else if (m.cls !== 'indication') this.#onResponse(m, src, dst, c.tsUs);
  }

  /** A stream began inside TURN framing, which is given: ChannelData or the head of an indication. */
  onRelayedStream(stream: Stream, buf: Uint8Array, start: number, end: number): void {
    const channel = channelOf(buf, start, end);
    if (channel !== null) {
      this.#onChannelData(channel, stream.srcKey, stream.dstKey);
      this.#relayed.set(stream, { channel, peer: null });
      return;
    }
    const parsed = parseStun(buf, start, end);
    this.#relayed.set(stream, { channel: null, peer: parsed.ok ? parsed.value.peer : null });
  }

  /** An SDP named `key` by the claim with this row: the socket after a mapped or relayed address is the dialog's too. */
  onClaim(key: EndpointKey, row: number): void {
    const alias = this.#aliases.get(key);
    const claim = alias === undefined ? null : this.#d.endpoints.claim(row);
    if (alias !== undefined && claim !== null && claim.derived === undefined)
      this.#d.name(alias.client, derive(claim, alias.kind));
  }

  /** A section of an SDP named an ICE user fragment. */
  onFragment(fragment: string, claim: Claim): void {
    this.#fragments.name(fragment, claim);
  }

  /** The dialog's descriptions are gone, with what they named. */
  onDialogGone(d: Dialog): void {
    this.#fragments.onDialogGone(d);
  }

  /** How the stream was relayed; null when it came as it is. */
  relayUse(stream: Stream): RelayUse | null {
    return this.#relayed.get(stream) ?? null;
  }

  /** Client and server of a relayed stream: by what they said, else by the ports. */
  relayEnds(stream: Stream): { client: EndpointKey; server: EndpointKey; flow: StunFlow | null } {
    const { srcKey, dstKey } = stream;
    const out = this.#flows.get(flowKey(srcKey, dstKey));
    if (out !== undefined) return { client: srcKey, server: dstKey, flow: out };
    const back = this.#flows.get(flowKey(dstKey, srcKey));
    if (back !== undefined) return { client: dstKey, server: srcKey, flow: back };
    const isServer = SERVER_PORTS.has(endpointKeyPort(srcKey));
    return { client: isServer ? dstKey : srcKey, server: isServer ? srcKey : dstKey, flow: null };
  }

  /** The allocation whose relayed address this is. */
  flowOfRelayed(key: EndpointKey): StunFlow | null {
    const alias = this.#aliases.get(key);
    return alias?.kind === 'relay' ? alias.flow : null;
  }

  /** What this host asked of STUN and TURN servers. */
  flowsOfHost(address: string): readonly StunFlow[] {
    return this.#byHost.get(address) ?? [];
  }

  #onRequest(m: StunMessage, src: EndpointKey, dst: EndpointKey, tsUs: number): void {
    const isCheck = m.method === STUN_METHOD.BINDING && (m.isIceCheck || (m.username?.includes(':') ?? false));
    const flow = isCheck ? null : this.#flow(src, dst);
    if (flow !== null && m.method === STUN_METHOD.BINDING) flow.requests++;
    const key = pendingKey(m, src);
    // What is sent again is the newest.
    this.#pending.delete(key);
    if (isCheck) this.#noteCheck(src, dst, tsUs);
    if (this.#pending.size >= MAX_STUN_REQUESTS && dropOldest(this.#pending)) this.requestsEvicted++;
    const { method, username, channel, peer } = m;
    this.#pending.set(key, { method, src, dst, flow, username, channel, peer });
  }

  #noteCheck(src: EndpointKey, dst: EndpointKey, tsUs: number): void {
    const named = [src, dst].filter((key) => this.#d.endpoints.find(key, tsUs) !== NONE);
    this.ice.onRequest(src, dst, named, tsUs);
  }

  #onResponse(m: StunMessage, src: EndpointKey, dst: EndpointKey, tsUs: number): void {
    const key = pendingKey(m, dst);
    const request = this.#pending.get(key);
    if (m.method === STUN_METHOD.BINDING) {
      // Also where the request came another way, or was evicted.
      const ends = request ?? { src: dst, dst: src };
      this.ice.onResponse(ends.src, ends.dst, m.cls === 'error', m.errorCode, tsUs);
    }
    if (request === undefined || request.method !== m.method) return;
    this.#pending.delete(key);
    if (m.cls === 'error') {
      if (m.errorCode === ROLE_CONFLICT && m.method === STUN_METHOD.BINDING) this.roleConflicts++;
      const isGone = m.errorCode === ALLOCATION_MISMATCH && m.method !== STUN_METHOD.ALLOCATE;
      if (isGone && request.flow !== null && Number.isNaN(request.flow.missingUs)) request.flow.missingUs = tsUs;
      return;
    }
    const { flow } = request;
    if (flow === null) {
      this.#onValidPair(request, src, tsUs);
      return;
    }
    switch (m.method) {
      case STUN_METHOD.BINDING:
        flow.answers++;
        flow.mapped = m.mapped ?? flow.mapped;
        this.#alias(m.mapped, flow, 'mapped', tsUs);
        return;
      case STUN_METHOD.ALLOCATE:
        flow.answers++;
        flow.mapped = m.mapped ?? flow.mapped;
        flow.relayed = m.relayed ?? flow.relayed;
        flow.missingUs = Number.NaN;
        if (m.lifetimeSec !== null) flow.expiresUs = tsUs + m.lifetimeSec * 1e6;
        this.#alias(m.mapped, flow, 'mapped', tsUs);
        this.#alias(m.relayed, flow, 'relay', tsUs);
        return;
      case STUN_METHOD.REFRESH:
        if (m.lifetimeSec !== null) flow.expiresUs = m.lifetimeSec === 0 ? Number.NaN : tsUs + m.lifetimeSec * 1e6;
        return;
      case STUN_METHOD.CHANNEL_BIND:
        if (request.channel !== null) flow.bind(request.channel, request.peer);
        return;
      default:
        return;
    }
  }

  /** A check was answered: media may run between the two sockets, whatever the m= line says. */
  #onValidPair(check: Pending, answeredBy: EndpointKey, tsUs: number): void {
    if (answeredBy !== check.dst) return;
    const [receiver = '', sender = ''] = (check.username ?? '').split(':');
    const far = this.#endOf(check.dst, receiver, tsUs);
    const near = this.#endOf(check.src, sender, tsUs);
    for (const { key, claim } of claimsOfPair(far, near, this.#d.endpoints.rows)) this.#d.name(key, claim);
  }

  #endOf(key: EndpointKey, fragment: string, atUs: number): PairEnd {
    const { endpoints } = this.#d;
    const owner = this.#fragments.get(fragment);
    if (owner === null) {
      const claim = this.#claimOn(key, atUs);
      return { key, dialog: claim?.dialog ?? null, claim, sections: [] };
    }
    const { dialog, sections } = owner;
    return { key, dialog, claim: endpoints.claim(endpoints.findOf(dialog, key, atUs)), sections };
  }

  #claimOn(key: EndpointKey, atUs: number): Claim | null {
    return this.#d.endpoints.claim(this.#d.endpoints.find(key, atUs));
  }

  #onChannelData(channel: number, src: EndpointKey, dst: EndpointKey): void {
    const flow = this.#flows.get(flowKey(src, dst)) ?? this.#flows.get(flowKey(dst, src));
    if (flow !== undefined && !flow.channels.has(channel)) flow.bind(channel, null);
  }

  #alias(key: EndpointKey | null, flow: StunFlow, kind: Alias['kind'], tsUs: number): void {
    if (key === null || key === flow.client) return;
    if (this.#aliases.size >= MAX_STUN_FLOWS * 2 && this.#aliases.get(key) === undefined) {
      this.aliasesRefused++;
      return;
    }
    this.#aliases.set(key, { client: flow.client, flow, kind });
    const claim = this.#claimOn(key, tsUs);
    if (claim !== null && claim.derived === undefined) this.#d.name(flow.client, derive(claim, kind));
  }

  #flow(client: EndpointKey, server: EndpointKey): StunFlow {
    const key = flowKey(client, server);
    const known = this.#flows.get(key);
    if (known !== undefined) return known;
    if (this.#flows.size >= MAX_STUN_FLOWS) this.#evictFlow();
    const made = new StunFlow(client, server);
    this.#flows.set(key, made);
    const host = endpointKeyAddress(client);
    const list = this.#byHost.get(host);
    if (list === undefined) this.#byHost.set(host, [made]);
    else {
      if (list.length >= MAX_STUN_HOST_FLOWS) list.shift();
      list.push(made);
    }
    return made;
  }

  #evictFlow(): void {
    for (const [key, flow] of this.#flows) {
      this.#flows.delete(key);
      this.flowsEvicted++;
      const host = endpointKeyAddress(flow.client);
      const rest = (this.#byHost.get(host) ?? []).filter((f) => f !== flow);
      if (rest.length === 0) this.#byHost.delete(host);
      else this.#byHost.set(host, rest);
      for (const alias of [flow.mapped, flow.relayed])
        if (alias !== null && this.#aliases.get(alias)?.flow === flow) this.#aliases.delete(alias);
      return;
    }
  }
}

function derive(claim: Claim, derived: 'relay' | 'mapped'): Claim {
  return { ...claim, derived };
}

function flowKey(client: EndpointKey, server: EndpointKey): string {
  return `${client}>${server}`;
}

function pendingKey(m: StunMessage, client: EndpointKey): string {
  return `${m.transactionId}@${client}`;
}
