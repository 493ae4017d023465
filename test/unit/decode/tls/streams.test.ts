/** Plaintext of TLS connections: order, located gaps, the wait for an address, caps, and what ends a connection. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BothEnds } from '../../../../src/decode/tls/both-ends.ts';
import { emptyPacket, type Packet } from '../../../../src/sources/packet.ts';
import { frame, response, sip, switching } from '../tcp/tcp-fixture.ts';
import { LOCAL, REMOTE, TlsTap } from './tls-fixture.ts';

const INBOUND = `${REMOTE}>${LOCAL}`;
const OUTBOUND = `${LOCAL}>${REMOTE}`;

test('messages of both directions, with the way each went and the time of the call that completed it', () => {
  const tap = new TlsTap();
  const request = sip(1, 'a body');
  tap.data({ data: request.slice(0, 30), tsUs: 10 });
  tap.data({ data: request.slice(30) + sip(2), tsUs: 20 });
  tap.data({ data: response(1), isWritten: true, tsUs: 30 });
  assert.deepEqual(tap.texts, [request, sip(2), response(1)]);
  assert.deepEqual(
    tap.seen.map((m) => [m.way, m.tsUs, m.isWritten, m.transport]),
    [
      [INBOUND, 20, false, 'TLS'],
      [INBOUND, 20, false, 'TLS'],
      [OUTBOUND, 30, true, 'TLS'],
    ],
  );
  assert.equal(tap.counters.gaps, 0);
});

test('messages of 40 KB in records of 16 KB are one', () => {
  const tap = new TlsTap();
  const text = sip(1, 'x'.repeat(40_000));
  for (let at = 0; at < text.length; at += 16_384) tap.data({ data: text.slice(at, at + 16_384) });
  assert.deepEqual(tap.texts, [text]);
});

test('a gap is located: the message in it is cut, the next one is whole, and the bytes are counted', () => {
  const tap = new TlsTap();
  const cut = sip(1, 'y'.repeat(2000));
  tap.data({ data: cut.slice(0, 1000) });
  tap.data({ data: sip(2), offset: cut.length });
  assert.equal(tap.seen.length, 2);
  assert.equal(tap.seen[0]?.isTruncated, true);
  assert.equal(tap.seen[0]?.text, cut.slice(0, 1000));
  assert.equal(tap.seen[1]?.text, sip(2));
  assert.deepEqual([tap.counters.gaps, tap.counters.gapBytes], [1, cut.length - 1000]);
});

test('a direction that is first seen at an offset has lost nothing', () => {
  const tap = new TlsTap();
  tap.data({ data: `half a line\r\n${sip(3)}`, offset: 5000 });
  assert.deepEqual(tap.texts, [sip(3)]);
  assert.equal(tap.counters.gaps, 0);
});

test('bytes that were there already are not read twice', () => {
  const tap = new TlsTap();
  tap.data({ data: sip(1), offset: 0 });
  tap.data({ data: sip(1), offset: 0 });
  tap.data({ data: sip(1).slice(-10) + sip(2), offset: sip(1).length - 10 });
  assert.deepEqual(tap.texts, [sip(1), sip(2)]);
});

test('a message waits for its address, in order, and gets the one that is proven', () => {
  const tap = new TlsTap();
  tap.data({ data: sip(1), address: null, tsUs: 1000 });
  tap.data({ data: response(1), isWritten: true, address: ['10.9.9.9:1', REMOTE], isWeak: true, tsUs: 2000 });
  assert.equal(tap.seen.length, 0);
  assert.equal(tap.streams.isHolding, true);
  tap.bind({ tsUs: 3000 });
  assert.deepEqual(
    tap.seen.map((m) => [m.text, m.way, m.tsUs]),
    [
      [sip(1), INBOUND, 1000],
      [response(1), OUTBOUND, 2000],
    ],
  );
  assert.equal(tap.streams.isHolding, false);
  assert.deepEqual([tap.counters.held, tap.counters.unbound, tap.counters.weak], [2, 0, 0]);
});

test('data with the address releases what waited before it', () => {
  const tap = new TlsTap();
  tap.data({ data: sip(1), address: null });
  tap.data({ data: sip(2) });
  assert.deepEqual(tap.texts, [sip(1), sip(2)]);
  assert.ok(tap.seen.every((m) => m.way === INBOUND));
});

test('after 200 ms a message is passed on without an address, said and counted, never guessed', () => {
  const tap = new TlsTap();
  tap.data({ data: sip(1), address: null, tsUs: 1_000_000 });
  tap.streams.settle(1_199_999);
  assert.equal(tap.seen.length, 0);
  tap.streams.settle(1_200_000);
  assert.deepEqual(
    tap.seen.map((m) => m.way),
    ['unknown'],
  );
  assert.equal(tap.counters.unbound, 1);
});

test('a likely address is used when no proof came in time, and counted', () => {
  const tap = new TlsTap();
  tap.data({ data: sip(1), isWeak: true, tsUs: 1_000_000 });
  tap.streams.expire(1_300_000);
  assert.deepEqual(
    tap.seen.map((m) => m.way),
    [INBOUND],
  );
  assert.deepEqual([tap.counters.unbound, tap.counters.weak], [0, 1]);
});

test('an upgrade that was read in the kernel: frames follow, and the answer decides', () => {
  const tap = new TlsTap();
  tap.data({ offset: 900, isUpgrade: true, isUndecided: true });
  tap.data({ data: switching('Sec-WebSocket-Protocol: sip\r\n'), isWritten: true, isUndecided: true });
  assert.deepEqual(tap.verdicts, [[1, true]]);
  tap.data({ data: frame(sip(1), { masked: true }), offset: 900 });
  tap.data({ data: frame(response(1)), isWritten: true });
  assert.deepEqual(tap.texts, [sip(1), response(1)]);
  assert.deepEqual([tap.counters.gaps, tap.seen[0]?.transport], [0, 'WSS']);
});

test('closing passes on what is held and counts what was cut off', () => {
  const tap = new TlsTap();
  tap.data({ data: sip(1) + sip(2).slice(0, 20), address: null });
  tap.streams.close(1, 7);
  assert.deepEqual(
    tap.seen.map((m) => m.way),
    ['unknown'],
  );
  assert.deepEqual([tap.counters.aborted, tap.counters.closed, tap.streams.connections], [1, 1, 0]);
  assert.equal(tap.streams.bufferedBytes, 0);
});

test('the end of a process closes its connections, but not those in shared memory', () => {
  const tap = new TlsTap();
  tap.data({ id: 1, data: sip(1), pid: 10 });
  tap.data({ id: 2, data: sip(2), pid: 10, isShared: true });
  tap.data({ id: 3, data: sip(3), pid: 11 });
  tap.streams.closeProcess(10);
  assert.deepEqual([tap.streams.connections, tap.counters.closed], [2, 1]);
});

test('caps: connections, partial bytes, held bytes', () => {
  const few = new TlsTap({ maxConnections: 3 });
  for (let id = 1; id <= 10; id++) few.data({ id, data: sip(id).slice(0, 30) });
  assert.deepEqual([few.streams.connections, few.counters.evicted, few.counters.aborted], [3, 7, 7]);

  const partial = new TlsTap({ maxPartialBytes: 100_000 });
  for (let id = 1; id <= 100; id++) partial.data({ id, data: sip(id, 'z'.repeat(20_000)).slice(0, 9000) });
  assert.ok(partial.streams.bufferedBytes <= 100_000);
  assert.ok(partial.counters.evicted > 0);

  const held = new TlsTap({ maxHeldBytes: 10_000 });
  for (let id = 1; id <= 100; id++) held.data({ id, data: sip(id, 'h'.repeat(500)), address: null });
  assert.ok(held.streams.bufferedBytes <= 10_000);
  assert.ok(held.counters.unbound >= 80);
  held.streams.finish();
  assert.equal(held.seen.length, 100);
  assert.equal(held.streams.bufferedBytes, 0);
});

test('a partial message is given up when nothing comes for 30 seconds', () => {
  const tap = new TlsTap();
  tap.data({ data: sip(1).slice(0, 40), tsUs: 1_000_000 });
  tap.streams.expire(31_000_000);
  assert.equal(tap.counters.aborted, 0);
  tap.streams.expire(31_000_001);
  assert.equal(tap.counters.aborted, 1);
  assert.equal(tap.streams.bufferedBytes, 0);
});

const UPGRADE =
  'GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: sip\r\n' +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n';

test('SIP over WebSocket inside TLS: transport WSS, and the kernel is told to let it pass', () => {
  const tap = new TlsTap();
  tap.data({ data: UPGRADE, isUndecided: true });
  assert.deepEqual(tap.verdicts, []);
  tap.data({ data: switching('Sec-WebSocket-Protocol: sip\r\n'), isWritten: true, isUndecided: true });
  assert.deepEqual(tap.verdicts, [[1, true]]);
  tap.data({ data: frame(sip(1), { masked: true }) });
  tap.data({ data: frame(response(1)), isWritten: true });
  assert.deepEqual(
    tap.seen.map((m) => [m.transport, m.text]),
    [
      ['WSS', sip(1)],
      ['WSS', response(1)],
    ],
  );
});

test('a web request, another subprotocol and a refusal are dropped in the kernel, each once', () => {
  const tap = new TlsTap();
  tap.data({ id: 1, data: 'GET /index.html HTTP/1.1\r\nHost: x\r\n\r\n', isUndecided: true });
  tap.data({ id: 1, data: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', isWritten: true, isUndecided: true });
  tap.data({ id: 2, data: UPGRADE, isUndecided: true });
  tap.data({ id: 2, data: switching('Sec-WebSocket-Protocol: chat\r\n'), isWritten: true, isUndecided: true });
  tap.data({ id: 3, data: UPGRADE, isUndecided: true });
  tap.data({ id: 3, data: 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n', isWritten: true, isUndecided: true });
  assert.deepEqual(tap.verdicts, [
    [1, false],
    [2, false],
    [3, false],
  ]);
  assert.equal(tap.seen.length, 0);
});

test('property: however the calls cut the stream, the messages are the same', () => {
  const messages = fc.array(fc.tuple(fc.boolean(), fc.string({ maxLength: 300, unit: 'binary-ascii' })), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(messages, fc.array(fc.nat(4000), { maxLength: 12 }), fc.boolean(), (list, cuts, isKnown) => {
      const texts = list.map(([isResponse, body], n) => (isResponse ? response(n) : sip(n, body)));
      const whole = texts.join('');
      const points = [...new Set([0, ...cuts.filter((c) => c < whole.length), whole.length])].sort((a, b) => a - b);
      const tap = new TlsTap();
      for (let i = 1; i < points.length; i++)
        tap.data({ data: whole.slice(points[i - 1], points[i]), address: isKnown ? [LOCAL, REMOTE] : null });
      tap.streams.finish();
      assert.deepEqual(tap.texts, texts);
      assert.equal(tap.counters.gaps, 0);
      assert.equal(tap.streams.bufferedBytes, 0);
    }),
    { numRuns: 200 },
  );
});

test('property: whatever is lost, what is found is whole or said to be cut, and the lost bytes add up', () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { minLength: 4, maxLength: 40 }),
      fc.integer({ min: 1, max: 700 }),
      (keeps, size) => {
        const texts = Array.from({ length: 8 }, (_, n) => sip(n, `${'b'.repeat(n * 50)}\r\n`));
        const whole = texts.join('');
        const tap = new TlsTap();
        let lost = 0;
        let pending = 0;
        let seenAny = false;
        for (let at = 0, i = 0; at < whole.length; at += size, i++) {
          const piece = whole.slice(at, at + size);
          if (keeps[i % keeps.length] === true) {
            if (seenAny) lost += pending;
            pending = 0;
            seenAny = true;
            tap.data({ data: piece, offset: at });
          } else pending += piece.length;
        }
        tap.streams.finish();
        assert.equal(tap.counters.gapBytes, lost);
        for (const m of tap.seen) {
          // A start line that is joined in its method still looks like one.
          const isWhole = texts.some((t) => t.endsWith(m.text) && t.length - m.text.length <= 'MESSAGE'.length);
          assert.ok(isWhole || m.isTruncated, JSON.stringify(m.text.slice(0, 80)));
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('property: chunks of any content and place keep the caps and throw nothing', () => {
  const anyChunk = fc.record({
    id: fc.integer({ min: 1, max: 5 }),
    data: fc.uint8Array({ maxLength: 400 }),
    offset: fc.nat(3000),
    isWritten: fc.boolean(),
    isWeak: fc.boolean(),
    isUndecided: fc.boolean(),
    tsUs: fc.nat(60_000_000),
    address: fc.constantFrom<(readonly [string, string] | null)[]>(null, [LOCAL, REMOTE]),
  });
  fc.assert(
    fc.property(fc.array(anyChunk, { maxLength: 60 }), (chunks) => {
      const tap = new TlsTap({ maxConnections: 3, maxPartialBytes: 20_000, maxHeldBytes: 2000 });
      for (const c of chunks) {
        tap.data(c);
        assert.ok(tap.streams.connections <= 3);
        tap.streams.expire(c.tsUs);
      }
      tap.streams.finish();
      assert.deepEqual([tap.streams.connections, tap.streams.bufferedBytes], [0, 0]);
    }),
    { numRuns: 300 },
  );
});

const ends = (src: number, dst: number): Uint8Array => {
  const addresses = new Uint8Array(32).fill(src, 0, 16);
  return addresses.fill(dst, 16);
};
const WAY: Packet = { ...emptyPacket(ends(1, 2)), srcPort: 1, dstPort: 2 };
const BACK: Packet = { ...emptyPacket(ends(2, 1)), srcPort: 2, dstPort: 1 };

test('the second end of a connection on this host brings no second message; a retransmission stays one', () => {
  const sightings = new BothEnds();
  const see = (text: string, isWritten: boolean, tsUs = 0, way = WAY): boolean => {
    const bytes = Buffer.from(text);
    return sightings.isSecond(bytes, 0, bytes.length, { ...way, tsUs }, isWritten, 1);
  };
  assert.deepEqual([see('INVITE 1', true), see('INVITE 1', false)], [false, true]);
  // The reader may come first.
  assert.deepEqual([see('INVITE 2', false), see('INVITE 2', true)], [false, true]);
  // Written twice, read twice: two messages.
  assert.deepEqual(
    ['w', 'w', 'r', 'r'].map((c) => see('200 OK', c === 'w')),
    [false, false, true, true],
  );
  // Only one end is observed.
  assert.deepEqual([see('ACK', true), see('ACK', true)], [false, false]);
  // Another way, or much later.
  assert.deepEqual([see('BYE', true), see('BYE', false, 0, BACK)], [false, false]);
  assert.deepEqual([see('BYE 2', true, 0), see('BYE 2', false, 2_000_001)], [false, false]);
  assert.equal(sightings.seconds, 4);
});

test('a second end whose address is not proven, or not known, brings no second message either', () => {
  const sightings = new BothEnds();
  const see = (text: string, isWritten: boolean, way: Packet, pid = way === WAY ? 1 : 2): boolean =>
    sightings.isSecond(Buffer.from(text), 0, text.length, way, isWritten, pid);
  const weak = { ...WAY, isWeak: true, srcPort: 9, dstPort: 514 };
  const unknown = { ...emptyPacket(), ipVersion: 0 };
  for (const [i, second] of [weak, unknown].entries()) {
    assert.deepEqual([see(`INVITE ${i}`, true, WAY), see(`INVITE ${i}`, false, second)], [false, true]);
    assert.deepEqual([see(`200 ${i}`, true, second), see(`200 ${i}`, false, WAY)], [false, true]);
  }
  // A proxy that passes it on, in one process: two hops.
  assert.deepEqual([see('ACK', false, unknown), see('ACK', true, unknown)], [false, false]);
  // Two proven addresses that differ are two hops.
  assert.deepEqual([see('PRACK', true, WAY), see('PRACK', false, BACK)], [false, false]);
  assert.equal(sightings.seconds, 4);
});

test('what waits for its other end is bounded', () => {
  const sightings = new BothEnds();
  const bytes = new Uint8Array(4);
  for (let i = 0; i < 40_000; i++) {
    new DataView(bytes.buffer).setUint32(0, i);
    sightings.isSecond(bytes, 0, 4, WAY, true, 1);
  }
  assert.ok(sightings.waiting <= 16_384);
});
