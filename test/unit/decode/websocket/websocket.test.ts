/** WebSocket frames give SIP messages: fragmented, masked, compressed or counted. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { constants, deflateRawSync } from 'node:zlib';
import { FLAG } from '../../../../src/sources/records.ts';
import { bytes, CALL, frame, join, response, sip, switching, Tap, UPGRADE } from '../tcp/tcp-fixture.ts';

const PORTS = [40_000, 80] as const;

/** Sends a stream of byte strings, one a segment, from one side. */
class Side {
  readonly #tap: Tap;
  readonly #from: 0 | 1;
  #seq: number;

  constructor(tap: Tap, from: 0 | 1) {
    this.#tap = tap;
    this.#from = from;
    this.#seq = from === 0 ? 1001 : 2001;
  }

  send(data: string | Uint8Array, more: { wireLength?: number; gates?: number } = {}): this {
    this.#tap.add({ from: this.#from, seq: this.#seq, data, ports: PORTS, ...more });
    this.#seq += more.wireLength ?? data.length;
    return this;
  }
}

function upgraded(extra = ''): { tap: Tap; client: Side; server: Side } {
  const tap = new Tap().open(PORTS);
  const client = new Side(tap, 0).send(UPGRADE);
  const server = new Side(tap, 1).send(switching(extra));
  return { tap, client, server };
}

/** A compressor of one direction: what a sender with context takeover does. */
class Deflater {
  #history: Uint8Array = new Uint8Array(0);

