/** Streams that change their payload type: each segment has its own figures, the stream those of what carried most. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import type { Datagram } from '../../../fixtures/build/rtp.ts';
import { rtpHeader } from '../../../fixtures/build/rtp.ts';
import { SipScript } from '../../../fixtures/build/sip-call.ts';
import { finish } from '../../../src/core/turns.ts';
import { parseFilter } from '../../../src/query/parse.ts';
import { passes, passesSteps } from '../../../src/query/passes.ts';
import { Subject } from '../../../src/query/subject.ts';
import { askStream } from '../../../src/view/documents.ts';
import { dialogDocument } from '../../helpers/at-once.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const ALICE = { user: 'alice', sip: { address: '192.0.2.1', port: 5060 }, rtp: { address: '192.0.2.1', port: 4000 } };
const BOB = { user: 'bob', sip: { address: '192.0.2.2', port: 5060 }, rtp: { address: '192.0.2.2', port: 5000 } };

/** Name and clock of the types that the descriptions offer. */
const FORMATS = new Map([
  [0, 'PCMU/8000'],
  [8, 'PCMA/8000'],
  [18, 'G729/8000'],
  [96, 'G726-32/8000'],
  [97, 'red/8000'],
  [101, 'telephone-event/8000'],
  [111, 'opus/48000/2'],
  [118, 'CN/16000'],
]);

const sdp = ({ rtp }: typeof ALICE) => ({
  body: {
    type: 'application/sdp',
    text:
      `v=0\r\no=- 1 1 IN IP4 ${rtp.address}\r\ns=-\r\nc=IN IP4 ${rtp.address}\r\nt=0 0\r\n` +
      `m=audio ${rtp.port} RTP/AVP ${[...FORMATS.keys()].join(' ')}\r\n` +
      [...FORMATS].map(([type, name]) => `a=rtpmap:${type} ${name}\r\n`).join(''),
  },
});

/** So many packets of 20 ms of a type; `lost`: those of them that never arrive. */
type Run = {
  readonly type: number;
  readonly count: number;
  readonly size?: number;
  readonly lost?: (i: number) => boolean;
};

const ticksOf = (type: number): number => (type === 111 ? 960 : 160);

function* media(from: typeof ALICE, to: typeof ALICE, ssrc: number, runs: readonly Run[]): Generator<Datagram> {
  let [slot, timestamp] = [0, 0xffff_f000];
  for (const { type, count, size = 160, lost } of runs)
    for (let i = 0; i < count; i++, slot++, timestamp = (timestamp + ticksOf(type)) >>> 0) {
      if (lost?.(i) === true) continue;
      const header = rtpHeader((65_500 + slot) & 0xffff, timestamp, ssrc, type, false);
      const bytes = Buffer.concat([header, Buffer.alloc(size, 0x55)]);
      yield { tsUs: EPOCH_US + 200_000 + slot * 20_000, src: from.rtp, dst: to.rtp, bytes };
    }
}

async function call(t: TestContext, there: readonly Run[], back: readonly Run[] = there) {
  const script = new SipScript({ callId: 'changes', caller: ALICE, callee: BOB, startUs: EPOCH_US });
  const invite = script.request('INVITE', 0, sdp(ALICE));
  script.respond(invite, 200, 100, sdp(BOB));
  script.ack(invite, 200, 110);
  const packets = [...script.messages, ...media(ALICE, BOB, 1, there), ...media(BOB, ALICE, 2, back)];
  const { session } = await readCapture(t, new Capture().add(packets).pcap());
  const d = session.dialogs.get('changes');
  assert.ok(d !== undefined);
  const streams = session.streams.ownedBy(d).map((s) => askStream(session.evidence, s));
  const first = streams.find((s) => s?.ssrc === '0x00000001');
  assert.ok(first !== undefined && first !== null);
  const hints = dialogDocument(session.evidence, d).diagnosis.hints;
  const matches = (filter: string): boolean => {
    const parsed = parseFilter(filter, { isUtc: true });
    assert.ok(parsed.ok && parsed.filter !== null, filter);
    const subject = new Subject(d, { e: session.evidence, nowUs: 0, nameOf: () => null });
    const passed = passes(parsed.filter, subject);
    return typeof passed === 'boolean' ? passed : finish(passesSteps(passed, subject));
  };
  return { first, hints, matches };
}

const carried = (rows: readonly { payload_type: number; packets: number }[] | undefined) =>
  (rows ?? []).map((r) => [r.payload_type, r.packets]);

