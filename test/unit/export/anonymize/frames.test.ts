/** Frames become anonymous: what they carry is replaced, lengths, checksums and TCP sequence stay right, and nothing shows through. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ethernet } from '../../../../fixtures/build/link.ts';
import { checksum, fragments, ip, ipv6WithExtensions, udp, udpPacket } from '../../../../fixtures/build/packet.ts';
import { TcpConnection } from '../../../../fixtures/build/tcp.ts';
import * as tunnel from '../../../../fixtures/build/tunnel.ts';
import { wsFragmented, wsFrame, wsUpgrade } from '../../../../fixtures/build/websocket.ts';
import { FrameAnonymizer } from '../../../../src/export/anonymize/frame-anonymizer.ts';
import { testAnonymizer } from '../../../helpers/anonymizer.ts';

const ALICE = { address: '192.152.22.177', port: 5060 };
const BOB = { address: '198.51.100.23', port: 5060 };
const SECRETS = ['kilimanjaro', 'everest', '192.152.22.177', '198.51.100.23', 'wonderland', 'x7q9branch'];
const MESSAGE = Buffer.from(
  [
    'INVITE sip:everest@198.51.100.23 SIP/2.0',
    'Via: SIP/2.0/UDP 192.152.22.177:5060;branch=z9hG4bKx7q9branch',
    'From: "Kilimanjaro" <sip:kilimanjaro@wonderland.example>;tag=a1b2c3',
    'To: <sip:everest@198.51.100.23>',
    'Call-ID: kilimanjaro-1@192.152.22.177',
    'CSeq: 1 INVITE',
    'Content-Type: application/sdp',
    'Content-Length: 104',
    '',
    'v=0\r\no=kilimanjaro 1 1 IN IP4 192.152.22.177\r\ns=-\r\nc=IN IP4 192.152.22.177\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\na=sendrecv',
    '',
  ].join('\r\n'),
);

type Frame = { readonly tsUs: number; readonly data: Uint8Array };
type Out = { readonly bytes: Buffer; readonly tsUs: number };

function through(frames: readonly Frame[], key = 9): { out: Out[]; leftOut: Record<string, number> } {
  const out: Out[] = [];
  const anonymizer = new FrameAnonymizer(testAnonymizer([], key), (bytes, start, end, _, { tsUs }) =>
    out.push({ bytes: Buffer.from(bytes.subarray(start, end)), tsUs }),
  );
  for (const { tsUs, data } of frames)
    anonymizer.take(data, 0, data.length, { linkType: 1, tsUs, wireLength: data.length });
  anonymizer.end();
  const leftOut = Object.fromEntries(Object.entries(anonymizer.counts.leftOut).filter(([, n]) => n > 0));
  return { out, leftOut };
}

const one = (data: Uint8Array): Frame[] => [{ tsUs: 1, data }];
const expected = (key = 9): Buffer => testAnonymizer([], key).sip(MESSAGE) ?? Buffer.alloc(0);

function assertSilent(bytes: Uint8Array): void {
  const text = Buffer.from(bytes).toString('latin1').toLowerCase();
  // An address may become one that begins so.
  for (const secret of SECRETS)
    assert.doesNotMatch(text, new RegExp(`(?<!\\d)${secret.replaceAll('.', '\\.')}(?!\\d)`));
  for (const { address } of [ALICE, BOB]) {
    const raw = Buffer.from(address.split('.').map(Number));
    assert.ok(!Buffer.from(bytes).includes(raw), address);
  }
}

/** IPv4 in Ethernet: both checksums, and the lengths. */
function assertRight(frame: Buffer): Buffer {
  const total = frame.readUInt16BE(16);
  assert.equal(total + 14, frame.length, 'the length of IP');
  assert.equal(checksum(frame.subarray(14, 34)), 0, 'the checksum of IP');
  const segment = frame.subarray(34);
  const pseudo = Buffer.alloc(12);
  frame.copy(pseudo, 0, 26, 34);
  pseudo[9] = frame[23] ?? 0;
  pseudo.writeUInt16BE(segment.length, 10);
  assert.equal(checksum(pseudo, segment), 0, 'the checksum of the transport');
  return segment;
}

/** Keys that make the addresses in the message longer, shorter and as long as they were. */
const KEYS = Array.from({ length: 40 }, (_, i) => i + 1);

test('a message may grow and shrink in a datagram', () => {
  const lengths = new Set<number>();
  for (const key of KEYS) {
    const { out } = through(one(ethernet(udpPacket(ALICE, BOB, MESSAGE))), key);
    const segment = assertRight(out[0]?.bytes ?? Buffer.alloc(0));
    assert.equal(segment.readUInt16BE(4), segment.length);
    assert.deepEqual(segment.subarray(8), expected(key));
    assertSilent(out[0]?.bytes ?? Buffer.alloc(0));
    lengths.add(Math.sign(segment.length - 8 - MESSAGE.length));
  }
  assert.ok(lengths.has(1) && lengths.has(-1), 'some keys make it longer, some shorter');
});

