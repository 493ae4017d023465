/**
 * Receives HEP 3 over TCP: who may connect, how many at a time, how long in silence, and what each connection sent.
 *
 * A mirror of few agents: this runs on the main thread, unlike datagrams. Allow list and rate are those of the
 * listener's datagrams.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { errnoOf } from '../core/error.ts';
import { endpointText, parseIpv4, parseIpv6 } from '../core/ip.ts';
import { hepBindError } from './hep-allow.ts';
import { HepFramer, type LengthAt } from './hep-framer.ts';

/** Connections at a time; each may hold one unfinished packet of 64 KiB. */
const MAX_CONNECTIONS = 256;
/** Agents keep a connection open through quiet hours; most send a keep-alive well within this. */
const IDLE_MS = 600_000;
/** Bytes without a packet after which the other side does not speak HEP. */
const MAX_SKIPPED_BYTES = 262_144;

/** Who sent a packet and where it came to, as in a record: network order, IPv4 in the first 4 bytes. */
export type HepArrival = {
  tsUs: number;
  readonly ipVersion: 4 | 6;
  readonly src: Uint8Array;
  readonly dst: Uint8Array;
  readonly srcPort: number;
  readonly dstPort: number;
};

export type HepTcpOptions = {
  readonly lengthAt: LengthAt;
  /** Whether this sender may connect at all. */
  readonly allows: (address: Uint8Array, version: 4 | 6) => boolean;
  /** Judges and counts one packet (a refused connection as one of no bytes); true when it is taken. */
  readonly admit: (address: Uint8Array, version: 4 | 6, bytes: number) => boolean;
  /** One packet; the bytes and `arrival` are valid until it returns. */
  readonly onPacket: (b: Buffer, start: number, end: number, arrival: HepArrival) => void;
  readonly maxConnections?: number;
  readonly idleMs?: number;
};

/** Everything that was not a packet taken or refused by the gate. */
export type HepTcpCounts = {
  accepted: number;
  refusedAddress: number;
  refusedFull: number;
  closedIdle: number;
  closedNotHep: number;
  resyncs: number;
  skippedBytes: number;
  /** Packets that the end of their connection cut off. */
  cutPackets: number;
  packets: number;
  errors: number;
};

export class HepTcpServer {
  readonly counts: HepTcpCounts = {
    accepted: 0,
    refusedAddress: 0,
    refusedFull: 0,
    closedIdle: 0,
    closedNotHep: 0,
    resyncs: 0,
    skippedBytes: 0,
    cutPackets: 0,
    packets: 0,
    errors: 0,
  };
  readonly #options: HepTcpOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isClosed = false;

  constructor(options: HepTcpOptions) {
    this.#options = options;
    this.#server = createServer({ noDelay: true, keepAlive: true }, (socket) => this.#onConnection(socket));
    this.#server.maxConnections = options.maxConnections ?? MAX_CONNECTIONS;
    this.#server.on('drop', () => this.counts.refusedFull++);
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Binds a numeric address; the port that was bound. Throws ServiceError. */
  async listen(address: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      const failed = (error: Error): void => {
        reject(hepBindError(`tcp://${endpointText(address, port)}`, errnoOf(error) ?? error.message, error));
      };
      this.#server.once('error', failed);
      this.#server.listen({ host: address, port, exclusive: true }, () => {
        this.#server.off('error', failed);
        this.#server.on('error', () => this.counts.errors++);
        resolve();
      });
    });
    const bound = this.#server.address();
    return typeof bound === 'object' && bound !== null ? bound.port : port;
  }

  /** Gives the port back, for another listen(). */
  async unlisten(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.removeAllListeners('error');
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** Ends every connection and stops listening; idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
    if (!this.#server.listening) return;
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #onConnection(socket: Socket): void {
    const counts = this.counts;
    // What the other side breaks is no fault of ours; 'close' follows.
    socket.on('error', () => counts.errors++);
    const arrival = arrivalOf(socket);
    if (arrival === null || this.#isClosed) {
      socket.destroy();
      return;
    }
    if (!this.#options.allows(arrival.src, arrival.ipVersion)) {
      counts.refusedAddress++;
      this.#options.admit(arrival.src, arrival.ipVersion, 0);
      socket.destroy();
      return;
    }
    counts.accepted++;
    this.#sockets.add(socket);
    const framer = new HepFramer(this.#options.lengthAt, (b, start, end) => this.#onPacket(b, start, end, arrival));
    let seen = { resyncs: 0, skippedBytes: 0 };
    socket.setTimeout(this.#options.idleMs ?? IDLE_MS, () => {
      counts.closedIdle++;
      socket.destroy();
    });
    socket.on('data', (chunk: Buffer) => {
      if (socket.destroyed) return;
      arrival.tsUs = Date.now() * 1000;
      framer.push(chunk);
      counts.resyncs += framer.resyncs - seen.resyncs;
      counts.skippedBytes += framer.skippedBytes - seen.skippedBytes;
      seen = { resyncs: framer.resyncs, skippedBytes: framer.skippedBytes };
      if (framer.skippedInARow > MAX_SKIPPED_BYTES) {
        counts.closedNotHep++;
        socket.destroy();
      }
    });
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (framer.pendingBytes > 0) counts.cutPackets++;
    });
  }

  #onPacket(b: Buffer, start: number, end: number, arrival: HepArrival): void {
    // Nothing reaches the stores after close().
    if (this.#isClosed) return;
    this.counts.packets++;
    if (this.#options.admit(arrival.src, arrival.ipVersion, end - start))
      this.#options.onPacket(b, start, end, arrival);
  }
}

/** Both ends of a connection; null when it is gone already. An IPv4-mapped address is the IPv4 address it maps. */
function arrivalOf(socket: Socket): HepArrival | null {
  const src = addressBytes(socket.remoteAddress);
  const dst = addressBytes(socket.localAddress);
  if (src === null || dst === null) return null;
  return {
    tsUs: Date.now() * 1000,
    ipVersion: src.version,
    src: src.bytes,
    dst: dst.bytes,
    srcPort: socket.remotePort ?? 0,
    dstPort: socket.localPort ?? 0,
  };
}

function addressBytes(text: string | undefined): { readonly version: 4 | 6; readonly bytes: Uint8Array } | null {
  if (text === undefined) return null;
  const bytes = new Uint8Array(16);
  const four = parseIpv4(text.startsWith('::ffff:') ? text.slice(7) : text);
  if (four >= 0) {
    new DataView(bytes.buffer).setUint32(0, four);
    return { version: 4, bytes };
  }
  const six = parseIpv6(text);
  if (six === null) return null;
  bytes.set(six);
  return { version: 6, bytes };
}
