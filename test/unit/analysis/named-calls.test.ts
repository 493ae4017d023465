/**
 * Calls that a message names: in whichever message it stands, in a list, in brackets, with parameters, in a part that a
 * pattern finds, or by a Call-ID with an ending.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EPOCH_US } from '../../../fixtures/build/capture.ts';
import type { SipRequest } from '../../../fixtures/build/sip-call.ts';
import { SipScript } from '../../../fixtures/build/sip-call.ts';
import { messagesOf } from '../../../src/analysis/call-messages.ts';
import { commonStrategies, identifierLegs } from '../../../src/analysis/correlation.ts';
import { laterTies } from '../../../src/analysis/ties.ts';
import { MAX_IDENTIFIERS } from '../../../src/protocols/sip/named-calls.ts';
import { MARK } from '../../../src/store/dialogs/call-marks.ts';
import { MAX_TIED } from '../../../src/store/dialogs/identifier-index.ts';
import { TrackerKit } from '../ingest/dialogs/tracker-kit.ts';
import { ALICE, BOB, leg, PBX, party, stores } from './tied-calls.ts';

type Headers = readonly (readonly [string, string])[];

/** Call-IDs of the other legs, in order, with what ties them. */
function legsOf(kit: TrackerKit, callId: string): string[] {
  return identifierLegs(kit.dialog(callId), stores(kit))
    .map(({ dialog, strategy }) => `${dialog.callId} ${strategy}`)
    .sort();
}

function assertTied(kit: TrackerKit, a: string, b: string, strategy = 'x_call_id'): void {
  assert.deepEqual(legsOf(kit, a), [`${b} ${strategy}`], a);
  assert.deepEqual(legsOf(kit, b), [`${a} ${strategy}`], b);
}

function assertAlone(kit: TrackerKit, ...callIds: readonly string[]): void {
  for (const callId of callIds) assert.deepEqual(legsOf(kit, callId), [], callId);
}

/** The messages of a call that may be the first to name another one. */
const WHERE: Readonly<Record<string, (call: SipScript, invite: SipRequest, headers: Headers) => void>> = {
  'the 100': (call, invite, headers) => call.respond(invite, 100, 10, { headers }),
  'the 180': (call, invite, headers) => call.respond(invite, 180, 10, { headers }),
  'the 200': (call, invite, headers) => call.respond(invite, 200, 10, { headers }),
  'a refusal': (call, invite, headers) => call.respond(invite, 486, 10, { headers }),
  'the INVITE after a 407': (call, invite, headers) => {
    call.respond(invite, 407, 10);
    call.ack(invite, 407, 15);
    call.respond(call.request('INVITE', 20, { headers }), 200, 30);
  },
  'the BYE': (call, invite, headers) => {
    call.respond(invite, 200, 10);
    call.respond(call.request('BYE', 20, { headers }), 200, 30);
  },
  'an INFO of the callee': (call, invite, headers) => {
    call.respond(invite, 200, 10);
    call.respond(call.request('INFO', 20, { by: 'callee', headers }), 200, 30);
  },
};

const NAMES: readonly (readonly [header: string, value: string, strategy: string])[] = [
  ['X-Call-ID', 'a', 'x_call_id'],
  ['X-CID', 'a', 'x_call_id'],
  ['x-cid', 'a', 'x_call_id'],
  ['X-Leg', 'a', 'x_call_id'],
  ['Replaces', 'a;to-tag=1;from-tag=2', 'replaces'],
];

for (const [where, add] of Object.entries(WHERE))
  test(`another call is named in ${where}`, () => {
    for (const [header, value, strategy] of NAMES) {
      const kit = new TrackerKit({ callIdHeaders: ['X-LEG'] });
      leg(kit, 'a', ALICE, PBX, 0);
      const call = new SipScript({ callId: 'b', caller: PBX, callee: BOB, startUs: EPOCH_US + 1e6 });
      add(call, call.request('INVITE', 0), [[header, value]]);
      const d = kit.play(call);
      assertTied(kit, 'a', 'b', strategy);
      assert.notEqual(d.marks & MARK.TIED, 0);
      assert.deepEqual(laterTies(['X-LEG'], messagesOf(d, kit.log), 0), ['a'], `${where} ${header}`);
    }
  });