test('two seconds of G.729, then PCMU', async (t) => {
  const { first, hints } = await call(t, [
    { type: 18, count: 100, size: 20 },
    { type: 0, count: 600 },
  ]);
  assert.deepEqual([first.codec, first.payload_type, first.mos, first.loss_pct], ['PCMU', 0, 4.4093, 0]);
  assert.deepEqual(carried(first.segments), [
    [18, 100],
    [0, 600],
  ]);
  assert.equal(first.segments?.[0]?.mos, 4.1044);
  assert.deepEqual(
    first.quality_intervals.map((w) => [w.packets, w.mos]),
    [
      [100, 4.1044],
      [250, 4.4093],
      [250, 4.4093],
      [100, 4.4093],
    ],
  );
  assert.deepEqual(hints, [
    'Codec change from 192.0.2.1:4000 to 192.0.2.2:5000: G729 for 2.0 s, then PCMU for 12.0 s.',
    'Codec change from 192.0.2.2:5000 to 192.0.2.1:4000: G729 for 2.0 s, then PCMU for 12.0 s.',
  ]);
});

test('the filter finds each codec, and not one that was only offered', async (t) => {
  const { matches } = await call(t, [
    { type: 18, count: 100, size: 20 },
    { type: 0, count: 300 },
  ]);
  assert.deepEqual(
    ['codec:G729', 'codec:PCMU', 'codec:opus', 'codec:PCMA'].map((filter) => matches(filter)),
    [true, true, false, false],
  );
});

test('the other way round, thrice, and from a clock to another: the type with most packets is shown', async (t) => {
  const runs = (...list: readonly (readonly [number, number])[]): Run[] =>
    list.map(([type, count]) => ({ type, count, size: type === 18 ? 20 : 160 }));
  const there = await call(t, runs([0, 400], [18, 300]));
  assert.deepEqual([there.first.codec, there.first.mos], ['PCMU', 4.4093]);
  assert.equal(there.first.segments?.[1]?.mos, 4.1044);
  const opus = await call(t, runs([111, 100], [0, 600]));
  assert.deepEqual([opus.first.codec, opus.first.mos, opus.first.jitter_ms], ['PCMU', 4.4093, 0]);
  assert.deepEqual(
    opus.first.segments?.map((s) => [s.codec, s.clock_rate, s.packet_ms, s.late, s.mos]),
    [
      ['opus', 48_000, 20, 0, undefined],
      ['PCMU', 8000, 20, 0, 4.4093],
    ],
  );
  const many = await call(t, runs([0, 100], [111, 100], [0, 100], [8, 90]));
  assert.deepEqual([many.first.codec, many.first.payload_type], ['PCMU', 0]);
  assert.deepEqual(carried(many.first.segments), [
    [0, 100],
    [111, 100],
    [0, 100],
    [8, 90],
  ]);
  const more = await call(
    t,
    Array.from({ length: 12 }, (_, i) => ({ type: i % 2 === 0 ? 0 : 8, count: 20 })),
  );
  assert.match(more.hints[0] ?? '', /then PCMA for 0\.4 s, and 8 more\.$/);
});

test('loss belongs to the segment in which it was', async (t) => {
  const { first } = await call(t, [
    { type: 18, count: 300, size: 20, lost: (i) => i % 10 === 5 },
    { type: 0, count: 900 },
  ]);
  assert.deepEqual(
    first.segments?.map((s) => [s.expected, s.lost]),
    [
      [300, 30],
      [900, 0],
    ],
  );
  assert.deepEqual([first.codec, first.mos, first.loss_pct], ['PCMU', 4.4093, 2.5]);
  assert.ok((first.segments?.[0]?.mos ?? 5) < 3.5);
});

test('what carries no media of its own makes no segment: keys, comfort noise of a description, redundancy', async (t) => {
  const { first, hints } = await call(t, [
    { type: 0, count: 200 },
    { type: 101, count: 30, size: 4 },
    { type: 0, count: 50 },
    { type: 118, count: 20, size: 10 },
    { type: 0, count: 50 },
    { type: 97, count: 20, size: 330 },
    { type: 0, count: 50 },
    { type: 8, count: 4 },
    { type: 0, count: 50 },
  ]);
  assert.equal(first.codec, 'PCMU');
  assert.deepEqual(carried(first.segments ?? []), first.segments === undefined ? [] : [[0, 474]]);
  assert.deepEqual(hints, []);
  const plain = await call(t, [{ type: 0, count: 300 }]);
  assert.equal(plain.first.segments, undefined);
});

test('one side changes a second before the other: no asymmetry', async (t) => {
  const { hints } = await call(
    t,
    [
      { type: 18, count: 150, size: 20 },
      { type: 0, count: 160 },
    ],
    [
      { type: 18, count: 200, size: 20 },
      { type: 0, count: 110 },
    ],
  );
  assert.ok(!hints.some((hint) => hint.includes('asymmetry')), hints.join('\n'));
});
