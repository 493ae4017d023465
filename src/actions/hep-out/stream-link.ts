/**
 * HEP to one collector over TCP or TLS. A connection that breaks is made again, each time after a longer wait.
 *
 * HEP has no acknowledgement. What was written when a connection breaks lies in the buffers of both hosts, and nobody can say
 * what the collector read of it. It is not sent again, since no collector may get a message twice; it is counted as
 * unconfirmed. That is what was under way, and what was written within the last bytes that both buffers hold.
 */
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { errnoOf } from '../../core/errors.ts';
import { faults } from '../../core/faults.ts';
import { endpointText } from '../../core/ip.ts';
import { backOffMs, troubleOf } from '../trouble.ts';
import type { Block } from './block.ts';
import type { Link, LinkOwner } from './link.ts';
import { HEP_CA } from './link.ts';

/** Bytes handed to a connection and not yet taken by the system. @cap with HEP_OUT_BYTES */
const HEP_OUT_UNDER_WAY_BYTES = 1024 * 1024;

/** Certificates and key as texts in PEM; `ca` replaces nothing, the host's own are trusted too. */
export type TlsMaterial = { readonly ca?: readonly string[]; readonly cert?: string; readonly key?: string };

export type StreamTimes = {
  readonly firstRetryMs: number;
  readonly lastRetryMs: number;
  /** For the connection and its handshake. */
  readonly connectMs: number;
  /** A collector that takes nothing for so long is left. */
  readonly stallMs: number;
};
const TIMES: StreamTimes = { firstRetryMs: 1_000, lastRetryMs: 30_000, connectMs: 10_000, stallMs: 15_000 };
const KEEP_ALIVE_MS = 5_000;

export class StreamLink implements Link {
  readonly name: string;
  readonly #host: string;
  readonly #port: number;
  readonly #tls: TlsMaterial | null;
  readonly #owner: LinkOwner;
  readonly #times: StreamTimes;
  readonly #window = new RecentWrites(bufferBytes());
  #socket: Socket | null = null;
  #isUp = false;
  #tries = 0;
  #underWay = 0;
  #underWayMessages = 0;
  #retry: NodeJS.Timeout | null = null;
  #watch: NodeJS.Timeout | null = null;
  #isClosed = false;

  /** `tls` null is plain TCP. */
  constructor(host: string, port: number, tls: TlsMaterial | null, owner: LinkOwner, times: StreamTimes = TIMES) {
    this.name = `${tls === null ? 'tcp' : 'tls'}://${endpointText(host, port)}`;
    this.#host = host;
    this.#port = port;
    this.#tls = tls;
    this.#owner = owner;
    this.#times = times;
  }

  /** What breaks off with a connection is to be little. */
  get atOnceBytes(): number {
    return 0;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  get isFree(): boolean {
    return this.#isUp && this.#underWay < HEP_OUT_UNDER_WAY_BYTES;
  }

  get underWay(): number {
    return this.#underWay;
  }

  start(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const socket = this.#open();
      this.#socket = socket;
      let code = '';
      const isConnected = (): void => {
        this.#isUp = true;
        this.#tries = 0;
        this.#owner.counters.add('connections');
        this.#unwatch();
        this.#owner.onTrouble(null);
        this.#owner.onChange();
        resolve();
      };
      this.#watchFor(this.#times.connectMs, socket);
      socket.once(this.#tls === null ? 'connect' : 'secureConnect', isConnected);
      socket.on('error', (error: Error) => {
        code = codeOf(error);
      });
      // A collector says nothing. What comes is thrown away, and the end of it ends the connection.
      socket.resume();
      socket.once('end', () => socket.destroy());
      socket.once('close', () => {
        this.#down(code === '' ? 'ECONNRESET' : code);
        resolve();
      });
    });
  }

  send(blocks: readonly Block[]): void {
    const socket = this.#socket;
    if (socket === null) throw new Error('send() of a link that is down');
    for (const block of blocks) this.#write(socket, block);
  }

  isOwn(): boolean {
    return false;
  }