test('a wrong checksum stays wrong, and none stays none', () => {
  for (const sum of [0x1234, 0]) {
    const frame = Buffer.from(ethernet(udpPacket(ALICE, BOB, MESSAGE)));
    const right = frame.readUInt16BE(40);
    frame.writeUInt16BE(sum, 40);
    const { bytes } = through(one(frame)).out[0] ?? { bytes: Buffer.alloc(0) };
    if (sum === 0) assert.equal(bytes.readUInt16BE(40), 0);
    else assert.notEqual(checksumOf(bytes), 0, `${right}`);
  }
});

function checksumOf(frame: Buffer): number {
  const pseudo = Buffer.alloc(12);
  frame.copy(pseudo, 0, 26, 34);
  pseudo[9] = frame[23] ?? 0;
  pseudo.writeUInt16BE(frame.length - 34, 10);
  return checksum(pseudo, frame.subarray(34));
}

test('a request with a method of any length is kept', () => {
  const shown: string[] = [];
  for (const length of [40, 64, 65, 300, 4_200, 8_000]) {
    const method = 'everest'.repeat(1_200).slice(0, length);
    const message = Buffer.from(MESSAGE.toString().replaceAll('INVITE', method));
    const { out, leftOut } = through(one(ethernet(udpPacket(ALICE, BOB, message))));
    assert.deepEqual(leftOut, {}, `${length}`);
    const text = assertRight(out[0]?.bytes ?? Buffer.alloc(0)).toString('latin1', 8);
    const [, written = ''] = /^([a-z]+) sip:/.exec(text) ?? [];
    assert.equal(written.length, length);
    assert.ok(text.includes(`\r\nCSeq: 1 ${written}\r\n`));
    assertSilent(out[0]?.bytes ?? Buffer.alloc(0));
    if (length >= 64) shown.push(written.slice(0, 64));
  }
  assert.equal(new Set(shown).size, 1, 'calltap shows the beginning');
});

test('the answer to an echo that becomes zero has the checksum of zeros', () => {
  const echo = Buffer.from('000000000000000055494f505642', 'hex');
  echo.writeUInt16BE(checksum(echo), 2);
  const { out } = through(one(ethernet(ip(ALICE.address, BOB.address, 1, echo))));
  const icmp = (out[0]?.bytes ?? Buffer.alloc(0)).subarray(34);
  assert.equal(icmp.toString('hex'), `0000ffff${'00'.repeat(echo.length - 4)}`);
});

test('voice becomes silence of the same length, in place and in a copy', () => {
  const payload = Buffer.from(Array.from({ length: 160 }, (_, i) => (i * 37) & 0xff));
  for (const type of [0, 8, 9, 96]) {
    const rtp = Buffer.concat([Buffer.from([0x80, type, 0, 7, 0, 0, 0, 160, 1, 2, 3, 4]), payload]);
    const frame = ethernet(udpPacket({ ...ALICE, port: 4000 }, { ...BOB, port: 4002 }, rtp));
    const copied = through(one(frame)).out[0]?.bytes ?? Buffer.alloc(0);
    const segment = assertRight(copied);
    assert.deepEqual(segment.subarray(8, 20), rtp.subarray(0, 12), 'the header stays');
    assert.equal(
      segment.subarray(20).some((octet, i) => octet === payload[i] && ![0xff, 0x7f, 0xd5, 0x55, 0].includes(octet)),
      false,
    );
    const octets = new Set(segment.subarray(20));
    assert.ok(octets.size <= 2);
    const place = Buffer.from(new ArrayBuffer(600));
    place.set(frame, 28);
    const anonymizer = new FrameAnonymizer(testAnonymizer(), () => assert.fail('not copied'));
    assert.ok(anonymizer.rewriteInPlace(place, 28, 28 + frame.length, 1, new Uint32Array(place.buffer)));
    assert.deepEqual(place.subarray(28, 28 + frame.length), copied);
  }
});

test('a side that sent digital silence is the one that still does', () => {
  const rtp = Buffer.concat([Buffer.from([0x80, 0, 0, 7, 0, 0, 0, 160, 1, 2, 3, 4]), Buffer.alloc(160, 0x7f)]);
  const { out } = through(one(ethernet(udpPacket({ ...ALICE, port: 4000 }, { ...BOB, port: 4002 }, rtp))));
  assert.deepEqual(out[0]?.bytes.subarray(54), Buffer.alloc(160, 0x7f));
});

