/**
 * Which dialogs are legs of one call, by every identifier and by guess, seen from both legs; and the tree over them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EPOCH_US } from '../../../fixtures/build/capture.ts';
import type { Party } from '../../../fixtures/build/sip-call.ts';
import { SipScript } from '../../../fixtures/build/sip-call.ts';
import { callTree } from '../../../src/analysis/call-tree.ts';
import { correlatedLegs } from '../../../src/analysis/correlation.ts';
import type { CorrelationStrategy as Strategy } from '../../../src/contract/index.ts';
import { finish } from '../../../src/core/turns.ts';
import { toCallTree, toCorrelation } from '../../../src/view/correlation.ts';
import { assertDocument } from '../../api/strict-contract.ts';
import { TrackerKit } from '../ingest/dialogs/tracker-kit.ts';
import { A, ALICE, B, BOB, CAROL, FAR, FAR_TOO, LATER, leg, NULL_UUID, PBX, party, SDP, stores } from './tied-calls.ts';

/** The pair's strategy as each of the two legs tells it; fails when they differ. */
function pairOf(kit: TrackerKit, a: string, b: string): { strategy: Strategy; score: number } | null {
  const seen = [
    [a, b],
    [b, a],
  ].map(([from, to]) => {
    const d = kit.dialog(from ?? '');
    const { legs, total } = correlatedLegs(d, stores(kit), 1000);
    assertDocument('Correlation', toCorrelation(d, legs, total));
    const found = legs.find((l) => l.dialog.callId === to);
    assert.equal(found === undefined || (found.gapUs === null) === found.isIdentifier, true);
    return found === undefined ? null : { strategy: found.strategy, score: found.score };
  });
  assert.deepEqual(seen[0], seen[1], 'a pair is the same from both ends');
  return seen[0] ?? null;
}

const PAIRS: readonly [name: string, Strategy, number, (kit: TrackerKit) => void][] = [
  [
    'Session-ID, the same half',
    'session_id',
    100,
    (kit) => {
      leg(kit, 'a', ALICE, PBX, 0, [['Session-ID', `${A};remote=${NULL_UUID}`]]);
      leg(kit, 'b', PBX, BOB, LATER, [['Session-ID', `${A.toUpperCase()};remote=${NULL_UUID}`]]);
    },
  ],
  [
    'Session-ID, the other half, told in a response',
    'session_id',
    100,
    (kit) => {
      leg(kit, 'a', ALICE, PBX, 0, [['Session-ID', `${A};remote=${NULL_UUID}`]], {
        answer: [['Session-ID', `${B} ;remote=${A}`]],
      });
      leg(kit, 'b', PBX, BOB, LATER, [['Session-ID', `${NULL_UUID};remote=${B}`]]);
    },
  ],
  [
    'X-Call-ID that is the Call-ID of the other leg',
    'x_call_id',
    100,
    (kit) => {
      leg(kit, 'a', ALICE, PBX, 0);
      leg(kit, 'b', PBX, BOB, LATER, [['X-Call-ID', 'a']]);
    },
  ],
  [
    'X-CID, sent before the leg it names',
    'x_call_id',
    100,
    (kit) => {
      leg(kit, 'a', ALICE, PBX, 0, [['x-cid', 'b']]);
      leg(kit, 'b', PBX, BOB, LATER);
    },
  ],
  [
    'a configured header, the same in both',
    'x_call_id',
    100,
    (kit) => {
      leg(kit, 'a', ALICE, PBX, 0, [['X-Leg', 'call 17']]);
      leg(kit, 'b', PBX, BOB, LATER, [['X-Leg', 'call 17']]);
    },
  ],
  [
    'Replaces names the dialog it takes over',
    'replaces',
    95,
    (kit) => {
      leg(kit, 'a', ALICE, PBX, 0);
      leg(kit, 'b', PBX, BOB, LATER, [['Replaces', 'a;to-tag=1;from-tag=2']]);
    },
  ],
  [
    'Refer-To with Replaces names the other call',
    'refer',
    95,
    (kit) => {
      leg(kit, 'b', ALICE, CAROL, 0);
      const script = leg(kit, 'a', ALICE, BOB, LATER);
      kit.send(
        script.request('REFER', 2000, {
          headers: [['Refer-To', '<sip:carol@192.0.2.4?Replaces=b%3Bto-tag%3Dx%3Bfrom-tag%3Dy>']],
        }),
      );
    },
  ],
  [
    'the INVITE that a REFER asked for',
    'refer',
    95,
    (kit) => {
      const script = leg(kit, 'a', ALICE, BOB, 0);
      kit.send(script.request('REFER', 5000, { headers: [['Refer-To', '<sip:carol@example.com;transport=tcp>']] }));
      leg(kit, 'b', BOB, CAROL, 9000, [], { uri: 'sip:carol@example.com' });
    },
  ],
  [
    'related-icid names the icid of the other',
    'related_icid',
    95,
    (kit) => {
      leg(kit, 'a', ALICE, PBX, 0, [['P-Charging-Vector', 'icid-value=one;icid-generated-at=192.0.2.9']]);
      leg(kit, 'b', PBX, BOB, LATER, [['P-Charging-Vector', 'icid-value="two"; related-icid="one"']]);
    },
  ],
  [
    'the same icid',
    'icid',
    85,
    (kit) => {
      leg(kit, 'a', ALICE, PBX, 0, [['P-Charging-Vector', 'icid-value=one']]);
      leg(kit, 'b', PBX, BOB, LATER, [['P-Charging-Vector', 'icid-value="one"']]);
    },
  ],
  [
    'the same o= line on two hops',
    'sdp_origin',
    90,
    (kit) => {
      leg(kit, 'a', ALICE, PBX, 0, [], { sdp: SDP('alice 2890844526 2890844526 IN IP4 192.0.2.1') });
      leg(kit, 'b', PBX, BOB, LATER, [], { sdp: SDP('alice 2890844526 2890844526 IN IP4 192.0.2.1') });
    },
  ],
  [
    'a Via that a relay left in place',
    'via_branch',
    80,
    (kit) => {
      leg(kit, 'a', ALICE, PBX, 0, [
        ['Via', 'SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK-kept-1, SIP/2.0/UDP x;branch=z9hG4bK-kept-2'],
      ]);
      leg(kit, 'b', PBX, BOB, LATER, [['v', 'SIP/2.0/UDP 192.0.2.1 ;x=1; branch=z9hG4bK-kept-2;rport']]);
    },
  ],
];

