/**
 * Listens for HEP on one address, datagrams in a native thread and connections beside it, through one gate.
 *
 * Refuses to start where the network could reach it and nobody said who may send.
 */

import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
import { resolveHost } from '../../core/bind.ts';
import type { ServiceError } from '../../core/errors.ts';
import { failure } from '../../core/errors.ts';
import { endpointText, ipText } from '../../core/ip.ts';
import { allocateSlabs } from '../capture-memory.ts';
import type { RecordBatch } from '../record-batch.ts';
import { checkHepBind, HepAllow, hepBindError } from './allow.ts';
import type { LengthAt } from './framer.ts';
import { HepHandshakes, type HepTlsFiles } from './handshakes.ts';
import type { NativeHepCapture, NativeHepOptions } from './native-hep.ts';
import { SENDER_ADDRESS_BYTES } from './native-hep.ts';
import { type HepTcpOptions, HepTcpServer } from './tcp.ts';

/**
 * 64 MiB between the thread and JavaScript: 0.6 s of 200,000 messages a second. A quarter of that lost 0.1 to 5 % at this
 * rate on two cores, when collector and sender took their share of them at once.
 *
 * @cap option 113 MiB, hep_kernel_dropped: with `-L`
 */
const HEP_SLABS = 256;

/** With port 0 the two transports need one number that is free for both: how many are tried. */
const PORTS_TRIED = 32;

/** What lies in the ring at the end is analysed, for this long. */
const CLOSE_MS = 800;

export type NativeHep = {
  readonly counterNames: readonly string[];
  /** How many of the counters are verdicts: the first ones, the very first being `taken`. */
  readonly verdicts: number;
  create(options: NativeHepOptions, onSlab: (slab: number, records: number) => void): NativeHepCapture;
};

export type HepListenerOptions = {
  readonly host: string;
  readonly port: number;
  /** --hep-allow as given. */
  readonly allow: readonly string[];
  /** --hep-auth; null asks for no key. */
  readonly key: string | null;
  /** Connections speak TLS; null: plain TCP. */
  readonly tls: HepTlsFiles | null;
  /** --hep-rate-limit: packets a second in all. */
  readonly ratePerSec: number;
  readonly sourceId: number;
  readonly native: NativeHep;
  readonly lengthAt: LengthAt;
  /** One slab of records, valid until it returns. */
  readonly onRecords: (batch: RecordBatch, count: number) => void;
  /** One packet of a connection, valid until it returns; why it goes no further, or null. */
  readonly onPacket: HepTcpOptions['onPacket'];
  /** A connection that begins with something else than HEP. */
  readonly onStranger?: NonNullable<HepTcpOptions['onStranger']>;
};

export type HepSenderRow = { readonly sender: string; readonly counts: Readonly<Record<string, number>> };

export class HepListener {
  readonly tcp: HepTcpServer;
  readonly counters: BigUint64Array;
  readonly #native: NativeHep;
  readonly #capture: NativeHepCapture;
  readonly #options: HepListenerOptions;
  readonly #tls: HepHandshakes | null;
  readonly #batches: readonly RecordBatch[];
  #address = '';
  #port = 0;
  #receiveBuffer = 0;
  #isClosing = false;
  #isClosed = false;
  #abandoned = 0;

  private constructor(options: HepListenerOptions, allow: HepAllow, tls: HepHandshakes | null) {
    this.#options = options;
    this.#tls = tls;
    this.#native = options.native;
    this.counters = new BigUint64Array(options.native.counterNames.length);
    const { slabs, descriptors, batches } = allocateSlabs(HEP_SLABS);
    this.#batches = batches;
    this.#capture = options.native.create(
      {
        slabs,
        descriptors,
        counters: this.counters,
        allow: allow.packed(),
        key: Buffer.from(options.key ?? '', 'utf8'),
        rate: options.ratePerSec,
        maxBytes: 0,
        receiveBuffer: 0,
        sourceId: options.sourceId,
      },
      (slab, records) => {
        const batch = this.#batches[slab];
        if (batch !== undefined && records > 0 && !this.#isClosed) options.onRecords(batch, records);
      },
    );
    const capture = this.#capture;
    this.tcp = new HepTcpServer({
      lengthAt: options.lengthAt,
      allows: (address, version) => allow.allows(address, version),
      admit: (address, version, b, start, end) =>
        options.native.counterNames[capture.admit(address, version, b, start, end)] ?? '',
      onPacket: options.onPacket,
      tls,
      ...(options.onStranger !== undefined && { onStranger: options.onStranger }),
    });
  }

  /**
   * Resolves, checks and binds both transports; begin() starts reading datagrams. Throws ServiceError; nothing stays
   * open then.
   */
  static async open(options: HepListenerOptions): Promise<HepListener> {
    const allow = HepAllow.parse(options.allow);
    const address = await resolveHost(options.host);
    if (address === null) {
      throw failure('HEP_ADDRESS_UNKNOWN', { host: options.host });
    }
    // What was resolved is what gets bound: a name cannot turn into another address in between.
    checkHepBind(address, options.port, options.allow);
    const tls = options.tls === null ? null : new HepHandshakes(options.tls);
    const listener = new HepListener(options, allow, tls);
    try {
      await listener.#open(address);
    } catch (error) {
      await listener.close();
      throw error;
    }
    return listener;
  }

