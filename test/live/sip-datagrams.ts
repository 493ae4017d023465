/** SIP calls as plain datagrams over the cable of a lab: what is sent is known to the byte, without a SIP program. */
import type { Host, Lab } from './lab.ts';
import { ADDRESS } from './lab.ts';

export const SIP_PORT = 5060;

export type Datagram = { readonly from: Host; readonly text: string };

function message(from: Host, startLine: string, callId: string, cseq: string, body = ''): Datagram {
  const isResponse = startLine.startsWith('SIP/');
  return {
    from,
    text: [
      startLine,
      `Via: SIP/2.0/UDP ${ADDRESS.b.v4}:${SIP_PORT};branch=z9hG4bK${callId}${cseq.replace(' ', '')}`,
      'From: <sip:1001@example.com>;tag=caller',
      `To: <sip:1002@example.com>${isResponse || !startLine.startsWith('INVITE') ? ';tag=callee' : ''}`,
      `Call-ID: ${callId}`,
      `CSeq: ${cseq}`,
      ...(body === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  };
}

export function sdp(address: string, port: number): string {
  const lines = [
    'v=0',
    `o=- 1 1 IN IP4 ${address}`,
    's=-',
    `c=IN IP4 ${address}`,
    't=0 0',
    `m=audio ${port} RTP/AVP 0`,
  ];
  return `${lines.join('\r\n')}\r\n`;
}

/** INVITE, 180, 200 and ACK: b calls a. */
export function callBegins(callId: string, body = '', answer = body): Datagram[] {
  return [
    message('b', 'INVITE sip:1002@example.com SIP/2.0', callId, '1 INVITE', body),
    message('a', 'SIP/2.0 180 Ringing', callId, '1 INVITE'),
    message('a', 'SIP/2.0 200 OK', callId, '1 INVITE', answer),
    message('b', 'ACK sip:1002@example.com SIP/2.0', callId, '1 ACK'),
  ];
}

/** BYE and its 200. */
export function callEnds(callId: string): Datagram[] {
  return [
    message('b', 'BYE sip:1002@example.com SIP/2.0', callId, '2 BYE'),
    message('a', 'SIP/2.0 200 OK', callId, '2 BYE'),
  ];
}

const SEND = `
const socket = require('node:dgram').createSocket('udp4');
const texts = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
const [from, to, port, times] = process.argv.slice(1);
socket.bind(Number(port), from, async () => {
  for (let i = 0; i < Number(times); i++)
    for (const text of texts)
      await new Promise((done, fail) => socket.send(text.replaceAll('%N', i), Number(port), to, (e) => (e ? fail(e) : done())));
  socket.close();
});`;

/** Sends each datagram from its host to the other, in order; \`%N\` in it is the number of the round. */
export function send(lab: Lab, datagrams: readonly Datagram[], rounds = 1): void {
  let rest = datagrams;
  while (rest.length > 0) {
    const from = rest[0]?.from ?? 'a';
    const other = rest.findIndex((d) => d.from !== from);
    const run = rest.slice(0, other < 0 ? rest.length : other);
    rest = rest.slice(run.length);
    const texts = JSON.stringify(run.map(({ text }) => text));
    const to = from === 'a' ? ADDRESS.b.v4 : ADDRESS.a.v4;
    lab.do(from, process.execPath, ['-e', SEND, ADDRESS[from].v4, to, String(SIP_PORT), String(rounds)], texts);
  }
}

/** A whole call. */
export function sendCall(lab: Lab, callId: string): void {
  send(lab, [...callBegins(callId), ...callEnds(callId)]);
}

const SEND_RTP = `
const socket = require('node:dgram').createSocket('udp4');
const [from, fromPort, to, port, first, count] = process.argv.slice(1);
socket.bind(Number(fromPort), from, async () => {
  for (let i = 0; i < Number(count); i++) {
    const n = Number(first) + i, packet = Buffer.alloc(172, 0xd5);
    packet.writeUInt16BE(0x8000, 0);
    packet.writeUInt16BE(n, 2);
    packet.writeUInt32BE(n * 160, 4);
    packet.writeUInt32BE(0x7e570001, 8);
    await new Promise((done) => socket.send(packet, Number(port), to, done));
    await new Promise((done) => setTimeout(done, 5));
  }
  socket.close();
});`;

/** `count` packets of one stream of G.711 from b, beginning with the sequence number `first`; port to port of both hosts. */
export function sendRtp(lab: Lab, port: number, first: number, count: number): void {
  const args = [ADDRESS.b.v4, port, ADDRESS.a.v4, port, first, count].map(String);
  lab.do('b', process.execPath, ['-e', SEND_RTP, ...args]);
}
