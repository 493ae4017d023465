/** Messages as a TLS probe reads them, for tests of the files that they are written to. */
import { TRANSPORT } from '../../src/core/words.ts';
import { emptyPacket, type Packet } from '../../src/sources/packet.ts';

export const PROBED_US = 1_700_000_000_123_456;
const ADDRESSES = {
  0: { src: [], dst: [] },
  4: { src: [192, 0, 2, 1], dst: [198, 51, 100, 2] },
  6: {
    src: [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    dst: [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2],
  },
} as const;

/** From port 40000 to port 5061 of two hosts, by TLS; `isAnswer` goes the other way. Version 0: the addresses are not known. */
export function probedPacket(version: 0 | 4 | 6, offsetUs = 0, isAnswer = false): Packet {
  const packet = emptyPacket();
  const { src, dst } = ADDRESSES[version];
  packet.addresses.set(isAnswer ? dst : src, 0);
  packet.addresses.set(isAnswer ? src : dst, 16);
  packet.ipVersion = version;
  packet.srcPort = version === 0 ? 0 : isAnswer ? 5061 : 40_000;
  packet.dstPort = version === 0 ? 0 : isAnswer ? 40_000 : 5061;
  packet.transport = TRANSPORT.TLS;
  packet.origin = 2;
  packet.tsUs = PROBED_US + offsetUs;
  packet.arrivedUs = packet.tsUs;
  return packet;
}

/** A request, or a response where `start` begins with the version. */
export function probedMessage(start: string, callId: string, headers: readonly string[] = [], body = ''): Buffer {
  const method = start.startsWith('SIP') ? 'INVITE' : start.split(' ', 1)[0];
  const lines = [
    start,
    'Via: SIP/2.0/TLS 192.0.2.1:40000;branch=z9hG4bKprobed1',
    'From: <sip:alice@example.com>;tag=a',
    `To: <sip:bob@example.com>${start.startsWith('SIP') ? ';tag=b' : ''}`,
    `Call-ID: ${callId}`,
    `CSeq: 1 ${method}`,
    ...headers,
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

export const INVITE = 'INVITE sip:bob@example.com SIP/2.0';
