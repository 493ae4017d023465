/**
 * From the records of the TLS probes to SIP messages with their addresses; nothing here is ever transmitted.
 */
import { asBuffer } from '../core/byte-text.ts';
import { ORIGINS, TRANSPORT } from '../core/words.ts';
import { DecodeCounters } from '../decode/counters.ts';
import { BothEnds } from '../decode/tls/both-ends.ts';
import type { TlsChunk, TlsMessageMeta } from '../decode/tls/streams.ts';
import { TlsStreams } from '../decode/tls/streams.ts';
import { contentLength } from '../protocols/sip/scanner/scan.ts';
import type { RecordBatch } from '../sources/record-batch.ts';
import { KIND, TLS_FLAG, TLS_LIBRARY_SHIFT } from '../sources/records.ts';
import type { Carrier } from '../store/messages/fingerprint.ts';
import { emptyCarrier } from '../store/messages/fingerprint.ts';
import type { SipIngest } from './sip.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const UPROBE_ORIGIN = ORIGINS.indexOf('uprobe');

export class TlsIngest {
  /** Losses of framing, apart from those of captured TCP. */
  readonly decode = new DecodeCounters();
  readonly streams: TlsStreams;
  readonly bothEnds = new BothEnds();
  readonly #sip: SipIngest;
  readonly #chunk: Mutable<TlsChunk>;
  readonly #addresses = new Uint8Array(32);
  readonly #carrier: Carrier = emptyCarrier(this.#addresses);
  records = 0;
  /** Time of the newest record, microseconds since the epoch. */
  lastUs = Number.NEGATIVE_INFINITY;

  constructor(sip: SipIngest, onVerdict: (idLow: number, idHigh: number, isSip: boolean) => void) {
    this.#sip = sip;
    this.streams = new TlsStreams(
      {
        onMessage: (bytes, start, end, meta) => this.#onMessage(bytes, start, end, meta),
        onVerdict,
        contentLength,
      },
      this.decode,
    );
    this.#chunk = {
      idLow: 0,
      idHigh: 0,
      pid: 0,
      library: 0,
      tsUs: 0,
      isWritten: false,
      isWeak: false,
      isShared: false,
      isUndecided: false,
      isUpgrade: false,
      offset: 0,
      bytes: this.#addresses,
      start: 0,
      end: 0,
      ipVersion: 0,
      addresses: this.#addresses,
      srcAt: 0,
      dstAt: 16,
      srcPort: 0,
      dstPort: 0,
    };
    this.#carrier.origin = UPROBE_ORIGIN;
  }

  /** One slab of records, in order. */
  onRecords(b: RecordBatch, count: number): void {
    this.records += count;
    for (let i = 0; i < count; i++) this.#onRecord(b, i);
    if (this.streams.isHolding) this.streams.settle(this.lastUs);
  }

  /** Moves the clock where no record does. */
  tick(nowUs: number): void {
    this.streams.expire(nowUs);
  }

  /** Nothing more comes: what waits is passed on or given up, and counted. */
  finish(): void {
    this.streams.finish();
  }

  #onRecord(b: RecordBatch, i: number): void {
    const tsUs = b.tsUs(i);
    if (tsUs > this.lastUs) this.lastUs = tsUs;
    switch (b.kind(i)) {
      case KIND.TLS_DATA:
        this.streams.data(this.#fill(b, i));
        return;
      case KIND.TLS_BIND:
        this.streams.bind(this.#fill(b, i));
        return;
      case KIND.TLS_CLOSE:
        if (b.aux0(i) === 0 && b.aux1(i) === 0) this.streams.closeProcess(b.digestLow(i));
        else this.streams.close(b.aux0(i), b.aux1(i));
        return;
      default:
        return;
    }
  }

  #fill(b: RecordBatch, i: number): TlsChunk {
    const flags = b.aux2(i);
    const c = this.#chunk;
    c.idLow = b.aux0(i);
    c.idHigh = b.aux1(i);
    c.pid = b.digestLow(i);
    c.library = (flags >>> TLS_LIBRARY_SHIFT) & 0xff;
    c.tsUs = b.tsUs(i);
    c.isWritten = (flags & TLS_FLAG.WRITTEN) !== 0;
    c.isWeak = (flags & TLS_FLAG.WEAK_TUPLE) !== 0;
    c.isShared = (flags & TLS_FLAG.SHARED) !== 0;
    c.isUndecided = (flags & TLS_FLAG.UNDECIDED) !== 0;
    c.isUpgrade = (flags & TLS_FLAG.UPGRADE) !== 0;
    c.offset = b.frame(i);
    c.bytes = b.data;
    c.start = b.off(i);
    c.end = c.start + b.len(i);
    c.ipVersion = b.ipVersion(i);
    c.addresses = b.bytes;
    c.srcAt = b.srcOff(i);
    c.dstAt = b.dstOff(i);
    c.srcPort = b.srcPort(i);
    c.dstPort = b.dstPort(i);
    return c;
  }

  #onMessage(bytes: Uint8Array, start: number, end: number, meta: TlsMessageMeta): boolean {
    if (this.bothEnds.isSecond(bytes, start, end, meta, meta.isWritten, meta.tsUs)) return false;
    const c = this.#carrier;
    this.#addresses.set(meta.src, 0);
    this.#addresses.set(meta.dst, 16);
    c.tsUs = meta.tsUs;
    c.arrivedUs = meta.tsUs;
    c.transport = meta.transport === 'WSS' ? TRANSPORT.WSS : TRANSPORT.TLS;
    c.ipVersion = meta.ipVersion;
    c.srcPort = meta.srcPort;
    c.dstPort = meta.dstPort;
    c.isSnapped = meta.isTruncated;
    c.isWeak = meta.isWeak;
    this.#sip.onBytes(asBuffer(bytes), start, end, c);
    return true;
  }
}