for (const [name, strategy, score, play] of PAIRS)
  test(`identified: ${name}`, () => {
    const kit = new TrackerKit({ callIdHeaders: ['X-LEG'] });
    play(kit);
    assert.deepEqual(pairOf(kit, 'a', 'b'), { strategy, score });
  });

test('the first strategy names the pair', () => {
  const kit = new TrackerKit();
  const both: [string, string][] = [['P-Charging-Vector', 'icid-value=one']];
  leg(kit, 'a', ALICE, PBX, 0, [...both, ['Session-ID', A]]);
  leg(kit, 'b', PBX, BOB, 100, [...both, ['X-Call-ID', 'a'], ['Session-ID', A]]);
  assert.deepEqual(pairOf(kit, 'a', 'b'), { strategy: 'session_id', score: 100 });
  const { legs } = correlatedLegs(kit.dialog('a'), stores(kit), 1000);
  assert.equal(legs.length, 1, 'a leg is named once');
});

test('not identified: the null UUID, other UUIDs, empty values, bare cookies', () => {
  const kit = new TrackerKit();
  const vague: [string, string][] = [
    ['Session-ID', `${NULL_UUID};remote=${NULL_UUID}`],
    ['X-Call-ID', ''],
    ['P-Charging-Vector', 'icid-value='],
    ['Via', 'SIP/2.0/UDP x;branch=z9hG4bK'],
  ];
  leg(kit, 'a', ALICE, PBX, 0, vague);
  leg(kit, 'b', PBX, BOB, LATER, vague);
  assert.equal(pairOf(kit, 'a', 'b'), null);
});

test('parallel calls of an agent that always sends the same o= line are no legs of one call', () => {
  const kit = new TrackerKit();
  for (let i = 0; i < 5; i++)
    leg(kit, `call${i}`, FAR, FAR_TOO, i * LATER, [], { sdp: SDP('user1 53655765 2353687637 IN IP4 x') });
  assert.equal(correlatedLegs(kit.dialog('call0'), stores(kit), 1000).total, 0);
});

test('a call that this capture knows from its answer on is of the same hop as one that it knows whole', () => {
  const kit = new TrackerKit();
  const habit = SDP('- 1 1 IN IP4 x');
  leg(kit, 'whole', ALICE, BOB, 0, [], { sdp: habit });
  const late = new SipScript({ callId: 'late', caller: ALICE, callee: BOB, startUs: EPOCH_US + LATER * 1000 });
  const invite = late.request('INVITE', 0);
  kit.send(late.respond(invite, 200, 500, { body: { type: 'application/sdp', text: habit } }));
  assert.equal(pairOf(kit, 'whole', 'late'), null);
});

