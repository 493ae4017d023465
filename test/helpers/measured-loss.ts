/**
 * Loss of RTP streams, counted from the frames of a capture without any part of the program: sequence numbers alone
 * (RFC 3550 appendix A.3). Ethernet and both Linux cooked headers, IPv4, UDP; what else a file holds is not measured.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

type Counted = { readonly numbers: Set<number>; first: number; last: number };

const LINK_BYTES: Readonly<Record<number, number>> = { 1: 14, 113: 16, 276: 20 };
const UDP = 17;
/** Fewer packets are no stream. */
const LEAST = 10;
/** A larger step is a sender that began anew, not loss. */
const RESTART = 3000;

/** Per cent by `192.0.2.10:20000 > 198.51.100.20:30000 0x1234abcd`. */
export function measuredLoss(path: string): Map<string, number> {
  const streams = new Map<string, Counted>();
  for (const datagram of ipv4Of(path)) count(streams, datagram);
  const loss = new Map<string, number>();
  for (const [stream, { numbers, first, last }] of streams)
    if (numbers.size >= LEAST) loss.set(stream, 100 * (1 - numbers.size / (last - first + 1)));
  return loss;
}

/** The IPv4 packets of a classic pcap file; nothing of another one. */
function* ipv4Of(path: string): Generator<Buffer> {
  const file = readFileSync(path);
  const all = path.endsWith('.gz') ? gunzipSync(file) : file;
  if (![0xa1b2c3d4, 0xa1b23c4d].includes(all.readUInt32LE(0))) return;
  const skipped = LINK_BYTES[all.readUInt32LE(20)];
  if (skipped === undefined) return;
  for (let at = 24; at + 16 <= all.length; at += 16 + all.readUInt32LE(at + 8)) {
    const packet = all.subarray(at + 16 + skipped, at + 16 + all.readUInt32LE(at + 8));
    if (packet.length >= 20 && (packet[0] ?? 0) >> 4 === 4) yield packet;
  }
}

function count(streams: Map<string, Counted>, packet: Buffer): void {
  const udp = packet.subarray(((packet[0] ?? 0) & 15) * 4);
  const isFragment = (packet.readUInt16BE(6) & 0x1fff) !== 0;
  if (packet[9] !== UDP || isFragment || udp.length < 8 + 12) return;
  const rtp = udp.subarray(8);
  const [version, type] = [(rtp[0] ?? 0) >> 6, rtp[1] ?? 0];
  // Of version 2, and no RTCP on the same socket (RFC 5761).
  if (version !== 2 || (type >= 192 && type <= 223)) return;
  const at = (from: number, port: number): string =>
    `${[...packet.subarray(from, from + 4)].join('.')}:${udp.readUInt16BE(port)}`;
  const name = `${at(12, 0)} > ${at(16, 2)} 0x${rtp.readUInt32BE(8).toString(16).padStart(8, '0')}`;
  const sequence = rtp.readUInt16BE(2);
  const stream = streams.get(name) ?? { numbers: new Set(), first: sequence, last: sequence };
  streams.set(name, stream);
  const step = ((sequence - stream.last + 0x8000) & 0xffff) - 0x8000;
  const number = Math.abs(step) > RESTART ? stream.last + 1 : stream.last + step;
  stream.numbers.add(number);
  stream.first = Math.min(stream.first, number);
  stream.last = Math.max(stream.last, number);
}