  message(text: string): Uint8Array {
    const packed = deflateRawSync(bytes(text), {
      finishFlush: constants.Z_SYNC_FLUSH,
      ...(this.#history.length > 0 ? { dictionary: this.#history } : {}),
    });
    this.#history = join(this.#history, bytes(text)).subarray(-32_768);
    return packed.subarray(0, -4);
  }
}

describe('decode matrix, WebSocket rows: 7 of 7 messages', () => {
  it('WebSocket, port 80', () => {
    const { tap, client, server } = upgraded();
    for (const [from, text] of CALL) (from === 0 ? client : server).send(frame(text, { masked: from === 0 }));
    assert.deepEqual(
      tap.texts,
      CALL.map(([, text]) => text),
    );
    assert.ok(tap.seen.every((s) => s.transport === 'WS'));
    assert.equal(tap.counters.wsFrames, 7);
    assert.equal(tap.counters.wsHandshakes, 1);
    assert.equal(tap.counters.tcpBytesIgnored, 0);
    assert.equal(tap.reassembler.bufferedBytes, 0);
  });

  it('continuation frames, with control frames between them', () => {
    const { tap, client, server } = upgraded();
    for (const [from, text] of CALL) {
      const masked = from === 0;
      const side = from === 0 ? client : server;
      side.send(frame(text.slice(0, 30), { masked, fin: false }));
      side.send(frame('ping', { masked, opcode: 9 }));
      side.send(join(frame(text.slice(30, 60), { masked, fin: false, opcode: 0 }), frame('', { masked, opcode: 10 })));
      side.send(frame(text.slice(60), { masked, opcode: 0 }));
    }
    assert.deepEqual(
      tap.texts,
      CALL.map(([, text]) => text),
    );
    assert.equal(tap.counters.wsBadFrames, 0);
    assert.equal(tap.reassembler.bufferedBytes, 0);
  });

  it('permessage-deflate with context takeover', () => {
    const { tap, client, server } = upgraded(
      'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=15\r\n',
    );
    const deflaters = [new Deflater(), new Deflater()] as const;
    for (const [from, text] of CALL) {
      const packed = deflaters[from].message(text);
      (from === 0 ? client : server).send(frame(packed, { masked: from === 0, rsv: 0x40 }));
    }
    assert.deepEqual(
      tap.texts,
      CALL.map(([, text]) => text),
    );
    assert.equal(tap.counters.wsCompressedInflated, 7);
    assert.equal(tap.counters.wsCompressedUndecodable, 0);
  });

  it('joined mid-stream: known by a frame whose payload is SIP', () => {
    const tap = new Tap();
    const sides = [new Side(tap, 0), new Side(tap, 1)] as const;
    for (const [from, text] of CALL) sides[from].send(frame(text, { masked: from === 0, opcode: 2 }));
    assert.deepEqual(
      tap.texts,
      CALL.map(([, text]) => text),
    );
  });
});

describe('WebSocket', () => {
  it('reads handshakes and frames that come byte by byte', () => {
    const tap = new Tap().open(PORTS);
    const [client, server] = [new Side(tap, 0), new Side(tap, 1)];
    for (const c of UPGRADE) client.send(c);
    for (const c of switching()) server.send(c);
    for (const c of frame(sip(1), { masked: true })) client.send(Uint8Array.of(c));
    assert.deepEqual(tap.texts, [sip(1)]);
    assert.equal(tap.counters.wsHandshakes, 1);
    assert.equal(tap.counters.wsOverheadBytes, UPGRADE.length + switching().length + 8);
  });

  it('without context takeover a lost message takes no other with it', () => {
    const extension =
      'sec-websocket-extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover\r\n';
    const { tap, client } = upgraded(extension);
    const [a, b] = [new Deflater().message(sip(1)), new Deflater().message(sip(2))];
    client.send(frame(a, { masked: true, rsv: 0x40 }).slice(0, 20), { wireLength: frame(a, { masked: true }).length });
    client.send(frame(b, { masked: true, rsv: 0x40 }));
    assert.deepEqual(tap.texts, [sip(2)]);
  });

  it('with context takeover a loss makes the rest undecodable, by name', () => {
    const { tap, server } = upgraded('Sec-WebSocket-Extensions: permessage-deflate\r\n');
    const d = new Deflater();
    server.send(frame(d.message(response(1)), { rsv: 0x40 }));
    const lost = frame(d.message(response(2)), { rsv: 0x40 });
    server.send(lost.slice(0, 12), { wireLength: lost.length });
    server.send(frame(d.message(response(3)), { rsv: 0x40 }));
    server.send(frame(response(4)));
    assert.deepEqual(tap.texts, [response(1), response(4)]);
    assert.equal(tap.counters.wsCompressedUndecodable, 1);
  });

  it('counts compressed frames of a connection joined late', () => {
    const tap = new Tap();
    const server = new Side(tap, 1);
    server
      .send(frame(response(1)))
      .send(frame(new Deflater().message(response(2)), { rsv: 0x40 }))
      .send(frame(response(3)));
    assert.deepEqual(tap.texts, [response(1), response(3)]);
    assert.equal(tap.counters.wsCompressedUndecodable, 1);
  });

  it('counts corrupt and oversized compressed messages', () => {
    const { tap, client } = upgraded('Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover\r\n');
    const bomb = new Deflater().message('x'.repeat(10_000_000));
    client
      .send(frame(bomb, { masked: true, rsv: 0x40 }))
      .send(frame('garbage, and more of it', { masked: true, rsv: 0x40 }));
    client.send(frame(new Deflater().message(sip(1)), { masked: true, rsv: 0x40 }));
    assert.deepEqual(tap.texts, [sip(1)]);
    assert.equal(tap.counters.wsCompressedUndecodable, 2);
  });

  it('counts RSV bits nobody negotiated and keeps the frame boundaries', () => {
    const { tap, client } = upgraded();
    client.send(frame('abc', { masked: true, rsv: 0x40 })).send(frame(sip(1), { masked: true, rsv: 0x20 }));
    client.send(frame(sip(2), { masked: true }));
    assert.deepEqual(tap.texts, [sip(2)]);
    assert.equal(tap.counters.wsBadFrames, 2);
    assert.equal(tap.counters.wsCompressedUndecodable, 0);
  });

  it('reads 16 and 64-bit lengths', () => {
    const { tap, server } = upgraded();
    const large = sip(1, 'x'.repeat(70_000));
    server
      .send(frame(sip(2, 'y'.repeat(300))))
      .send(frame(large).slice(0, 40_000))
      .send(frame(large).slice(40_000));
    assert.deepEqual(tap.texts, [sip(2, 'y'.repeat(300)), large]);
  });

  it('passes over a message beyond the cap, in one frame or in many', () => {
    const { tap, server } = upgraded();
    const huge = frame(sip(1, 'x'.repeat(140_000)));
    for (let at = 0; at < huge.length; at += 1_400) server.send(huge.slice(at, at + 1_400));
    for (let i = 0; i < 3; i++) server.send(frame('z'.repeat(60_000), { opcode: i === 0 ? 1 : 0, fin: i === 2 }));
    server.send(frame(sip(2)));
    assert.deepEqual(tap.texts, [sip(2)]);
    assert.equal(tap.counters.tcpMessageTooLong, 2);
    assert.equal(tap.reassembler.bufferedBytes, 0);
  });

  it('finds the next frame after one that nobody could have sent', () => {
    const { tap, server } = upgraded();
    server.send(join(frame(sip(1)), Uint8Array.of(0x8f, 0xff, 0xff, 0xff)));
    server.send('whatever this is').send(frame(sip(2)));
    assert.deepEqual(tap.texts, [sip(1), sip(2)]);
    assert.equal(tap.counters.wsBadFrames, 1);
    assert.equal(tap.counters.tcpBytesIgnored, 4 + 16);
  });

  it('stays in step over a hole inside a frame', () => {
    const { tap, server } = upgraded();
    const holed = frame(sip(1, 'x'.repeat(500)));
    server
      .send(holed.slice(0, 100), { wireLength: holed.length - 20 })
      .send(holed.slice(-20))
      .send(frame(sip(2)));
    assert.deepEqual(tap.texts, [sip(2)]);
    assert.equal(tap.counters.tcpResyncs, 0);
  });

  it('tolerates bytes behind the message and leading keep-alives, and skips pings of CRLF', () => {
    const { tap, client } = upgraded();
    client.send(frame('\r\n\r\n', { masked: true })).send(frame(`\r\n${sip(1, 'abc')}\r\n`, { masked: true }));
    assert.deepEqual(tap.texts, [sip(1, 'abc')]);
    assert.equal(tap.counters.tcpKeepAliveBytes, 6);
    assert.equal(tap.counters.tcpBytesIgnored, 2);
  });

  it('counts messages of other subprotocols, and hands on what a sip one carries', () => {
    const { tap, client } = upgraded();
    client.send(frame('{"json":true}', { masked: true }));
    assert.equal(tap.counters.wsOtherMessages, 1);
    const agreed = upgraded('Sec-WebSocket-Protocol: sip\r\n');
    agreed.client.send(frame('MALFORMED\r\n\r\n', { masked: true }));
    assert.deepEqual(agreed.tap.texts, ['MALFORMED\r\n\r\n']);
  });

  it('counts SIP over WebSocket on a SIP port as excluded', () => {
    const tap = new Tap();
    const client = new Side(tap, 0);
    client.send(UPGRADE, { gates: FLAG.SIP_GATE }).send(frame(sip(1), { masked: true }), { gates: FLAG.SIP_GATE });
    assert.deepEqual(tap.excluded, ['websocket 80']);
    const only = new Tap();
    only.add({ seq: 1, data: frame(sip(1), { masked: true }), ports: [40_000, 5060], gates: FLAG.SIP_GATE });
    assert.deepEqual(only.excluded, ['websocket 5060']);
    assert.equal(only.counters.excludedWebSocket, 1);
  });

  it('goes back to reading HTTP when the server refuses', () => {
    const tap = new Tap().open(PORTS);
    const client = new Side(tap, 0).send(UPGRADE);
    new Side(tap, 1).send('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
    client.send(sip(1));
    assert.deepEqual(
      tap.seen.map((s) => s.transport),
      ['TCP'],
    );
  });

  it('treats plain HTTP as not ours and costs no memory', () => {
    const tap = new Tap().open(PORTS);
    const [request, answer] = [
      'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello',
    ];
    new Side(tap, 0).send(request);
    new Side(tap, 1).send(answer).send('more');
    assert.equal(tap.reassembler.bufferedBytes, 0);
    assert.equal(tap.counters.tcpBytesIgnored, request.length + answer.length + 4);
  });
});
