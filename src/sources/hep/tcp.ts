/**
 * Receives HEP 3 over TCP or TLS: who may connect, how many at a time, how long in silence, and what each connection sent.
 *
 * A mirror of few agents: this runs on the main thread, unlike datagrams. Allow list and rate are those of the
 * listener's datagrams.
 */

import { createServer, type Server, type Socket } from 'node:net';
import { errnoOf } from '../../core/errors.ts';
import { endpointText } from '../../core/ip.ts';
import { hostClock } from '../host-clock.ts';
import type { Packet } from '../packet.ts';
import { hepBindError } from './allow.ts';
import { arrivalOf } from './arrival.ts';
import {
  HEP_TCP_CONNECTIONS,
  type HepConnection,
  MAX_HEP_SOURCE_CONNECTIONS,
  ownPlaceFor,
  placeFor,
  sourceOf,
} from './connections.ts';
import type { LengthAt } from './framer.ts';
import { HandshakeRate } from './handshake-rate.ts';
import type { HandshakeFailure, HepHandshakes } from './handshakes.ts';
import type { HepRefusal } from './refusals.ts';
import { type HepStranger, HepStream } from './stream.ts';

/** Milliseconds of silence after which a connection of HEP is closed: most agents send a keep-alive well within this. @cap */
const HEP_TCP_IDLE_MS = 600_000;

/** Bytes of a connection without a packet after which the other side does not speak HEP. @cap */
const HEP_TCP_SKIPPED_BYTES = 262_144;

/** Milliseconds a connection of HEP is not read after a packet that was over the rate: its sender waits. @cap */
export const HEP_TCP_PAUSE_MS = 50;

const NO_BYTES = new Uint8Array(0);

export type HepTcpOptions = {
  readonly lengthAt: LengthAt;
  /** Whether this sender may connect at all. */
  readonly allows: (address: Uint8Array, version: number) => boolean;
  /** Judges and counts one packet, a refused connection as one of no bytes: `taken`, or why not (native/hep/hep_gate.h). */
  readonly admit: (address: Uint8Array, version: number, b: Uint8Array, start: number, end: number) => string;
  /** One packet; the bytes and `arrival` are valid until it returns. Says why it goes no further, or null. */
  readonly onPacket: (b: Buffer, start: number, end: number, arrival: Packet) => HepRefusal | null;
  /** A connection that begins with something else than HEP, or whose handshake of TLS fails; then `code` says why. */
  readonly onStranger?: (what: HepStranger, arrival: Packet, code?: string) => void;
  /** Connections begin with a handshake of TLS; null takes plain TCP alone. */
  readonly tls: HepHandshakes | null;
  readonly maxConnections?: number;
  readonly idleMs?: number;
};

/** Everything that was not a packet taken or refused by the gate. */
const NO_COUNTS = {
  accepted: 0,
  refusedAddress: 0,
  refusedFull: 0,
  /** Its source holds all that one may hold. */
  refusedSource: 0,
  /** Gave their places to newcomers of other sources. */
  evicted: 0,
  closedIdle: 0,
  /** Began with something else than HEP, those with a TLS handshake included. */
  notHep: 0,
  closedTls: 0,
  closedNotHep: 0,
  /** Over TLS: handshakes that were refused before they began, took too long, failed, or showed no certificate of the CAs. */
  handshakesOverRate: 0,
  handshakeTimeouts: 0,
  handshakesFailed: 0,
  uncertified: 0,
  /** Began with something else than TLS where that is asked for. */
  notTls: 0,
  /** Brought a packet without the key before any with it. */
  closedWithoutKey: 0,
  /** Packets that came in one reading after one that was over the rate; part of the gate's `over_rate`. */
  overRate: 0,
  resyncs: 0,
  skippedBytes: 0,
  /** Packets that the end of their connection cut off. */
  cutPackets: 0,
  packets: 0,
  errors: 0,
};
export type HepTcpCounts = typeof NO_COUNTS;

export class HepTcpServer {
  readonly counts: HepTcpCounts = { ...NO_COUNTS };
  readonly #options: HepTcpOptions;
  readonly #server: Server;
  readonly #connections = new Set<HepConnection>();
  readonly #rate = new HandshakeRate(performance.now());
  #isClosed = false;

  constructor(options: HepTcpOptions) {
    this.#options = options;
    this.#server = createServer({ noDelay: true, keepAlive: true }, (socket) => this.#onConnection(socket));
  }

  get connections(): number {
    return this.#connections.size;
  }

  get scheme(): 'tcp' | 'tls' {
    return this.#options.tls === null ? 'tcp' : 'tls';
  }

