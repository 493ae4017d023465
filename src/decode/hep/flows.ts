/**
 * Joins SIP over TCP that an agent mirrors packet by packet: pieces of messages in, messages out. A message with a packet of
 * its own never gets here while nothing of its flow waits.
 *
 * A flow lives while it holds a part of a message. It belongs to the sender that it came from. A sender has at most a
 * quarter of the places and bytes: the flows that it invents push out its own.
 */
import { HashInput, hashBytes, mixHashes } from '../../core/hash.ts';
import { TRANSPORT } from '../../core/words.ts';
import { copyBytes, type Packet } from '../../sources/packet.ts';
import { ByteBudget } from '../byte-buffer.ts';
import { DecodeCounters } from '../counters.ts';
import { TCP_LIMITS } from '../decode-limits.ts';
import { type ContentLength, isKnownStart } from '../sip-framing.ts';
import type { FramedTarget, FramerShared } from '../stream-framer.ts';
import { SharedInflation } from '../websocket/permessage-deflate.ts';
import { HepFlow, type HepMirror, type HepShare, mayBegin, PIECE, WHOLE, type Whole } from './flow.ts';

/**
 * Directions of TCP connections that agents mirror packet by packet and that wait for the rest of a message, and the bytes
 * of these messages. One sender has at most a quarter of both.
 *
 * @cap option 24 MiB, hep_flows_evicted: with `-E`: directions of TCP connections that agents mirror packet by packet and
 * that wait for the rest of a message, and the bytes of these messages; one sender has at most a quarter of both
 */
const HEP_FLOWS = 4_096;
const HEP_FLOW_BYTES = 16 * 1024 * 1024;

/** Microseconds for which a mirrored TCP connection waits for the rest of a message. @cap hep_messages_cut */
const HEP_FLOW_WAIT_US = 10_000_000;

export const HEP_FLOW_LIMITS = {
  /** Flows with a part of a message, and the bytes of these parts. */
  maxFlows: HEP_FLOWS,
  maxBytes: HEP_FLOW_BYTES,
  /** How long a part waits for a further one. */
  waitUs: HEP_FLOW_WAIT_US,
};

/** Of all places and bytes, those that one sender may have. */
const SHARE = 0.25;
/** Pieces that are remembered, to know them when they come again; a power of two. */
const RECENT = 1_024;

export type HepFlowHooks = {
  /**
   * A message: [start, end) of `bytes`, valid during the call only, like `packet`. `isJoined`: it came in several pieces;
   * `isCut`: its end did not come.
   */
  onMessage(bytes: Uint8Array, start: number, end: number, packet: Packet, isJoined: boolean, isCut: boolean): void;
  readonly contentLength: ContentLength;
  readonly keepsFrames: boolean;
};

export class HepFlows {
  readonly decode = new DecodeCounters();
  readonly #hooks: HepFlowHooks;
  readonly #limits: typeof HEP_FLOW_LIMITS;
  readonly #shared: FramerShared;
  /** In the order in which they began to wait. Hashes are keyed: two of one hash are no concern. */
  readonly #flows = new Map<number, HepFlow>();
  readonly #shares = new Map<string, HepShare>();
  readonly #input = new HashInput(16);
  readonly #recent = new Int32Array(RECENT);
  /** Packets that brought a part of a message. */
  pieces = 0;
  /** Packets with bytes that belong to no message: the piece before them did not come. */
  unframed = 0;
  /** Messages of which a piece did not come, handed out as far as they go. */
  cut = 0;
  /** Of these, those that gave their place or bytes to others. */
  evicted = 0;
  /** Pieces that came again. */
  copies = 0;

  constructor(hooks: HepFlowHooks, limits: typeof HEP_FLOW_LIMITS = HEP_FLOW_LIMITS) {
    this.#hooks = hooks;
    this.#limits = limits;
    const { contentLength, keepsFrames } = hooks;
    const inflation = new SharedInflation(this.decode);
    const budget = new ByteBudget(limits.maxBytes);
    this.#shared = { counters: this.decode, limits: TCP_LIMITS, budget, inflation, contentLength, keepsFrames };
  }

  /** Flows that wait for a piece. */
  get waiting(): number {
    return this.#flows.size;
  }

  get heldBytes(): number {
    return this.#shared.budget.used;
  }

