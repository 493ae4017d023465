/** Collectors of HEP over TCP and TLS, as tests start, kill and start them again. */
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import type { TestContext } from 'node:test';
import type { TlsOptions } from 'node:tls';
import { createServer as createTlsServer } from 'node:tls';
import { packetEnd } from '../../src/actions/hep-out/block.ts';

export class StreamCollector {
  readonly #tls: TlsOptions | null;
  readonly #onPacket: (packet: Buffer) => void;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  port = 0;

  /** `onPacket` gets each whole packet; the memory is its own. */
  constructor(t: TestContext, onPacket: (packet: Buffer) => void, tls: TlsOptions | null = null) {
    this.#onPacket = onPacket;
    this.#tls = tls;
    t.after(() => this.kill());
  }

  /** On the port that it had before. */
  async start(): Promise<void> {
    const serve = (socket: Socket): void => this.#read(socket);
    const server = this.#tls === null ? createServer(serve) : createTlsServer(this.#tls, serve);
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** As SIGKILL does: what was not read is lost, and connections are reset. */
  kill(): void {
    this.#server?.close();
    this.#server = null;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  #read(socket: Socket): void {
    let rest: Buffer = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let at = 0;
      for (let end = packetEnd(bytes, at); end > 0; end = packetEnd(bytes, at)) {
        this.#onPacket(bytes.subarray(at, end));
        at = end;
      }
      rest = bytes.subarray(at);
    });
  }
}
