/** A message names every frame that carried a byte of it, where that is asked for, and none where it is not. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DecodeCounters } from '../../../src/decode/counters.ts';
import { FRAGMENT_LIMITS } from '../../../src/decode/decode-limits.ts';
import { FragmentReassembler } from '../../../src/decode/fragments.ts';
import { framesOf } from '../../../src/decode/held-frames.ts';
import { TcpReassembler } from '../../../src/decode/tcp/tcp.ts';
import { contentLength } from '../../../src/protocols/sip/scanner/scan.ts';
import { emptyPacket } from '../../../src/sources/packet.ts';
import { bytes, frame, join, type SegmentSpec, SYN, segment, sip } from './tcp/tcp-fixture.ts';

/** The frames of each message of these segments, numbered from 1; a SYN of frame 0 comes before them. */
function framesOfMessages(specs: readonly SegmentSpec[], keepsFrames = true): number[][] {
  const found: number[][] = [];
  const counters = new DecodeCounters();
  const reassembler = new TcpReassembler(
    {
      onMessage: (_b, _start, _end, packet) => {
        found.push(framesOf(packet).map((f) => f.frame));
      },
      onExcluded: () => undefined,
      contentLength,
      keepsFrames,
    },
    counters,
  );
  reassembler.add(segment({ seq: 1000, flags: SYN }, 0));
  for (const [i, spec] of specs.entries()) reassembler.add(segment(spec, i + 1));
  assert.equal(counters.messageFramesBeyondCap, 0);
  return found;
}

/** The stream cut at these places, a segment each, in this order. */
function cut(text: Uint8Array, places: readonly number[], order?: readonly number[]): SegmentSpec[] {
  const all = [0, ...places].map((from, i) => ({
    seq: 1001 + from,
    data: text.subarray(from, places[i] ?? text.length),
  }));
  return order === undefined ? all : order.map((i) => all[i] ?? { seq: 0 });
}

describe('frames of messages on a stream', () => {
  const one = bytes(sip(1, 'first'));
  const two = bytes(sip(2, 'the second body'));
  const stream = join(one, two);

  it('are those of the segments that held a byte of it', () => {
    assert.deepEqual(framesOfMessages(cut(stream, [])), [[1], [1]]);
    assert.deepEqual(framesOfMessages(cut(stream, [one.length])), [[1], [2]]);
    assert.deepEqual(framesOfMessages(cut(stream, [10, 50, one.length + 20])), [
      [1, 2, 3],
      [3, 4],
    ]);
    assert.deepEqual(framesOfMessages(cut(stream, [10, one.length, one.length + 1])), [
      [1, 2],
      [3, 4],
    ]);
  });

  it('are the same when segments come out of order', () => {
    const late = framesOfMessages(cut(stream, [10, 50, one.length + 20], [0, 3, 2, 1]));
    assert.deepEqual(
      late.map((frames) => frames.toSorted((a, b) => a - b)),
      [
        [1, 3, 4],
        [2, 3],
      ],
    );
  });

  it('are not kept where nobody asks', () => {
    assert.deepEqual(framesOfMessages(cut(stream, [10, 50]), false), [[1], [3]]);
  });

  it('of WebSocket are those of all its frames', () => {
    const half = 40;
    const first = frame(one.subarray(0, half), { fin: false, masked: true });
    const rest = frame(one.subarray(half), { opcode: 0, masked: true });
    const whole = join(frame(two, { masked: true }), first, rest, frame(two, { masked: true }));
    const start = frame(two, { masked: true }).length;
    const end = start + first.length + rest.length;
    assert.deepEqual(framesOfMessages(cut(whole, [start, start + 10, start + first.length, end - 5, end])), [
      [1],
      [2, 3, 4, 5],
      [6],
    ]);
  });

  it('agree with a naive account of random cuts', () => {
    for (let seed = 1; seed <= 60; seed++) {
      let state = seed;
      const random = (n: number): number => {
        state = (state * 1103515245 + 12345) & 0x7fffffff;
        return (state >> 8) % n;
      };
      const messages = Array.from({ length: 4 }, (_, i) => bytes(sip(i + 1, 'x'.repeat(random(200)))));
      const all = join(...messages);
      const places = [...new Set(Array.from({ length: 1 + random(9) }, () => 1 + random(all.length - 1)))].toSorted(
        (a, b) => a - b,
      );
      let at = 0;
      const expected = messages.map(({ length }) => {
        const from = at;
        const to = from + length;
        at = to;
        return [0, ...places].flatMap((begin, i) => (begin < to && (places[i] ?? all.length) > from ? [i + 1] : []));
      });
      assert.deepEqual(framesOfMessages(cut(all, places)), expected, `seed ${seed}, cut at ${places.join(' ')}`);
    }
  });
});

describe('frames of fragmented datagrams', () => {
  it('are those of all fragments', () => {
    const data = Buffer.alloc(40, 1);
    for (const [keepsFrames, expected] of [
      [true, [3, 5, 4]],
      [false, [3]],
    ] as const) {
      const r = new FragmentReassembler(new DecodeCounters(), FRAGMENT_LIMITS, keepsFrames);
      const add = (offset: number, frameNumber: number, more: boolean) =>
        r.add({
          packet: { ...emptyPacket(), frame: frameNumber },
          id: 7,
          proto: 17,
          offset,
          more,
          bytes: data,
          start: 0,
          end: 40,
          wireLength: 40,
        });
      add(0, 3, true);
      add(80, 4, false);
      const done = add(40, 5, true);
      assert.ok(done.kind === 'complete');
      assert.deepEqual(
        framesOf(done.begin).map((f) => f.frame),
        expected,
      );
    }
  });
});
