/**
 * TCP segments in, SIP messages out: reassembly per connection and direction with SIP and WebSocket framing.
 *
 * Decides which connection a segment belongs to, when a tuple is reused (RFC 9293 §3.6.1), and what is given up
 * when a cap or a timeout is reached. Time is capture time; nothing here reads a clock. Segments of several sources
 * share the table, so a segment captured twice counts as a retransmission.
 */
import { TRANSPORT } from '../../core/words.ts';
import { emptyPacket, NO_DSCP, type Packet } from '../../sources/packet.ts';
import { FLAG } from '../../sources/records.ts';
import { ByteBudget } from '../byte-buffer.ts';
import type { DecodeCounters } from '../counters.ts';
import { TCP_LIMITS, type TcpLimits } from '../decode-limits.ts';
import { PROTOCOL } from '../protocol-sniff.ts';
import type { ContentLength } from '../sip-framing.ts';
import type { FramedTarget, FramerShared } from '../stream-framer.ts';
import { SharedInflation } from '../websocket/permessage-deflate.ts';
import { ConnectionList, directionOf, TcpConnection, TcpTable } from './tcp-table.ts';

const FIN = 1;
const SYN = 2;
const RST = 4;
const ACK = 16;

/** A captured segment. The reassembler keeps no reference to it, so one object can be filled again and again. */
export interface TcpSegment {
  readonly packet: Packet;
  /** The payload is [start, end) of `bytes`. */
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** Payload bytes on the wire; more than were captured when the frame was cut. */
  readonly wireLength: number;
  readonly seq: number;
  /** The TCP header's flag byte. */
  readonly tcpFlags: number;
  /** FLAG.SIP_GATE and FLAG.WS_GATE of the record. */
  readonly gates: number;
}

export type TcpHooks = {
  /**
   * A SIP message: [start, end) of `bytes`, valid during the call only. `packet` has the time of the segment that completed
   * it and the frame of the one it began in; it is snapped when the headers are whole and the body has a hole.
   */
  onMessage(bytes: Uint8Array, start: number, end: number, packet: Packet): void;
  /** A message that its gate excludes; `port` is the service's. */
  onExcluded(kind: 'sip' | 'websocket', port: number): void;
  /** A connection that carried SIP begins to close: who sends `packet` sends the first FIN or RST. */
  readonly onClosed?: (packet: Packet, sinceUs: number, isReset: boolean) => void;
  /** SIP is taken from every port, so that nothing is excluded; what has no gate then is text in another protocol. */
  readonly takesAnySip?: boolean;
  readonly contentLength: ContentLength;
  /** The packet names all frames of the message. */
  readonly keepsFrames?: boolean;
};

export class TcpReassembler {
  readonly counters: DecodeCounters;
  readonly #hooks: TcpHooks;
  readonly #limits: TcpLimits;
  readonly #shared: FramerShared;
  readonly #table: TcpTable;
  /** Connections with partial data, the longest-waiting first. */
  readonly #waiting = new ConnectionList();
  readonly #packet = emptyPacket();

  constructor(hooks: TcpHooks, counters: DecodeCounters, limits: TcpLimits = TCP_LIMITS) {
    this.#hooks = hooks;
    this.counters = counters;
    this.#limits = limits;
    const budget = new ByteBudget(limits.maxTotalBytes);
    const { contentLength, keepsFrames = false } = hooks;
    this.#shared = { counters, limits, budget, inflation: new SharedInflation(counters), contentLength, keepsFrames };
    this.#table = new TcpTable();
  }

  get connections(): number {
    return this.#table.size;
  }

  /** Bytes held for partial data, bookkeeping included. */
  get bufferedBytes(): number {
    return this.#shared.budget.used;
  }

