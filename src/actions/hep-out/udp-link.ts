/**
 * HEP to one collector over UDP. A thread of libuv's pool sends, so that the main thread pays for a block, not for a datagram.
 *
 * UDP says nothing of what arrives. Where nobody listens, the host may say so a moment later (RFC 1122 section 4.1.3.3).
 * From then on nothing is sent but a keep-alive now and then, and what was captured waits. When no refusal follows a
 * keep-alive the collector is taken to be there again.
 */
import { isIP } from 'node:net';
import { getSystemErrorName } from 'node:util';
import { resolveHost } from '../../core/bind.ts';
import { faults } from '../../core/faults.ts';
import { endpointText, ipText } from '../../core/ip.ts';
import type { NativeBinding } from '../../sources/native.ts';
import { loadNative } from '../../sources/native.ts';
import { troubleOf } from '../trouble.ts';
import { type Block, bytesAfter, wholePackets } from './block.ts';
import type { HepAgent } from './hep-encode.ts';
import { encodeHep3, HEP_TYPE, MAX_HEP_PACKET_BYTES } from './hep-encode.ts';
import type { Link, LinkOwner } from './link.ts';
import { HEP_CA } from './link.ts';

/**
 * Bytes that wait in memory for collectors, all together (`-H`); a collector that is away has a share.
 *
 * @cap option 25 MiB, hep_out_queue_full: with `-H`: what waits for collectors, and for each of 8 a file of the spool and
 * what is under way; over UDP all that waited is
 */
export const HEP_OUT_BYTES = 8 * 1024 * 1024;

/** A host sends few ICMP errors a second (RFC 1812 section 4.3.2.8), so there is time between two keep-alives. */
const KEEP_ALIVE_MS = 2_000;
/** In this time a refusal has come back. */
const REFUSAL_MS = 1_000;
const RESOLVE_MS = 10_000;
/** What waited longer goes out in parts: a collector's buffer for datagrams is small, and nothing slows the sender down. */
const LATE_MS = 500;
const LATE_PART_BYTES = 64 * 1024;
const LATE_PAUSE_MS = 5;
const UDP = 17;
/** What says that an earlier datagram was lost, and as what it counts. After other errors nothing is lost: it is sent later. */
const LOST: Readonly<Record<string, 'connectionRefused' | 'sendErrors'>> = {
  ECONNREFUSED: 'connectionRefused',
  EHOSTUNREACH: 'sendErrors',
};

type Native = Pick<NativeBinding, 'openMirror' | 'mirrorName' | 'sendMirror' | 'mirrorError' | 'closeSocket'>;