  /** Binds a numeric address; the port that was bound. Throws ServiceError. */
  async listen(address: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      const failed = (error: Error): void => {
        const url = `${this.scheme}://${endpointText(address, port)}`;
        reject(hepBindError(url, errnoOf(error) ?? error.message, error));
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
  async stopListening(): Promise<void> {
    for (const { socket } of this.#connections) socket.destroy();
    this.#server.removeAllListeners('error');
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** Ends every connection and stops listening; idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { socket } of this.#connections) socket.destroy();
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
    if (!this.#options.allows(arrival.addresses, arrival.ipVersion)) {
      counts.refusedAddress++;
      this.#options.admit(arrival.addresses, arrival.ipVersion, NO_BYTES, 0, 0);
      socket.destroy();
      return;
    }
    const source = sourceOf(arrival.addresses, arrival.ipVersion);
    const refused = this.#refusalOf(source);
    if (refused !== null) {
      counts[refused]++;
      socket.destroy();
      return;
    }
    counts.accepted++;
    const connection: HepConnection = { socket, source, sinceMs: performance.now(), lastPacketMs: null };
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
    const { tls } = this.#options;
    if (tls === null) {
      this.#read(connection, arrival);
      return;
    }
    tls.begin(socket, (outcome) => {
      if ('socket' in outcome) {
        connection.socket = outcome.socket;
        this.#read(connection, arrival);
      } else this.#onFailure(outcome, arrival, socket.bytesRead > 0);
    });
  }

  /** A handshake without an end; `spoke`: it was more than a look whether the port is open. */
  #onFailure({ reason, code }: HandshakeFailure, arrival: Packet, spoke: boolean): void {
    // It was closed by us: by an eviction, or at the end.
    if (this.#isClosed) return;
    this.counts[reason]++;
    if (!spoke) return;
    const what = reason === 'notTls' ? 'plain' : reason === 'uncertified' ? 'uncertified' : 'handshake';
    this.#options.onStranger?.(what, arrival, code);
  }

  /** Why a newcomer gets no place; null when it has one. */
  #refusalOf(source: string): 'handshakesOverRate' | 'refusedSource' | 'refusedFull' | null {
    const nowMs = performance.now();
    if (this.#options.tls !== null && !this.#rate.take(source, nowMs)) return 'handshakesOverRate';
    const own = ownPlaceFor(source, nowMs, this.#connections, MAX_HEP_SOURCE_CONNECTIONS);
    if (own === null) return 'refusedSource';
    if (own === undefined && this.#connections.size < (this.#options.maxConnections ?? HEP_TCP_CONNECTIONS))
      return null;
    const victim = own ?? placeFor(source, nowMs, this.#connections);
    if (victim === null) return 'refusedFull';
    this.counts.evicted++;
    this.#connections.delete(victim);
    victim.socket.destroy();
    return null;
  }

  #read(connection: HepConnection, arrival: Packet): void {
    const { counts } = this;
    const { socket } = connection;
    const stream = new HepStream(this.#options.lengthAt, (b, start, end) =>
      this.#onPacket(b, start, end, arrival, connection, stream),
    );
    let pause: NodeJS.Timeout | undefined;
    socket.setTimeout(this.#options.idleMs ?? HEP_TCP_IDLE_MS, () => {
      counts.closedIdle++;
      socket.destroy();
    });
    socket.on('data', (chunk: Buffer) => {
      if (socket.destroyed) return;
      arrival.tsUs = hostClock.nowUs();
      arrival.arrivedUs = arrival.tsUs;
      const stranger = stream.push(chunk, counts);
      if (stranger !== null) {
        counts.notHep++;
        this.#options.onStranger?.(stranger, arrival);
      }
      if (stranger === 'tls') {
        counts.closedTls++;
        socket.destroy();
      } else if (stream.skippedInARow > HEP_TCP_SKIPPED_BYTES) {
        counts.closedNotHep++;
        socket.destroy();
      } else if (stream.isOverRate && !socket.destroyed) {
        stream.isOverRate = false;
        socket.pause();
        pause = setTimeout(() => socket.resume(), HEP_TCP_PAUSE_MS);
      }
    });
    socket.on('close', () => {
      clearTimeout(pause);
      if (stream.pendingBytes > 0) counts.cutPackets++;
    });
  }

  #onPacket(
    b: Buffer,
    start: number,
    end: number,
    arrival: Packet,
    connection: HepConnection,
    stream: HepStream,
  ): void {
    // Nothing reaches the stores after close(), or of a connection that was thrown out.
    if (this.#isClosed || connection.socket.destroyed) return;
    this.counts.packets++;
    // The gate would refuse what comes in the same reading, one by one, and the thread would do little else.
    if (stream.isOverRate) {
      this.counts.overRate++;
      return;
    }
    const verdict = this.#options.admit(arrival.addresses, arrival.ipVersion, b, start, end);
    if (verdict === 'taken') {
      const refused = this.#options.onPacket(b, start, end, arrival);
      if (refused === null) connection.lastPacketMs = performance.now();
    } else if (verdict === 'auth_failed' && connection.lastPacketMs === null) {
      this.counts.closedWithoutKey++;
      connection.socket.destroy();
    } else if (verdict === 'over_rate') stream.isOverRate = true;
  }
}
