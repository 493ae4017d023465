/** Media that stops while its call goes on, and who may be silent. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, answer, BOB, CALL_TIMES, hangUp, sdpBody } from '../../../fixtures/build/basic-call.ts';
import { scriptOf } from '../../../fixtures/build/calls-setup.ts';
import type { Endpoint } from '../../../fixtures/build/packet.ts';
import type { SdpOptions } from '../../../fixtures/build/sdp.ts';
import { CODEC, sdp } from '../../../fixtures/build/sdp.ts';
import type { MediaStream } from '../../../src/analysis/media/check.ts';

import { A, answered, B, type Call, diagnosed, played, stream, textsOf } from './media-calls.ts';

/** A minute of talk, or until `over` says otherwise; each side is heard until the second it is given. */
function minute(
  untilSec: readonly [number | null, number | null],
  over: {
    codecs?: SdpOptions['codecs'];
    a?: Partial<MediaStream>;
    b?: Partial<MediaStream>;
    byeMs?: number | null;
  } = {},
): { call: Call; streams: MediaStream[] } {
  const { codecs = [CODEC.PCMU], byeMs = CALL_TIMES.answer + 61_000 } = over;
  const call = answered({ offer: { codecs }, answer: { codecs }, byeMs });
  const [a, b] = untilSec;
  const streams: MediaStream[] = [];
  if (a !== null) streams.push(stream(call, ALICE.rtp, BOB.rtp, { fromMs: CALL_TIMES.answer, sec: a, ...over.a }));
  if (b !== null) streams.push(stream(call, BOB.rtp, ALICE.rtp, { fromMs: CALL_TIMES.answer, sec: b, ...over.b }));
  return { call, streams };
}

const BOTH_READINGS = ': a recording or announcement, or lost media.';
const stopped = (hints: readonly string[]): string[] => hints.filter((h) => !h.startsWith('Duration'));

test('media that dies while the call goes on is no one-way audio: a mailbox that records sends nothing either', () => {
  const rows: [[number | null, number | null], string[]][] = [
    [[10, 10], ['In both directions media stopped at 00:10, 51 s before the BYE.']],
    [[61, 61], []],
    [[52, 52], []],
    [[10, 61], [`From ${A} media stopped at 00:10, 51 s before the BYE, while ${B} sent on${BOTH_READINGS}`]],
    [[61, 10], [`From ${B} media stopped at 00:10, 51 s before the BYE, while ${A} sent on${BOTH_READINGS}`]],
    [
      [10, 41],
      [
        `From ${A} media stopped at 00:10, 51 s before the BYE, while ${B} sent on${BOTH_READINGS}`,
        'In both directions media stopped at 00:41, 20 s before the BYE.',
      ],
    ],
    [
      // A mailbox that records.
      [61, 40],
      [`From ${B} media stopped at 00:40, 21 s before the BYE, while ${A} sent on${BOTH_READINGS}`],
    ],
    [[10, 10.8], ['In both directions media stopped at 00:11, 50 s before the BYE.']],
  ];
  for (const [until, hints] of rows) {
    const { call, streams } = minute(until);
    const found = diagnosed(call, streams, { nowMs: 70_000 });
    assert.deepEqual(stopped(textsOf(found)), hints, String(until));
    assert.deepEqual([found.oneWayAudio, found.mediaStopped], [false, hints.length > 0], String(until));
  }
});

test('media that stops is seen while the call is up, by capture time', () => {
  const { call, streams } = minute([10, 10], { byeMs: null });
  const at = (sec: number): string[] => textsOf(diagnosed(call, streams, { nowMs: CALL_TIMES.answer + sec * 1000 }));
  assert.deepEqual(at(19), []);
  assert.deepEqual(at(21), ['In both directions media stopped at 00:10, 11 s ago.']);
  assert.deepEqual(at(3700), ['In both directions media stopped at 00:10, 3690 s ago.']);
});

test('who may suppress silence, shares its sockets, or was seen by a tap that ended has not stopped', () => {
  const silent = [
    minute([10, 61], { codecs: [CODEC.PCMU, CODEC.CN] }),
    minute([10, 61], {
      codecs: [CODEC.G729B],
      a: { codec: 'G729', payloadType: 18 },
      b: { codec: 'G729', payloadType: 18 },
    }),
    minute([10, 61], { a: { comfortNoisePackets: 3 } }),
    minute([10, 61], { a: { pauses: 1 } }),
  ];
  for (const { call, streams } of silent)
    assert.deepEqual(stopped(textsOf(diagnosed(call, streams, { nowMs: 70_000 }))), []);
  const G729 = { codec: 'G729', payloadType: 18 };
  const heard = [
    // The annex is refused, or of a codec that is not sent.
    minute([10, 61], { codecs: [CODEC.G729], a: G729, b: G729 }),
    minute([10, 61], { codecs: [CODEC.PCMU, CODEC.G729B] }),
  ];
  for (const { call, streams } of heard) assert.equal(diagnosed(call, streams, { nowMs: 70_000 }).mediaStopped, true);
  const { call, streams } = minute([10, 61]);
  assert.deepEqual(stopped(textsOf(diagnosed(call, streams, { sharesMedia: () => true }))), []);
  assert.deepEqual(stopped(textsOf(diagnosed(call, streams, { isTapOver: () => true }))), []);
});