  /** What the system has taken still goes out. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#unwatch();
    if (this.#underWay > 0) this.#down('');
    this.#socket?.destroySoon();
  }

  #write(socket: Socket, { bytes, messages }: Block): void {
    this.#underWay += bytes.length;
    this.#underWayMessages += messages;
    this.#watchFor(this.#times.stallMs, socket);
    socket.write(bytes, (error) => {
      // The connection broke: all that was under way is counted when it closes.
      if (error || socket !== this.#socket) return;
      this.#underWay -= bytes.length;
      this.#underWayMessages -= messages;
      this.#window.add(bytes.length, messages);
      this.#owner.counters.add('sent', messages);
      this.#owner.counters.add('sentBytes', bytes.length);
      this.#unwatch();
      if (this.#underWay > 0) this.#watchFor(this.#times.stallMs, socket);
      this.#owner.onChange();
    });
  }

  #open(): Socket {
    const to = { host: this.#host, port: this.#port };
    const socket =
      this.#tls === null
        ? connectTcp({ ...to, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS })
        : connectTls({
            ...to,
            ...(isIP(this.#host) === 0 && { servername: this.#host }),
            ...(this.#tls.ca !== undefined && { ca: [...this.#tls.ca] }),
            ...(this.#tls.cert !== undefined && { cert: this.#tls.cert }),
            ...(this.#tls.key !== undefined && { key: this.#tls.key }),
            minVersion: 'TLSv1.2',
            rejectUnauthorized: true,
          });
    if (this.#tls !== null) socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
    return socket.unref();
  }

  #down(code: string): void {
    const unconfirmed = this.#underWayMessages + this.#window.takeMessages();
    this.#owner.counters.add('unconfirmed', unconfirmed);
    this.#socket = this.#isClosed ? this.#socket : null;
    this.#isUp = false;
    this.#underWay = 0;
    this.#underWayMessages = 0;
    this.#unwatch();
    if (this.#isClosed) return;
    this.#owner.onTrouble(troubleOf(code, HEP_CA));
    this.#owner.onChange();
    const { firstRetryMs, lastRetryMs } = this.#times;
    const again = (): void => faults.run('link', () => this.start());
    this.#retry = setTimeout(again, backOffMs(this.#tries++, firstRetryMs, lastRetryMs));
    this.#retry.unref();
  }

  #watchFor(ms: number, socket: Socket): void {
    if (this.#watch !== null) return;
    this.#watch = setTimeout(() => {
      this.#watch = null;
      socket.destroy(Object.assign(new Error('no progress'), { code: 'ETIMEDOUT' }));
    }, ms);
    this.#watch.unref();
  }

  #unwatch(): void {
    if (this.#watch !== null) clearTimeout(this.#watch);
    this.#watch = null;
  }
}

/** With several addresses of a name the last error stands for all. */
function codeOf(error: Error): string {
  return errnoOf(error instanceof AggregateError ? error.errors.at(-1) : error) ?? 'ECONNRESET';
}

/** How many messages lie in the last `room` bytes that were written, rounded up. */
class RecentWrites {
  readonly #room: number;
  readonly #grain: number;
  readonly #runs: { bytes: number; messages: number }[] = [];
  #bytes = 0;

  constructor(room: number) {
    this.#room = room;
    this.#grain = room / 256;
  }

  add(bytes: number, messages: number): void {
    const last = this.#runs.at(-1);
    if (last !== undefined && last.bytes < this.#grain) {
      last.bytes += bytes;
      last.messages += messages;
    } else this.#runs.push({ bytes, messages });
    this.#bytes += bytes;
    for (let first = this.#runs[0]; first !== undefined && this.#bytes - first.bytes >= this.#room; ) {
      this.#bytes -= first.bytes;
      this.#runs.shift();
      first = this.#runs[0];
    }
  }

  takeMessages(): number {
    const messages = this.#runs.reduce((sum, run) => sum + run.messages, 0);
    this.#runs.length = 0;
    this.#bytes = 0;
    return messages;
  }
}

/** What the buffers of both hosts hold at most, if the other is set up as this one: the third number of each line (tcp(7)). */
function bufferBytes(): number {
  const most = (name: string, usual: number): number => {
    try {
      const bytes = Number(readFileSync(`/proc/sys/net/ipv4/${name}`, 'utf8').trim().split(/\s+/)[2]);
      return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : usual;
    } catch {
      return usual;
    }
  };
  return most('tcp_wmem', 4 * 1024 * 1024) + most('tcp_rmem', 6 * 1024 * 1024);
}
