/**
 * A capture that fills every cap of the program at once: dialogs with texts as long as they are kept, descriptions, messages,
 * streams, fragments, TCP, WebSocket, ICMP, STUN, RTCP, scanners and callers. What it is made of are frames of Ethernet with
 * IPv4 and no checksums, as a network card with offloading shows them.
 */
import { deflateRawSync } from 'node:zlib';

const FIRST_SEC = 1_700_000_000;
const SERVER = 0xc0000202;
const UDP = 17;
const TCP = 6;
const ICMP = 1;
const SYN = 2;
const ACK = 16;
const PSH_ACK = 24;
/** Bytes of pcap written in one piece. */
const PIECE = 1024 * 1024;

/** Frames of a capture, in pieces of about a megabyte. */
export class Feed {
  #parts: Buffer[] = [header()];
  #bytes = 0;
  #us = 0;
  #id = 0;
  /** Frames made. */
  frames = 0;

  /** What has been made since it was asked last. */
  take(): Buffer {
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return bytes;
  }

  /** Time goes by. */
  wait(us: number): void {
    this.#us += us;
  }

  get isFull(): boolean {
    return this.#bytes >= PIECE;
  }

  udp(from: number, fromPort: number, to: number, toPort: number, payload: Buffer): void {
    const head = Buffer.alloc(8);
    head.writeUInt16BE(fromPort, 0);
    head.writeUInt16BE(toPort, 2);
    head.writeUInt16BE(8 + payload.length, 4);
    this.#packet(from, to, UDP, [head, payload]);
  }

  tcp(from: number, fromPort: number, to: number, toPort: number, seq: number, flags: number, payload: Buffer): void {
    const head = Buffer.alloc(20);
    head.writeUInt16BE(fromPort, 0);
    head.writeUInt16BE(toPort, 2);
    head.writeUInt32BE(seq >>> 0, 4);
    head.writeUInt8(5 << 4, 12);
    head.writeUInt8(flags, 13);
    head.writeUInt16BE(0xffff, 14);
    this.#packet(from, to, TCP, [head, payload]);
  }

  /** Port unreachable about a UDP datagram that `from` sent. */
  unreachable(router: number, from: number, fromPort: number, to: number, toPort: number, quoted: Buffer): void {
    const head = Buffer.alloc(8 + 20 + 8);
    head.writeUInt8(3, 0);
    head.writeUInt8(3, 1);
    ipv4(from, to, UDP, 28 + quoted.length, 0, 0).copy(head, 8);
    head.writeUInt16BE(fromPort, 28);
    head.writeUInt16BE(toPort, 30);
    head.writeUInt16BE(8 + quoted.length, 32);
    this.#packet(router, from, ICMP, [head, quoted]);
  }

  /** The first fragment of a UDP datagram whose others never come. */
  fragment(from: number, id: number, payload: Buffer): void {
    const head = Buffer.alloc(8);
    head.writeUInt16BE(5060, 0);
    head.writeUInt16BE(5060, 2);
    head.writeUInt16BE(60_000, 4);
    this.#packet(from, SERVER, UDP, [head, payload], 0x2000, id);
  }

