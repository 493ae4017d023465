/** Which sockets an interface teaches to be of SIP: those that were asked and answered; nothing that a stranger makes up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndpointKey } from '../../../src/core/ip.ts';
import { endpointKeyText } from '../../../src/core/ip.ts';
import { MAX_LEARNED_SOCKETS, SipSockets } from '../../../src/ingest/sip-sockets.ts';
import { NO_SCAN } from '../../../src/protocols/sip/scanner/scan.ts';
import { emptyPacket, type Packet } from '../../../src/sources/packet.ts';

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
const CLIENT = [192, 0, 2, 1, 5080] as const;
const SWITCH = [192, 0, 2, 2, 5080] as const;
type Socket = readonly [number, number, number, number, number];

type Way = { readonly from: Socket; readonly to: Socket; readonly atUs: number };

function packet({ from, to, atUs }: Way): Packet {
  const p = { ...emptyPacket(), tsUs: atUs, srcPort: from[4], dstPort: to[4] };
  p.addresses.set(from.slice(0, 4), p.srcOff);
  p.addresses.set(to.slice(0, 4), p.dstOff);
  return p;
}

const HEADERS = 'From: <sip:a@b>;tag=1\r\nTo: <sip:b@b>\r\nCall-ID: 1\r\n';

function kit(media: readonly string[] = []) {
  const told: string[][] = [];
  const said: string[] = [];
  const sockets = new SipSockets({
    isMedia: (key) => media.includes(endpointKeyText(key)),
    tell: (keys: readonly EndpointKey[]) => told.push(keys.map(endpointKeyText)),
  });
  sockets.onLearned = (text) => said.push(text);
  const show = (line: string, method: string, branch: string, way: Way): void => {
    const via = branch === '' ? '' : `Via: SIP/2.0/UDP x;branch=${branch}\r\n`;
    const buf = Buffer.from(`${line}\r\n${via}${HEADERS}CSeq: 1 ${method}\r\n\r\n`);
    sockets.onOutside(buf, 0, buf.length, packet(way));
  };
  const ask = (branch: string, atUs: number, to: Socket = SWITCH, method = 'OPTIONS'): void =>
    show(`${method} sip:b SIP/2.0`, method, branch, { from: CLIENT, to, atUs });
  const answer = (branch: string, atUs: number, from: Socket = SWITCH, method = 'OPTIONS', status = 200): void =>
    show(`SIP/2.0 ${status} x`, method, branch, { from, to: CLIENT, atUs });
  const transaction = (branch: string, atUs: number, at: Socket = SWITCH): void => {
    ask(branch, atUs, at);
    answer(branch, atUs, at);
  };
  /** Three within ten seconds and one after them, of branches that nobody else has. */
  let n = 0;
  const prove = (at: Socket, atUs: number): void => {
    for (const sec of [0, 3, 6, 10]) transaction(`z${n++}`, atUs + sec * SECOND, at);
  };
  const use = (to: Socket, atUs: number): void =>
    sockets.onMessage(Buffer.alloc(0), 0, 0, NO_SCAN, packet({ from: CLIENT, to, atUs }));
  return { sockets, told, said, ask, answer, transaction, prove, use };
}

test('a socket is learned when it answered three transactions over ten seconds, and named once', () => {
  const { sockets, told, said, transaction } = kit();
  transaction('a', 0);
  transaction('b', 5 * SECOND);
  transaction('c', 10 * SECOND - 1);
  assert.deepEqual(sockets.names, [], 'three, but not over ten seconds');
  transaction('d', 10 * SECOND);
  assert.deepEqual(sockets.names, ['192.0.2.2:5080']);
  for (let i = 0; i < 9; i++) transaction(`e${i}`, (30 + i) * SECOND);
  assert.deepEqual([told, said], [[['192.0.2.2:5080']], ['192.0.2.2:5080']]);
  const two = kit();
  two.transaction('a', 0);
  two.transaction('b', 20 * SECOND);
  assert.deepEqual(two.sockets.names, [], 'two only');
});