test('where no option names it, another header names no call', () => {
  const kit = new TrackerKit();
  leg(kit, 'a', ALICE, PBX, 0);
  leg(kit, 'b', PBX, BOB, 500, [['X-Leg', 'a']]);
  assertAlone(kit, 'a', 'b');
  assert.equal(kit.dialog('b').marks & MARK.TIED, 0);
});

test('lists, brackets, parameters and blanks', () => {
  for (const value of ['a', ' a ', '<a>', 'a;leg=1', '<a>;leg=1', '< a >', 'x, a', 'a,x', 'x , <a>;q=1 ,y', ',a,'])
    for (const header of ['X-CID', 'X-Call-ID', 'X-Leg']) {
      const kit = new TrackerKit({ callIdHeaders: ['X-Leg'] });
      leg(kit, 'a', ALICE, PBX, 0);
      leg(kit, 'b', PBX, BOB, 500, [[header, value]]);
      assertTied(kit, 'a', 'b');
    }
});

test('two calls that name one of a list are tied; what parameters follow alone ties none', () => {
  const tied = new TrackerKit();
  leg(tied, 'a', ALICE, PBX, 0, [['X-CID', 'one, two']]);
  leg(tied, 'b', PBX, BOB, 500, [['X-CID', 'three, two']]);
  assertTied(tied, 'a', 'b');
  const apart = new TrackerKit({ callIdHeaders: ['X-Trace'] });
  leg(apart, 'a', ALICE, PBX, 0, [['X-Trace', 'out;i=1']]);
  leg(apart, 'b', PBX, BOB, 500, [['X-Trace', 'out;i=2']]);
  assertAlone(apart, 'a', 'b');
  assert.deepEqual(commonStrategies(apart.dialog('a'), apart.identifiers), []);
});

test('a Call-ID of blanks around a comma, or with brackets of its own, is found as it is', () => {
  const kit = new TrackerKit();
  leg(kit, '<a>', ALICE, PBX, 0);
  leg(kit, 'b', PBX, BOB, 500, [['X-CID', '<a>']]);
  assertTied(kit, '<a>', 'b');
});

const TRACE = 'X-CC-TRACE=~(?:^|;)i="?([^;"]+)';

test('a part of a header that a pattern finds', () => {
  const kit = new TrackerKit({ callIdHeaders: [TRACE] });
  leg(kit, 'a', ALICE, PBX, 0, [['X-CC-TRACE', 'c=N36;a=Agent1@x;i=int-18f3']]);
  leg(kit, 'b', PBX, BOB, 500, [['x-cc-trace', 'c=out_806;i="int-18f3"']]);
  leg(kit, 'c', ALICE, PBX, 60_000, [['X-CC-TRACE', 'c=N36;a=Agent1@x;i=int-18f4']]);
  leg(kit, 'd', PBX, BOB, 60_500, [['X-CC-TRACE', 'c=N36']]);
  assertTied(kit, 'a', 'b');
  assertAlone(kit, 'c', 'd');
  const named = new TrackerKit({ callIdHeaders: ['X-Legs=~^([^@]+)@x$', 'X-Legs=~^([^@]+)@y$'] });
  leg(named, 'a', ALICE, PBX, 0);
  leg(named, 'b', PBX, BOB, 500, [], { answer: [['X-Legs', 'none, a@y']] });
  assertTied(named, 'a', 'b');
});

test('a part of the Call-ID itself', () => {
  const kit = new TrackerKit({ callIdHeaders: ['Call-ID=~^(.{30})'] });
  leg(kit, '2xli4ci3qv1xx51ubi3cwruqwvq2w4v1', ALICE, PBX, 0);
  leg(kit, '2xli4ci3qv1xx51ubi3cwruqwvq2w4_418115-3719789270', PBX, BOB, 500);
  leg(kit, '3xli4ci3qv1xx51ubi3cwruqwvq2w4v1', ALICE, PBX, 1000);
  leg(kit, 'short', ALICE, PBX, 1000);
  assertTied(kit, '2xli4ci3qv1xx51ubi3cwruqwvq2w4v1', '2xli4ci3qv1xx51ubi3cwruqwvq2w4_418115-3719789270');
  assertAlone(kit, 'short', '3xli4ci3qv1xx51ubi3cwruqwvq2w4v1');
});