  add(s: TcpSegment): void {
    const captured = Math.max(0, s.end - s.start);
    const span = Math.max(s.wireLength, captured);
    const control = s.tcpFlags & (SYN | FIN | RST);
    if (span === 0 && control === 0) return;
    const { packet } = s;
    this.#completedBy(packet.vlan, packet.dscp, s.tcpFlags);
    const hash = this.#table.hash(packet);
    let c = this.#table.find(packet, hash);
    if (c === null) {
      // An end without a beginning teaches nothing.
      if (span === 0 && (control & SYN) === 0) return;
      c = this.#open(packet, hash);
    }
    c.lastUs = packet.tsUs;
    c.gates |= s.gates;
    this.#table.touch(c);
    const index = directionOf(c, packet) === 1 ? 1 : 0;
    let seq = s.seq >>> 0;
    if ((control & SYN) !== 0) {
      seq = (seq + 1) >>> 0;
      this.#synchronize(c, index, seq, (s.tcpFlags & ACK) !== 0);
    }
    const direction = c.directions[index];
    if (span > 0) {
      direction.data(seq, span, s.bytes, s.start, s.start + captured, packet);
      if (direction.framer.protocol === PROTOCOL.TLS && !c.isEncrypted) {
        c.isEncrypted = true;
        this.counters.encryptedFlows++;
      }
    }
    if ((control & (FIN | RST)) !== 0 && direction.isNear(seq)) {
      if (!c.isEnding && c.carriedSip) this.#hooks.onClosed?.(packet, c.sinceUs, (control & RST) !== 0);
      c.isEnding = true;
      this.#end(c, index, (seq + span) >>> 0, control);
    }
    this.#account(c);
  }

  /** Gives up what has waited too long at `nowUs`. Returns the number of directions that timed out. */
  expire(nowUs: number): number {
    this.#completedBy(0, NO_DSCP, 0);
    let timeouts = 0;
    let next: TcpConnection | null = null;
    for (let c = this.#waiting.oldest; c !== null; c = next) {
      next = c.waiting.newer?.connection ?? null;
      for (const d of c.directions) {
        d.skipHoles(nowUs);
        if (!d.hasBuffered || nowUs - d.lastUs <= this.#limits.idleTimeoutUs) continue;
        d.abandon();
        timeouts++;
      }
      this.#wait(c, c.hasBuffered);
    }
    this.#enforceBudget();
    this.counters.tcpTimeouts += timeouts;
    for (let c = this.#table.closed.oldest; c !== null; c = this.#table.closed.oldest) {
      if (nowUs - c.lastUs <= this.#limits.closedLingerUs) break;
      this.#forget(c);
    }
    return timeouts;
  }

  /** The source ended: hands out what stands behind holes and gives up the rest. */
  close(): void {
    this.#completedBy(0, NO_DSCP, 0);
    for (let c = this.#waiting.oldest; c !== null; c = this.#waiting.oldest) {
      for (const d of c.directions) {
        d.skipHoles(Infinity);
        if (d.abandon()) this.counters.tcpMessagesAborted++;
      }
      this.#wait(c, false);
    }
    for (let c = this.#table.victim; c !== null; c = this.#table.victim) this.#forget(c);
  }

  /** What the messages say of the segment that completes them. */
  #completedBy(vlan: number, dscp: number, tcpFlags: number): void {
    const p = this.#packet;
    p.vlan = vlan;
    p.dscp = dscp;
    p.tcpFlags = tcpFlags;
  }

  #open(packet: Packet, hash: number): TcpConnection {
    if (this.#table.size >= this.#limits.maxConnections) {
      const { victim } = this.#table;
      if (victim !== null) {
        if (!victim.isClosed) this.counters.tcpEvicted++;
        this.#forget(victim);
      }
    }
    this.counters.tcpConnections++;
    const c = new TcpConnection(hash, packet, this.#shared, this.#target);
    this.#table.add(c);
    return c;
  }

  /** A SYN that names another first byte than what was seen begins a new connection. */
  #synchronize(c: TcpConnection, index: 0 | 1, first: number, isAnswer: boolean): void {
    c.servicePort = (index === 0) === isAnswer ? c.portA : c.portB;
    if (c.directions[index].synchronize(first)) return;
    const kept = c.directions;
    const other = index === 0 ? 1 : 0;
    if (isAnswer && kept[other].isAnchored && kept[other].next === kept[other].first) {
      // The call that this answers was seen just now, and its place with it.
      const called = kept[other].first;
      this.#restart(c);
      c.directions[other].synchronize(called);
    } else this.#restart(c);
    c.directions[index].synchronize(first);
  }

  #restart(c: TcpConnection): void {
    if (c.abandon()) this.counters.tcpMessagesAborted++;
    this.counters.tcpConnections++;
    c.restart();
    this.#table.touch(c);
  }