export class UdpLink implements Link {
  readonly name: string;
  readonly #host: string;
  readonly #port: number;
  readonly #owner: LinkOwner;
  readonly #native: Native;
  readonly #keepAlive: Buffer;
  #fd = -1;
  #local: { readonly address: string; readonly port: number } | null = null;
  #underWay = 0;
  #isSending = false;
  /** A refusal came, and nothing but keep-alives is sent. */
  #isRefused = false;
  #timer: NodeJS.Timeout | null = null;
  /** Of what goes out in parts. */
  #rest: readonly Buffer[] = [];
  #pause: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(host: string, port: number, agent: HepAgent, owner: LinkOwner, native: Native = loadNative()) {
    this.name = endpointText(host, port);
    this.#host = host;
    this.#port = port;
    this.#owner = owner;
    this.#native = native;
    this.#keepAlive = keepAliveOf(agent);
  }

  /** It takes more only when the event loop has turned, so it takes all. */
  get atOnceBytes(): number {
    return HEP_OUT_BYTES;
  }

  get isUp(): boolean {
    return this.#fd >= 0 && !this.#isRefused;
  }

  get isFree(): boolean {
    return this.isUp && this.#underWay === 0 && !this.#isSending;
  }

  get underWay(): number {
    return this.#underWay;
  }

  async start(): Promise<void> {
    const address = await resolveHost(this.#host);
    if (this.#isClosed) return;
    if (address === null) {
      this.#later(troubleOf('ENOTFOUND', HEP_CA));
      return;
    }
    const fd = this.#native.openMirror(address, this.#port, isIP(address));
    if (fd < 0) {
      this.#later(troubleOf(getSystemErrorName(fd), HEP_CA));
      return;
    }
    this.#fd = fd;
    this.#local = this.#native.mirrorName(fd);
    this.#owner.onTrouble(null);
    this.#owner.onChange();
  }

  send(blocks: readonly Block[]): void {
    const isLate = performance.now() - (blocks[0]?.madeMs ?? 0) > LATE_MS;
    this.#send(
      blocks.map(({ bytes }) => bytes),
      isLate,
    );
  }

  isOwn(c: Parameters<Link['isOwn']>[0]): boolean {
    if (this.#local === null || c.srcPort !== this.#local.port) return false;
    return ipText(c.addresses, c.srcOff, c.ipVersion) === this.#local.address;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#pause !== null) {
      clearTimeout(this.#pause);
      this.#giveBack(this.#rest);
      this.#underWay = 0;
    }
    this.#closeSocket();
  }

  #send(all: readonly Buffer[], isLate: boolean): void {
    const now = isLate ? all.slice(0, 1).map((bytes) => wholePackets(bytes, LATE_PART_BYTES).bytes) : all;
    const nowBytes = sizeOf(now);
    this.#underWay = sizeOf(all);
    this.#run(now, (at) => {
      this.#rest = bytesAfter(at, all);
      if (at < nowBytes || this.#isClosed) this.#giveBack(this.#rest);
      else if (this.#rest.length > 0) this.#goOn();
      else this.#after(REFUSAL_MS, () => this.#look());
    });
  }

  #goOn(): void {
    this.#underWay = sizeOf(this.#rest);
    this.#pause = setTimeout(() => {
      this.#pause = null;
      this.#send(this.#rest, true);
    }, LATE_PAUSE_MS);
  }

  /** The last one first: each is put before what waits. */
  #giveBack(all: readonly Buffer[]): void {
    for (const bytes of [...all].reverse()) {
      const block = wholePackets(bytes);
      if (block.messages > 0) this.#owner.onUnsent(block);
    }
  }

  /** `done` learns how much of it went out. */
  #run(all: readonly Buffer[], done: (at: number) => void): void {
    this.#isSending = true;
    this.#native.sendMirror(this.#fd, all, MAX_HEP_PACKET_BYTES, (sent, sentBytes, tooLong, at, errno) => {
      const { counters } = this.#owner;
      this.#isSending = false;
      this.#underWay = 0;
      if (!this.#isRefused) {
        counters.add('sent', sent);
        counters.add('sentBytes', sentBytes);
      }
      counters.add('tooLong', tooLong);
      // On this host a refusal comes at once.
      const why = errno === 0 ? this.#native.mirrorError(this.#fd) : errno;
      if (why > 0) this.#failed(getSystemErrorName(-why));
      done(at);
      if (this.#isClosed) this.#closeSocket();
      else this.#owner.onChange();
    });
  }

  /** What the network reported since the last time. */
  #look(): void {
    if (this.#fd < 0) return;
    const errno = this.#native.mirrorError(this.#fd);
    if (errno > 0) this.#failed(getSystemErrorName(-errno));
    else if (this.#isRefused) {
      this.#isRefused = false;
      this.#owner.onTrouble(null);
      this.#owner.onChange();
    }
  }

  #failed(code: string): void {
    const lost = LOST[code];
    // A keep-alive is no loss.
    if (lost !== undefined && !this.#isRefused) this.#owner.counters.add(lost);
    this.#isRefused = true;
    this.#owner.onTrouble(troubleOf(code, HEP_CA));
    if (this.#isClosed) return;
    this.#cancel();
    this.#after(KEEP_ALIVE_MS, () => {
      this.#run([this.#keepAlive], () => this.#after(REFUSAL_MS, () => this.#look()));
    });
  }

  #later(reason: string): void {
    this.#owner.onTrouble(reason);
    this.#after(RESOLVE_MS, () => faults.run('link', () => this.start()));
  }

  #cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** One timer; the first that was set counts. */
  #after(ms: number, what: () => void): void {
    if (this.#timer !== null || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      what();
    }, ms);
    this.#timer.unref();
  }

  /** A thread may still send from it. */
  #closeSocket(): void {
    if (this.#fd < 0 || this.#isSending) return;
    this.#native.closeSocket(this.#fd);
    this.#fd = -1;
  }
}

function sizeOf(all: readonly Buffer[]): number {
  return all.reduce((sum, { length }) => sum + length, 0);
}

/** A packet without a payload, which collectors pass over. */
function keepAliveOf(agent: HepAgent): Buffer {
  const facts = {
    ...{ ipVersion: 4 as const, proto: UDP, addresses: new Uint8Array(8), srcOff: 0, dstOff: 4 },
    ...{ srcPort: 0, dstPort: 0, tsUs: Date.now() * 1000, protocolType: HEP_TYPE.SIP },
    ...{ vlan: 0, tos: 0, tcpFlags: 0 },
  };
  return encodeHep3(agent, facts, new Uint8Array(0)) ?? Buffer.alloc(0);
}
