/**
 * A phone of the fleet's tests: it answers calls, makes them, or mirrors them by HEP as a proxy does whose clock is off. Every
 * fifth call is busy. `late` says something more of calls that are over: of every third a stream of one side, and of the others
 * its last request again; it hears no answers, so that its host sends ICMP errors for some.
 *
 *     node phone.js answer
 *     node phone.js call PREFIX COUNT PER_SEC          prints `<ms since 1970> begins|ends <Call-ID>`, one a line
 *     node phone.js mirror PREFIX COUNT PER_SEC CLOCK_MS
 *     node phone.js late PREFIX COUNT PER_SEC
 */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeHep3, HEP_TYPE } from '../../src/actions/hep-out/hep-encode.ts';
import { ADDRESS } from '../live/lab.ts';

export const SIP_PORT = 5060;
export const HEP_PORT = 9060;
const UDP = 17;
/** Calls that are open at a time: their datagrams fit into the buffer of a socket. */
const MOST_OPEN = 40;
const BUSY_EACH = 5;
/** Of a stream that comes late. */
const STREAM_PACKETS = 20;
/** Of the two ends of the cable, in bytes. */
const ADDRESSES = Buffer.from([...ADDRESS.b.v4.split('.'), ...ADDRESS.a.v4.split('.')].map(Number));

const [role = '', prefix = '', count = '0', perSec = '1', clockMs = '0'] = process.argv.slice(2);

/** The Call-ID of the n-th call of a prefix. */
export const callIdOf = (prefix: string, n: number): string => `${prefix}-${n}@lab`;
export const isBusy = (n: number): boolean => n % BUSY_EACH === 0;

const numberOf = (callId: string): number => Number(/-(\d+)@/.exec(callId)?.[1]);
/** Where both sides of a call send and expect RTP. */
const mediaPort = (n: number): number => 20_000 + 2 * (n % 20_000);

