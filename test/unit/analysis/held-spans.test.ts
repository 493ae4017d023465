/** When a stream was held by the descriptions in force: offers, answers, early dialogs, forks and hops. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, answer, BOB, CALL_TIMES, hangUp, sdpBody } from '../../../fixtures/build/basic-call.ts';
import { scriptOf } from '../../../fixtures/build/calls-setup.ts';
import { CAROL, DAVE } from '../../../fixtures/build/case-kit.ts';
import type { Endpoint } from '../../../fixtures/build/packet.ts';
import { described, reinvite } from '../../../fixtures/build/scene-kit.ts';
import { t38Sdp } from '../../../fixtures/build/sdp.ts';
import type { Party, SipScript } from '../../../fixtures/build/sip-call.ts';
import { agreements } from '../../../src/analysis/media/agreements.ts';
import { heldSpans } from '../../../src/analysis/media/held-spans.ts';
import type { SdpEntry } from '../../../src/store/media/sdp-timeline.ts';
import type { Call } from './media-calls.ts';
import { played } from './media-calls.ts';

type Terms = Parameters<typeof described>[2];

const say = (p: Party, version: number, terms: Terms = {}): string => described(p.rtp, p.user, { version, ...terms });
const HOLD: Terms = { direction: 'sendonly' };
const HELD: Terms = { direction: 'recvonly' };

/** The call as it was answered, without its end. */
function running(name: string): SipScript {
  const call = scriptOf(name);
  answer(call, call.request('INVITE', 0, { body: sdpBody(say(ALICE, 1)) }), say(BOB, 1));
  return call;
}

/** Spans in milliseconds after the INVITE, of the stream from one socket to another. */
function spansOf(call: Call, src: Endpoint, dst: Endpoint): [number, number][] {
  const stream = call.streams.stream(src, dst, { atUs: call.script.at(CALL_TIMES.answer + 60) });
  const ms = (us: number) => (us - call.script.startUs) / 1000;
  return heldSpans(call.d, stream).map(({ fromUs, toUs }) => [ms(fromUs), ms(toUs)]);
}

const toBob = (call: Call) => spansOf(call, ALICE.rtp, BOB.rtp);
const toAlice = (call: Call) => spansOf(call, BOB.rtp, ALICE.rtp);

test('a hold lasts from its offer to the answer that ends it, a round trip more at each edge', () => {
  const script = running('hold');
  reinvite(script, 5000, 'caller', say(ALICE, 2, HOLD), say(BOB, 2, HELD));
  reinvite(script, 9000, 'caller', say(ALICE, 3), say(BOB, 3));
  const call = played(script);
  assert.deepEqual(toAlice(call), [[4980, 9040]]);
  assert.deepEqual(toBob(call), [], 'music may come');
});

test('one that is never taken back has no end; a slow answer is a round trip of half a second at most', () => {
  const script = running('left on hold');
  const invite = script.request('INVITE', 5000, { body: sdpBody(say(ALICE, 2, HOLD)) });
  script.respond(invite, 200, 8000, { body: sdpBody(say(BOB, 2, HELD)) });
  assert.deepEqual(toAlice(played(script)), [[4500, Number.POSITIVE_INFINITY]]);
});

test('a refused re-INVITE changes nothing, nor does one without an answer; a fax replaces the audio', () => {
  for (const status of [488, 491, 408, null]) {
    const script = running('refused');
    const invite = script.request('INVITE', 5000, { body: sdpBody(say(ALICE, 2, HOLD)) });
    if (status !== null) {
      script.respond(invite, status, 5020);
      script.ack(invite, status, 5040);
    }
    assert.deepEqual(toAlice(played(script)), [], String(status));
  }
  const fax = running('fax');
  const t38 = (p: Party, version: number): string => t38Sdp({ media: p.rtp, session: p.user, version });
  reinvite(fax, 5000, 'callee', t38(BOB, 2), t38(ALICE, 2));
  const call = played(fax);
  assert.deepEqual([toBob(call).length, toAlice(call).length], [1, 1]);
});

test('a refused resume leaves the hold', () => {
  const script = running('refused resume');
  reinvite(script, 5000, 'caller', say(ALICE, 2, HOLD), say(BOB, 2, HELD));
  const invite = script.request('INVITE', 9000, { body: sdpBody(say(ALICE, 3)) });
  script.respond(invite, 491, 9020);
  script.ack(invite, 491, 9040);
  reinvite(script, 12_000, 'caller', say(ALICE, 4), say(BOB, 4));
  assert.deepEqual(toAlice(played(script)), [[4980, 12_040]]);
});

