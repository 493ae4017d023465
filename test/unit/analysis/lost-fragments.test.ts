/** Messages of which the first fragment came alone: named where the rest was lost, and not where this capture missed it. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { EPOCH_US } from '../../../fixtures/build/capture.ts';
import { fragmentsLost, lostMessageText } from '../../../src/analysis/signaling/lost-fragments.ts';
import { endpointKeyText } from '../../../src/core/ip.ts';
import { callHints } from '../../../src/view/explained.ts';
import { captureOf, healthy } from '../../golden/scenes/scene.ts';
import { dialogFacts } from '../../helpers/at-once.ts';
import type { OpenSession } from '../../helpers/open-session.ts';
import { readCapture } from '../../helpers/read-capture.ts';

/** The capture goes on with another call. */
const LATER = `
  call later C>D
  50   C>D INVITE sdp
  50.1 D>C 486
  50.2 C>D ACK`;
const CHALLENGED = `
  0    A>B INVITE
  0.02 B>A 401 challenge
  0.04 A>B ACK`;

async function read(t: TestContext, table: string, later = LATER): Promise<OpenSession> {
  const { session } = await readCapture(t, captureOf(healthy('cut', '', `${table}${later}`)));
  return session;
}

async function lost(t: TestContext, table: string, later = LATER): Promise<string[]> {
  const session = await read(t, table, later);
  return fragmentsLost(session.evidence).lost.map(lostMessageText);
}

const FAULTY: readonly (readonly [string, string, readonly string[]])[] = [
  ['an INVITE that nobody gets', '0 A>B INVITE sdp lone', ['INVITE']],
  ['one that is sent again', '0 A>B INVITE sdp lone\n0.5 A>B INVITE again lone', ['INVITE', 'INVITE']],
  ['the one with credentials is too long', `${CHALLENGED}\n0.1 A>B INVITE sdp credentials lone`, ['INVITE']],
  [
    'the answer',
    '0 A>B INVITE\n0.1 B>A 180\n2 B>A 200 sdp lone\n2.5 B>A 200 again lone',
    ['200 to INVITE', '200 to INVITE'],
  ],
  ['over IPv6', '0 E>F INVITE sdp lone', ['INVITE']],
  [
    'a copy that came whole was answered',
    '0 A>B INVITE sdp lone\n0.5 A>B INVITE again\n0.6 B>A 486\n0.62 A>B ACK',
    ['INVITE'],
  ],
];
for (const [name, table, found] of FAULTY)
  test(`lost: ${name}`, async (t) => {
    assert.deepEqual(await lost(t, table), found);
  });

const HEALTHY: readonly (readonly [string, string, string?])[] = [
  ['fragments that all come', '0 A>B INVITE sdp parts\n0.1 B>A 486\n0.2 A>B ACK'],
  [
    'the callee answers what this capture saw in part',
    '0 A>B INVITE\n0.02 B>A 401 challenge\n0.04 A>B ACK\n0.1 A>B INVITE sdp credentials lone\n0.2 B>A 180\n2 B>A 486',
  ],
  ['so does who acknowledges an answer', '0 A>B INVITE\n0.1 B>A 180\n2 B>A 200 sdp lone\n2.02 A>B ACK'],
  [
    'one that did arrive shows that the rest takes another link',
    `0 A>B INVITE sdp
    0.1 B>A 180
    2 B>A 200 sdp lone
    2.02 A>B ACK
    call other A>B
    9 B>A INVITE sdp lone`,
  ],
  [
    'the capture ends behind the first fragment',
    '0 C>D INVITE sdp\n0.2 D>C 486\n0.21 C>D ACK\n1 A>B INVITE sdp lone',
    '',
  ],
];
for (const [name, table, later] of HEALTHY)
  test(`not lost: ${name}`, async (t) => {
    assert.deepEqual(await lost(t, table, later), []);
  });

test('not lost: this capture dropped packets then', async (t) => {
  const { evidence } = await read(t, '0 A>B INVITE sdp lone');
  const { stores, capture } = evidence;
  const span = (offUs: number) => ({ fromUs: EPOCH_US + offUs, toUs: EPOCH_US + offUs + 1_000, packets: 3 });
  const judged = (offUs: number): number => {
    const quality = { ...capture.quality, dropsOf: (source: number) => (source === 0 ? [span(offUs)] : []) };
    return fragmentsLost({ stores, capture: { ...capture, quality } as typeof capture }).lost.length;
  };
  assert.deepEqual([judged(0), judged(500_000), judged(3_000_000)], [0, 0, 1]);
});

test('the report counts them and names the newest, and the call has a hint', async (t) => {
  const session = await read(t, `${CHALLENGED}\n0.1 A>B INVITE sdp credentials lone\n0.6 A>B INVITE again lone`);
  const [d] = session.dialogs.oldestFirst();
  assert.ok(d !== undefined);
  const { findings } = await session.explorer.captureReport();
  const found = findings.find(({ kind }) => kind === 'fragment_lost');
  const [first] = found?.evidence ?? [];
  assert.equal(found?.occurrences, 2);
  assert.equal(found?.severity, 'minor');
  assert.equal(first?.call_id, d.callId);
  assert.deepEqual(first?.endpoints, ['192.0.2.10:5060', '198.51.100.20:5060']);
  assert.equal(first?.note, 'INVITE');
  assert.match(
    callHints(dialogFacts(session.evidence, d)).join('\n'),
    /Only the first fragment of INVITE from 192\.0\.2\.10:5060/,
  );
  assert.equal(endpointKeyText(session.evidence.stores.lostDatagrams.newest[0]?.dst ?? 0), '198.51.100.20:5060');
});