/** With its Content-Length; only INVITE and its 200 have one. */
function body(address: string, callId: string): string {
  const media = `m=audio ${mediaPort(numberOf(callId))} RTP/AVP 0`;
  const text = ['v=0', `o=- 1 1 IN IP4 ${address}`, 's=-', `c=IN IP4 ${address}`, 't=0 0', media, ''].join('\r\n');
  return `Content-Type: application/sdp\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}
const NO_BODY = 'Content-Length: 0\r\n\r\n';

/** A request of the caller; BYE and the ACK of a 200 are new transactions. */
function request(method: 'INVITE' | 'ACK' | 'BYE', callId: string, isOfInvite: boolean): string {
  const user = isBusy(numberOf(callId)) ? 'busy' : 'free';
  return [
    `${method} sip:${user}@${ADDRESS.a.v4} SIP/2.0`,
    `Via: SIP/2.0/UDP ${ADDRESS.b.v4};branch=z9hG4bK-${callId}${isOfInvite ? '' : method}`,
    `From: <sip:+493012345@${ADDRESS.b.v4}>;tag=a`,
    `To: <sip:${user}@${ADDRESS.a.v4}>${method === 'INVITE' ? '' : ';tag=b'}`,
    `Call-ID: ${callId}`,
    `CSeq: ${method === 'BYE' ? 2 : 1} ${method}`,
    method === 'INVITE' ? body(ADDRESS.b.v4, callId) : NO_BODY,
  ].join('\r\n');
}

const callIdIn = (text: string): string => /^Call-ID: (.*)$/m.exec(text)?.[1] ?? '';

/** What the other side answers. */
function answersTo(text: string): string[] {
  const same = text.split('\r\n').filter((line) => /^(Via|From|To|Call-ID|CSeq):/.test(line));
  const answer = (status: string, end = NO_BODY): string =>
    [`SIP/2.0 ${status}`, ...same, end].join('\r\n').replace(/^(To:.*>)$/m, '$1;tag=b');
  if (text.startsWith('BYE')) return [answer('200 OK')];
  if (!text.startsWith('INVITE')) return [];
  const isRefused = text.startsWith('INVITE sip:busy@');
  return [
    answer('180 Ringing'),
    isRefused ? answer('486 Busy Here') : answer('200 OK', body(ADDRESS.a.v4, callIdIn(text))),
  ];
}

/** What the caller does next, and whether the call is over. */
function nextOf(text: string): { readonly requests: readonly string[]; readonly isOver: boolean } {
  const callId = callIdIn(text);
  if (/^CSeq: 2 /m.test(text)) return { requests: [], isOver: true };
  if (text.startsWith('SIP/2.0 486')) return { requests: [request('ACK', callId, true)], isOver: true };
  if (!text.startsWith('SIP/2.0 200')) return { requests: [], isOver: false };
  return { requests: [request('ACK', callId, false), request('BYE', callId, false)], isOver: false };
}

/** Calls `begin` so often a second; one that is late catches up. */
async function paced(begin: (callId: string) => void, mayBegin: () => boolean): Promise<void> {
  const beganMs = performance.now();
  for (let n = 0; n < Number(count); ) {
    if (mayBegin() && performance.now() >= beganMs + (n * 1_000) / Number(perSec)) begin(callIdOf(prefix, n++));
    else await sleep(2);
  }
}

async function answer(): Promise<void> {
  const socket = createSocket('udp4').bind(SIP_PORT, ADDRESS.a.v4);
  socket.on('message', (bytes, { address, port }) => {
    for (const text of answersTo(bytes.toString())) socket.send(text, port, address);
  });
  await once(socket, 'close');
}

async function call(): Promise<void> {
  const socket = createSocket('udp4').bind(SIP_PORT, ADDRESS.b.v4);
  await once(socket, 'listening');
  let open = 0;
  const says = (what: string, callId: string): boolean => process.stdout.write(`${Date.now()} ${what} ${callId}\n`);
  const send = (text: string): void => socket.send(text, SIP_PORT, ADDRESS.a.v4);
  socket.on('message', (bytes) => {
    const text = bytes.toString();
    const { requests, isOver } = nextOf(text);
    for (const one of requests) send(one);
    if (!isOver) return;
    open--;
    says('ends', callIdIn(text));
  });
  const begin = (callId: string): void => {
    open++;
    says('begins', callId);
    send(request('INVITE', callId, true));
  };
  await paced(begin, () => open < MOST_OPEN);
  while (open > 0) await sleep(5);
  socket.close();
}

async function mirror(): Promise<void> {
  const socket = createSocket('udp4');
  let unsent = 0;
  const send = (text: string): void => {
    const isAnswer = text.startsWith('SIP');
    const facts = {
      ...{ ipVersion: 4 as const, proto: UDP, addresses: ADDRESSES },
      ...(isAnswer ? { srcOff: 4, dstOff: 0 } : { srcOff: 0, dstOff: 4 }),
      ...{ srcPort: SIP_PORT, dstPort: SIP_PORT, tsUs: (Date.now() + Number(clockMs)) * 1_000 },
      ...{ protocolType: HEP_TYPE.SIP, vlan: 0, tos: 0, tcpFlags: 0 },
    };
    const packet = encodeHep3({ agentId: 7 }, facts, Buffer.from(text));
    unsent++;
    socket.send(packet ?? assert.fail('too long'), HEP_PORT, ADDRESS.a.v4, () => unsent--);
  };
  const speak = (text: string): void => {
    send(text);
    for (const one of text.startsWith('SIP') ? nextOf(text).requests : answersTo(text)) speak(one);
  };
  await paced(
    (callId) => speak(request('INVITE', callId, true)),
    () => true,
  );
  while (unsent > 0) await sleep(5);
  socket.close();
}

async function late(): Promise<void> {
  let unsent = 0;
  const say = (port: number, packets: readonly (string | Buffer)[]): void => {
    const socket = createSocket('udp4').bind(port, ADDRESS.b.v4);
    for (const packet of packets) {
      unsent++;
      socket.send(packet, port, ADDRESS.a.v4, () => {
        if (--unsent % packets.length === 0) socket.close();
      });
    }
  };
  await paced(
    (callId) => {
      const n = numberOf(callId);
      if (n % 3 === 0)
        say(
          mediaPort(n),
          Array.from({ length: STREAM_PACKETS }, (_, i) => rtpPacket(n, i)),
        );
      else say(SIP_PORT, [isBusy(n) ? request('INVITE', callId, true) : request('BYE', callId, false)]);
    },
    () => unsent === 0,
  );
  while (unsent > 0) await sleep(5);
}

/** 20 ms of G.711. */
function rtpPacket(stream: number, i: number): Buffer {
  const packet = Buffer.alloc(172, 0xd5);
  packet.writeUInt16BE(0x8000, 0);
  packet.writeUInt16BE(i, 2);
  packet.writeUInt32BE(i * 160, 4);
  packet.writeUInt32BE(stream + 1, 8);
  return packet;
}

if (role === 'answer') await answer();
if (role === 'call') await call();
if (role === 'mirror') await mirror();
if (role === 'late') await late();