test('another stream that carries a direction on is no stop, whatever its SSRC, port or sender', () => {
  const { call, streams } = minute([10, 61]);
  const on = (src: Endpoint, dst: Endpoint): string[] =>
    stopped(
      textsOf(diagnosed(call, [...streams, stream(call, src, dst, { fromMs: CALL_TIMES.answer + 10_100, sec: 50 })])),
    );
  assert.deepEqual(on(ALICE.rtp, BOB.rtp), []);
  assert.deepEqual(on({ ...ALICE.rtp, port: 20_900 }, BOB.rtp), []);
  assert.equal(
    on({ address: '192.0.2.99', port: 4000 }, { ...BOB.rtp, port: 30_900 }).length,
    2,
    'a NAT mismatch beside it',
  );
});

test('a hold explains silence, and media that does not come back behind it is told from there', () => {
  const held = (resumes: boolean): Call => {
    const script = scriptOf('held');
    const body = (side: typeof ALICE, version: number, direction: SdpOptions['direction'] = 'sendrecv') =>
      sdpBody(sdp({ media: side.rtp, codecs: [CODEC.PCMU], session: side.user, version, direction }));
    answer(script, script.request('INVITE', 0, { body: body(ALICE, 1) }), body(BOB, 1).text);
    const change = (
      atMs: number,
      version: number,
      mine: SdpOptions['direction'],
      theirs: SdpOptions['direction'],
    ): void => {
      const invite = script.request('INVITE', atMs, { body: body(ALICE, version, mine) });
      script.respond(invite, 200, atMs + 20, { body: body(BOB, version, theirs) });
      script.ack(invite, 200, atMs + 40);
    };
    change(CALL_TIMES.answer + 10_100, 2, 'sendonly', 'recvonly');
    if (resumes) change(CALL_TIMES.answer + 30_000, 3, 'sendrecv', 'sendrecv');
    hangUp(script, CALL_TIMES.answer + 61_000);
    return played(script);
  };
  const heard = (call: Call, untilSec: number): string[] => {
    const over = { fromMs: CALL_TIMES.answer, sec: untilSec };
    const ways = [stream(call, ALICE.rtp, BOB.rtp, over), stream(call, BOB.rtp, ALICE.rtp, over)];
    return textsOf(diagnosed(call, ways, { nowMs: 70_000 }));
  };
  assert.deepEqual(heard(held(false), 10), []);
  assert.deepEqual(heard(held(true), 61), []);
  assert.deepEqual(heard(held(true), 10), [
    'In both directions media did not come back at 00:30, 31 s before the BYE.',
  ]);
});

test('a hold that nobody answered, or that was refused, explains no silence', () => {
  for (const status of [null, 488, 200]) {
    const script = scriptOf('unanswered hold');
    const body = (side: typeof ALICE, version: number, direction: SdpOptions['direction'] = 'sendrecv') =>
      sdpBody(sdp({ media: side.rtp, codecs: [CODEC.PCMU], session: side.user, version, direction }));
    answer(script, script.request('INVITE', 0, { body: body(ALICE, 1) }), body(BOB, 1).text);
    const atMs = CALL_TIMES.answer + 10_100;
    const invite = script.request('INVITE', atMs, { body: body(ALICE, 2, 'inactive') });
    const more = status === 200 ? { body: body(BOB, 2, 'inactive') } : {};
    if (status !== null) script.respond(invite, status, atMs + 20, more);
    hangUp(script, CALL_TIMES.answer + 61_000);
    const call = played(script);
    const over = { fromMs: CALL_TIMES.answer, sec: 10 };
    const ways = [stream(call, ALICE.rtp, BOB.rtp, over), stream(call, BOB.rtp, ALICE.rtp, over)];
    assert.deepEqual(
      textsOf(diagnosed(call, ways, { nowMs: 70_000 })),
      status === 200 ? [] : ['In both directions media stopped at 00:10, 51 s before the BYE.'],
      String(status),
    );
  }
});
