/**
 * Mirrors captured SIP and RTCP to a HEP collector, as HEP 3 datagrams (-H).
 *
 * The collector is nobody the capture waits for: what cannot be sent at once waits in a bounded queue of the
 * socket, what does not fit there is dropped, and every failure is a counter. What came by HEP is not sent on: two
 * agents that mirror each other would never stop. What a probe read inside a TLS connection is not sent either: it
 * was encrypted because the network is not trusted.
 */

import { createSocket, type Socket } from 'node:dgram';
import { isIP } from 'node:net';
import { resolveHost } from '../../core/bind.ts';
import { Counters } from '../../core/counters.ts';
import { errnoOf } from '../../core/errors.ts';
import { ipText } from '../../core/ip.ts';
import { HEP_OUT_BYTES, HEP_OUT_MESSAGES } from '../../core/limits.ts';
import { ORIGINS, TRANSPORT } from '../../core/words.ts';
import type { Observer } from '../../ingest/observer.ts';
import type { Packet } from '../../sources/packet.ts';
import { encodeHep3, HEP_TYPE, type HepFacts } from './hep-encode.ts';
import { rtcpToJson } from './rtcp-json.ts';

/** Longer than any pause between two ICMP errors of a host that refuses datagrams. */
const WELL_AFTER_MS = 5_000;

/**
 * Tells once when a receiver begins to miss what is sent to it, and once when it takes it again.
 *
 * A datagram that is sent proves nothing: the ICMP error that refuses it comes later (RFC 1122 section 4.1.3.3), and a
 * host sends few of those a second (RFC 1812 section 4.3.2.8). So a receiver is well again when a time without any
 * failure has followed a datagram.
 */
export class SendingTrouble {
  /** Told the reason of the first failure, and null when it is over. */
  readonly #tell: (reason: string | null) => void;
  #isTold = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(tell: (reason: string | null) => void) {
    this.#tell = tell;
  }

  failed(reason: string): void {
    this.close();
    if (this.#isTold) return;
    this.#isTold = true;
    this.#tell(reason);
  }

  sent(): void {
    if (!this.#isTold || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.close();
      this.#isTold = false;
      this.#tell(null);
    }, WELL_AFTER_MS);
    this.#timer.unref();
  }

  /** Reports nothing about what was sent last. Idempotent. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

/** Payload of the longest UDP datagram. */
const DATAGRAM_BYTES = { 4: 65_507, 6: 65_527 } as const;
/** IP protocol numbers; everything but UDP runs over TCP. */
const TCP = 6;
const UDP = 17;
const RETRY_MS = 10_000;
const SEND_BUFFER_BYTES = 4 * 1024 * 1024;

const HEP_ORIGIN = ORIGINS.indexOf('hep');
const UPROBE_ORIGIN = ORIGINS.indexOf('uprobe');
/** How often drain() looks. */
const DRAIN_STEP_MS = 5;

export const HEP_OUT_COUNTERS = [
  'sent',
  'sentBytes',
  /** Dropped because the queue was full: a slow collector, or a slow network. */
  'queueFull',
  /** Nobody listened at the collector's address. */
  'connectionRefused',
  'sendErrors',
  'tooLong',
  /** Dropped because the collector's name had no address yet. */
  'unresolved',
  /** Not mirrored: came by HEP itself. */
  'fromHep',
  /** Not mirrored: plain text of an encrypted connection, which must not leave the host. */
  'fromUprobe',
  /** RTCP without a report, or that could not be read. */
  'rtcpSkipped',
] as const;
/** What was captured and should have been mirrored, and was not sent, or by what it says not received. */
export const HEP_OUT_LOSSES = ['queueFull', 'connectionRefused', 'sendErrors', 'tooLong', 'unresolved'] as const;
export type HepOutCounter = (typeof HEP_OUT_COUNTERS)[number];

export type HepOutOptions = {
  readonly host: string;
  readonly port: number;
  /** --hep-id. */
  readonly agentId: number;
  readonly authKey?: string;
  readonly nodeName?: string;
  /** Told why the collector begins to miss messages, and null when it gets them again. */
  readonly onTrouble?: (reason: string | null) => void;
};

/** What the mirror says of the packet that a message came in. */
export type HepOutCarrier = Pick<
  Packet,
  'tsUs' | 'origin' | 'ipVersion' | 'addresses' | 'srcOff' | 'dstOff' | 'srcPort' | 'dstPort'
>;