  /**
   * Takes [start, end) of `b` as bytes of the flow of `c`. False: they are one whole message, of a flow that does not wait,
   * and nothing was done.
   */
  take(b: Uint8Array, start: number, end: number, whole: Whole, c: Packet, mirror: HepMirror): boolean {
    if (whole !== WHOLE.NO && this.#flows.size === 0) return false;
    const hash = this.#hashOf(c, mirror);
    let flow = this.#flows.get(hash);
    if (flow?.isOf(c, mirror) === false) flow = undefined;
    if (whole !== WHOLE.NO && flow === undefined) return false;
    // It overtook the rest of one that was seen later.
    if (whole === WHOLE.SURE && flow !== undefined && flow.order.placeOf(c.toldUs) >= 0) return false;
    const mark = mixHashes(hash, hashBytes(b, start, end));
    if (flow === undefined && this.#recent[mark & (RECENT - 1)] === mark && !mayBegin(b, start, end)) this.copies++;
    else this.#add(flow ?? this.#open(hash, c, mirror), b, start, end, whole, c, mirror.tsUs);
    this.#recent[mark & (RECENT - 1)] = mark;
    return true;
  }

  /**
   * A whole message of the other direction, in this call: a body that has not come is not awaited any more, as the other
   * side had all of it. An agent that leaves bodies out sends none.
   */
  answered(callId: Uint8Array, c: Packet, mirror: HepMirror): void {
    const flow = this.#flows.get(this.#hashOf(c, mirror, true));
    if (flow?.isBodiless(callId) === true) this.#giveUp(flow);
  }

  /** Hands out what has waited too long for its rest. */
  expire(nowUs: number): void {
    for (const flow of this.#flows.values()) if (nowUs - flow.lastUs > this.#limits.waitUs) this.#giveUp(flow);
  }

  /** Nothing more comes. */
  finish(): void {
    for (const flow of this.#flows.values()) this.#giveUp(flow);
  }

  #add(flow: HepFlow, b: Uint8Array, start: number, end: number, whole: Whole, c: Packet, nowUs: number): void {
    const { framer, order } = flow;
    this.pieces++;
    flow.lastUs = nowUs;
    if (flow.hasPiece(c.toldUs, b, start, end)) {
      this.copies++;
      return;
    }
    const isKept = flow.isOrphan(b, start, end) && order.keep({ bytes: copyBytes(b, start, end), packet: { ...c } });
    if (!isKept) {
      // What was seen before this one, and has nothing in front of it, will not get it.
      while (order.early.length > 0 && !((order.early[0]?.packet.toldUs ?? 0) >= c.toldUs)) {
        order.early.shift();
        this.unframed++;
      }
      const at = framer.held.length > 0 && !isKnownStart(b, start, end) ? order.placeOf(c.toldUs) : -1;
      if (at < 0) this.#feed(flow, b, start, end, whole, c);
      else this.#insert(flow, at, b, start, end, c);
      for (let next = order.early[0]; next !== undefined && framer.hasPartial; next = order.early[0]) {
        order.early.shift();
        this.#feed(flow, next.bytes, 0, next.bytes.length, WHOLE.NO, next.packet);
      }
      if (!framer.hasPartial || framer.isIgnored) {
        this.#close(flow);
        return;
      }
    }
    this.#charge(flow);
    this.#shed(flow);
  }

  /** Takes a piece behind what is held. */
  #feed(flow: HepFlow, b: Uint8Array, start: number, end: number, whole: Whole, c: Packet): void {
    const { framer, order } = flow;
    if (framer.hasPartial) {
      this.#cutAt(flow, flow.beganAt(b, start, end));
      const piece = flow.judge(b, start, end, whole);
      if (piece === PIECE.COPY || piece === PIECE.ANEW) this.copies++;
      if (piece === PIECE.COPY) return;
      if (piece === PIECE.ANEW) framer.abandon();
      else if (piece === PIECE.BREAKS) this.#cut(flow);
    }
    flow.takeTimes(c);
    flow.isJoining = framer.hasPartial;
    const ignored = this.decode.tcpBytesIgnored;
    framer.feed(b, start, end, c);
    if (this.decode.tcpBytesIgnored > ignored) this.unframed++;
    if (framer.held.length > end - start) {
      order.add(framer.held.length - (end - start), c.toldUs);
      return;
    }
    flow.begin.copy(c);
    order.begin(c.toldUs);
  }

  /** Takes a piece that was seen before others that came. */
  #insert(flow: HepFlow, at: number, b: Uint8Array, start: number, end: number, c: Packet): void {
    const { framer, order } = flow;
    // It is of a message in front of this one.
    if (at === 0) {
      this.unframed++;
      return;
    }
    const bytes = flow.withPiece(at, b, start, end);
    framer.abandon();
    flow.takeTimes(c);
    flow.isJoining = true;
    framer.feed(bytes, 0, bytes.length, flow.begin);
    if (framer.held.length === bytes.length) order.add(at, c.toldUs, end - start);
    else order.begin(c.toldUs);
  }

  #open(hash: number, c: Packet, mirror: HepMirror): HepFlow {
    const { maxFlows } = this.#limits;
    const share = this.#shareOf(mirror);
    if (share.flows.size >= maxFlows * SHARE) this.#evict(share.flows);
    else if (this.#flows.size >= maxFlows) this.#evict(this.#flows.values());
    const target: FramedTarget = (bytes, start, end, isWebSocket, begin, isTruncated) => {
      const { isJoining } = flow;
      flow.isJoining = false;
      this.#pass(flow, bytes, start, end, isJoining, isTruncated, begin, isWebSocket);
    };
    const flow = new HepFlow(hash, share, c, mirror, this.#shared, target);
    const before = this.#flows.get(hash);
    if (before !== undefined) this.#giveUp(before);
    this.#flows.set(hash, flow);
    // Who gave its place may have been the last of this sender.
    this.#shares.set(share.key, share);
    share.flows.add(flow);
    return flow;
  }

  #pass(
    flow: HepFlow,
    bytes: Uint8Array,
    start: number,
    end: number,
    isJoined: boolean,
    isCut: boolean,
    begin: Pick<Packet, 'frame' | 'parts' | 'digestHigh' | 'digestLow' | 'source'>,
    isWebSocket = false,
  ): void {
    const p = flow.packet;
    const { transport } = p;
    if (isWebSocket) p.transport = transport === TRANSPORT.TLS ? TRANSPORT.WSS : TRANSPORT.WS;
    p.frame = begin.frame;
    p.parts = begin.parts;
    p.digestHigh = begin.digestHigh;
    p.digestLow = begin.digestLow;
    p.source = begin.source;
    p.isSnapped = isCut;
    this.#hooks.onMessage(bytes, start, end, p, isJoined, isCut);
    p.transport = transport;
  }

  /** Hands out what there is of a message, up to `at`. */
  #cut(flow: HepFlow, at: number = flow.framer.held.length): void {
    this.cut++;
    this.#pass(flow, flow.framer.held.bytes, 0, at, false, true, flow.begin);
    flow.framer.abandon();
    flow.packet.tsUs = Number.NEGATIVE_INFINITY;
  }