test('a key that was pressed is no longer to be read, its end and duration are', () => {
  const rtp = Buffer.from([0x80, 101, 0, 7, 0, 0, 0, 160, 1, 2, 3, 4, 9, 0x8a, 0x06, 0x40]);
  const { out } = through(one(ethernet(udpPacket({ ...ALICE, port: 4000 }, { ...BOB, port: 4002 }, rtp))));
  assert.deepEqual([...(out[0]?.bytes.subarray(54) ?? [])], [0, 0x8a, 0x06, 0x40]);
});

/** What a reader of the stream gets: the segments put where their sequence numbers say. */
function streamOf(out: readonly Out[], port: number, isn: number): Buffer {
  const parts = out
    .map(({ bytes }) => assertRight(bytes))
    .filter((segment) => segment.readUInt16BE(0) === port)
    .map((segment) => ({
      at: (segment.readUInt32BE(4) - isn - 1) >>> 0,
      data: segment.subarray(((segment[12] ?? 0) >> 4) * 4),
    }))
    .filter(({ data }) => data.length > 0);
  const stream = Buffer.alloc(Math.max(...parts.map(({ at, data }) => at + data.length)));
  const isThere = new Uint8Array(stream.length);
  for (const { at, data } of parts) {
    for (let i = 0; i < data.length; i++) {
      if (isThere[at + i] === 1) assert.equal(stream[at + i], data[i], 'what comes again is the same');
      stream[at + i] = data[i] ?? 0;
      isThere[at + i] = 1;
    }
  }
  assert.ok(
    isThere.every((there) => there === 1),
    'no hole',
  );
  return stream;
}

const TCP = { client: { ...ALICE, port: 40_000 }, server: BOB, clientIsn: 0xffff_ff00, serverIsn: 77 };

test('messages over TCP segments: in pieces, out of order, again', () => {
  const twice = Buffer.concat([MESSAGE, Buffer.from('\r\n\r\n'), MESSAGE]);
  for (const key of KEYS.slice(0, 12)) {
    const connection = new TcpConnection(TCP).open(0).send(true, 5_000, twice, 7).close(90_000);
    const segments = [...connection.segments];
    const [a, b] = [segments[4], segments[5]];
    assert.ok(a !== undefined && b !== undefined);
    // Two change places, and one comes once more at the end.
    segments.splice(4, 2, b, a);
    segments.splice(11, 0, a);
    const { out, leftOut } = through(connection.frames(segments), key);
    assert.deepEqual(leftOut, {});
    assert.equal(out.length, segments.length);
    const want = Buffer.concat([expected(key), Buffer.from('\r\n\r\n'), expected(key)]);
    assert.deepEqual(streamOf(out, 40_000, TCP.clientIsn), want);
    for (const { bytes } of out) assertSilent(bytes);
    // The server acknowledges all of it, where it is now.
    const acks = out.map(({ bytes }) => bytes.subarray(34)).filter((s) => s.readUInt16BE(0) === 5060);
    const last = Math.max(...acks.map((s) => (s.readUInt32BE(8) - TCP.clientIsn) >>> 0));
    assert.equal(last, want.length + 2);
  }
});

test('WebSocket frames, masked and in pieces, become one plain frame', () => {
  const nonce = Buffer.from('kilimanjaro-nonc');
  const upgrade = wsUpgrade('wonderland', nonce, false);
  const mask = (): Uint8Array => Uint8Array.of(1, 2, 3, 4);
  const connection = new TcpConnection({ ...TCP, server: { ...BOB, port: 80 } })
    .open(0)
    .send(true, 5_000, upgrade.request, 2)
    .send(false, 6_000, upgrade.response)
    .send(true, 7_000, wsFragmented(MESSAGE, 3, mask), 4)
    .send(false, 8_000, wsFrame(MESSAGE));
  const { out, leftOut } = through(connection.frames());
  assert.deepEqual(leftOut, {});
  for (const { bytes } of out) assertSilent(bytes);
  assert.ok(streamOf(out, 80, TCP.serverIsn).includes(expected()));
  const sent = streamOf(out, 40_000, TCP.clientIsn);
  const at = sent.indexOf('\r\n\r\n') + 4;
  assert.deepEqual([sent[at], sent[at + 1]], [0x81, 0xfe]);
  const text = sent.subarray(at + 8).map((octet, i) => octet ^ ((i & 3) + 1));
  assert.deepEqual(Buffer.from(text), expected());
});

test('a datagram in fragments is cut again at the same places', () => {
  for (const key of KEYS.slice(0, 12)) {
    const parts = fragments(udpPacket(ALICE, BOB, MESSAGE), 200);
    const frames = [...parts.slice(1), parts[0] ?? new Uint8Array(0)].map((part, i) => ({
      tsUs: i,
      data: ethernet(part),
    }));
    const { out, leftOut } = through(frames, key);
    assert.deepEqual(leftOut, {});
    const pieces = out.map(({ bytes }) => bytes.subarray(14));
    for (const piece of pieces) assert.equal(checksum(piece.subarray(0, 20)), 0);
    const whole = pieces
      .sort((a, b) => (a.readUInt16BE(6) & 0x1fff) - (b.readUInt16BE(6) & 0x1fff))
      .map((piece) => piece.subarray(20));
    assert.deepEqual(Buffer.concat(whole).subarray(8), expected(key));
  }
});