  #end(c: TcpConnection, index: 0 | 1, at: number, control: number): void {
    if ((control & RST) !== 0) {
      if (c.abandon()) this.counters.tcpMessagesAborted++;
      this.#close(c);
      return;
    }
    c.directions[index].finish(at);
    if (c.directions[0].isEnded && c.directions[1].isEnded) this.#close(c);
  }

  /** Remembered for a while, so that late copies of its segments are known as copies. */
  #close(c: TcpConnection): void {
    c.isClosed = true;
    this.#table.touch(c);
  }

  #forget(c: TcpConnection): void {
    c.abandon();
    this.#wait(c, false);
    this.#table.remove(c);
  }

  #account(c: TcpConnection): void {
    this.#wait(c, c.hasBuffered);
    if (this.#shared.budget.isExceeded) this.#enforceBudget();
  }

  #wait(c: TcpConnection, isWaiting: boolean): void {
    if ((c.waiting.list !== null) === isWaiting) return;
    if (isWaiting) this.#waiting.append(c.waiting);
    else this.#waiting.remove(c.waiting);
  }

  /** Gives up what waits longest, then whole connections, until the bytes over all of them are below the cap. */
  #enforceBudget(): void {
    while (this.#shared.budget.isExceeded) {
      const victim = this.#waiting.oldest;
      if (victim !== null) {
        victim.abandon();
        this.#wait(victim, false);
      } else {
        const idle = this.#table.victim;
        if (idle === null) return;
        this.#forget(idle);
      }
      this.counters.tcpEvicted++;
    }
  }

  readonly #target = (c: TcpConnection, index: 0 | 1): FramedTarget => {
    return (bytes, start, end, isWebSocket, begin, isTruncated) => {
      const gate = isWebSocket ? FLAG.WS_GATE : FLAG.SIP_GATE;
      if ((c.gates & gate) === 0) {
        if (!isWebSocket && this.#hooks.takesAnySip === true) return;
        if (isWebSocket) this.counters.excludedWebSocket++;
        else this.counters.excludedSip++;
        this.#hooks.onExcluded(isWebSocket ? 'websocket' : 'sip', c.servicePort);
        return;
      }
      if (!c.carriedSip) {
        c.carriedSip = true;
        this.#table.touch(c);
      }
      const p = this.#packet;
      const fromA = index === 0;
      p.transport = isWebSocket ? TRANSPORT.WS : TRANSPORT.TCP;
      p.ipVersion = c.ipVersion;
      p.addresses.set(fromA ? c.addressA : c.addressB, 0);
      p.addresses.set(fromA ? c.addressB : c.addressA, 16);
      p.srcPort = fromA ? c.portA : c.portB;
      p.dstPort = fromA ? c.portB : c.portA;
      p.tsUs = c.directions[index].clockUs;
      p.arrivedUs = p.tsUs;
      p.origin = begin.origin;
      p.source = begin.source;
      p.frame = begin.frame;
      p.parts = begin.parts;
      p.digestLow = begin.digestLow;
      p.digestHigh = begin.digestHigh;
      p.isSnapped = isTruncated;
      this.#hooks.onMessage(bytes, start, end, p);
    };
  };
}
