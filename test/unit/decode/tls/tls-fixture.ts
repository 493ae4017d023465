/** Chunks of TLS plaintext and what comes of them, for the tests of the decode layer. */
import { TRANSPORTS } from '../../../../src/core/words.ts';
import { DecodeCounters } from '../../../../src/decode/counters.ts';
import type { TlsChunk, TlsStreamLimits } from '../../../../src/decode/tls/streams.ts';
import { TLS_STREAM_LIMITS, TlsStreamCounters, TlsStreams } from '../../../../src/decode/tls/streams.ts';
import { contentLength } from '../../../../src/protocols/sip/scanner/scan.ts';
import { emptyPacket } from '../../../../src/sources/packet.ts';

export type SeenMessage = {
  readonly text: string;
  readonly transport: string;
  readonly way: string;
  readonly tsUs: number;
  readonly isWritten: boolean;
  readonly isTruncated: boolean;
};

export type ChunkSpec = {
  readonly id?: number;
  readonly data?: string | Uint8Array;
  /** Default: where the direction has got to. */
  readonly offset?: number;
  readonly isWritten?: boolean;
  /** null: not known. Local and remote, each `address:port`. */
  readonly address?: readonly [string, string] | null;
  readonly isWeak?: boolean;
  readonly isShared?: boolean;
  readonly isUndecided?: boolean;
  readonly isUpgrade?: boolean;
  readonly tsUs?: number;
  readonly pid?: number;
};

export const LOCAL = '10.0.0.2:5061';
export const REMOTE = '10.0.0.1:40000';

export class TlsTap {
  readonly decode = new DecodeCounters();
  readonly counters = new TlsStreamCounters();
  readonly seen: SeenMessage[] = [];
  readonly verdicts: (readonly [number, boolean])[] = [];
  readonly streams: TlsStreams;
  readonly #offsets = new Map<string, number>();

  constructor(limits: Partial<TlsStreamLimits> = {}) {
    this.streams = new TlsStreams(
      {
        onMessage: (b, start, end, packet, isWritten) => {
          const { addresses, srcPort, dstPort } = packet;
          const ends = `${text(addresses, srcPort)}>${text(addresses.subarray(16), dstPort)}`;
          this.seen.push({
            text: Buffer.from(b.subarray(start, end)).toString('latin1'),
            transport: TRANSPORTS[packet.transport] ?? '',
            way: packet.ipVersion === 0 ? 'unknown' : ends,
            tsUs: packet.tsUs,
            isWritten,
            isTruncated: packet.isSnapped,
          });
          return true;
        },
        onVerdict: (low, _high, isSip) => this.verdicts.push([low, isSip]),
        contentLength,
      },
      this.decode,
      this.counters,
      { ...TLS_STREAM_LIMITS, ...limits },
    );
  }

  get texts(): string[] {
    return this.seen.map((m) => m.text);
  }

  data(spec: ChunkSpec): void {
    const { id = 1, isWritten = false } = spec;
    const key = `${id} ${isWritten}`;
    const bytes = typeof spec.data === 'string' ? Buffer.from(spec.data, 'latin1') : (spec.data ?? Buffer.alloc(0));
    const offset = spec.offset ?? this.#offsets.get(key) ?? 0;
    this.#offsets.set(key, offset + bytes.length);
    // In the middle of other bytes, so that reading past either end would show.
    const padded = Buffer.concat([Buffer.from('INVITE '), bytes, Buffer.from(' SIP/2.0\r\n\r\n')]);
    this.streams.data(chunk({ ...spec, id, isWritten, offset }, padded, 7, 7 + bytes.length, isWritten));
    // A slab is written anew: what was kept of it must have been copied.
    padded.fill(0x55);
  }

  bind(spec: ChunkSpec): void {
    this.streams.bind(chunk(spec, Buffer.alloc(0), 0, 0, true));
  }
}

function chunk(spec: ChunkSpec, bytes: Uint8Array, start: number, end: number, localFirst: boolean): TlsChunk {
  const { address = [LOCAL, REMOTE] } = spec;
  const addresses = new Uint8Array(32);
  const [local = '', remote = ''] = address ?? [];
  const [src, dst] = localFirst ? [local, remote] : [remote, local];
  put(addresses, 0, src);
  put(addresses, 16, dst);
  return {
    packet: {
      ...emptyPacket(addresses),
      tsUs: spec.tsUs ?? 1_000_000,
      isWeak: spec.isWeak ?? false,
      ipVersion: address === null ? 0 : 4,
      srcPort: Number(src.split(':')[1] ?? 0),
      dstPort: Number(dst.split(':')[1] ?? 0),
    },
    idLow: spec.id ?? 1,
    idHigh: 7,
    pid: spec.pid ?? 100,
    isWritten: spec.isWritten ?? false,
    isShared: spec.isShared ?? false,
    isUndecided: spec.isUndecided ?? false,
    isUpgrade: spec.isUpgrade ?? false,
    offset: spec.offset ?? 0,
    bytes,
    start,
    end,
  };
}

function put(to: Uint8Array, at: number, endpoint: string): void {
  const parts = (endpoint.split(':')[0] ?? '').split('.').map(Number);
  for (let i = 0; i < 4; i++) to[at + i] = parts[i] ?? 0;
}

function text(address: Uint8Array, port: number): string {
  return `${[...address.subarray(0, 4)].join('.')}:${port}`;
}
