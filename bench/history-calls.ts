/** A call with media, and files of a ring that are full of other media around it, for bench/history-ask.ts. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  INTERFACE_BYTES,
  packetBytes,
  putInterface,
  putPacket,
  putSection,
  SECTION_BYTES,
} from '../src/export/pcapng-blocks.ts';
import type { Chunk } from '../src/history/chunks.ts';

export type Frame = { readonly us: number; readonly bytes: Buffer };
export type FullFile = { readonly path: string; readonly chunks: readonly Chunk[] };

export const CALL_ID = 'yesterday-7@192.0.2.10';
export const HEAD_BYTES = SECTION_BYTES + INTERFACE_BYTES;
const ETHERNET = 1;
const CHUNK_BYTES = 256 * 1024;
const PACKET_US = 20_000;
const PAYLOAD = 160;

type Socket = { readonly host: readonly number[]; readonly port: number };
const CALLER: Socket = { host: [192, 0, 2, 10], port: 5060 };
const SERVER: Socket = { host: [198, 51, 100, 20], port: 5060 };

function udp(src: Socket, dst: Socket, payload: Uint8Array): Buffer {
  const b = Buffer.alloc(42 + payload.length);
  b.writeUInt16BE(0x0800, 12);
  b[14] = 0x45;
  b.writeUInt16BE(28 + payload.length, 16);
  b[22] = 64;
  b[23] = 17;
  b.set(src.host, 26);
  b.set(dst.host, 30);
  b.writeUInt16BE(src.port, 34);
  b.writeUInt16BE(dst.port, 36);
  b.writeUInt16BE(8 + payload.length, 38);
  b.set(payload, 42);
  return b;
}

function rtp(n: number, ssrc: number): Buffer {
  const b = Buffer.alloc(12 + PAYLOAD, 0xd5);
  b[0] = 0x80;
  b[1] = 8;
  b.writeUInt16BE(n & 0xffff, 2);
  b.writeUInt32BE((n * PAYLOAD) >>> 0, 4);
  b.writeUInt32BE(ssrc, 8);
  return b;
}

const withPort = ({ host }: Socket, port: number): Socket => ({ host, port });

/** The frames of the call, which talks until a second before its end. */
export function talk(atUs: number, lastsUs: number, number: string): Frame[] {
  const [from, to] = [CALLER, SERVER].map(({ host }) => host.join('.')) as [string, string];
  const sdp = (host: string, port: number): string =>
    `v=0\r\no=- 1 1 IN IP4 ${host}\r\ns=-\r\nc=IN IP4 ${host}\r\nt=0 0\r\nm=audio ${port} RTP/AVP 8\r\na=rtpmap:8 PCMA/8000\r\n`;
  const message = (first: string, cseq: string, body: string): Buffer =>
    Buffer.from(
      `${first}\r\nVia: SIP/2.0/UDP ${from}:5060;branch=z9hG4bK${cseq.replace(' ', '')}\r\nFrom: <sip:${number}@${from}>;tag=a\r\nTo: <sip:200@${to}>${first.startsWith('INVITE') ? '' : ';tag=b'}\r\nCall-ID: ${CALL_ID}\r\nCSeq: ${cseq}\r\nContact: <sip:${number}@${from}>\r\n${body === '' ? '' : 'Content-Type: application/sdp\r\n'}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
  const frames: Frame[] = [];
  const say = (us: number, isCaller: boolean, payload: Buffer): void => {
    frames.push({ us: Math.floor(us), bytes: isCaller ? udp(CALLER, SERVER, payload) : udp(SERVER, CALLER, payload) });
  };
  say(atUs, true, message(`INVITE sip:200@${to} SIP/2.0`, '1 INVITE', sdp(from, 20_000)));
  say(atUs + 200_000, false, message('SIP/2.0 180 Ringing', '1 INVITE', ''));
  say(atUs + 900_000, false, message('SIP/2.0 200 OK', '1 INVITE', sdp(to, 30_000)));
  say(atUs + 950_000, true, message(`ACK sip:200@${to} SIP/2.0`, '1 ACK', ''));
  const [a, b] = [withPort(CALLER, 20_000), withPort(SERVER, 30_000)];
  for (let n = 0; n * PACKET_US < lastsUs - 2e6; n++) {
    const us = Math.floor(atUs + 1e6 + n * PACKET_US);
    frames.push({ us, bytes: udp(a, b, rtp(n, 0x11111111)) }, { us: us + 7, bytes: udp(b, a, rtp(n, 0x22222222)) });
  }
  say(atUs + lastsUs, true, message(`BYE sip:200@${to} SIP/2.0`, '2 BYE', ''));
  say(atUs + lastsUs + 20_000, false, message('SIP/2.0 200 OK', '2 BYE', ''));
  return frames;
}

export function head(): Buffer {
  const b = Buffer.alloc(HEAD_BYTES);
  putInterface(b, putSection(b, 0), ETHERNET);
  return b;
}

/** A frame at this time, as a whole file begins. */
export function sparseHead(us: number): Buffer {
  const frame = udp(withPort(SERVER, 40_000), withPort(CALLER, 40_002), rtp(0, 1));
  return Buffer.concat([head(), record({ us: Math.floor(us), bytes: frame })]);
}

function record({ us, bytes }: Frame): Buffer {
  const b = Buffer.alloc(packetBytes(bytes.length));
  const nanos = (us % 1e6) * 1_000;
  putPacket(b, 0, 0, { tsUs: us, nanos }, { bytes, start: 0, end: bytes.length, wireLength: bytes.length });
  return b;
}

/** Files of these numbers, full of other media, with the frames of the call among it. */
export function fullFiles(
  folder: string,
  names: readonly string[],
  fromUs: number,
  fileUs: number,
  fileBytes: number,
  frames: readonly Frame[],
): FullFile[] {
  const size = packetBytes(42 + 12 + PAYLOAD);
  const perFile = Math.floor((fileBytes - HEAD_BYTES) / size);
  let next = 0;
  return names.map((name, i) => {
    const startUs = fromUs + i * fileUs;
    const pieces = [head()];
    const chunks: { offset: number; firstUs: number; lastUs: number }[] = [];
    let [offset, chunkFrom] = [HEAD_BYTES, HEAD_BYTES];
    const put = (frame: Frame): void => {
      const bytes = record(frame);
      const last = chunks.at(-1);
      if (last === undefined || offset - chunkFrom > CHUNK_BYTES) {
        chunks.push({ offset, firstUs: frame.us, lastUs: frame.us });
        chunkFrom = offset;
      } else last.lastUs = frame.us;
      pieces.push(bytes);
      offset += bytes.length;
    };
    for (let n = 0; n < perFile; n++) {
      const us = Math.floor(startUs + (n * fileUs) / perFile);
      for (let own = frames[next]; own !== undefined && own.us <= us; own = frames[++next]) put(own);
      const port = 40_000 + 2 * (n % 50);
      put({
        us,
        bytes: udp(
          withPort(SERVER, port),
          withPort({ host: [203, 0, 113, n % 50], port: 0 }, port),
          rtp(Math.floor(n / 50), 100 + (n % 50)),
        ),
      });
    }
    const path = join(folder, name);
    writeFileSync(path, Buffer.concat(pieces));
    return { path, chunks };
  });
}