test('any method and any code are an answer, and one of IPv6 too', () => {
  const { sockets, ask, answer } = kit();
  for (const [i, [method, status]] of [
    ['INVITE', 100],
    ['REGISTER', 401],
    ['MESSAGE', 699],
  ].entries() as Iterable<[number, [string, number]]>) {
    ask(`m${i}`, i * 5 * SECOND, SWITCH, method);
    answer(`m${i}`, i * 5 * SECOND + 1, SWITCH, method, status);
  }
  assert.deepEqual(sockets.names, ['192.0.2.2:5080']);
  const six = kit();
  const p = { ...emptyPacket(), ipVersion: 6, srcPort: 5080, dstPort: 5080 };
  p.addresses.set([0x20, 1, 0xd, 0xb8], 0);
  p.addresses.set([0x20, 1, 0xd, 0xb8, 9], 16);
  for (let i = 0; i < 3; i++) {
    const rest = `Via: SIP/2.0/UDP x;branch=${i}\r\n${HEADERS}CSeq: 1 BYE\r\n\r\n`;
    const request = Buffer.from(`BYE sip:b SIP/2.0\r\n${rest}`);
    six.sockets.onOutside(request, 0, request.length, { ...p, tsUs: i * 5 * SECOND });
    const response = Buffer.from(`SIP/2.0 200 OK\r\n${rest}`);
    const back = { ...p, srcOff: 16, dstOff: 0, tsUs: i * 5 * SECOND };
    six.sockets.onOutside(response, 0, response.length, back);
  }
  assert.deepEqual(six.sockets.names, ['[2001:db8:900::]:5080']);
});

test('a scan learns nothing: no answer, an answer of another branch, method or socket, an answer twice, ACK', () => {
  const { sockets, ask, answer } = kit();
  const other = [192, 0, 2, 3, 5080] as const;
  const shapes: ((branch: string, atUs: number) => void)[] = [
    (branch, atUs) => ask(branch, atUs),
    (branch, atUs) => answer(branch, atUs),
    (branch, atUs) => {
      ask(branch, atUs);
      answer(`${branch}x`, atUs);
      answer(branch, atUs, SWITCH, 'INVITE');
      answer(branch, atUs, other);
      answer(branch, atUs, [192, 0, 2, 2, 5081]);
      answer(branch, atUs, SWITCH, 'OPTIONS', 99);
      answer(branch, atUs, SWITCH, 'OPTIONS', 700);
    },
    (_branch, atUs) => {
      ask('the same', atUs);
      answer('the same', atUs);
      answer('the same', atUs);
    },
    (branch, atUs) => {
      ask(branch, atUs, SWITCH, 'ACK');
      answer(branch, atUs, SWITCH, 'ACK');
    },
    (_branch, atUs) => {
      ask('', atUs);
      answer('', atUs);
    },
  ];
  for (const [i, shape] of shapes.entries()) {
    for (let k = 0; k < 20; k++) shape(`s${i}-${k}`, (i * 1000 + k * 5) * SECOND);
    assert.deepEqual(sockets.names, [], `shape ${i}`);
  }
  for (let port = 1; port < 20_000; port++) ask(`scan${port}`, port * 1000, [192, 0, 2, 2, port]);
  assert.deepEqual(sockets.names, []);
});

test('what is no message, or cut before its branch, teaches nothing and breaks nothing', () => {
  const { sockets } = kit();
  const whole = Buffer.from(
    `OPTIONS sip:b SIP/2.0\r\nVia: SIP/2.0/UDP x;branch=1\r\n${HEADERS}CSeq: 1 OPTIONS\r\n\r\n`,
  );
  for (let end = 0; end <= whole.length; end++)
    sockets.onOutside(whole, 0, end, packet({ from: CLIENT, to: SWITCH, atUs: 0 }));
  const junk = Buffer.alloc(300, 0xff);
  sockets.onOutside(junk, 0, junk.length, packet({ from: CLIENT, to: SWITCH, atUs: 0 }));
  assert.deepEqual(sockets.names, []);
});