export class HepOut {
  readonly counters = new Counters<HepOutCounter>(HEP_OUT_COUNTERS);
  readonly #options: HepOutOptions;
  readonly #trouble: SendingTrouble;
  #socket: Socket | null = null;
  #local: { readonly address: string; readonly port: number } | null = null;
  #maxDatagram: number = DATAGRAM_BYTES[4];
  #queued = 0;
  #queuedBytes = 0;
  #retry: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: HepOutOptions) {
    this.#options = options;
    this.#trouble = new SendingTrouble(options.onTrouble ?? (() => undefined));
  }

  /** Looks the collector up and connects. A name without an address is tried again; this never fails. */
  async start(): Promise<void> {
    const { host, port } = this.#options;
    const address = await resolveHost(host);
    if (this.#isClosed) return;
    if (address === null) {
      this.#startLater('the host cannot be resolved');
      return;
    }
    const version = isIP(address) === 6 ? 6 : 4;
    const socket = createSocket(version === 6 ? 'udp6' : 'udp4');
    socket.on('error', (error) => this.#onError(error));
    socket.unref();
    // Connected, so that a refusal comes back as an error of this socket.
    // Its callback is also given why it could not be, without a route to the collector, say.
    const refusal = await new Promise<Error | null>((resolve) => {
      socket.connect(port, address, (error?: Error) => resolve(error ?? null));
    });
    if (this.#isClosed || refusal !== null) {
      socket.close();
      if (refusal !== null) this.#startLater(`it cannot be reached (${errnoOf(refusal) ?? refusal.message})`);
      return;
    }
    try {
      socket.setSendBufferSize(SEND_BUFFER_BYTES);
    } catch {
      // The system's own size is used; what does not fit is queued and counted.
    }
    this.#maxDatagram = DATAGRAM_BYTES[version];
    this.#local = socket.address();
    this.#socket = socket;
    this.#trouble.sent();
  }

  /** Datagrams waiting in the socket. */
  get queued(): number {
    return this.#queued;
  }

  /** Of a capture: its SIP and RTCP are sent on. */
  get observer(): Observer {
    return {
      onMessage: (buf, start, end, _scan, c) =>
        this.mirrorSip(buf, start, end, c, c.transport === TRANSPORT.UDP ? UDP : TCP),
      onRtcp: (buf, start, end, c, dialog) => this.mirrorRtcp(buf, start, end, c, dialog?.callId),
    };
  }

  /** A SIP message as it was captured; `proto` is what it came over. The bytes are copied. */
  mirrorSip(b: Uint8Array, start: number, end: number, c: HepOutCarrier, proto: number): void {
    if (this.#isWanted(c)) this.#send(this.#facts(c, proto, HEP_TYPE.SIP), b, start, end);
  }

  /** An RTCP datagram, as the JSON that collectors read; with the Call-ID of its dialog where that is known. */
  mirrorRtcp(b: Uint8Array, start: number, end: number, c: HepOutCarrier, callId?: string): void {
    if (!this.#isWanted(c)) return;
    const json = rtcpToJson(b.subarray(start, end));
    if (json.ok) this.#send(this.#facts(c, UDP, HEP_TYPE.RTCP, callId), Buffer.from(json.value, 'latin1'));
    else this.counters.add('rtcpSkipped');
  }

  /** True for a datagram that this mirror sent itself, met again on an interface. */
  isOwn(c: HepOutCarrier): boolean {
    const local = this.#local;
    if (local === null || c.srcPort !== local.port) return false;
    const address = ipText(c.addresses, c.srcOff, c.ipVersion);
    return address === local.address;
  }

  /** Resolves when nothing waits in the socket any more, or after `ms`. */
  async drain(ms: number): Promise<void> {
    for (const end = performance.now() + ms; this.#queued > 0 && performance.now() < end; )
      await new Promise((resolve) => setTimeout(resolve, DRAIN_STEP_MS));
  }

  /** Drops what waits and closes; idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#trouble.close();
    this.#socket?.close();
    this.#socket = null;
  }

  #isWanted(c: HepOutCarrier): boolean {
    if (this.#isClosed) return false;
    const from = c.origin === HEP_ORIGIN ? 'fromHep' : c.origin === UPROBE_ORIGIN ? 'fromUprobe' : null;
    if (from !== null) this.counters.add(from);
    return from === null;
  }

  #facts(c: HepOutCarrier, proto: number, protocolType: number, correlationId?: string): HepFacts {
    const { agentId, nodeName, authKey } = this.#options;
    return {
      ipVersion: c.ipVersion === 6 ? 6 : 4,
      proto,
      src: c.addresses.subarray(c.srcOff, c.srcOff + 16),
      dst: c.addresses.subarray(c.dstOff, c.dstOff + 16),
      srcPort: c.srcPort,
      dstPort: c.dstPort,
      tsUs: c.tsUs,
      protocolType,
      agentId,
      ...(correlationId !== undefined && { correlationId }),
      ...(nodeName !== undefined && { nodeName }),
      ...(authKey !== undefined && { authKey }),
    };
  }

  #send(facts: HepFacts, b: Uint8Array, start = 0, end = b.length): void {
    const socket = this.#socket;
    if (socket === null) {
      this.counters.add('unresolved');
      return;
    }
    if (this.#queued >= HEP_OUT_MESSAGES || this.#queuedBytes >= HEP_OUT_BYTES) {
      this.counters.add('queueFull');
      this.#trouble.failed('what it is sent waits too long');
      return;
    }
    const packet = encodeHep3(facts, b, start, end, this.#maxDatagram);
    if (!packet.ok) {
      this.counters.add('tooLong');
      return;
    }
    const bytes = packet.value.length;
    this.#queued++;
    this.#queuedBytes += bytes;
    socket.send(packet.value, (error) => {
      this.#queued--;
      this.#queuedBytes -= bytes;
      if (error !== null) {
        this.#onError(error);
        return;
      }
      this.counters.add('sent');
      this.counters.add('sentBytes', bytes);
      this.#trouble.sent();
    });
  }

  #onError(error: Error): void {
    const name = errnoOf(error);
    if (name === 'EMSGSIZE') {
      this.counters.add('tooLong');
      return;
    }
    const isRefused = name === 'ECONNREFUSED';
    this.counters.add(isRefused ? 'connectionRefused' : 'sendErrors');
    this.#trouble.failed(isRefused ? 'nobody listens there' : `it cannot be sent to (${name ?? error.message})`);
  }

  #startLater(reason: string): void {
    if (this.#isClosed) return;
    this.#trouble.failed(reason);
    this.#retry = setTimeout(() => void this.start(), RETRY_MS);
    this.#retry.unref();
  }
}