test('an agent that sends the same o= line in one call after the other ties no hops together', () => {
  const kit = new TrackerKit();
  const habit = { sdp: SDP('user1 53655765 2353687637 IN IP4 x') };
  leg(kit, 'first', ALICE, BOB, 0, [], habit);
  leg(kit, 'other hop', ALICE, CAROL, LATER, [], habit);
  assert.deepEqual(pairOf(kit, 'first', 'other hop')?.strategy, 'sdp_origin', 'nothing says that it is a habit');
  leg(kit, 'second', ALICE, BOB, 2 * LATER, [], habit);
  for (const id of ['first', 'second']) assert.equal(pairOf(kit, id, 'other hop'), null);
});

test('two attempts at one hop are legs of the call that asked for them', () => {
  const kit = new TrackerKit();
  const same = { sdp: SDP('alice 2890844526 2890844526 IN IP4 192.0.2.1') };
  leg(kit, 'in', ALICE, PBX, 0, [], same);
  leg(kit, 'try 1', PBX, BOB, 100, [], same);
  leg(kit, 'try 2', PBX, BOB, 8000, [], same);
  for (const id of ['try 1', 'try 2']) assert.equal(pairOf(kit, 'in', id)?.strategy, 'sdp_origin');
});

test('a REFER to somewhere else, or long before, asked for nothing', () => {
  const kit = new TrackerKit();
  const script = leg(kit, 'a', ALICE, BOB, 0);
  kit.send(script.request('REFER', 5000, { headers: [['Refer-To', '<sip:carol@example.com>']] }));
  leg(kit, 'other', BOB, CAROL, 9000, [], { uri: 'sip:dave@example.com' });
  leg(kit, 'not asked', PBX, CAROL, 9000, [], { uri: 'sip:carol@example.com' });
  leg(kit, 'late', BOB, CAROL, 70_000, [], { uri: 'sip:carol@example.com' });
  for (const id of ['other', 'not asked', 'late']) assert.equal(pairOf(kit, 'a', id), null, id);
});

test('guessed: an address in common, the same method, two seconds; the gap is told', () => {
  const kit = new TrackerKit();
  leg(kit, 'a', ALICE, PBX, 0);
  leg(kit, 'b', PBX, BOB, 1250);
  leg(kit, 'late', PBX, BOB, 2001);
  leg(kit, 'elsewhere', FAR, FAR_TOO, 100);
  const register = new SipScript({ callId: 'r', caller: ALICE, callee: PBX, startUs: EPOCH_US + 10_000 });
  register.request('REGISTER', 0);
  kit.play(register);
  const d = kit.dialog('a');
  const { legs, total } = correlatedLegs(d, stores(kit), 1000);
  const document = toCorrelation(d, legs, total);
  assertDocument('Correlation', document);
  assert.deepEqual(document, {
    schema_version: 1,
    source_call_id: 'a',
    legs: [{ call_id: 'b', score: 50, strategy: 'timing_heuristic', identifier_match: false, observed_gap_ms: 1250 }],
    total_matched: 1,
    heuristic_only: true,
  });
  assert.deepEqual(pairOf(kit, 'a', 'b'), { strategy: 'timing_heuristic', score: 50 });
});

test('no legs: nothing is only heuristic', () => {
  const kit = new TrackerKit();
  leg(kit, 'a', ALICE, PBX, 0);
  const d = kit.dialog('a');
  assert.deepEqual(toCorrelation(d, [], 0).heuristic_only, false);
  assert.deepEqual(correlatedLegs(d, stores(kit), 10), { legs: [], total: 0 });
});

test('on loopback an address is a host with its port', () => {
  const kit = new TrackerKit();
  const local = (user: string, port: number): Party => ({
    ...party(user, '127.0.0.1'),
    sip: { address: '127.0.0.1', port },
  });
  leg(kit, 'a', local('a', 5060), local('b', 5070), 0);
  leg(kit, 'b', local('b', 5070), local('c', 5080), 100);
  leg(kit, 'c', local('x', 6060), local('y', 6070), 100);
  assert.equal(pairOf(kit, 'a', 'b')?.strategy, 'timing_heuristic');
  assert.equal(pairOf(kit, 'a', 'c'), null);
});

/** A chain a - b - c - d by Call-ID headers, and g guessed beside c. */
function chain(): TrackerKit {
  const kit = new TrackerKit();
  leg(kit, 'a', ALICE, PBX, 0);
  leg(kit, 'b', PBX, BOB, LATER, [['X-Call-ID', 'a']]);
  leg(kit, 'c', BOB, CAROL, 2 * LATER, [['X-Call-ID', 'b']]);
  leg(kit, 'd', CAROL, FAR, 3 * LATER, [['X-Call-ID', 'c']]);
  leg(kit, 'g', BOB, FAR_TOO, 2 * LATER + 700);
  leg(kit, 'beyond', FAR_TOO, PBX, 2 * LATER + 900, [['X-Call-ID', 'g']]);
  return kit;
}