test('early dialogs: each branch says it of its own stream; PRACK and UPDATE change what the 183 said', () => {
  const fork = scriptOf('fork');
  const invite = fork.request('INVITE', 0, { body: sdpBody(say(ALICE, 1)) });
  fork.respond(invite, 183, 300, { body: sdpBody(say(BOB, 1)), tag: 'one' });
  fork.respond(invite, 183, 400, { body: sdpBody(say(DAVE, 1, HOLD)), tag: 'two' });
  fork.respond(invite, 200, CALL_TIMES.answer, { body: sdpBody(say(BOB, 1)), tag: 'one' });
  fork.ack(invite, 200, CALL_TIMES.ack, { tag: 'one' });
  hangUp(fork, 9000);
  const call = played(fork);
  assert.deepEqual([toBob(call), toAlice(call)], [[], []]);
  assert.deepEqual(spansOf(call, ALICE.rtp, DAVE.rtp), [[-300, Number.POSITIVE_INFINITY]]);

  const early = scriptOf('early');
  const first = early.request('INVITE', 0, { body: sdpBody(say(ALICE, 1)) });
  early.respond(first, 183, 300, { body: sdpBody(say(BOB, 1, { direction: 'inactive' })) });
  const update = early.request('UPDATE', 600, { early: true, body: sdpBody(say(ALICE, 2)) });
  early.respond(update, 200, 620, { body: sdpBody(say(BOB, 2)) });
  early.respond(first, 200, 2000);
  early.ack(first, 200, 2020);
  assert.deepEqual(toBob(played(early)), [[-300, 640]]);

  const reliable = scriptOf('reliable');
  const empty = reliable.request('INVITE', 0);
  reliable.respond(empty, 183, 300, { body: sdpBody(say(BOB, 1, HOLD)), headers: [['RSeq', '1']] });
  const prack = reliable.request('PRACK', 320, { early: true, body: sdpBody(say(ALICE, 1, HELD)) });
  reliable.respond(prack, 200, 340);
  assert.deepEqual(toBob(played(reliable)), [[280, Number.POSITIVE_INFINITY]]);
});

test('media that goes to another socket for a while is not due at the first', () => {
  const script = running('elsewhere');
  reinvite(script, 5000, 'callee', say({ ...BOB, rtp: CAROL.rtp }, 2), say(ALICE, 2));
  reinvite(script, 9000, 'callee', say(BOB, 3), say(ALICE, 3));
  const call = played(script);
  assert.deepEqual(toBob(call), [[4980, 9040]]);
  assert.deepEqual(spansOf(call, ALICE.rtp, CAROL.rtp).length, 2, 'nor is it at the second, before and after');
});

test('of sockets that no description names, only what holds both directions is said', () => {
  for (const [terms, held] of [
    [HOLD, 0],
    [{ direction: 'inactive' } as const, 1],
  ] as const) {
    const script = running('unnamed');
    reinvite(script, 5000, 'caller', say(ALICE, 2, terms), say(BOB, 2, HELD));
    const call = played(script);
    assert.equal(spansOf(call, CAROL.rtp, DAVE.rtp).length, held);
    // The sender alone is known.
    assert.equal(spansOf(call, BOB.rtp, DAVE.rtp).length, 1);
  }
});

test('with ICE another default address is no other place', () => {
  const ice = (version: number, terms: Terms = {}): string =>
    say(BOB, version, { attributes: ['candidate:1 1 UDP 1 198.51.100.20 30000 typ host'], ...terms });
  const script = scriptOf('ice');
  answer(script, script.request('INVITE', 0, { body: sdpBody(say(ALICE, 1)) }), ice(1));
  reinvite(script, 5000, 'callee', ice(2, { media: CAROL.rtp }), say(ALICE, 2));
  reinvite(script, 7000, 'caller', say(ALICE, 3, HOLD), ice(3, { media: CAROL.rtp, ...HELD }));
  reinvite(script, 9000, 'caller', say(ALICE, 4), ice(4, { media: CAROL.rtp }));
  const call = played(script);
  assert.deepEqual([toBob(call), toAlice(call)], [[], [[6980, 9040]]]);
});

test('an answer without its offer leaves the other side as it was; a hop’s copy is no exchange of its own', () => {
  const entry = (tsUs: number, side: number, isOffer: boolean): SdpEntry =>
    ({ tsUs, side, isOffer, isRefused: false }) as SdpEntry;
  const [a1, b1, b2, a2] = [entry(0, 0, true), entry(1, 1, false), entry(5, 1, false), entry(9, 0, false)];
  const seen = [...agreements([a1, b1, b2, a2])].map(({ offeredUs, answeredUs, bySide }) => [
    offeredUs,
    answeredUs,
    ...bySide,
  ]);
  assert.deepEqual(seen, [
    [0, 1, [a1], [b1]],
    [0, 5, [a1], [b1, b2]],
    [9, 9, [a2], [b1, b2]],
  ]);
});

test('streams of which the descriptions say the same share their spans, until one says more', () => {
  const script = running('many');
  reinvite(script, 5000, 'caller', say(ALICE, 2, HOLD), say(BOB, 2, HELD));
  reinvite(script, 9000, 'caller', say(ALICE, 3), say(BOB, 3));
  const call = played(script);
  const spans = (src: Endpoint, dst: Endpoint) => heldSpans(call.d, call.streams.stream(src, dst));
  const toAll = spans(BOB.rtp, ALICE.rtp);
  assert.equal(toAll.length, 1);
  assert.equal(spans(BOB.rtp, ALICE.rtp), toAll, 'another SSRC');
  // Sockets that nobody named have no more to tell: a sender who forges a hundred of them makes no work.
  const stranger = spans(CAROL.rtp, ALICE.rtp);
  assert.notEqual(stranger, toAll);
  assert.equal(spans(DAVE.rtp, ALICE.rtp), stranger);
  assert.deepEqual(spans(ALICE.rtp, BOB.rtp), []);
  reinvite(script, 11_000, 'caller', say(ALICE, 4, HOLD), say(BOB, 4, HELD));
  assert.equal(heldSpans(played(script).d, call.streams.stream(BOB.rtp, ALICE.rtp)).length, 2);
});
