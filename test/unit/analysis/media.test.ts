/**
 * Every media detection fires where it must and stays silent in the healthy call beside it. Streams are stated here as
 * counters; which packets make them is the native table's matter.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, answer, BOB, CALL_TIMES, hangUp, sdpBody } from '../../../fixtures/build/basic-call.ts';
import { scriptOf } from '../../../fixtures/build/calls-setup.ts';
import type { SdpOptions } from '../../../fixtures/build/sdp.ts';
import { CODEC, sdp } from '../../../fixtures/build/sdp.ts';
import type { MediaFindings } from '../../../src/analysis/findings.ts';
import type { MediaStream } from '../../../src/analysis/media/check.ts';
import type { TagFacts } from '../../../src/analysis/tags.ts';
import { dialogTags } from '../../../src/analysis/tags.ts';
import { endpointKeyFromText } from '../../../src/core/ip.ts';
import { THRESHOLDS } from '../../../src/core/thresholds.ts';
import { MARK } from '../../../src/store/dialogs/call-marks.ts';
import { TrackerKit } from '../ingest/dialogs/tracker-kit.ts';

import {
  A,
  ANSWER_US,
  answered,
  B,
  bothWays,
  callOf,
  diagnosed,
  played,
  QUIET,
  stream,
  textsOf,
} from './media-calls.ts';

test('a call with media both ways has nothing', () => {
  const call = answered();
  assert.deepEqual(diagnosed(call, bothWays(call)), QUIET);
});

test('a call of which a stream was evicted is not said to lack media, or a direction of it', () => {
  const call = answered();
  assert.equal(diagnosed(call, []).noMedia, true);
  const one = [stream(call, ALICE.rtp, BOB.rtp, { fromMs: CALL_TIMES.answer + 1000 })];
  assert.equal(diagnosed(call, one).oneWayAudio, true);
  call.d.marks |= MARK.MEDIA_EVICTED;
  assert.deepEqual([diagnosed(call, []), diagnosed(call, one)], [QUIET, QUIET]);
});

test('a call during which streams were refused is not said to lack media; a later one is', () => {
  const call = answered();
  assert.deepEqual(diagnosed(call, [], { refusedUs: call.script.at(1000) }), QUIET);
  assert.equal(diagnosed(call, [], { refusedUs: call.script.at(-1) }).noMedia, true);
});

test('no media: answered for three seconds, both described, and this capture does see RTP', () => {
  const call = answered();
  const found = diagnosed(call, []);
  assert.equal(found.noMedia, true);
  assert.deepEqual(textsOf(found), [
    'The call was answered, but no RTP was seen at 192.0.2.10:20000 and 198.51.100.20:30000.',
  ]);
  for (const ground of ['unknown', 'elsewhere'] as const)
    assert.deepEqual(diagnosed(call, [], { pathGround: () => ground }), QUIET, 'the media runs past the capture');
  assert.deepEqual(diagnosed(call, [], { sharesMedia: () => true }), QUIET, 'another call on the same sockets has it');
  const short = answered({ byeMs: CALL_TIMES.answer + THRESHOLDS.noMediaSec * 1000 - 1 });
  assert.deepEqual(diagnosed(short, []), QUIET);
  const running = answered({ byeMs: null });
  assert.equal(diagnosed(running, [], { nowMs: CALL_TIMES.answer + 2_900 }).noMedia, false);
  assert.equal(diagnosed(running, [], { nowMs: CALL_TIMES.answer + 3_100 }).noMedia, true);
  for (const style of [
    { direction: 'inactive' },
    { connection: '0.0.0.0' },
    { media: { ...BOB.rtp, port: 0 } },
  ] as const)
    assert.deepEqual(diagnosed(answered({ answer: style }), []), QUIET, JSON.stringify(style));
  const open = scriptOf('unanswered');
  open.request('INVITE', 0, { body: sdpBody(sdp({ media: ALICE.rtp, codecs: [CODEC.PCMU] })) });
  const ringing = played(open);
  assert.deepEqual(diagnosed(ringing, []), QUIET);
});

test('one-way audio: two seconds in one direction, both sides sendrecv', () => {
  const call = answered();
  const only = diagnosed(call, [stream(call, ALICE.rtp, BOB.rtp)]);
  assert.equal(only.oneWayAudio, true);
  assert.deepEqual(textsOf(only), [
    'One-way audio: the caller hears nothing. 192.0.2.10:20000 sent 250 packets to 198.51.100.20:30000 in 5.0 s and none came back.',
  ]);
  assert.deepEqual(diagnosed(call, [stream(call, ALICE.rtp, BOB.rtp, { sec: 1.9 })]), QUIET);
  assert.deepEqual(diagnosed(call, [stream(call, ALICE.rtp, BOB.rtp, { hasReverse: true })]), QUIET);
  const held = answered({ answer: { direction: 'recvonly' } });
  assert.deepEqual(diagnosed(held, [stream(held, ALICE.rtp, BOB.rtp)]), QUIET, 'one side promised not to send');
});

test('one-way audio names who hears nothing, also where its peer sends to nobody', () => {
  const call = answered();
  const astray = stream(call, ALICE.rtp, { address: '198.51.100.21', port: 30_000 });
  const both = diagnosed(call, [astray, stream(call, BOB.rtp, ALICE.rtp, { packets: 200 })]);
  assert.equal(
    textsOf(both).find((text) => text.startsWith('One-way')),
    'One-way audio: the callee hears nothing. 192.0.2.10:20000 sent 250 packets to 198.51.100.21:30000 in 5.0 s, and its media comes from 198.51.100.20:30000.',
  );
});

test('the same packets before and behind a NAT are of one sender, others with its SSRC are of two', () => {
  const call = answered();
  const names = (lastSequence: number): (string | null)[] => {
    const nat = { address: '192.0.2.99', port: 34_567 };
    const behind = stream(call, nat, BOB.rtp, { sec: 9, ssrc: 7, lastSequence });
    const both = [
      stream(call, ALICE.rtp, BOB.rtp, { sec: 9, ssrc: 7 }),
      stream(call, BOB.rtp, ALICE.rtp, { sec: 9 }),
      behind,
    ];
    return diagnosed(call, both).hints.map(({ finding }) => finding);
  };
  assert.ok(!names(1).includes('two-senders'));
  assert.ok(names(3000).includes('two-senders'));
});

test('audio that was refused by port 0, or sent nowhere, is no one-way audio', () => {
  for (const style of [
    { media: { ...BOB.rtp, port: 0 } },
    { connection: '0.0.0.0' },
    { direction: 'inactive' },
  ] as const) {
    const call = answered({ answer: style });
    assert.equal(diagnosed(call, [stream(call, ALICE.rtp, BOB.rtp)]).oneWayAudio, false, JSON.stringify(style));
  }
});

test('a hold that was refused, or never answered, explains no silence', () => {
  for (const status of [488, null]) {
    const script = scriptOf('refused hold');
    const body = (side: typeof ALICE, more: Partial<SdpOptions> = {}): string =>
      sdp({ media: side.rtp, codecs: [CODEC.PCMU], session: side.user, ...more });
    answer(script, script.request('INVITE', 0, { body: sdpBody(body(ALICE)) }), body(BOB));
    const hold = script.request('INVITE', CALL_TIMES.answer + 1000, {
      body: sdpBody(body(ALICE, { version: 2, direction: 'inactive' })),
    });
    if (status !== null) script.respond(hold, status, CALL_TIMES.answer + 1020);
    hangUp(script, 12_000);
    const call = played(script);
    assert.equal(diagnosed(call, [stream(call, ALICE.rtp, BOB.rtp)]).oneWayAudio, true);
    assert.equal(diagnosed(call, []).noMedia, true);
  }
});

test('one-way audio is judged by where streams run, not by how many there are', () => {
  const call = answered();
  const two = [stream(call, ALICE.rtp, BOB.rtp), stream(call, ALICE.rtp, BOB.rtp)];
  assert.equal(diagnosed(call, two).oneWayAudio, true, 'two SSRCs one way are one way');
  const video = stream(call, BOB.rtp, ALICE.rtp, { mediaType: 'video' });
  assert.equal(diagnosed(call, [stream(call, ALICE.rtp, BOB.rtp), video]).oneWayAudio, true, 'a picture is no voice');
  const otherPort = [stream(call, ALICE.rtp, BOB.rtp), stream(call, { ...BOB.rtp, port: 31000 }, ALICE.rtp)];
  assert.equal(diagnosed(call, otherPort).oneWayAudio, false, 'media need not be symmetric by port');
});

test('NAT mismatch: media from an address that no description named', () => {
  const call = answered({ offer: { media: { address: '10.0.0.5', port: 20000 } } });
  const outside = { address: '203.0.113.77', port: 42000 };
  const found = diagnosed(call, [stream(call, outside, BOB.rtp), stream(call, BOB.rtp, outside)]);
  assert.equal(found.natMismatch, true);
  assert.equal(found.privateMediaAddress, true);
  assert.match(
    textsOf(found).join(),
    /NAT mismatch: media comes from 203\.0\.113\.77:42000, which no SDP of the call named \(10\.0\.0\.5, 198\.51\.100\.20\)/,
  );
  const otherPort = answered();
  const moved = { ...ALICE.rtp, port: 55555 };
  assert.deepEqual(diagnosed(otherPort, [stream(otherPort, moved, BOB.rtp), stream(otherPort, BOB.rtp, moved)]), QUIET);
});

test('no NAT mismatch is told of a side whose description was not captured', () => {
  const script = scriptOf('half described');
  const body = sdpBody(sdp({ media: ALICE.rtp, codecs: [CODEC.PCMU], session: 'a' }));
  const back = sdpBody(sdp({ media: BOB.rtp, codecs: [CODEC.PCMU], session: 'b' }));
  answer(script, script.request('INVITE', 0, { body }), back.text);
  for (const kept of [script.messages.slice(0, 3), script.messages.slice(3)]) {
    const kit = new TrackerKit();
    for (const m of kept) kit.send(m);
    const call = callOf(kit, kit.dialog(script.callId), script);
    assert.equal(diagnosed(call, bothWays(call)).natMismatch, false);
  }
});

test('a relay that both sides named repairs it, and so does ICE, as long as media flows both ways', () => {
  const outside = { address: '203.0.113.77', port: 42000 };
  const relay = { address: '203.0.113.1', port: 41000 };
  const script = scriptOf('relay');
  const offer = sdp({ media: { address: '10.0.0.5', port: 20000 }, codecs: [CODEC.PCMU], session: 'a' });
  const invite = script.request('INVITE', 0, { body: sdpBody(offer) });
  answer(script, invite, sdp({ media: relay, codecs: [CODEC.PCMU], session: 'b' }));
  const kit = new TrackerKit();
  const call = callOf(kit, kit.play(script), script);
  const ways = [stream(call, outside, relay), stream(call, relay, outside)];
  assert.equal(diagnosed(call, ways).natMismatch, true, 'only the callee named it: a peer, not a relay');
  // The proxy's second hop: the relay stands in the offer as well.
  const behind = scriptOf('relay');
  behind.request('INVITE', 1, {
    body: sdpBody(sdp({ media: { ...relay, port: 41002 }, codecs: [CODEC.PCMU], session: 'a2' })),
  });
  for (const m of behind.messages) kit.send({ ...m, src: { address: '203.0.113.1', port: 5060 }, dst: BOB.sip });
  assert.equal(diagnosed(call, ways).natMismatch, false);
  assert.equal(diagnosed(call, ways.slice(0, 1)).natMismatch, true, 'one way only is not repaired');
  const candidate = 'candidate:1 1 UDP 2130706431 10.0.0.5 20000 typ host';
  const ice = answered({ offer: { media: { address: '10.0.0.5', port: 20000 }, attributes: [candidate] } });
  assert.equal(diagnosed(ice, [stream(ice, outside, BOB.rtp), stream(ice, BOB.rtp, outside)]).natMismatch, false);
  const named = answered({
    offer: { attributes: [`candidate:2 1 UDP 1694498815 ${outside.address} ${outside.port} typ srflx`] },
  });
  assert.equal(diagnosed(named, [stream(named, outside, BOB.rtp)]).natMismatch, false, 'a candidate names it');
});

test('a private address offered to a public peer is a warning of its own', () => {
  for (const address of ['10.1.2.3', '172.31.0.1', '192.168.77.5', '169.254.1.1', '100.64.0.9']) {
    const call = answered({ offer: { media: { address, port: 20000 } } });
    assert.equal(diagnosed(call, []).privateMediaAddress, true, address);
  }
  for (const address of ['172.32.0.1', '192.0.2.7', '100.128.0.1']) {
    const call = answered({ offer: { media: { address, port: 20000 } } });
    assert.equal(diagnosed(call, []).privateMediaAddress, false, address);
  }
});

test('late media: the first packet more than half a second behind the answer', () => {
  const call = answered();
  const at = (ms: number): MediaFindings =>
    diagnosed(call, [
      stream(call, ALICE.rtp, BOB.rtp, { fromMs: CALL_TIMES.answer + ms }),
      stream(call, BOB.rtp, ALICE.rtp, { fromMs: CALL_TIMES.answer + ms + 100 }),
    ]);
  assert.deepEqual(at(500), QUIET);
  assert.deepEqual(textsOf(at(501)), ['Late media: the first packet came 501 ms after the answer.']);
  assert.deepEqual(at(-1500), QUIET, 'early media');
  assert.equal(ANSWER_US, 2_180_000);
});

test('asymmetries between the two directions are hints', () => {
  const call = answered();
  const hint = (over: Partial<MediaStream> & { sec?: number }): string[] =>
    textsOf(diagnosed(call, [stream(call, ALICE.rtp, BOB.rtp), stream(call, BOB.rtp, ALICE.rtp, over)]));
  const pair = 'between 192.0.2.10:20000 and 198.51.100.20:30000';
  assert.deepEqual(hint({ codec: 'PCMA', payloadType: 8 }), [
    'Payload type mismatch: the callee at 198.51.100.20:30000 sent 250 packets of type 8 (PCMA) to 192.0.2.10:20000, which named only 0 (PCMU).',
    `Codec asymmetry ${pair}: PCMU one way, PCMA the other.`,
  ]);
  assert.deepEqual(hint({ payloadType: 97 }), [
    'Payload type asymmetry: the callee at 198.51.100.20:30000 sent 250 packets of type 97 to 192.0.2.10:20000, which named only 0 (PCMU).',
  ]);
  assert.deepEqual(hint({ codec: null }), [], 'what is not known is not compared');
  assert.deepEqual(hint({ packetMs: 30 }), [`Packet time asymmetry ${pair}: 20 ms one way, 30 ms the other.`]);
  assert.deepEqual(hint({ packetMs: 21.9 }), []);
  assert.deepEqual(hint({ packetMs: 0 }), []);
  assert.deepEqual(hint({ sec: 2.9 }), [`Duration asymmetry ${pair}: 5.0 s against 2.9 s of media.`]);
  assert.deepEqual(hint({ sec: 3 }), []);
  assert.deepEqual(hint({ comfortNoisePackets: 100 }), [
    'Comfort noise asymmetry: 40 % of the packets from 198.51.100.20:30000 are comfort noise.',
  ]);
  assert.deepEqual(hint({ comfortNoisePackets: 74 }), []);
});

test('a direction lasts through every SSRC it used', () => {
  const call = answered();
  const first = stream(call, ALICE.rtp, BOB.rtp, { sec: 5 });
  const second = stream(call, ALICE.rtp, BOB.rtp, { fromMs: CALL_TIMES.answer + 5_120, sec: 5 });
  const back = stream(call, BOB.rtp, ALICE.rtp, { sec: 10 });
  assert.deepEqual(diagnosed(call, [first, second, back]), QUIET);
});

test('media of another leg of the call is not missing, it was not captured here', () => {
  const call = answered();
  const found = diagnosed(call, [], { linkedMedia: () => 'other@leg' });
  assert.equal(found.noMedia, false);
  assert.deepEqual(textsOf(found), [
    `Not captured on this leg: no RTP was seen at ${A} and ${B}, but the leg other@leg of the same call has media.`,
  ]);
});

test('payload numbers differ by direction as each side named them; comfort noise has no packet time', () => {
  const OTHER = { ...CODEC.OPUS, payloadType: 96 };
  const call = answered({ offer: { codecs: [OTHER] }, answer: { codecs: [CODEC.OPUS] } });
  const sent = (toBob: number, toAlice: number): string[] =>
    textsOf(
      diagnosed(call, [
        stream(call, ALICE.rtp, BOB.rtp, { codec: 'opus', payloadType: toBob }),
        stream(call, BOB.rtp, ALICE.rtp, { codec: 'opus', payloadType: toAlice }),
      ]),
    );
  assert.deepEqual(sent(111, 96), []);
  assert.deepEqual(sent(96, 111), [
    `Payload type asymmetry: the caller at ${A} sent 250 packets of type 96 (opus) to ${B}, which named only 111 (opus).`,
    `Payload type asymmetry: the callee at ${B} sent 250 packets of type 111 (opus) to ${A}, which named only 96 (opus).`,
  ]);
  assert.deepEqual(sent(111, 97), [
    `Payload type asymmetry: the callee at ${B} sent 250 packets of type 97 to ${A}, which named only 96 (opus).`,
  ]);
  const noise = { codec: 'G729', payloadType: 18, packets: 5, comfortNoisePackets: 5, packetMs: 2000 };
  const speech = { codec: 'G729', payloadType: 18 };
  const quiet = answered({ offer: { codecs: [CODEC.G729B] }, answer: { codecs: [CODEC.G729B] } });
  const ways = [stream(quiet, ALICE.rtp, BOB.rtp, speech), stream(quiet, BOB.rtp, ALICE.rtp, noise)];
  assert.deepEqual(textsOf(diagnosed(quiet, ways)), [
    `Comfort noise asymmetry: 100 % of the packets from ${B} are comfort noise.`,
  ]);
});

test('what RTCP alone speaks of is missed only where RTP would come past', () => {
  const call = answered({ offer: { direction: 'inactive' } });
  const source = endpointKeyFromText(ALICE.rtp.address, ALICE.rtp.port) ?? assert.fail();
  const hints = (sentPackets: number, cumulativeLost: number | null, isRtpCaptured = true): string[] => {
    const remote = { atUs: 0, fractionLost: 0, cumulativeLost: cumulativeLost ?? 0, jitterTimestampUnits: 0 };
    const of = { ssrc: 1, source, peer: source, firstUs: 0, newestUs: 0, lastUs: 0, sentPackets, sentOctets: 0 };
    return textsOf(
      diagnosed(call, [], {
        isRtpCaptured,
        unseen: [{ ...of, remote: cumulativeLost === null ? null : remote }],
      }),
    );
  };
  const sent = (what: string): string[] => [
    `RTCP says that 192.0.2.10:20000 sent ${what}; this capture saw none of them.`,
  ];
  assert.deepEqual(hints(753, null), sent('753 RTP packets'));
  assert.deepEqual(hints(1, null), sent('1 RTP packet'));
  assert.deepEqual(hints(500, 7), sent('500 RTP packets and that the receiver lost 7 of them'));
  assert.deepEqual(hints(500, -6), sent('500 RTP packets and that the receiver lost none of them'));
  assert.deepEqual(hints(0, null), []);
  assert.deepEqual(hints(753, 7, false), [], 'a mirror of signaling brings no RTP');
  const one = { source, peer: source, firstUs: 0, newestUs: 0, lastUs: 0, sentPackets: 9, sentOctets: 0, remote: null };
  const many = Array.from({ length: 500 }, (_, ssrc) => ({ ...one, ssrc }));
  assert.deepEqual(textsOf(diagnosed(call, [], { unseen: many })), [
    ...Array.from({ length: 8 }, () => sent('9 RTP packets')[0]),
    'RTCP says the same of 492 further streams.',
  ]);
  const silent = answered();
  assert.deepEqual(diagnosed(silent, [], { isRtpCaptured: false }), QUIET, 'nor is there none');
});

const NO_FACTS: TagFacts = {
  eventPackets: 0,
  isTurnRelayed: false,
  hasOtherLeg: false,
  within: { hasLegs: false, isForked: false },
};

test('tags say what a call was, in one word each', () => {
  const plain = answered();
  assert.deepEqual(dialogTags(plain.d, NO_FACTS), []);
  assert.deepEqual(dialogTags(plain.d, { ...NO_FACTS, eventPackets: 3 }), ['dtmf']);
  assert.deepEqual(dialogTags(plain.d, { ...NO_FACTS, isTurnRelayed: true, hasOtherLeg: true }), ['relayed', 'b2bua']);
  const secured = answered({ offer: { profile: 'RTP/SAVP' } });
  assert.deepEqual(dialogTags(secured.d, NO_FACTS), ['srtp']);
});
