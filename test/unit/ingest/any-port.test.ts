/** SIP of files on ports that nobody named: seen without an option, and nothing else is taken for it. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, ALICE6, BOB, BOB6, basicCall, CALL_MESSAGES, withPort } from '../../../fixtures/build/basic-call.ts';
import { concat, text } from '../../../fixtures/build/bytes.ts';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import { ethernet } from '../../../fixtures/build/link.ts';
import type { Endpoint } from '../../../fixtures/build/packet.ts';
import { fragments, udpPacket } from '../../../fixtures/build/packet.ts';
import { type Frame, inTimeOrder, pcap } from '../../../fixtures/build/pcap-file.ts';
import { rtpStream, voice } from '../../../fixtures/build/rtp.ts';
import type { SipMessage } from '../../../fixtures/build/sip-call.ts';
import type { Segment } from '../../../fixtures/build/tcp.ts';
import { TcpConnection } from '../../../fixtures/build/tcp.ts';
import { toStats } from '../../../src/view/stats.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const CLIENT: Endpoint = { address: '192.0.2.10', port: 40_000 };
const server = (port: number): Endpoint => ({ address: '198.51.100.20', port });

/** Messages of each dialog, what was not analysed, and what could not be read. */
async function seen(t: TestContext, bytes: Uint8Array, options: readonly string[] = []) {
  const { session } = await readCapture(t, bytes, options);
  const stats = toStats(session.figures);
  return {
    dialogs: [...session.dialogs.oldestFirst()].map((d) => d.msgCount),
    outside: stats.unanalysed_sip_messages,
    ports: stats.unanalysed_busiest_ports.length,
    malformed: session.ingest.sip.malformed,
    streams: stats.streams.total,
    closed: session.ingest.connections.size,
  };
}

const CALL = { dialogs: [CALL_MESSAGES], outside: 0, ports: 0, malformed: 0, streams: 0, closed: 0 };
const NOTHING = { ...CALL, dialogs: [] };

const udpCall = (from: number, to: number): readonly SipMessage[] =>
  basicCall('port', { caller: withPort(ALICE, from), callee: withPort(BOB, to) }).messages;

test('a call on 5080, on 5070 and on a low port is seen without an option, and counted with --portrange', async (t) => {
  for (const [from, to] of [
    [5080, 5080],
    [5070, 5080],
    [5060, 5080],
    [40_000, 24],
  ] as const)
    assert.deepEqual(await seen(t, new Capture().add(udpCall(from, to)).pcap()), CALL, `${from} ${to}`);
  const six = basicCall('six', { caller: withPort(ALICE6, 5080), callee: withPort(BOB6, 5080) });
  assert.deepEqual(await seen(t, new Capture().add(six.messages).pcap()), CALL);
  const far = new Capture().add(udpCall(5080, 5080)).pcap();
  assert.deepEqual(await seen(t, far, ['--portrange', '5060-5061']), { ...NOTHING, outside: 7, ports: 1 });
});

test('datagrams in fragments on 5080 are seen', async (t) => {
  const frames = udpCall(5080, 5080).flatMap((m, i) =>
    fragments(udpPacket(m.src, m.dst, m.bytes, { id: i + 1 }), 160).map((part, k) => ({
      tsUs: m.tsUs + k,
      data: ethernet(part, 0),
    })),
  );
  assert.deepEqual(await seen(t, pcap(frames)), CALL);
});

/** A call over TCP to this port; `change` has the segments. */
function tcpCall(port: number, pieces = 1, change = (all: readonly Segment[]): readonly Segment[] => all): Frame[] {
  const { messages } = basicCall('tcp', {
    transport: 'TCP',
    caller: withPort(ALICE, CLIENT.port),
    callee: withPort(BOB, port),
  });
  const c = new TcpConnection({ client: CLIENT, server: server(port), clientIsn: 1000, serverIsn: 9000 });
  c.open(EPOCH_US - 50_000);
  for (const m of messages) c.send(m.by === 'caller', m.tsUs, m.bytes, pieces);
  c.close(EPOCH_US + 9e6);
  return c.frames(change(c.segments));
}

