/**
 * Mirrors captured SIP and RTCP to HEP collectors (-H), as HEP 3.
 *
 * The collector is nobody the capture waits for: what cannot be sent at once waits in memory and on the disk, both bounded,
 * and every message goes out, waits, or is counted. Messages of one turn of the event loop go out together. What came by HEP
 * is not sent on: two agents that mirror each other would never stop. What a probe read inside a TLS connection is not sent
 * either: it was encrypted because the network is not trusted.
 */

import { ORIGINS, TRANSPORT } from '../../core/words.ts';
import type { Observer } from '../../ingest/observer.ts';
import { NO_DSCP, type Packet } from '../../sources/packet.ts';
import { asCaptured, type ClockStep, NEVER_SET } from '../../store/clock-steps.ts';
import type { Stream } from '../../store/media/stream.ts';
import type { Capture } from '../../store/stores.ts';
import { OnceTold } from '../trouble.ts';
import { Backlog } from './backlog.ts';
import { BlockWriter } from './block.ts';
import { Destination } from './destination.ts';
import type { HepAgent, HepFacts } from './hep-encode.ts';
import { HEP_TYPE, HepEncoder } from './hep-encode.ts';
import type { HepOutCounters, Link, LinkOwner } from './link.ts';
import { hepOutCounters } from './link.ts';
import { rtcpToJson } from './rtcp-json.ts';
import type { RtpReport } from './rtp-report.ts';
import { rtpReport } from './rtp-report.ts';
import type { PacketSpool } from './spool.ts';
import type { StreamTimes, TlsMaterial } from './stream-link.ts';
import { StreamLink } from './stream-link.ts';
import { HEP_OUT_BYTES, UdpLink } from './udp-link.ts';

/** IP protocol numbers; everything but UDP runs over TCP. */
const TCP = 6;
const UDP = 17;

const HEP_ORIGIN = ORIGINS.indexOf('hep');
const UPROBE_ORIGIN = ORIGINS.indexOf('uprobe');
/** How often drain() looks. */
const DRAIN_STEP_MS = 5;

/** Where a collector is, and how it is spoken to. */
export type Collector = { readonly transport: 'udp' | 'tcp' | 'tls'; readonly host: string; readonly port: number };

export type HepOutOptions = HepAgent & {
  readonly collectors: readonly Collector[];
  /** The first collector that is there gets each message; else all get it. */
  readonly failsOver: boolean;
  /** What was measured of the RTP of calls is sent too. */
  readonly sendsRtpReports?: boolean;
  /** SIP that probes read in TLS is sent too, where its addresses are known. */
  readonly sendsUprobe?: boolean;
  /** For tls. */
  readonly tls: TlsMaterial;
  readonly times?: StreamTimes;
  /** Makes the spool of the collector of this name; null without one. */
  readonly spool?: ((name: string, counters: HepOutCounters) => PacketSpool) | null;
  /** Told why a collector begins to miss messages, and null when it gets them again. */
  readonly onTrouble?: (collector: string, reason: string | null) => void;
};

/** What the mirror says of the packet that a message came in. */
export type HepOutCarrier = Pick<
  Packet,
  | 'tsUs'
  | 'origin'
  | 'ipVersion'
  | 'addresses'
  | 'srcOff'
  | 'dstOff'
  | 'srcPort'
  | 'dstPort'
  | 'vlan'
  | 'dscp'
  | 'tcpFlags'
>;

export class HepOut {
  readonly counters = hepOutCounters();
  /** Steps of the clock by which packets are stamped: who receives them holds that against the time of day. */
  clockSteps: readonly ClockStep[] = NEVER_SET;
  readonly #options: HepOutOptions;
  readonly #encoder: HepEncoder;
  readonly #writer: BlockWriter;
  readonly #destinations: readonly Destination[];
  readonly #links: readonly Link[];
  #flush: NodeJS.Immediate | null = null;
  #isClosed = false;

  constructor(options: HepOutOptions) {
    this.#options = options;
    this.#encoder = new HepEncoder(options);
    this.#writer = new BlockWriter(this.#encoder);
    const { collectors, failsOver } = options;
    const groups = failsOver ? [collectors] : collectors.map((one) => [one]);
    this.#destinations = groups.map((group) => this.#destination(group, HEP_OUT_BYTES / groups.length));
    this.#links = this.#destinations.flatMap((one) => one.links);
  }

  /** Connects to the collectors. One that is not there is tried again. Throws ServiceError when a spool cannot be used. */
  async start(): Promise<void> {
    await Promise.all(this.#destinations.map((one) => one.start()));
  }

  get links(): readonly Link[] {
    return this.#links;
  }

  /** Bytes in memory that wait or are under way. */
  get waitingBytes(): number {
    return this.#destinations.reduce((sum, one) => sum + one.bytes, 0);
  }

  /** Of a capture: its SIP and RTCP are sent on, and what was measured of RTP. */
  get observer(): Observer {
    return {
      ...(this.#options.sendsRtpReports === true && {
        onWindow: (stream: Stream, capture: Capture) => this.#reportRtp(rtpReport(stream, capture)),
      }),
      onMessage: (buf, start, end, _scan, c) =>
        this.mirrorSip(buf, start, end, c, c.transport === TRANSPORT.UDP ? UDP : TCP),
      onRtcp: (buf, start, end, c, dialog) => this.mirrorRtcp(buf, start, end, c, dialog?.callId),
    };
  }