  #packet(from: number, to: number, protocol: number, parts: readonly Buffer[], flags = 0, id = ++this.#id): void {
    const length = 20 + parts.reduce((sum, part) => sum + part.length, 0);
    const record = Buffer.alloc(16 + 14);
    record.writeUInt32LE(FIRST_SEC + Math.floor(this.#us / 1e6), 0);
    record.writeUInt32LE(this.#us % 1e6, 4);
    record.writeUInt32LE(14 + length, 8);
    record.writeUInt32LE(14 + length, 12);
    record.writeUInt16BE(0x0800, 28);
    this.#parts.push(record, ipv4(from, to, protocol, length, id & 0xffff, flags), ...parts);
    this.#bytes += 30 + length;
    this.#us += 1;
    this.frames++;
  }
}

function header(): Buffer {
  const bytes = Buffer.alloc(24);
  for (const [i, value] of [0xa1b2c3d4, 0x00040002, 0, 0, 262_144, 1].entries()) bytes.writeUInt32LE(value, 4 * i);
  return bytes;
}

function ipv4(from: number, to: number, protocol: number, length: number, id: number, flags: number): Buffer {
  const head = Buffer.alloc(20);
  head.writeUInt8(0x45, 0);
  head.writeUInt16BE(length, 2);
  head.writeUInt16BE(id, 4);
  head.writeUInt16BE(flags, 6);
  head.writeUInt8(64, 8);
  head.writeUInt8(protocol, 9);
  head.writeUInt32BE(from >>> 0, 12);
  head.writeUInt32BE(to >>> 0, 16);
  return head;
}

type Sip = { readonly n: number; readonly callId: string; readonly user?: string; readonly display?: string };

function request(method: string, { n, callId, user = `u${n}`, display = '' }: Sip, headers = '', body = ''): Buffer {
  const type = body === '' ? '' : 'Content-Type: application/sdp\r\n';
  return Buffer.from(
    `${method} sip:${user}@192.0.2.2 SIP/2.0\r\nVia: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK-${n}-${method}\r\n` +
      `From: ${display}<sip:${user}@192.0.2.1>;tag=f${n}\r\nTo: ${display}<sip:${user}@192.0.2.2>\r\n` +
      `Call-ID: ${callId}\r\nCSeq: 1 ${method}\r\n${headers}${type}Content-Length: ${body.length}\r\n\r\n${body}`,
  );
}

function refusal(method: string, { n, callId, user = `u${n}` }: Sip): Buffer {
  return Buffer.from(
    `SIP/2.0 403 Forbidden\r\nVia: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK-${n}-${method}\r\n` +
      `From: <sip:${user}@192.0.2.1>;tag=f${n}\r\nTo: <sip:${user}@192.0.2.2>;tag=t${n}\r\n` +
      `Call-ID: ${callId}\r\nCSeq: 1 ${method}\r\nContent-Length: 0\r\n\r\n`,
  );
}

/** Long enough to be cut, of a text of its own. */
const padded = (text: string, length: number): string => text.padEnd(length, 'x');
const address = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;

function ice(n: number): string {
  const lines = Array.from(
    { length: 4 },
    (_, i) => `a=candidate:${i} 1 UDP 1 ${address(n + i)} ${1024 + i} typ host\r\n`,
  );
  return `v=0\r\no=- ${n} 1 IN IP4 ${address(n)}\r\ns=-\r\nc=IN IP4 ${address(n)}\r\nt=0 0\r\nm=audio 20000 RTP/AVP 0\r\na=ice-ufrag:u${n}\r\n${lines.join('')}`;
}

function manyLines(n: number): string {
  const lines = Array.from({ length: 64 }, (_, i) => `m=audio ${1024 + 2 * i} RTP/AVP 0 ${96 + (n % 30)}\r\n`);
  return `v=0\r\no=- ${n} 1 IN IP4 ${address(n)}\r\ns=-\r\nc=IN IP4 ${address(n)}\r\nt=0 0\r\n${lines.join('')}`;
}

/** What fills one cap, `count` times; each is given its number. */
type Part = readonly [count: number, make: (feed: Feed, n: number) => void];

/** Source, port, destination and port of a stream. */
function streamEnds(n: number): [number, number, number, number] {
  return [0x0b000000 + (n >> 4), 20_000 + 2 * (n & 15), SERVER, 30_000 + 2 * (n & 4095)];
}

function rtp(n: number, seq: number): Buffer {
  const bytes = Buffer.alloc(12 + 20);
  bytes.writeUInt8(0x80, 0);
  bytes.writeUInt16BE(seq, 2);
  bytes.writeUInt32BE(seq * 160, 4);
  bytes.writeUInt32BE(0x10000 + n, 8);
  return bytes;
}

const HANDSHAKE = Buffer.from(
  'GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n' +
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: sip\r\n' +
    'Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n',
);
const UPGRADED = Buffer.from(
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
    'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: sip\r\n' +
    'Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n',
);

/** A compressed text message, unmasked keys of zero. */
function compressed(text: Buffer): Buffer {
  const data = deflateRawSync(text, { finishFlush: 2 }).subarray(0, -4);
  const head = Buffer.alloc(data.length < 126 ? 6 : 8);
  head.writeUInt8(0xc1, 0);
  head.writeUInt8(0x80 | (data.length < 126 ? data.length : 126), 1);
  if (data.length >= 126) head.writeUInt16BE(data.length, 2);
  return Buffer.concat([head, data]);
}

function webSocket(feed: Feed, n: number): void {
  const from = 0x0e000000 + n;
  // What is inflated in a second has a budget of its own.
  feed.wait(3_000);
  const message = compressed(request('OPTIONS', { n, callId: `ws${n}` }, `X-Text: ${'w'.repeat(36_000)}\r\n`));
  feed.tcp(from, 40_000, SERVER, 80, 0, SYN, Buffer.alloc(0));
  feed.tcp(SERVER, 80, from, 40_000, 0, SYN | ACK, Buffer.alloc(0));
  feed.tcp(from, 40_000, SERVER, 80, 1, PSH_ACK, HANDSHAKE);
  feed.tcp(SERVER, 80, from, 40_000, 1, PSH_ACK, UPGRADED);
  feed.tcp(from, 40_000, SERVER, 80, 1 + HANDSHAKE.length, PSH_ACK, message);
}

function stunRequest(n: number): Buffer {
  const bytes = Buffer.alloc(20);
  bytes.writeUInt16BE(1, 0);
  bytes.writeUInt32BE(0x2112a442, 4);
  bytes.writeUInt32BE(n, 16);
  return bytes;
}

/** An RTCP receiver report about a stream that nobody saw. */
function receiverReport(n: number): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt8(0x81, 0);
  bytes.writeUInt8(201, 1);
  bytes.writeUInt16BE(7, 2);
  bytes.writeUInt32BE(n, 4);
  bytes.writeUInt32BE(0x70000000 + n, 8);
  return bytes;
}

/** The parts, at this share of the default caps. */
function parts(scale: number): Part[] {
  const of = (count: number): number => Math.ceil(count * scale);
  return [
    [
      of(110_000),
      (f, n) => {
        for (let seq = 1; seq <= 5; seq++) f.udp(...streamEnds(n), rtp(n, seq));
      },
    ],
    [of(5_000), (f, n) => f.unreachable(0x0a010101, SERVER, 40_000, 0x0f000000 + n, 30_000, rtp(n, 1))],
    [of(20_000), (f, n) => f.udp(0x10000000 + n, 50_000, SERVER, 3478, stunRequest(n))],
    [of(6_000), (f, n) => f.udp(0x11000000 + n, 20_001, SERVER, 30_001, receiverReport(n))],
    [
      of(5_000),
      (f, n) =>
        f.udp(0x12000000 + n, 5060, SERVER, 5060, request('INVITE', { n, callId: `lines${n}` }, '', manyLines(n))),
    ],
    [
      of(60_000),
      (f, n) => {
        const sip = { n, callId: `scan${n}` };
        f.udp(
          0x13000000 + (n >> 8),
          5060,
          SERVER,
          5060,
          request('REGISTER', sip, `User-Agent: ${padded('agent', 200)}\r\n`),
        );
        f.udp(SERVER, 5060, 0x13000000 + (n >> 8), 5060, refusal('REGISTER', sip));
      },
    ],
    [
      of(120_000),
      (f, n) => {
        const sip = { n, callId: padded(`c${n}-`, 300), user: padded(`u${n}-`, 200), display: `"${padded('d', 120)}"` };
        const invite = request('INVITE', sip, `User-Agent: ${padded(`a${n}`, 100)}\r\n`, ice(n));
        f.udp(0x14000000 + n, 5060, SERVER, 5060, invite);
        if (n % 6 === 0) f.unreachable(SERVER, 0x14000000 + n, 5060, SERVER, 5060, invite.subarray(0, 500));
      },
    ],
    [
      of(3_000),
      (f, n) =>
        f.udp(0x15000000 + n, 5060, SERVER, 5060, request('OPTIONS', { n, callId: padded(`long${n}-`, 60_000) })),
    ],
    // A second window of each stream.
    [1, (f) => f.wait(6_000_000)],
    [of(110_000), (f, n) => f.udp(...streamEnds(n), rtp(n, 6))],
    [of(1_200), webSocket],
    [
      of(70_000),
      (f, n) => {
        f.tcp(0x0c000000 + n, 40_000, SERVER, 5060, 0, SYN, Buffer.alloc(0));
        f.tcp(0x0c000000 + n, 40_000, SERVER, 5060, 5_000, PSH_ACK, Buffer.alloc(1_000, 'z'));
      },
    ],
    [of(1_200), (f, n) => f.fragment(0x0d000000 + n, n & 0xffff, Buffer.alloc(16_376, 'f'))],
  ];
}

/** The capture in pieces; `scale` 1 fills the default caps. */
export function* fillUp(scale: number): Generator<Buffer> {
  const feed = new Feed();
  for (const [count, make] of parts(scale)) {
    for (let n = 0; n < count; n++) {
      make(feed, n);
      if (feed.isFull) yield feed.take();
    }
  }
  yield feed.take();
}