test('a Call-ID that is another with an ending', () => {
  for (const ending of ['_b2b-1', '_b2b-2', '_pbx-1', '_b2b-1_pbx-12', '_pbx-1_b2b-1']) {
    const kit = new TrackerKit();
    leg(kit, 'x@example.com', ALICE, PBX, 0);
    leg(kit, `x@example.com${ending}`, PBX, BOB, 500);
    assertTied(kit, 'x@example.com', `x@example.com${ending}`);
    const d = kit.dialog(`x@example.com${ending}`);
    assert.deepEqual(laterTies([], messagesOf(d, kit.log), 0), ['x@example.com']);
  }
  // Two legs of a call that is not here.
  const siblings = new TrackerKit();
  leg(siblings, 'x_b2b-1', PBX, BOB, 0);
  leg(siblings, 'x_b2b-2', PBX, party('c', '192.0.2.9'), 500);
  assertTied(siblings, 'x_b2b-1', 'x_b2b-2');
});

test('other endings name no call', () => {
  for (const ending of ['_b2b-', '_b2b1', '-b2b-1', '_b2b-1x', '_b2b-12345', '_B2B-1', '-1', '_1', 'v1', '_b2bua-1']) {
    const kit = new TrackerKit();
    leg(kit, 'x', ALICE, PBX, 0);
    leg(kit, `x${ending}`, PBX, BOB, 500);
    assertAlone(kit, 'x', `x${ending}`);
  }
  const bare = new TrackerKit();
  leg(bare, '_b2b-1', ALICE, PBX, 0);
  leg(bare, '_b2b-1_b2b-1', PBX, BOB, 500);
  assertTied(bare, '_b2b-1', '_b2b-1_b2b-1');
});

test('a long list has an end, and its cost too', () => {
  const names = Array.from({ length: 10_000 }, (_, i) => `n${i}`).join(',');
  const kit = new TrackerKit({ callIdHeaders: ['X-Leg=~(n\\d+)$'] });
  const startUs = process.cpuUsage();
  leg(kit, 'a', ALICE, PBX, 0, [
    ['X-CID', names],
    ['X-Leg', names],
  ]);
  const { user } = process.cpuUsage(startUs);
  assert.ok(user < 250_000, `${user} µs`);
  const d = kit.dialog('a');
  assert.ok([...kit.identifiers.index.of(d.slot)].length <= MAX_IDENTIFIERS);
  assert.equal(laterTies([], messagesOf(d, kit.log), 0).length, MAX_IDENTIFIERS);
  // So have many messages.
  const call = new SipScript({ callId: 'many', caller: ALICE, callee: BOB, startUs: EPOCH_US });
  call.request('INVITE', 0);
  for (let i = 0; i < 200; i++) call.request('INFO', 10 + i, { headers: [['X-CID', `m${i}`]] });
  const many = kit.play(call);
  assert.equal([...kit.identifiers.index.of(many.slot)].length, MAX_IDENTIFIERS);
  assert.ok(kit.identifiers.index.refused > 0);
  assert.equal(laterTies([], messagesOf(many, kit.log), 0).length, MAX_IDENTIFIERS);
});

test('what many calls have in a part, or in an ending, ties none', () => {
  const kit = new TrackerKit({ callIdHeaders: [TRACE] });
  for (let i = 0; i <= MAX_TIED; i++)
    leg(kit, `call${i}`, PBX, party('x', `203.0.113.${i}`), i, [], { answer: [['X-CC-TRACE', `c=${i};i=all`]] });
  assertAlone(kit, 'call0', `call${MAX_TIED}`);
  assert.deepEqual(commonStrategies(kit.dialog('call0'), kit.identifiers), ['x_call_id']);
});

test('the INVITE that a REFER asked for is known after its 100 too', () => {
  const kit = new TrackerKit();
  const first = leg(kit, 'a', ALICE, BOB, 0);
  const refer = first.request('REFER', 1000, { headers: [['Refer-To', '<sip:carol@192.0.2.4>']] });
  kit.send(refer);
  const call = new SipScript({
    callId: 'b',
    caller: BOB,
    callee: party('carol', '192.0.2.4'),
    startUs: EPOCH_US + 2e6,
  });
  const invite = call.request('INVITE', 0, { uri: 'sip:carol@192.0.2.4' });
  const trying = call.respond(invite, 100, 0);
  kit.send(trying);
  kit.send(invite);
  assertTied(kit, 'a', 'b', 'refer');
});