  /** Starts the thread; `output` is the id of an OutputFile that what is taken is written to. Throws ServiceError. */
  begin(output: number | null = null): void {
    if (!this.#takesDatagrams) return;
    if (output !== null) this.#capture.setOutput(output);
    const errno = this.#capture.start();
    if (errno !== 0) throw this.#bindError(this.#address, errno);
  }

  /** Where it listens, with the port that was picked: `udp://127.0.0.1:9060`, and the same of `tcp` or `tls`. */
  get urls(): readonly string[] {
    const schemes = [...(this.#takesDatagrams ? ['udp'] : []), this.tcp.scheme];
    return schemes.map((scheme) => `${scheme}://${endpointText(this.#address, this.#port)}`);
  }

  /** Nobody can show a certificate with them. */
  get #takesDatagrams(): boolean {
    return this.#tls?.asksForCertificate !== true;
  }

  get port(): number {
    return this.#port;
  }

  /** Bytes of the kernel's receive buffer; small where the process may not raise it. */
  get receiveBuffer(): number {
    return this.#receiveBuffer;
  }

  /** A native counter by its name. */
  counter(name: string): number {
    const i = this.#native.counterNames.indexOf(name);
    if (i < 0) throw new RangeError(`unknown HEP counter ${name}`);
    return this.#count(i);
  }

  /** What connections brought after a packet over the rate is over it too, though the gate was not asked. */
  #count(i: number): number {
    const beside = this.#native.counterNames[i] === 'over_rate' ? this.tcp.counts.overRate : 0;
    return Number(this.counters[i] ?? 0n) + beside;
  }

  /**
   * Reads the certificate again, for connections to come; what to say of it, or null where there is none. Throws
   * ServiceError, and the certificate of before stays in use.
   */
  renewCertificate(): string | null {
    if (this.#tls === null) return null;
    this.#tls.renew();
    return `read the certificate of -L again; it is valid until ${this.#tls.validTo}`;
  }

  /** Every native counter by its name. */
  counts(): [name: string, value: number][] {
    return this.#native.counterNames.map((name, i) => [name, this.#count(i)]);
  }

  /** Packets refused before they were read, by reason: those of connections too. */
  *refused(): Generator<readonly [string, number]> {
    for (let i = 1; i < this.#native.verdicts; i++) {
      yield [this.#native.counterNames[i] ?? '', this.#count(i)];
    }
  }

  /** The senders with the most refusals, then those that send most. */
  topSenders(max: number): HepSenderRow[] {
    const { verdicts, counterNames } = this.#native;
    const rowBytes = SENDER_ADDRESS_BYTES + verdicts * 8;
    const rows = new Uint8Array(max * rowBytes);
    const n = this.#capture.topSenders(rows);
    const view = new DataView(rows.buffer);
    return Array.from({ length: n }, (_, i) => {
      const at = i * rowBytes;
      const counts: Record<string, number> = {};
      for (let v = 0; v < verdicts; v++) {
        counts[counterNames[v] ?? ''] = Number(view.getBigUint64(at + SENDER_ADDRESS_BYTES + v * 8, true));
      }
      return { sender: ipText(rows, at, view.getUint8(at + 16)), counts };
    });
  }

  /** Packets that were taken and not analysed, because close() could wait no longer. */
  get abandoned(): number {
    return this.#abandoned;
  }

  /** Stops both transports and hands over what had come by then; no callback comes after it. Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#capture.halt();
    const tcp = this.tcp.close();
    for (const end = performance.now() + CLOSE_MS; this.#capture.unread() > 0 && performance.now() < end; )
      await new Promise((resolve) => setTimeout(resolve, 1));
    this.#abandoned = this.#capture.unread();
    this.#isClosed = true;
    this.#capture.close();
    await tcp;
  }

  async #open(address: string): Promise<void> {
    const { port } = this.#options;
    if (port === 0) return this.#openAny(address);
    const errno = this.#openDatagrams(address, port);
    if (errno !== 0) throw this.#bindError(address, errno);
    await this.tcp.listen(address, port);
  }

  /**
   * Port 0. The kernel picks the port among those free for connections, of which a busy host has many open; where
   * datagrams have it already, the next one is tried.
   */
  async #openAny(address: string): Promise<void> {
    for (let tried = 1; ; tried++) {
      const errno = this.#openDatagrams(address, await this.tcp.listen(address, 0));
      if (errno === 0) return;
      if (tried === PORTS_TRIED || errno !== constants.errno.EADDRINUSE) throw this.#bindError(address, errno);
      await this.tcp.stopListening();
    }
  }

  /** errno; 0 too where nothing is opened. */
  #openDatagrams(address: string, port: number): number {
    this.#address = address;
    this.#port = port;
    if (!this.#takesDatagrams) return 0;
    const bound = this.#capture.open(address, port);
    this.#port = bound.port;
    this.#receiveBuffer = bound.receiveBuffer;
    return bound.errno;
  }

  #bindError(address: string, errno: number): ServiceError {
    return hepBindError(`udp://${endpointText(address, this.#options.port)}`, getSystemErrorName(-Math.abs(errno)));
  }
}
