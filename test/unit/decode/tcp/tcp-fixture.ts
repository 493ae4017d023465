/** Segments of one TCP connection and what a reassembler makes of them, for the tests of the decode layer. */
import { TRANSPORTS } from '../../../../src/core/words.ts';
import { DecodeCounters } from '../../../../src/decode/counters.ts';
import { TCP_LIMITS, type TcpLimits } from '../../../../src/decode/decode-limits.ts';
import { TcpReassembler, type TcpSegment } from '../../../../src/decode/tcp/tcp.ts';
import { contentLength } from '../../../../src/protocols/sip/scanner/scan.ts';
import { emptyPacket } from '../../../../src/sources/packet.ts';
import { FLAG } from '../../../../src/sources/records.ts';

export const FIN = 1;
export const SYN = 2;
export const RST = 4;
export const ACK = 16;

export const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');

export function join(...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}

/** A request with `body`; `n` makes it unlike others. */
export function sip(n: number, body = '', method = 'MESSAGE'): string {
  return (
    `${method} sip:bob@example.com SIP/2.0\r\nVia: SIP/2.0/TCP 10.0.0.1;branch=z9hG4bK${n}\r\nCall-ID: ${n}@test\r\n` +
    `CSeq: ${n} ${method}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

export function response(n: number, status = '200 OK'): string {
  return `SIP/2.0 ${status}\r\nCall-ID: ${n}@test\r\nCSeq: ${n} INVITE\r\nl: 0\r\n\r\n`;
}

/** The seven messages of one call, with the direction of each: 0 from the caller. */
export const CALL: readonly (readonly [0 | 1, string])[] = [
  [0, sip(1, 'v=0\r\no=- 1 1 IN IP4 10.0.0.1\r\ns=-\r\n', 'INVITE')],
  [1, response(1, '100 Trying')],
  [1, response(1, '180 Ringing')],
  [1, response(1)],
  [0, sip(1, '', 'ACK')],
  [0, sip(2, '', 'BYE')],
  [1, response(2)],
];

export type Seen = {
  readonly text: string;
  readonly transport: string;
  readonly srcPort: number;
  readonly tsUs: number;
  readonly frame: number;
  readonly truncated: boolean;
};

export type SegmentSpec = {
  readonly from?: 0 | 1;
  readonly seq: number;
  readonly data?: string | Uint8Array;
  readonly flags?: number;
  readonly tsUs?: number;
  readonly wireLength?: number;
  readonly gates?: number;
  readonly ports?: readonly [number, number];
  readonly frame?: number;
};

export class Tap {
  readonly counters = new DecodeCounters();
  readonly seen: Seen[] = [];
  readonly excluded: string[] = [];
  /** Connections that began to close: by which port, how, since when and when. */
  readonly closed: string[] = [];
  readonly reassembler: TcpReassembler;
  #frame = 0;

  constructor(limits: Partial<TcpLimits> = {}) {
    this.reassembler = new TcpReassembler(
      {
        onMessage: (b, start, end, packet) => {
          this.seen.push({
            text: Buffer.from(b.subarray(start, end)).toString('latin1'),
            transport: TRANSPORTS[packet.transport] ?? '',
            srcPort: packet.srcPort,
            tsUs: packet.tsUs,
            frame: packet.frame,
            truncated: packet.isSnapped,
          });
        },
        onClosed: ({ srcPort, tsUs }, sinceUs, isReset) =>
          this.closed.push(`${srcPort} ${isReset ? 'RST' : 'FIN'} ${sinceUs}-${tsUs}`),
        onExcluded: (kind, port) => this.excluded.push(`${kind} ${port}`),
        contentLength,
      },
      this.counters,
      { ...TCP_LIMITS, ...limits },
    );
  }

  get texts(): string[] {
    return this.seen.map((s) => s.text);
  }

  add(spec: SegmentSpec): this {
    const s = segment(spec, this.#frame++);
    this.reassembler.add(s);
    // A slab is written anew: what was kept of it must have been copied.
    s.bytes.fill(0x55);
    return this;
  }

  /** The three-way handshake, with first data bytes at sequence numbers 1001 and 2001. */
  open(ports?: readonly [number, number], gates?: number): this {
    const more = { ...(ports === undefined ? {} : { ports }), ...(gates === undefined ? {} : { gates }) };
    this.add({ seq: 1000, flags: SYN, ...more });
    return this.add({ from: 1, seq: 2000, flags: SYN | ACK, ...more });
  }
}

export function segment(spec: SegmentSpec, frame: number): TcpSegment {
  const data = typeof spec.data === 'string' ? bytes(spec.data) : (spec.data ?? new Uint8Array(0));
  // The payload stands inside a larger buffer, as in a slab, between bytes that are no part of it.
  const slab = Buffer.alloc(data.length + 16, 0x53);
  slab.set(data, 8);
  const addresses = new Uint8Array(32);
  addresses.set([10, 0, 0, 1], 0);
  addresses.set([10, 0, 0, 2], 16);
  const from = spec.from ?? 0;
  const [a, b] = spec.ports ?? [40_000, 5060];
  return {
    packet: {
      ...emptyPacket(addresses),
      srcOff: from === 0 ? 0 : 16,
      dstOff: from === 0 ? 16 : 0,
      srcPort: from === 0 ? a : b,
      dstPort: from === 0 ? b : a,
      tsUs: spec.tsUs ?? 1_000_000 + frame * 1_000,
      frame: spec.frame ?? frame,
      digestLow: frame,
    },
    bytes: slab,
    start: 8,
    end: 8 + data.length,
    wireLength: spec.wireLength ?? data.length,
    seq: spec.seq >>> 0,
    tcpFlags: spec.flags ?? ACK,
    gates: spec.gates ?? FLAG.SIP_GATE | FLAG.WS_GATE,
  };
}

export type FrameSpec = {
  readonly opcode?: number;
  readonly fin?: boolean;
  readonly rsv?: number;
  readonly masked?: boolean;
};

/** A WebSocket frame. */
export function frame(payload: string | Uint8Array, spec: FrameSpec = {}): Uint8Array {
  const data = typeof payload === 'string' ? bytes(payload) : payload;
  const head = [(spec.fin === false ? 0 : 0x80) | (spec.rsv ?? 0) | (spec.opcode ?? 1)];
  const mask = spec.masked === true ? 0x80 : 0;
  if (data.length < 126) head.push(mask | data.length);
  else if (data.length < 65_536) head.push(mask | 126, data.length >> 8, data.length & 255);
  else
    head.push(
      mask | 127,
      0,
      0,
      0,
      0,
      data.length >>> 24,
      (data.length >> 16) & 255,
      (data.length >> 8) & 255,
      data.length & 255,
    );
  if (mask === 0) return join(Uint8Array.from(head), data);
  const key = [0x11, 0xf2, 0x33, 0xa4];
  return join(
    Uint8Array.from([...head, ...key]),
    data.map((c, i) => c ^ (key[i & 3] ?? 0)),
  );
}

export const UPGRADE =
  'GET /ws HTTP/1.1\r\nHost: example.com\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: sip\r\nSec-WebSocket-Version: 13\r\n\r\n';

export function switching(extra = ''): string {
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${extra}\r\n`;
}
