/** Identifiers that many calls share: a conference and a ring group are tied as ever, what everybody has ties nobody, and both is said. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callTree } from '../../../src/analysis/call-tree.ts';
import { commonStrategies, identifierLegs } from '../../../src/analysis/correlation.ts';
import type { CorrelationStrategy as Strategy } from '../../../src/contract/index.ts';
import { finish } from '../../../src/core/turns.ts';
import { MAX_TIED } from '../../../src/store/dialogs/identifier-index.ts';
import { TrackerKit } from '../ingest/dialogs/tracker-kit.ts';
import { A, ALICE, BOB, LATER, leg, NULL_UUID, PBX, party, SDP, stores } from './tied-calls.ts';

type Header = readonly [string, string];
type Shared = { readonly headers?: readonly Header[]; readonly sdp?: string };
/** What any number of calls may share, beside what each has of its own. */
const SHARED: readonly (readonly [Strategy, Shared])[] = [
  ['session_id', { headers: [['Session-ID', `${A};remote=${NULL_UUID}`]] }],
  ['x_call_id', { headers: [['X-Call-ID', 'the conference']] }],
  ['icid', { headers: [['P-Charging-Vector', 'icid-value=one']] }],
  ['sdp_origin', { sdp: SDP('focus 1 1 IN IP4 192.0.2.2') }],
  ['via_branch', { headers: [['Via', 'SIP/2.0/UDP 192.0.2.2;branch=z9hG4bK-one-for-all']] }],
];

/** So many calls at once, each of another phone, so that no two are of one hop. */
function conference(members: number, { headers = [], sdp }: Shared): TrackerKit {
  const kit = new TrackerKit();
  for (let i = 0; i < members; i++)
    leg(kit, `member${i}`, PBX, party(`phone${i}`, `203.0.113.${i}`), i, headers, sdp === undefined ? {} : { sdp });
  return kit;
}

for (const [strategy, shared] of SHARED)
  test(`calls of a conference or a ring group are tied by ${strategy}; what more than ${MAX_TIED} share ties none, and it is said`, () => {
    for (const members of [20, 30, MAX_TIED]) {
      const kit = conference(members, shared);
      for (const id of ['member0', 'member7', `member${members - 1}`]) {
        const legs = identifierLegs(kit.dialog(id), stores(kit));
        assert.equal(legs.length, members - 1, `${id} of ${members}`);
        assert.deepEqual([...new Set(legs.map((l) => l.strategy))], [strategy]);
        assert.deepEqual(commonStrategies(kit.dialog(id), kit.identifiers), []);
        const tree = finish(callTree(kit.dialog(id), stores(kit), 1000));
        assert.equal(tree.nodes.filter(({ isFollowed }) => isFollowed).length, members);
      }
    }
    const kit = conference(MAX_TIED + 1, shared);
    for (const id of ['member0', `member${MAX_TIED}`]) {
      assert.deepEqual(identifierLegs(kit.dialog(id), stores(kit)), []);
      assert.deepEqual(commonStrategies(kit.dialog(id), kit.identifiers), [strategy]);
    }
    const isHabit = strategy === 'sdp_origin' || strategy === 'via_branch';
    assert.equal(kit.identifiers.index.common, isHabit ? 0 : 1);
  });

test('a call that many name by its Call-ID is tied to none of them, from both ends, and both say so', () => {
  const NAMING: readonly (readonly [Strategy, Header])[] = [
    ['x_call_id', ['X-Call-ID', 'named']],
    ['replaces', ['Replaces', 'named;to-tag=1;from-tag=2']],
  ];
  for (const [strategy, header] of NAMING)
    for (const members of [MAX_TIED, MAX_TIED + 1]) {
      const kit = conference(members, { headers: [header] });
      leg(kit, 'named', ALICE, PBX, 10);
      const isTied = members <= MAX_TIED;
      for (const id of ['named', 'member3']) {
        const legs = identifierLegs(kit.dialog(id), stores(kit)).map((l) => l.dialog.callId);
        assert.equal(legs.includes(id === 'named' ? 'member3' : 'named'), isTied, `${strategy} of ${id}`);
        assert.deepEqual(commonStrategies(kit.dialog(id), kit.identifiers), isTied ? [] : [strategy]);
      }
    }
});

test('other identifiers tie a call whose common ones do not', () => {
  const kit = conference(MAX_TIED + 1, { headers: [['X-Call-ID', 'all of them']] });
  leg(kit, 'a', ALICE, PBX, 10, [
    ['X-Call-ID', 'all of them'],
    ['Session-ID', A],
  ]);
  leg(kit, 'b', PBX, BOB, LATER, [
    ['X-Call-ID', 'all of them'],
    ['Session-ID', A],
  ]);
  const legs = identifierLegs(kit.dialog('a'), stores(kit));
  assert.deepEqual(
    legs.map(({ dialog, strategy }) => [dialog.callId, strategy]),
    [['b', 'session_id']],
  );
  assert.deepEqual(commonStrategies(kit.dialog('a'), kit.identifiers), ['x_call_id']);
});
