/**
 * ICMP errors of both versions: the quote is read as far as it goes, with options, extension headers and fragments.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concat } from '../../../fixtures/build/bytes.ts';
import { icmpError } from '../../../fixtures/build/icmp.ts';
import {
  fragments,
  ipv4,
  ipv6WithExtensions,
  PROTO,
  TCP_FLAG,
  tcpPacket,
  udp,
  udpPacket,
} from '../../../fixtures/build/packet.ts';
import { ipText } from '../../../src/core/ip.ts';
import type { IcmpError } from '../../../src/decode/icmp.ts';
import { icmpDescription, parseIcmpError } from '../../../src/decode/icmp.ts';

const A = { address: '192.0.2.10', port: 20000 };
const B = { address: '198.51.100.20', port: 30000 };
const A6 = { address: '2001:db8::10', port: 20000 };
const B6 = { address: '2001:db8::20', port: 30000 };
const PAYLOAD = Uint8Array.from({ length: 40 }, (_, i) => i);

type Read = { e: IcmpError; payload: Uint8Array; src: string; dst: string };

function read(packet: Uint8Array, quoted = packet.length, version: 4 | 6 = 4): Read {
  const [type, code] = version === 6 ? [1, 4] : [3, 3];
  const [from, to] = version === 6 ? [B6.address, A6.address] : [B.address, A.address];
  const whole = icmpError({ from, to, type, code, packet, quoted });
  const start = version === 6 ? 40 : 20;
  const parsed = parseIcmpError(whole, start, whole.length, version);
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.reason);
  const e = parsed.value;
  return {
    e,
    payload: whole.subarray(e.payloadStart, e.payloadEnd),
    src: `${ipText(whole, e.srcOff, e.ipVersion)}:${e.srcPort}`,
    dst: `${ipText(whole, e.dstOff, e.ipVersion)}:${e.dstPort}`,
  };
}

test('a whole quote over IPv4 and over IPv6', () => {
  const four = read(udpPacket(A, B, PAYLOAD));
  assert.deepEqual([four.src, four.dst], ['192.0.2.10:20000', '198.51.100.20:30000']);
  assert.deepEqual([four.e.type, four.e.code, four.e.protocol, four.e.isTruncated], [3, 3, 17, false]);
  assert.deepEqual(four.payload, PAYLOAD);
  const six = read(udpPacket(A6, B6, PAYLOAD), undefined, 6);
  assert.deepEqual([six.src, six.dst, six.e.isTruncated], ['2001:db8::10:20000', '2001:db8::20:30000', false]);
  assert.deepEqual(six.payload, PAYLOAD);
});

test('a quote of eight bytes behind the header names the ports and holds nothing', () => {
  const short = read(udpPacket(A, B, PAYLOAD), 28);
  assert.deepEqual([short.src, short.payload.length, short.e.isTruncated], ['192.0.2.10:20000', 0, true]);
  for (let quoted = 20; quoted < 24; quoted++) assert.equal(read(udpPacket(A, B, PAYLOAD), quoted).e.srcPort, -1);
});

test('padding behind the datagram is not its payload', () => {
  assert.deepEqual(read(concat(udpPacket(A, B, PAYLOAD), new Uint8Array(60))).payload, PAYLOAD);
});

test('IPv4 options, IPv6 extension headers, TCP with options', () => {
  const options = new Uint8Array(8).fill(1);
  const optional = read(ipv4(A.address, B.address, PROTO.UDP, udp(A, B, PAYLOAD), { options }));
  assert.deepEqual([optional.src, optional.payload], ['192.0.2.10:20000', PAYLOAD]);
  const extended = read(ipv6WithExtensions(A6.address, B6.address, PROTO.UDP, udp(A6, B6, PAYLOAD)), undefined, 6);
  assert.deepEqual([extended.src, extended.payload], ['2001:db8::10:20000', PAYLOAD]);
  const syn = read(tcpPacket(A, B, { seq: 1, ack: 0, flags: TCP_FLAG.SYN }, PAYLOAD));
  assert.deepEqual([syn.src, syn.e.protocol, syn.payload], ['192.0.2.10:20000', 6, PAYLOAD]);
});

test('a later fragment has no ports', () => {
  const [first, second] = fragments(udpPacket(A, B, PAYLOAD), 24);
  assert.ok(first !== undefined && second !== undefined);
  assert.equal(read(first).e.srcPort, 20000);
  assert.equal(read(second).e.srcPort, -1);
  const six = fragments(udpPacket(A6, B6, PAYLOAD), 24);
  assert.deepEqual(
    six.map((f) => read(f, undefined, 6).e.srcPort),
    [20000, -1],
  );
});

test('what is no error, and what quotes nothing that can be read', () => {
  const message = (...b: number[]): Uint8Array => Uint8Array.from([...b, ...new Array<number>(28).fill(0)]);
  const reason = (b: Uint8Array, version: number, end = b.length): string => {
    const parsed = parseIcmpError(b, 0, end, version);
    return parsed.ok ? 'ok' : parsed.reason;
  };
  assert.equal(reason(message(8, 0), 4), 'not_error');
  assert.equal(reason(message(128, 0), 6), 'not_error');
  assert.equal(reason(message(3, 3), 4, 7), 'short');
  assert.equal(reason(message(3, 3), 4, 20), 'quote_short');
  assert.equal(reason(message(3, 3), 4), 'quote_bad');
  // RFC 4884: a quote of two words, whatever stands behind it.
  const worded = icmpError({ from: B.address, to: A.address, type: 3, code: 3, packet: udpPacket(A, B, PAYLOAD) });
  worded[25] = 7;
  const cut = parseIcmpError(worded, 20, worded.length, 4);
  assert.ok(cut.ok && cut.value.payloadStart === cut.value.payloadEnd && cut.value.isTruncated);
});

test('what type and code mean', () => {
  assert.equal(icmpDescription(4, 3, 3), 'port unreachable');
  assert.equal(icmpDescription(4, 3, 13), 'communication administratively prohibited');
  assert.equal(icmpDescription(4, 11, 0), 'time to live exceeded');
  assert.equal(icmpDescription(6, 1, 4), 'port unreachable');
  assert.equal(icmpDescription(6, 2, 0), 'packet too big');
  assert.equal(icmpDescription(4, 3, 99), 'ICMP type 3, code 99');
});
