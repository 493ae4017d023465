/** The decode layer on hostile and reordered input: same messages however the bytes arrive, and caps that hold. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DecodeCounters } from '../../src/decode/counters.ts';
import { FRAGMENT_LIMITS } from '../../src/decode/decode-limits.ts';
import { FragmentReassembler } from '../../src/decode/fragments.ts';
import { readHep } from '../../src/decode/hep/hep.ts';
import { HepPacket } from '../../src/decode/hep/packet.ts';
import { emptyPacket } from '../../src/sources/packet.ts';
import { FLAG } from '../../src/sources/records.ts';
import { bytes, frame, join, response, SYN, sip, switching, Tap } from '../unit/decode/tcp/tcp-fixture.ts';

const RUNS = { numRuns: 300 };

/** Messages with bodies, keep-alives between them. */
const stream = fc
  .array(
    fc.record({
      body: fc.string({ maxLength: 300, unit: 'binary-ascii' }),
      isResponse: fc.boolean(),
      gap: fc.constantFrom('', '\r\n', '\r\n\r\n'),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((list) => {
    const messages = list.map((m, n) => (m.isResponse ? response(n) : sip(n, m.body)));
    return { messages, text: list.map((m, n) => m.gap + (messages[n] ?? '')).join('') };
  });

/** Cut points as fractions, turned into pieces with their offsets. */
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 });

type Part = { readonly at: number; readonly data: Uint8Array };

function cutUp(data: Uint8Array, at: readonly number[]): Part[] {
  const points = [...new Set([0, ...at.map((f) => Math.floor(f * data.length)), data.length])].sort((a, b) => a - b);
  return points.slice(1).map((end, i) => ({ at: points[i] ?? 0, data: data.subarray(points[i] ?? 0, end) }));
}

const wsStream = fc
  .array(
    fc.record({
      body: fc.string({ maxLength: 200, unit: 'binary-ascii' }),
      masked: fc.boolean(),
      split: fc.double({ min: 0, max: 1, noNaN: true }),
      ping: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((list) => {
    const messages = list.map((m, n) => sip(n, m.body));
    const frames = list.flatMap((m, n) => {
      const text = messages[n] ?? '';
      const k = Math.floor(m.split * text.length);
      const ping = m.ping ? [frame('hi', { opcode: 9, masked: m.masked })] : [];
      if (k === 0) return [...ping, frame(text, { masked: m.masked })];
      return [
        frame(text.slice(0, k), { masked: m.masked, fin: false }),
        ...ping,
        frame(text.slice(k), { masked: m.masked, opcode: 0 }),
      ];
    });
    return { messages, data: join(bytes(switching()), ...frames) };
  });

/** One of many orders of `parts`, by keys. */
function shuffled(parts: readonly Part[], keys: readonly number[]): Part[] {
  return parts
    .map((p, i) => ({ p, key: keys[i % Math.max(1, keys.length)] ?? i }))
    .sort((a, b) => a.key - b.key)
    .map(({ p }) => p);
}

function deliver(parts: readonly Part[], first: number): Tap {
  const tap = new Tap();
  tap.add({ seq: first - 1, flags: SYN, tsUs: 1_000_000 });
  for (const p of parts) tap.add({ seq: first + p.at, data: p.data, tsUs: 1_000_000 });
  return tap;
}

const firstSeq = fc.oneof(fc.constant(1), fc.integer({ min: 0xffffffff - 2_000, max: 0xffffffff }), fc.nat());

describe('a TCP stream', () => {
  it('gives the same messages wherever it is cut', () => {
    fc.assert(
      fc.property(stream, cuts, firstSeq, (s, at, first) => {
        const tap = deliver(cutUp(bytes(s.text), at), first);
        assert.deepEqual(tap.texts, s.messages);
        assert.equal(tap.reassembler.bufferedBytes, 0);
        assert.equal(tap.counters.tcpBytesIgnored, 0);
      }),
      RUNS,
    );
  });

  it('gives the same messages in any order and with a segment twice', () => {
    fc.assert(
      fc.property(stream, cuts, firstSeq, fc.array(fc.nat(), { minLength: 1, maxLength: 40 }), (s, at, first, keys) => {
        const parts = cutUp(bytes(s.text), at);
        const tap = deliver(shuffled([...parts, ...parts], keys), first);
        assert.deepEqual(tap.texts, s.messages);
        assert.equal(tap.counters.tcpRetransmittedSegments, parts.length);
        assert.equal(tap.counters.tcpGaps, 0);
        assert.equal(tap.reassembler.bufferedBytes, 0);
      }),
      RUNS,
    );
  });

  it('gives the same messages from overlapping segments', () => {
    fc.assert(
      fc.property(stream, cuts, cuts, fc.array(fc.nat(), { minLength: 1, maxLength: 40 }), (s, one, two, keys) => {
        const data = bytes(s.text);
        const tap = deliver(shuffled([...cutUp(data, one), ...cutUp(data, two)], keys), 77);
        assert.deepEqual(tap.texts, s.messages);
        assert.equal(tap.reassembler.bufferedBytes, 0);
      }),
      RUNS,
    );
  });

  it('of WebSocket frames likewise', () => {
    fc.assert(
      fc.property(
        wsStream,
        cuts,
        firstSeq,
        fc.array(fc.nat(), { minLength: 1, maxLength: 40 }),
        (s, at, first, keys) => {
          const parts = cutUp(s.data, at);
          const tap = deliver(shuffled([...parts, ...parts], keys), first);
          assert.deepEqual(tap.texts, s.messages);
          assert.equal(tap.counters.wsBadFrames, 0);
          assert.equal(tap.reassembler.bufferedBytes, 0);
        },
      ),
      RUNS,
    );
  });

  it('loses no later message to a hole, and accounts for every byte', () => {
    fc.assert(
      fc.property(stream, cuts, fc.nat(), (s, at, which) => {
        const data = bytes(s.text);
        const parts = cutUp(data, at);
        const hole = which % parts.length;
        const kept = parts.filter((_, i) => i !== hole);
        const after = sip(999);
        const tap = deliver([...kept, { at: data.length, data: bytes(after) }], 5);
        tap.reassembler.close();
        const emitted = tap.texts.reduce((sum, t) => sum + t.length, 0);
        const captured = kept.reduce((sum, p) => sum + p.data.length, 0) + after.length;
        const { tcpBytesIgnored, tcpKeepAliveBytes, wsOverheadBytes } = tap.counters;
        assert.equal(emitted + tcpBytesIgnored + tcpKeepAliveBytes + wsOverheadBytes, captured);
        assert.ok(
          tap.texts.some((t) => t.endsWith(after)),
          'the message behind everything',
        );
        const holed = parts[hole];
        const end = (holed?.at ?? 0) + (holed?.data.length ?? 0);
        let from = 0;
        for (const [i, text] of s.messages.entries()) {
          from = s.text.indexOf(text, from);
          const isBehind = parts.some((p) => p.at === from && p.at >= end);
          if (isBehind && !s.messages.slice(0, i).some((m) => s.text.indexOf(m) + m.length > end)) {
            assert.ok(tap.texts.includes(text), `message ${i} begins a segment behind the hole`);
          }
          from += text.length;
        }
      }),
      RUNS,
    );
  });
});

const LIMITS = {
  maxConnections: 8,
  maxTotalBytes: 60_000,
  windowBytes: 4_000,
  windowSegments: 8,
  maxUnknownBytes: 2_000,
};

/** Bytes that look like something now and then. */
const noise = fc.oneof(
  fc.uint8Array({ maxLength: 400 }),
  fc
    .constantFrom(
      'INVITE sip:a SIP/2.0\r\n',
      'Content-Length: 99999999999\r\n\r\n',
      'l: 5\r\n\r\n',
      '\r\n\r\n',
      'GET / HTTP/1.1\r\n',
      'Upgrade: websocket\r\n\r\n',
      'HTTP/1.1 101 x\r\nUpgrade: websocket\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n',
      'SIP/2.0 200 OK\r\n',
      sip(1, 'abc'),
    )
    .map(bytes),
  fc
    .record({
      text: fc.string(),
      opcode: fc.nat(15),
      fin: fc.boolean(),
      rsv: fc.constantFrom(0, 0x40, 0x30),
      masked: fc.boolean(),
    })
    .map((r) => frame(r.text, r)),
);

describe('hostile input', () => {
  it('never makes TCP throw or exceed a cap; what it keeps is given back', () => {
    const segment = fc.record({
      seq: fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 0xffffffff })),
      data: noise,
      from: fc.constantFrom(0 as const, 1 as const),
      flags: fc.constantFrom(16, 16, 16, 16, 2, 18, 1, 4, 255),
      extra: fc.constantFrom(0, 0, 0, 7, 5_000),
      port: fc.nat(20),
      gap: fc.constantFrom(0, 10, 3_000_000, 40_000_000),
    });
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 60 }), (segments) => {
        const tap = new Tap(LIMITS);
        let tsUs = 0;
        for (const s of segments) {
          tsUs += s.gap;
          tap.add({
            seq: s.seq,
            data: s.data,
            from: s.from,
            flags: s.flags,
            tsUs,
            wireLength: s.data.length + s.extra,
            ports: [s.port, 5060],
            gates: FLAG.SIP_GATE | FLAG.WS_GATE,
          });
          if (s.gap > 1_000) tap.reassembler.expire(tsUs);
          assert.ok(tap.reassembler.connections <= LIMITS.maxConnections);
          assert.ok(tap.reassembler.bufferedBytes <= LIMITS.maxTotalBytes);
        }
        tap.reassembler.close();
        assert.equal(tap.reassembler.bufferedBytes, 0);
        for (const [name, n] of Object.entries(tap.counters)) assert.ok(Number.isSafeInteger(n) && n >= 0, name);
      }),
      { numRuns: 1_000 },
    );
  });

  it('never makes fragments throw or exceed a cap; what they keep is given back', () => {
    const piece = fc.record({
      offset: fc.nat(40).map((n) => n * 8),
      length: fc.nat(64),
      more: fc.boolean(),
      id: fc.nat(5),
      six: fc.boolean(),
      gap: fc.constantFrom(0, 0, 0, 31_000_000),
    });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
        const counters = new DecodeCounters();
        const r = new FragmentReassembler(counters, { ...FRAGMENT_LIMITS, maxDatagrams: 4, maxBytes: 1_000 });
        let tsUs = 0;
        for (const p of pieces) {
          tsUs += p.gap;
          r.add({
            packet: { ...emptyPacket(), ipVersion: p.six ? 6 : 4, tsUs },
            id: p.id,
            proto: 17,
            offset: p.offset,
            more: p.more,
            bytes: new Uint8Array(p.length),
            start: 0,
            end: p.length,
            wireLength: p.length,
          });
          assert.ok(r.datagrams <= 4 && r.bufferedBytes <= 1_000);
        }
        r.expire(1e15);
        assert.deepEqual([r.datagrams, r.bufferedBytes], [0, 0]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('never makes HEP throw or point outside the datagram', () => {
    const chunks = fc
      .array(fc.tuple(fc.nat(0x2a), fc.uint8Array({ maxLength: 20 }), fc.constantFrom(0, 0, 0, 1, 60_000)), {
        maxLength: 12,
      })
      .map((list) => {
        const body = join(
          ...list.map(([type, data, off]) => {
            const n = (data.length + 6 + off) & 0xffff;
            return Uint8Array.from([0, 0, 0, type, n >> 8, n & 255, ...data]);
          }),
        );
        return join(bytes('HEP3'), Uint8Array.of((body.length + 6) >> 8, (body.length + 6) & 255), body);
      });
    const headed = fc.tuple(fc.constantFrom([1, 16, 2], [2, 28, 2], [2, 50, 10]), fc.uint8Array({ maxLength: 60 }));
    const anything = fc.oneof(
      chunks,
      fc.uint8Array({ maxLength: 80 }),
      headed.map(([h, rest]) => Uint8Array.from([...h, ...rest])),
    );
    fc.assert(
      fc.property(anything, (b) => {
        const p = new HepPacket();
        if (readHep(b, 0, b.length, p) === null) assert.ok(p.start >= 0 && p.end >= p.start && p.end <= p.bytes.length);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('IP fragments', () => {
  it('in any order, with one twice, give the same datagram once', () => {
    const cut = fc.array(fc.integer({ min: 1, max: 499 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 4_000, maxLength: 4_007 }),
        cut,
        fc.array(fc.nat(), { minLength: 1 }),
        fc.boolean(),
        (data, at, keys, six) => {
          const points = [...new Set([0, ...at.map((n) => n * 8), data.length])].sort((a, b) => a - b);
          const parts = points
            .slice(1)
            .map((end, i) => ({ at: points[i] ?? 0, data: data.subarray(points[i] ?? 0, end) }));
          const r = new FragmentReassembler(new DecodeCounters());
          const done: Uint8Array[] = [];
          for (const p of shuffled([...parts, ...parts], keys)) {
            const result = r.add({
              packet: { ...emptyPacket(), ipVersion: six ? 6 : 4, tsUs: 5 },
              id: 9,
              proto: 17,
              offset: p.at,
              more: p.at + p.data.length < data.length,
              bytes: p.data,
              start: 0,
              end: p.data.length,
              wireLength: p.data.length,
            });
            if (result.kind === 'complete') done.push(result.payload);
          }
          assert.deepEqual(done, [Uint8Array.from(data)]);
        },
      ),
      RUNS,
    );
  });
});