test('TCP on 5080, on a port of WebSocket and of TLS is read from the first segment that begins with SIP', async (t) => {
  for (const port of [5080, 8080, 443, 25])
    assert.deepEqual(await seen(t, pcap(tcpCall(port))), { ...CALL, closed: 1 }, `${port}`);
  // The segments behind the first hold no begin of a message.
  assert.deepEqual(await seen(t, pcap(tcpCall(5080, 5))), { ...CALL, closed: 1 });
  // Joined in the middle of the INVITE: from the next message on.
  const late = tcpCall(5080, 2, (all) => all.slice(4));
  assert.deepEqual(await seen(t, pcap(late)), { ...CALL, dialogs: [CALL_MESSAGES - 1], closed: 1 });
  const gated = await seen(t, pcap(tcpCall(5080)), ['--portrange', '5060']);
  assert.deepEqual(gated, { ...NOTHING, outside: 7, ports: 1 });
});

test('SIP in the body of HTTP is no SIP, on a port of WebSocket and on others', async (t) => {
  const messages = basicCall('traced', { transport: 'TCP' }).messages.map(({ bytes }) => bytes);
  const body = concat(...messages);
  for (const port of [80, 8080, 8088]) {
    const c = new TcpConnection({ client: CLIENT, server: server(port), clientIsn: 1, serverIsn: 2 });
    c.open(EPOCH_US);
    c.send(true, EPOCH_US + 10_000, text(`POST /trace HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`));
    for (const [i, bytes] of messages.entries()) c.send(true, EPOCH_US + 20_000 + i * 1000, bytes);
    c.send(false, EPOCH_US + 50_000, text('HTTP/1.1 200 OK\r\nContent-Type: message/sip\r\n\r\n'));
    c.send(false, EPOCH_US + 60_000, body).close(EPOCH_US + 70_000);
    assert.deepEqual(await seen(t, pcap(c.frames())), NOTHING, `${port}`);
    // The capture began after the handshake.
    assert.deepEqual(await seen(t, pcap(c.frames(c.segments.slice(3)))), NOTHING, `${port}, joined late`);
  }
});

test('media on a port of SIP stays media, and what only looks like SIP is nothing', async (t) => {
  const rtp = rtpStream(
    { src: { ...CLIENT, port: 5080 }, dst: server(5080), ssrc: 0x5349502f, startUs: EPOCH_US },
    voice({ count: 60, payloadType: 0 }),
  );
  const alike = [
    'x y SIP/2.0\r\n',
    'GET sip:a HTTP/1.1\r\n\r\n',
    'NOTIFY * HTTP/1.1\r\n\r\nSIP/2.0 200 OK\r\n',
    '\r\n\r\n',
  ];
  const datagrams = alike.map((line, i) => ({
    tsUs: EPOCH_US + i,
    src: CLIENT,
    dst: server(5080),
    bytes: text(line),
  }));
  const both = new Capture().add([...rtp.datagrams, ...datagrams]).pcap();
  assert.deepEqual(await seen(t, both), { ...NOTHING, streams: 1 });
  // A call beside them.
  const call = new Capture().add([...rtp.datagrams, ...datagrams, ...udpCall(5080, 5080)]).pcap();
  assert.deepEqual(await seen(t, call), { ...CALL, streams: 1 });
});

test('calls on named and other ports, by UDP and TCP, are seen beside each other', async (t) => {
  const frames = [...new Capture().add(udpCall(5060, 5060)).frames(), ...tcpCall(5080)];
  const { dialogs, outside } = await seen(t, pcap(inTimeOrder(frames)));
  assert.deepEqual([dialogs, outside], [[CALL_MESSAGES, CALL_MESSAGES], 0]);
});