test('a socket that a description named for media is never learned', () => {
  const { sockets, prove } = kit(['192.0.2.2:5080']);
  prove(SWITCH, 0);
  prove(SWITCH, MINUTE);
  assert.deepEqual(sockets.names, []);
  prove([192, 0, 2, 2, 5082], 2 * MINUTE);
  assert.deepEqual(sockets.names, ['192.0.2.2:5082']);
});

test('transactions that lie far apart, or behind a clock that was set back, are no span', () => {
  const { sockets, transaction } = kit();
  for (const [i, minute] of [0, 11, 22, 33].entries()) transaction(`far${i}`, minute * MINUTE);
  assert.deepEqual(sockets.names, []);
  const back = kit();
  back.transaction('a', 60 * SECOND);
  back.transaction('b', 61 * SECOND);
  for (const [i, sec] of [50, 55, 59].entries()) back.transaction(`c${i}`, sec * SECOND);
  assert.deepEqual(back.sockets.names, []);
  back.transaction('d', 60 * SECOND);
  assert.deepEqual(back.sockets.names, ['192.0.2.2:5080']);
});

test('one socket is learned in ten seconds', () => {
  const { sockets, transaction } = kit();
  const hosts = [10, 11, 12].map((last): Socket => [192, 0, 2, last, 5080]);
  for (let sec = 0; sec <= 34; sec++) {
    for (const [i, host] of hosts.entries()) transaction(`${sec}-${i}`, sec * SECOND, host);
    assert.equal(sockets.names.length, Math.min(3, Math.floor(sec / 10)), `${sec} s`);
  }
});

test('with all places taken, only the one that is unused for ten minutes gives its place', () => {
  const { sockets, told, prove, use } = kit();
  const host = (i: number): Socket => [198, 51, 100, i, 5080];
  for (let i = 0; i < MAX_LEARNED_SOCKETS; i++) prove(host(i), i * 20 * SECOND);
  assert.equal(sockets.names.length, MAX_LEARNED_SOCKETS);
  const fullUs = MAX_LEARNED_SOCKETS * 20 * SECOND;
  // All but the eighth are used again.
  for (let i = 0; i < MAX_LEARNED_SOCKETS; i++) if (i !== 7) use(host(i), fullUs);
  use(host(7), fullUs - 30 * SECOND);
  prove(SWITCH, fullUs + 9 * MINUTE);
  assert.ok(!sockets.names.includes('192.0.2.2:5080'));
  prove(SWITCH, fullUs - 30 * SECOND + 10 * MINUTE);
  assert.ok(sockets.names.includes('192.0.2.2:5080'));
  assert.ok(!sockets.names.includes('198.51.100.7:5080'));
  assert.equal(sockets.names.length, MAX_LEARNED_SOCKETS);
  assert.deepEqual(told.at(-1), sockets.names);
  // The next one finds every place in use.
  prove([192, 0, 2, 9, 5080], fullUs + 9 * MINUTE + 40 * SECOND);
  assert.ok(!sockets.names.includes('192.0.2.9:5080'));
});

test('a flood of forged answers pushes out neither a socket that answered twice nor one that is learned', () => {
  const { sockets, transaction, prove } = kit();
  prove([192, 0, 2, 7, 5080], 0);
  transaction('a', 60 * SECOND);
  transaction('b', 61 * SECOND);
  for (let i = 0; i < 50_000; i++)
    transaction(`f${i}`, 62 * SECOND + i, [203, 0, 113 + (i >> 16), (i >> 8) & 255, 1024 + (i & 255)]);
  transaction('c', 70 * SECOND);
  assert.deepEqual(sockets.names, ['192.0.2.7:5080', '192.0.2.2:5080']);
});