  /** A SIP message as it was captured; `proto` is what it came over. The bytes are copied. */
  mirrorSip(b: Uint8Array, start: number, end: number, c: HepOutCarrier, proto: number): void {
    if (this.#isWanted(c)) this.#write(factsOf(c, proto, HEP_TYPE.SIP), b, start, end);
  }

  /** An RTCP datagram, as the JSON that collectors read; with the Call-ID of its dialog where that is known. */
  mirrorRtcp(b: Uint8Array, start: number, end: number, c: HepOutCarrier, callId?: string): void {
    if (!this.#isWanted(c)) return;
    const json = rtcpToJson(b.subarray(start, end));
    if (!json.ok) {
      this.counters.add('rtcpSkipped');
      return;
    }
    const payload = Buffer.from(json.value, 'latin1');
    this.#write(factsOf(c, UDP, HEP_TYPE.RTCP, callId), payload, 0, payload.length);
  }

  /** True for a datagram that this mirror sent itself, met again on an interface. */
  isOwn(c: HepOutCarrier): boolean {
    return this.#links.some((link) => link.isOwn(c));
  }

  /** Resolves when nothing waits any more, or after `ms`. */
  async drain(ms: number): Promise<void> {
    this.#handOver();
    const isDone = (): boolean => this.#destinations.every((one) => one.isDone);
    for (const end = performance.now() + ms; !isDone() && performance.now() < end; )
      await new Promise((resolve) => setTimeout(resolve, DRAIN_STEP_MS));
  }

  /** What waits goes to the spool, or is counted; idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#handOver();
    this.#isClosed = true;
    for (const one of this.#destinations) one.close();
  }

  #destination(group: readonly Collector[], bytes: number): Destination {
    const { onTrouble, spool, failsOver } = this.#options;
    const { counters } = this;
    const links = group.map((collector) => {
      const troubles = new OnceTold((reason) => onTrouble?.(link.name, reason));
      const owner: LinkOwner = {
        counters,
        onChange: () => destination.pump(),
        onUnsent: (block) => {
          if (this.#isClosed) counters.add('unsentAtEnd', block.messages);
          else destination.putBack(block);
        },
        onTrouble: (reason) => {
          if (!this.#isClosed) troubles.tell(reason);
        },
      };
      const link = this.#link(collector, owner);
      return link;
    });
    const name = failsOver ? 'failover' : (links[0]?.name ?? '');
    const onDisk = spool?.(name, counters) ?? null;
    const destination = new Destination(links, new Backlog(bytes, onDisk, counters, () => destination.pump()));
    return destination;
  }

  #link({ transport, host, port }: Collector, owner: LinkOwner): Link {
    const { tls, times } = this.#options;
    if (transport === 'udp') return new UdpLink(host, port, this.#options, owner);
    return new StreamLink(host, port, transport === 'tls' ? tls : null, owner, times);
  }

  #reportRtp(report: RtpReport | null): void {
    if (report === null || this.#isClosed) return;
    const payload = Buffer.from(report.json, 'utf8');
    this.#write(report.facts, payload, 0, payload.length);
  }

  #isWanted(c: HepOutCarrier): boolean {
    if (this.#isClosed) return false;
    const isSecret = c.origin === UPROBE_ORIGIN && (this.#options.sendsUprobe !== true || c.ipVersion === 0);
    const from = c.origin === HEP_ORIGIN ? 'fromHep' : isSecret ? 'fromUprobe' : null;
    if (from !== null) this.counters.add(from);
    return from === null;
  }

  #write(told: HepFacts, b: Uint8Array, start: number, end: number): void {
    const steps = this.clockSteps;
    const facts = steps.length === 0 ? told : { ...told, tsUs: asCaptured(steps, told.tsUs) };
    const length = this.#encoder.length(facts, end - start);
    if (length === 0) {
      this.counters.add('tooLong', this.#destinations.length);
      return;
    }
    if (!this.#writer.write(length, facts, b, start, end)) {
      this.#handOver();
      this.#writer.write(length, facts, b, start, end);
    }
    this.#flush ??= setImmediate(() => this.#handOver());
  }

  #handOver(): void {
    if (this.#flush !== null) clearImmediate(this.#flush);
    this.#flush = null;
    const block = this.#writer.take();
    if (block !== null) for (const one of this.#destinations) one.add(block);
  }
}

function factsOf(c: HepOutCarrier, proto: number, protocolType: number, correlationId?: string): HepFacts {
  return {
    ipVersion: c.ipVersion === 6 ? 6 : 4,
    proto,
    addresses: c.addresses,
    srcOff: c.srcOff,
    dstOff: c.dstOff,
    srcPort: c.srcPort,
    dstPort: c.dstPort,
    tsUs: c.tsUs,
    protocolType,
    vlan: c.vlan,
    // The two bits of ECN are not known.
    tos: c.dscp === NO_DSCP ? 0 : c.dscp << 2,
    tcpFlags: proto === TCP ? c.tcpFlags : 0,
    correlationId,
  };
}
