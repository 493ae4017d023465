/**
 * From the records of the TLS probes to SIP messages with their addresses; nothing here is ever transmitted.
 */

import { asBuffer } from '../core/byte-text.ts';
import { ORIGINS } from '../core/words.ts';
import { DecodeCounters } from '../decode/counters.ts';
import { BothEnds } from '../decode/tls/both-ends.ts';
import type { TlsChunk } from '../decode/tls/streams.ts';
import { TlsStreams } from '../decode/tls/streams.ts';
import { contentLength } from '../protocols/sip/scanner/scan.ts';
import { emptyPacket, type Packet } from '../sources/packet.ts';
import type { RecordBatch } from '../sources/record-batch.ts';
import { KIND, TLS_FLAG } from '../sources/records.ts';
import type { SipIngest } from './sip.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const UPROBE_ORIGIN = ORIGINS.indexOf('uprobe');

export class TlsIngest {
  /** Losses of framing, apart from those of captured TCP. */
  readonly decode = new DecodeCounters();
  readonly streams: TlsStreams;
  readonly bothEnds = new BothEnds();
  /** Sees each message that was taken after the stores, with the process; the bytes are valid during the call. */
  onTaken: ((bytes: Uint8Array, start: number, end: number, packet: Packet, pid: number) => void) | null = null;
  readonly #packet = emptyPacket();
  readonly #chunk: Mutable<TlsChunk> = {
    packet: this.#packet,
    idLow: 0,
    idHigh: 0,
    pid: 0,
    isWritten: false,
    isShared: false,
    isUndecided: false,
    isUpgrade: false,
    offset: 0,
    bytes: new Uint8Array(0),
    start: 0,
    end: 0,
  };
  records = 0;
  /** Time of the newest record, microseconds since the epoch. */
  lastUs = Number.NEGATIVE_INFINITY;

  constructor(sip: SipIngest, onVerdict: (idLow: number, idHigh: number, isSip: boolean) => void) {
    this.streams = new TlsStreams(
      {
        onMessage: (bytes, start, end, packet, isWritten, pid) => {
          if (this.bothEnds.isSecond(bytes, start, end, packet, isWritten, pid)) return false;
          packet.origin = UPROBE_ORIGIN;
          sip.onBytes(asBuffer(bytes), start, end, packet);
          this.onTaken?.(bytes, start, end, packet, pid);
          return true;
        },
        onVerdict,
        contentLength,
      },
      this.decode,
    );
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
    c.isWritten = (flags & TLS_FLAG.WRITTEN) !== 0;
    c.isShared = (flags & TLS_FLAG.SHARED) !== 0;
    c.isUndecided = (flags & TLS_FLAG.UNDECIDED) !== 0;
    c.isUpgrade = (flags & TLS_FLAG.UPGRADE) !== 0;
    c.offset = b.frame(i);
    c.bytes = b.data;
    c.start = b.off(i);
    c.end = c.start + b.len(i);
    b.readPacket(i, this.#packet);
    this.#packet.isWeak = (flags & TLS_FLAG.WEAK_TUPLE) !== 0;
    return c;
  }
}
