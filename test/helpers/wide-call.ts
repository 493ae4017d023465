/** A call as wide as a sender can make it: as many descriptions, lines, types and streams as the caps allow. */
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import type { Datagram } from '../../fixtures/build/rtp.ts';

export const CALLER = '192.0.2.10';
export const CALLEE = '198.51.100.20';
const SIP = 5060;

export type WidePlan = {
  readonly descriptions: number;
  readonly lines: number;
  readonly streams: number;
  /** Of each stream. */
  readonly packets: number;
  /** The text of an m= section; `nth` counts the descriptions of the call. */
  readonly section: (line: number, nth: number) => string;
  /** Address and port where a stream comes from and where it goes. */
  readonly ends: (stream: number) => readonly [string, number, string, number];
  /** Octets of its payload. */
  readonly payload?: (stream: number) => number;
  readonly payloadType?: (packet: number) => number;
};

function message(ms: number, cseq: number, what: string, body: string): Datagram {
  const isRequest = !what.startsWith('200');
  const head = isRequest ? `${what} sip:b@y SIP/2.0` : 'SIP/2.0 200 OK';
  const method = what.split(' ').at(-1);
  const to = cseq === 1 && isRequest ? '' : ';tag=b';
  const text = `${head}\r\nVia: SIP/2.0/UDP ${CALLER};branch=z9hG4bK${cseq}\r\nFrom: <sip:a@x>;tag=a\r\nTo: <sip:b@y>${to}\r\nCall-ID: wide\r\nCSeq: ${cseq} ${method}\r\nContent-Type: application/sdp\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const [src, dst] = isRequest ? [CALLER, CALLEE] : [CALLEE, CALLER];
  return {
    tsUs: EPOCH_US + ms * 1_000,
    src: { address: src, port: SIP },
    dst: { address: dst, port: SIP },
    bytes: Buffer.from(text, 'latin1'),
  };
}

/** INVITEs and their answers in turn, a millisecond apart; then all streams at once, and a BYE. */
export function wideCall(plan: WidePlan): Capture {
  const capture = new Capture();
  for (let nth = 0; nth < plan.descriptions; nth++) {
    const isCaller = nth % 2 === 0;
    const address = isCaller ? CALLER : CALLEE;
    const sections = Array.from({ length: plan.lines }, (_, line) => plan.section(line, nth)).join('');
    const body = `v=0\r\no=- 1 ${nth} IN IP4 ${address}\r\ns=-\r\nc=IN IP4 ${address}\r\nt=0 0\r\n${sections}`;
    capture.add([message(nth, 1 + (nth >> 1), isCaller ? 'INVITE' : '200 INVITE', body)]);
  }
  capture.add([message(60_000, 999, 'BYE', '')]);
  for (let s = 0; s < plan.streams; s++) capture.add(streamOf(plan, s));
  return capture;
}

function streamOf({ ends, packets, payload, payloadType }: WidePlan, s: number): Datagram[] {
  const [address, port, to, toPort] = ends(s);
  return Array.from({ length: packets }, (_, k) => {
    const bytes = Buffer.alloc(12 + (payload?.(s) ?? 160), k);
    bytes[0] = 0x80;
    bytes[1] = payloadType?.(k) ?? 0;
    bytes.writeUInt16BE(k, 2);
    bytes.writeUInt32BE(k * 160, 4);
    bytes.writeUInt32BE(s + 1, 8);
    const tsUs = EPOCH_US + 5_000_000 + k * 20_000 + s * 10;
    return { tsUs, src: { address, port }, dst: { address: to, port: toPort }, bytes };
  });
}
