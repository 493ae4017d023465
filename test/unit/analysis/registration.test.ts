/**
 * A registrar may shorten what a phone asks for. It is a finding where so little is granted that it looks like a fault, and
 * where the phone does not heed it; else what was granted is a fact.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptOf } from '../../../fixtures/build/calls-setup.ts';
import type { SipScript } from '../../../fixtures/build/sip-call.ts';
import type { RegistrationFailure } from '../../../src/analysis/signaling/registration.ts';
import { THRESHOLDS } from '../../../src/core/thresholds.ts';
import { signalingOf } from '../../helpers/judged.ts';
import { HEP, TrackerKit } from '../ingest/dialogs/tracker-kit.ts';

type Found = { readonly failure: RegistrationFailure | null; readonly hints: readonly string[] };
type Contacts = readonly string[];
/** When it is sent, what it asks, what the 2xx grants; null where no 2xx comes. */
type Exchange = readonly [atSec: number, asked: number | Contacts, granted: number | Contacts | null];

/** The capture goes on for an hour after the last message; `skips` leaves numbers out. */
function registered(exchanges: readonly Exchange[], o: { skips?: boolean; isMirrored?: boolean } = {}): Found {
  const call = scriptOf('phone');
  for (const [atSec, asked, granted] of exchanges) {
    const r = call.request('REGISTER', atSec * 1000, said(asked));
    if (granted !== null) call.respond(r, 200, atSec * 1000 + 20, said(granted));
    if (o.skips === true) unseen(call);
  }
  const kit = new TrackerKit();
  for (const [i, m] of call.messages.entries()) {
    if (o.isMirrored === true && i % 2 === 1) kit.send(m, { origin: HEP });
    else kit.send(m);
  }
  const d = kit.dialog(call.callId);
  const found = signalingOf(d, kit.log, { nowUs: d.updatedUs + 3600e6, thresholds: THRESHOLDS, icmp: [] });
  return { failure: found?.registrationFailure ?? null, hints: found?.hints.map(({ text }) => text) ?? [] };
}

function said(what: number | Contacts) {
  const contact = '<sip:alice@192.0.2.10:5060>';
  if (typeof what === 'number') return { headers: [['Expires', String(what)] as const], omit: [] };
  return { headers: what.map((value) => ['m', value.replace('*', contact)] as const), omit: ['Contact'] };
}

/** A REGISTER that the capture does not hold. */
function unseen(call: SipScript): void {
  call.request('REGISTER', 0);
  call.messages.pop();
}

const kindOf = ({ failure }: Found): string | null => failure?.kind ?? null;

test('a grant is short under half of what was asked, and at 60 seconds or less', () => {
  const granted = (asked: number, sec: number): string | null => kindOf(registered([[0, asked, sec]]));
  for (const [asked, sec] of [
    [3600, 3599],
    [300, 299],
    [3600, 120],
    [3600, 61],
    [7200, 600],
    [3600, 1800],
    [120, 60],
    [60, 30],
    [60, 59],
    [60, 60],
    [60, 3600],
  ] as const)
    assert.equal(granted(asked, sec), null, `${asked} s asked, ${sec} s granted`);
  for (const [asked, sec] of [
    [3600, 60],
    [3600, 30],
    [600, 60],
    [121, 60],
    [60, 29],
    [3600, 0],
  ] as const)
    assert.equal(granted(asked, sec), 'shortened_expiry', `${asked} s asked, ${sec} s granted`);
  assert.deepEqual(registered([[0, 3600, 60]]).hints, ['The registrar granted 60 s although 3600 s were asked for.']);
});