test('a fragment without the rest is left out', () => {
  const [first = new Uint8Array(0)] = fragments(udpPacket(ALICE, BOB, MESSAGE), 200);
  const { out, leftOut } = through(one(ethernet(first)));
  assert.deepEqual([out.length, leftOut], [0, { fragment: 1 }]);
});

test('what lies in tunnels is replaced, and their lengths follow', () => {
  const carrier = { src: '10.1.1.1', dst: '10.1.1.2', id: 9, dir: 0 } as unknown as tunnel.Carrier;
  const packet = udpPacket(ALICE, BOB, MESSAGE);
  const frames = [
    tunnel.vxlan(carrier, ethernet(packet)),
    tunnel.geneve(carrier, ethernet(packet)),
    tunnel.gtpu(carrier, packet, false),
    tunnel.gtpu(carrier, packet, true),
    tunnel.erspan2(carrier, ethernet(packet)),
    tunnel.tzsp(carrier, ethernet(packet)),
  ];
  for (const key of KEYS.slice(0, 12))
    for (const frame of frames) {
      const { out, leftOut } = through(one(ethernet(frame)), key);
      assert.deepEqual(leftOut, {});
      const bytes = out[0]?.bytes ?? Buffer.alloc(0);
      assertSilent(bytes);
      assert.equal(bytes.readUInt16BE(16) + 14, bytes.length);
      const at = bytes.indexOf(expected(key));
      assert.ok(at > 0);
      // UDP right before it, and IP before that.
      assert.equal(bytes.readUInt16BE(at - 4), expected(key).length + 8);
      assert.equal(bytes.readUInt16BE(at - 26), expected(key).length + 28);
      if (bytes.readUInt16BE(36) === 2152) assert.equal(bytes.readUInt16BE(44), bytes.length - 50);
    }
});

test('IPv6 with extension headers', () => {
  const [a, b] = [
    { address: '2001:db8::7', port: 5060 },
    { address: '2001:db8::8', port: 5060 },
  ];
  const packet = ipv6WithExtensions(a.address, b.address, 17, udp(a, b, MESSAGE));
  const { out, leftOut } = through(one(ethernet(packet)));
  assert.deepEqual(leftOut, {});
  assert.ok(out[0]?.bytes.includes(expected()));
});

test('what nobody understands is left out and counted', () => {
  const dns = Buffer.from('abcd01000001000000000000096b696c696d616e6a61726f00', 'hex');
  const { out, leftOut } = through([
    ...one(ethernet(udpPacket({ ...ALICE, port: 4000 }, { ...BOB, port: 53 }, dns))),
    ...one(ethernet(Buffer.from('kilimanjaro'), 0, 0x0806)),
    ...new TcpConnection({ ...TCP, server: { ...BOB, port: 25 } })
      .open(0)
      .send(true, 5_000, Buffer.from('EHLO kilimanjaro\r\n'))
      .frames(),
  ]);
  assert.deepEqual(leftOut, { not_ip: 1, content: 1, tcp_content: 1 });
  assert.equal(out.length, 3, 'the handshake');
});

test('mutated frames end nothing and show nothing', () => {
  let seed = 1;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
  const carrier = { src: '10.1.1.1', dst: '10.1.1.2', id: 9, dir: 0 } as unknown as tunnel.Carrier;
  const packet = udpPacket(ALICE, BOB, MESSAGE);
  const plain = [
    ethernet(packet),
    ethernet(tunnel.vxlan(carrier, ethernet(packet))),
    ...fragments(packet, 200).map((part) => ethernet(part)),
    ...new TcpConnection(TCP)
      .open(0)
      .send(true, 5_000, MESSAGE, 3)
      .frames()
      .map(({ data }) => data),
  ];
  for (let n = 0; n < 300; n++) {
    const frames = plain.map((data, i) => {
      const bytes = Buffer.from(data);
      for (let k = random(4); k > 0; k--) bytes[random(Math.min(bytes.length, 120))] = random(256);
      return { tsUs: n * 1_000 + i, data: random(9) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes };
    });
    // An address of which a bit fell over is another one: what is looked for are words.
    for (const { bytes } of through(frames).out)
      for (const word of ['kilimanjaro', 'wonderland', 'x7q9branch'])
        assert.ok(!bytes.toString('latin1').toLowerCase().includes(word), word);
  }
});