test('the tree follows identifiers, shows guesses, and does not follow them', () => {
  const kit = chain();
  const root = kit.dialog('b');
  const document = toCallTree(root, finish(callTree(root, stores(kit), 1000)));
  assertDocument('CallTree', document);
  assert.deepEqual(
    document.legs.map((l) => [l.call_id, l.depth, l.parent_call_id, l.strategy, l.identifier_match, l.followed]),
    [
      ['b', 0, null, null, null, true],
      ['a', 1, 'b', 'x_call_id', true, true],
      ['c', 1, 'b', 'x_call_id', true, true],
      ['d', 2, 'c', 'x_call_id', true, true],
      ['g', 2, 'c', 'timing_heuristic', false, false],
    ],
  );
  assert.equal(document.total_legs, 5);
  assert.equal(document.max_depth, 2);
  assert.equal(document.total_messages, 15);
  assert.equal(document.heuristic_edges, 1);
  assert.equal(document.truncated, false);
  assert.equal(document.first_activity, '2025-03-04T09:00:00.000000Z');
  assert.equal(document.last_activity, '2025-03-04T09:03:00.520000Z');
});

test('every leg of a call gives the same legs', () => {
  const kit = chain();
  const legs = ['a', 'b', 'c', 'd'].map((id) => {
    const tree = toCallTree(kit.dialog(id), finish(callTree(kit.dialog(id), stores(kit), 1000)));
    assert.equal(tree.root_call_id, id);
    return tree.legs.map((l) => l.call_id).sort();
  });
  for (const list of legs) assert.deepEqual(list, ['a', 'b', 'c', 'd', 'g']);
});

test('the row cap stops the walk, and the tree says so', () => {
  const kit = chain();
  for (const [cap, legs, truncated] of [
    [1, 1, true],
    [3, 3, true],
    [4, 4, true],
    [5, 5, false],
  ] as const) {
    const tree = finish(callTree(kit.dialog('a'), stores(kit), cap));
    assert.equal(tree.nodes.length, legs, `cap ${cap}`);
    assert.equal(tree.isTruncated, truncated, `cap ${cap}`);
  }
});

test('of many guesses the nearest are shown, all are counted, and a tree that shows some says so', () => {
  const kit = new TrackerKit();
  // Twins of one moment among them, on both sides in time.
  const offsets = [0, 3, 3, 7, 7, 7, 11, 15, 20, 20, 20, 20, 25, 29, 33, 33, 37, 41].map((n) => n * 10);
  for (const [i, atMs] of offsets.entries()) leg(kit, `guess${i}`, ALICE, i % 2 === 0 ? BOB : CAROL, atMs);
  const d = kit.dialog('guess8');
  const all = correlatedLegs(d, stores(kit), 1000);
  assert.equal(all.legs.length, offsets.length - 1);
  for (let limit = 1; limit <= offsets.length; limit++) {
    const some = correlatedLegs(d, stores(kit), limit);
    assert.deepEqual(some, { legs: all.legs.slice(0, limit), total: all.total }, `limit ${limit}`);
    const tree = finish(callTree(d, stores(kit), limit));
    assert.deepEqual(
      tree.nodes.map(({ dialog }) => dialog.callId),
      [d, ...all.legs.map(({ dialog }) => dialog)].slice(0, limit).map(({ callId }) => callId),
    );
    assert.equal(tree.isTruncated, limit < offsets.length, `limit ${limit}`);
  }
});

test('a ring of legs ends', () => {
  const kit = new TrackerKit();
  for (let i = 0; i < 4; i++) leg(kit, `ring${i}`, ALICE, PBX, i * LATER, [['X-Call-ID', `ring${(i + 1) % 4}`]]);
  assert.equal(finish(callTree(kit.dialog('ring2'), stores(kit), 1000)).nodes.length, 4);
});

test('an evicted dialog ties nothing together any more, nor does who gets its place', () => {
  const kit = new TrackerKit({ maxDialogs: 2 });
  leg(kit, 'a', ALICE, PBX, 0, [['Session-ID', A]]);
  leg(kit, 'b', PBX, BOB, LATER, [['Session-ID', A]]);
  leg(kit, 'c', PBX, BOB, 2 * LATER, [['Session-ID', B]]);
  assert.equal(kit.dialogs.get('a'), undefined);
  for (const id of ['b', 'c']) assert.equal(correlatedLegs(kit.dialog(id), stores(kit), 1000).total, 0, id);
});