test('the own contact decides, by what its own exchange asked', () => {
  const other = '<sip:alice@192.0.2.99:5060>';
  assert.equal(kindOf(registered([[0, ['*;expires=3600'], [`${other};expires=20`, '*;expires=3600']]])), null);
  assert.equal(
    kindOf(registered([[0, ['*;expires=3600'], [`${other};expires=3000`, '*;expires=40']]])),
    'shortened_expiry',
  );
  // Two contacts, each with its own time: the longest decides.
  const two = [['*;expires=3600', `${other};expires=30`]] as const;
  assert.equal(kindOf(registered([[0, two[0], ['*;expires=3600', `${other};expires=30`]]])), null);
  // It asks what is registered, and learns what is left.
  assert.equal(
    kindOf(
      registered([
        [0, 3600, 3600],
        [3550, [], ['*;expires=50']],
      ]),
    ),
    null,
  );
  // It asks for more, and nobody answers yet.
  assert.equal(
    kindOf(
      registered([
        [0, 60, 60],
        [30, 3600, null],
      ]),
    ),
    null,
  );
  // 423 and Min-Expires: it asks again for what it gets.
  const min = scriptOf('min');
  min.respond(min.request('REGISTER', 0, said(30)), 423, 20, { headers: [['Min-Expires', '60']] });
  min.respond(min.request('REGISTER', 100, said(60)), 200, 120, said(60));
  const kit = new TrackerKit();
  const d = kit.play(min);
  assert.equal(signalingOf(d, kit.log, { nowUs: d.updatedUs, thresholds: THRESHOLDS, icmp: [] }), null);
  // A removal ends it.
  assert.equal(
    kindOf(
      registered([
        [0, 3600, 60],
        [40, 0, 0],
      ]),
    ),
    null,
  );
});

test('a phone that comes back for its own time and not for the one granted is not registered meanwhile', () => {
  const late = registered([
    [0, 3600, 600],
    [1800, 3600, 600],
  ]);
  assert.deepEqual(late.failure, {
    kind: 'shortened_expiry',
    code: 200,
    requestedExpirySec: 3600,
    grantedExpirySec: 600,
    lateSec: 1199.98,
    evidence: [1, 2],
  });
  assert.deepEqual(late.hints, [
    'The registrar granted 600 s although 3600 s were asked for, and the phone came back 1200 s too late.',
  ]);
  const times = (...at: number[]): Found => registered(at.map((sec): Exchange => [sec, 3600, 120]));
  assert.equal(kindOf(times(0, 1700, 3400, 5100)), 'shortened_expiry');
  assert.equal(kindOf(times(0, 3600)), 'shortened_expiry', 'just in time by its own clock');
  assert.equal(
    kindOf(
      registered([
        [0, 300, 200],
        [270, 300, 200],
      ]),
    ),
    'shortened_expiry',
  );
});

test('whether the phone did not heed the time is not known', () => {
  const times = (...at: number[]): Found => registered(at.map((sec): Exchange => [sec, 3600, 120]));
  assert.equal(kindOf(times(0)), null, 'it never came back: switched off, or by another Call-ID');
  assert.equal(kindOf(times(0, 110, 220, 330)), null, 'in time');
  assert.equal(kindOf(times(0, 60, 1500, 1560)), null, 'away once, in time before');
  assert.equal(kindOf(times(0, 1500, 1560)), null, 'in time after');
  assert.equal(kindOf(times(0, 150)), null, 'a refresh got lost on the way');
  assert.equal(kindOf(times(0, 7200)), null, 'away for longer than it asked for');
  assert.equal(
    kindOf(
      registered([
        [0, 3600, 3599],
        [3700, 3600, 3599],
      ]),
    ),
    null,
  );
  assert.equal(
    kindOf(
      registered([
        [0, 3600, 120],
        [1800, 0, 0],
      ]),
    ),
    null,
    'it only takes its leave',
  );
  const two: readonly Exchange[] = [
    [0, 3600, 120],
    [1800, 3600, 120],
  ];
  assert.equal(kindOf(registered(two, { skips: true })), null, 'the capture missed what came between');
  assert.equal(kindOf(registered(two, { isMirrored: true })), null, 'two clocks');
});
