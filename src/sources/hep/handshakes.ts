/**
 * TLS in front of the reader of HEP: one certificate for all connections, and each handshake within its time.
 *
 * Neither renegotiation nor resumption: connections stay open for long, and each one shows its certificate.
 */

import { constants, createPrivateKey, X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type SecureContextOptions, type Server, type TLSSocket } from 'node:tls';
import { oneLine } from '../../config/option-value.ts';
import { readCertificate, readPrivateKey } from '../../config/text-file.ts';
import { errnoOf, failure } from '../../core/errors.ts';

/** Milliseconds in which a connection must end the handshake of TLS, however slowly it speaks. @cap */
export const MAX_HEP_HANDSHAKE_MS = 5_000;

const CERT = '--hep-listen-cert';
const KEY = '--hep-listen-key';

/** The files of --hep-listen-cert, --hep-listen-key and --hep-listen-client-ca. */
export type HepTlsFiles = { readonly cert: string; readonly key: string; readonly clientCa: string | null };

/** Why a connection got no further than its handshake. */
export type HandshakeFailure = {
  readonly reason: 'notTls' | 'handshakeTimeouts' | 'handshakesFailed' | 'uncertified';
  /** By its name in Node.js or OpenSSL. */
  readonly code: string;
};

type Ended = (outcome: { readonly socket: TLSSocket } | HandshakeFailure) => void;

/** What OpenSSL calls bytes that begin no TLS. */
const NOT_TLS = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_HTTP_REQUEST', 'ERR_SSL_HTTPS_PROXY_REQUEST']);

export class HepHandshakes {
  readonly #files: HepTlsFiles;
  /** It never listens: the connections are given to it. */
  readonly #server: Server;
  readonly #waiting = new Map<string, Ended>();
  #validTo: string;

  /** Reads the files. Throws ServiceError, which names the one that is wrong. */
  constructor(files: HepTlsFiles) {
    this.#files = files;
    const { context, validTo } = readContext(files);
    this.#validTo = validTo;
    const asks = { requestCert: files.clientCa !== null, rejectUnauthorized: false };
    this.#server = guarded(files, () => createServer({ ...context, ...asks }));
    this.#server.on('secureConnection', (socket) => this.#onSecure(socket));
    this.#server.on('tlsClientError', (error, socket) => {
      const code = errnoOf(error) ?? 'error';
      this.#end(socket, { reason: NOT_TLS.has(code) ? 'notTls' : 'handshakesFailed', code });
      socket.destroy();
    });
  }

  /** Only who shows a certificate may send, and nobody without TLS. */
  get asksForCertificate(): boolean {
    return this.#files.clientCa !== null;
  }

  /** Until when the certificate is valid, as OpenSSL writes it. */
  get validTo(): string {
    return this.#validTo;
  }

  /** Reads the files again, for connections to come. Throws ServiceError; the certificate of before stays in use then. */
  renew(): void {
    const { context, validTo } = readContext(this.#files);
    guarded(this.#files, () => this.#server.setSecureContext(context));
    this.#validTo = validTo;
  }

  /**
   * Lets a connection begin with its handshake; `onEnd` is called once, with the socket to read from, or why there is
   * none. Then, and where it closes before, the connection is gone.
   */
  begin(socket: Socket, onEnd: Ended): void {
    const key = endsOf(socket);
    // Node's own limit begins again with every byte.
    const timer = setTimeout(() => {
      ended({ reason: 'handshakeTimeouts', code: 'ERR_TLS_HANDSHAKE_TIMEOUT' });
      socket.destroy();
    }, MAX_HEP_HANDSHAKE_MS);
    const ended: Ended = (outcome) => {
      clearTimeout(timer);
      if (this.#waiting.delete(key)) onEnd(outcome);
    };
    this.#waiting.set(key, ended);
    socket.once('close', () => ended({ reason: 'handshakesFailed', code: 'ECONNRESET' }));
    this.#server.emit('connection', socket);
  }

  #onSecure(socket: TLSSocket): void {
    if (!this.asksForCertificate || socket.authorized) {
      this.#end(socket, { socket });
      return;
    }
    // Its type says Error; it is the name of what is wrong.
    const code = String(socket.authorizationError ?? 'error');
    this.#end(socket, { reason: 'uncertified', code });
    socket.destroy();
  }

  #end(socket: TLSSocket, outcome: Parameters<Ended>[0]): void {
    socket.on('error', () => {});
    const ended = this.#waiting.get(endsOf(socket));
    if (ended === undefined) socket.destroy();
    else ended(outcome);
  }
}

/** Names one connection among those that are open. */
function endsOf({ localAddress, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`;
}

/** What a context is made of. Throws ServiceError. */
function readContext({ cert: certFile, key: keyFile, clientCa }: HepTlsFiles): {
  readonly context: SecureContextOptions;
  readonly validTo: string;
} {
  const cert = readCertificate(CERT, certFile);
  const key = readPrivateKey(KEY, keyFile);
  const x509 = new X509Certificate(cert);
  if (!x509.checkPrivateKey(createPrivateKey(key))) {
    const [reason, content] = [`it is not the key of ${CERT}`, 'the private key of the certificate'];
    throw failure('SECRET_FILE_INVALID', { option: KEY, path: oneLine(keyFile), reason, content });
  }
  const ca = clientCa === null ? {} : { ca: readCertificate('--hep-listen-client-ca', clientCa) };
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_TICKET;
  return { context: { cert, key, ...ca, secureOptions, minVersion: 'TLSv1.2' }, validTo: x509.validTo };
}

/** OpenSSL looks at more than we do, such as the rest of a chain and the strength of a key. */
function guarded<T>({ cert }: HepTlsFiles, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw failure('SECRET_FILE_INVALID', {
      option: CERT,
      path: oneLine(cert),
      reason: `OpenSSL refuses it, its key or its CAs (${errnoOf(error) ?? 'error'})`,
      content: 'a certificate chain in PEM',
    });
  }
}