  /** Another message began at `at` of what is held, unless that is negative. */
  #cutAt(flow: HepFlow, at: number): void {
    if (at < 0) return;
    const { held } = flow.framer;
    const rest = held.bytes.slice(at, held.length);
    this.#cut(flow, at);
    flow.framer.feed(rest, 0, rest.length, flow.begin);
  }

  #giveUp(flow: HepFlow): void {
    if (flow.framer.hasPartial) this.#cut(flow);
    this.#close(flow);
  }

  #close(flow: HepFlow): void {
    const { share } = flow;
    flow.framer.abandon();
    this.unframed += flow.order.early.length;
    flow.order.early.length = 0;
    this.#charge(flow);
    share.bytes -= flow.bytes;
    share.flows.delete(flow);
    if (share.flows.size === 0) this.#shares.delete(share.key);
    if (this.#flows.get(flow.hash) === flow) this.#flows.delete(flow.hash);
  }

  #charge(flow: HepFlow): void {
    const { share, order } = flow;
    const early = order.early.length === 0 ? 0 : order.earlyBytes;
    const bytes = flow.framer.held.bytes.length + early;
    this.#shared.budget.charge(early - flow.earlyBytes);
    share.bytes += bytes - flow.bytes;
    flow.earlyBytes = early;
    flow.bytes = bytes;
  }

  /** Brings what waits under the caps. */
  #shed({ share }: HepFlow): void {
    while (share.bytes > this.#limits.maxBytes * SHARE) this.#evict(share.flows);
    while (this.#shared.budget.isExceeded) this.#evict(this.#flows.values());
  }

  /** The one that has waited longest gives its place. */
  #evict(flows: Iterable<HepFlow>): void {
    for (const flow of flows) {
      this.evicted++;
      this.#giveUp(flow);
      return;
    }
  }

  #shareOf({ addresses, srcOff, ipVersion }: HepMirror): HepShare {
    // Who has a network of IPv6 has all its addresses.
    const key = Buffer.from(addresses.slice(srcOff, srcOff + (ipVersion === 6 ? 8 : 4))).toString('hex');
    const found = this.#shares.get(key);
    if (found !== undefined) return found;
    const share: HepShare = { key, flows: new Set(), bytes: 0 };
    this.#shares.set(key, share);
    return share;
  }

  #hashOf(c: Packet, mirror: HepMirror, isReverse = false): number {
    const input = this.#input;
    let at = input.setAddress(0, mirror.addresses, mirror.srcOff, mirror.ipVersion);
    at = input.setAddress(at, c.addresses, isReverse ? c.dstOff : c.srcOff, c.ipVersion);
    at = input.setAddress(at, c.addresses, isReverse ? c.srcOff : c.dstOff, c.ipVersion);
    input.words[at++] = mirror.agentId;
    input.words[at++] = isReverse ? c.dstPort * 65_536 + c.srcPort : c.srcPort * 65_536 + c.dstPort;
    input.words[at++] = c.transport;
    return input.hash(at);
  }
}
