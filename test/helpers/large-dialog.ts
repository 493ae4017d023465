/** Calls as large as a sender can make them: hundreds of messages up to the size of a datagram, thousands of streams. */
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import type { Datagram } from '../../fixtures/build/rtp.ts';

const CALLER = { address: '203.0.113.9', port: 5060 };
const CALLEE = { address: '192.0.2.2', port: 5060 };

export type LargePlan = {
  /** What the bytes are made of that bring a message to its size; a header of its own. */
  readonly fill?: string;
  /** Header lines instead of the one header, repeated. */
  readonly lines?: (line: number) => string;
};

/** One dialog, `large`, of INVITEs and their answers in turn. */
export function largeDialog(messages: number, bytes: number, plan: LargePlan = {}): Capture {
  let filler = '';
  if (plan.lines === undefined) filler = `X-Fill: a${(plan.fill ?? 'b').repeat(bytes)}\r\n`;
  else for (let i = 0; filler.length < bytes; i++) filler += plan.lines(i);
  const datagrams: Datagram[] = [];
  for (let i = 0; i < messages; i++) {
    const n = 1 + (i >> 1);
    const isRequest = i % 2 === 0;
    const head = isRequest ? 'INVITE sip:bob@192.0.2.2 SIP/2.0' : `SIP/2.0 ${n % 3 === 0 ? 486 : 180} Answer`;
    const text =
      `${head}\r\nVia: SIP/2.0/UDP 203.0.113.9:5060;branch=z9hG4bK${n}\r\nFrom: <sip:alice@203.0.113.9>;tag=1\r\n` +
      `To: <sip:bob@192.0.2.2>\r\nCall-ID: large\r\nCSeq: ${n} INVITE\r\n${filler}Content-Length: 0\r\n\r\n`;
    datagrams.push({
      tsUs: EPOCH_US + i * 10_000,
      src: isRequest ? CALLER : CALLEE,
      dst: isRequest ? CALLEE : CALLER,
      bytes: Buffer.from(text, 'latin1'),
    });
  }
  return new Capture().add(datagrams);
}

/** An answered call, `large`, and so many streams of six packets from the caller's socket to the callee's. */
export function manyStreams(count: number): Capture {
  const sdp = (address: string): string =>
    `v=0\r\no=- 1 1 IN IP4 ${address}\r\ns=-\r\nc=IN IP4 ${address}\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n`;
  const message = (head: string, body: string): Buffer =>
    Buffer.from(
      `${head}\r\nVia: SIP/2.0/UDP 203.0.113.9;branch=z9hG4bK1\r\nFrom: <sip:alice@203.0.113.9>;tag=1\r\n` +
        `To: <sip:bob@192.0.2.2>;tag=2\r\nCall-ID: large\r\nCSeq: 1 INVITE\r\nContent-Type: application/sdp\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    );
  const capture = new Capture().add([
    {
      tsUs: EPOCH_US,
      src: CALLER,
      dst: CALLEE,
      bytes: message('INVITE sip:bob@192.0.2.2 SIP/2.0', sdp(CALLER.address)),
    },
    { tsUs: EPOCH_US + 1_000, src: CALLEE, dst: CALLER, bytes: message('SIP/2.0 200 OK', sdp(CALLEE.address)) },
  ]);
  for (let ssrc = 1; ssrc <= count; ssrc++)
    for (let k = 0; k < 6; k++) {
      const bytes = Buffer.alloc(172);
      bytes[0] = 0x80;
      bytes.writeUInt16BE(k, 2);
      bytes.writeUInt32BE(k * 160, 4);
      bytes.writeUInt32BE(ssrc, 8);
      const tsUs = EPOCH_US + 2_000 + ssrc * 600 + k * 100;
      capture.add([{ tsUs, src: { ...CALLER, port: 4000 }, dst: { ...CALLEE, port: 4000 }, bytes }]);
    }
  return capture;
}
