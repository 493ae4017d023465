/** Two calls of a B2BUA that writes no identifier are probable legs of each other; calls that only come near in time are none. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, answer, BOB, hangUp, sdpBody } from '../../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import { CODEC, sdp } from '../../../fixtures/build/sdp.ts';
import { type Party, SipScript } from '../../../fixtures/build/sip-call.ts';
import { probableLegs } from '../../../src/analysis/probable-legs.ts';
import { finish } from '../../../src/core/turns.ts';
import { ladderSteps } from '../../../src/view/ladder.ts';
import { ladderLines } from '../../../src/view/ladder-text.ts';
import type { OpenSession } from '../../helpers/open-session.ts';
import { readCapture } from '../../helpers/read-capture.ts';

function host(user: string, address: string): Party {
  return { user, sip: { address, port: 5060 }, rtp: { address, port: 40000 } };
}

/** The same host as whom is called, and as who calls on: under the name of whoever it stands for. */
const PBX = '203.0.113.40';

type Plan = {
  readonly laterMs?: number;
  readonly headers?: readonly (readonly [string, string])[];
  readonly endMs?: number;
};

function leg(callId: string, caller: Party, callee: Party, { laterMs = 0, headers = [], endMs = 5200 }: Plan = {}) {
  const call = new SipScript({ callId, caller, callee, startUs: EPOCH_US + laterMs * 1000 });
  const body = (p: Party): string => sdp({ media: p.rtp, codecs: [CODEC.PCMU], session: `${callId}/${p.user}` });
  answer(call, call.request('INVITE', 0, { body: sdpBody(body(caller)), headers }), body(callee));
  hangUp(call, endMs);
  return call;
}

/** Of the first call: Call-IDs, scores and reasons. */
async function legsOfFirst(t: TestContext, calls: readonly SipScript[]): Promise<[string, number, string][]> {
  const capture = new Capture();
  for (const call of calls) capture.add(call.messages);
  const { session }: { session: OpenSession } = await readCapture(t, capture.pcap(), ['--api', '127.0.0.1:0']);
  const [first] = [...session.dialogs.oldestFirst()].sort((a, b) => (a.callId < b.callId ? -1 : 1));
  return probableLegs(first ?? assert.fail(), session.evidence).map(({ dialog, score, reason }) => [
    dialog.callId,
    score,
    reason,
  ]);
}

const IN = leg('a-in', ALICE, host(BOB.user, PBX));
const OUT = (plan: Plan): SipScript => leg('b-out', host(ALICE.user, PBX), BOB, plan);

test('the call that the called host begins at once, for the same number', async (t) => {
  const [found] = await legsOfFirst(t, [IN, OUT({ laterMs: 4 })]);
  assert.deepEqual(found, [
    'b-out',
    95,
    `it begins 4 ms later at ${PBX}, where this call ends; both go to ${BOB.user}; both come from ${ALICE.user}; both are answered together; both end together`,
  ]);
});

test('seen from the second leg it is the call before', async (t) => {
  const [found] = await legsOfFirst(t, [
    leg('b-in', ALICE, host(BOB.user, PBX)),
    leg('a-out', host(ALICE.user, PBX), BOB, { laterMs: 4 }),
  ]);
  assert.equal(found?.[0], 'b-in');
  assert.match(found?.[2] ?? '', new RegExp(`^it ends at ${PBX}, where this call begins 4 ms later; `));
});

test('numbers are the same however they begin', async (t) => {
  const to = (user: string): SipScript =>
    leg('b-out', host('anonymous', PBX), { ...BOB, user }, { laterMs: 300, endMs: 9000 });
  const of = (user: string) => [leg('a-in', ALICE, host('+44 1632 960123', PBX)), to(user)];
  assert.equal((await legsOfFirst(t, of('00441632960123')))[0]?.[1], 80);
  assert.deepEqual(await legsOfFirst(t, of('00441632960124')), []);
});

test('what is no probable leg', async (t) => {
  const none = async (what: string, ...calls: SipScript[]): Promise<void> =>
    assert.deepEqual(await legsOfFirst(t, calls), [], what);
  const other: Party = { ...ALICE, user: 'carol' };
  await none(
    'another number, caller, answer and end',
    IN,
    leg('b-out', host('carol', PBX), host('dave', '192.0.2.77'), { laterMs: 900, endMs: 20_000 }),
  );
  await none('two calls of one caller', IN, leg('b-out', ALICE, host(BOB.user, PBX), { laterMs: 4 }));
  await none(
    'two calls to one host',
    IN,
    leg('b-out', { ...other, sip: { address: '198.51.100.99', port: 5060 } }, host(BOB.user, PBX), { laterMs: 4 }),
  );
  await none('it began before', IN, leg('b-out', host(ALICE.user, PBX), BOB, { laterMs: -4 }));
  await none('three seconds later', IN, OUT({ laterMs: 3_000 }));
  const tied = [['X-Call-ID', 'a-in']] as const;
  await none('an identifier ties it', IN, OUT({ laterMs: 4, headers: tied }));
  const third = leg('c-other', host(ALICE.user, PBX), host(BOB.user, '198.51.100.78'), {
    laterMs: 8,
    headers: [['X-Call-ID', 'b-out']],
  });
  await none('an identifier ties it to a third call', IN, OUT({ laterMs: 4 }), third);
});

test('a ladder with legs draws it apart, and a ladder alone does not look for it', async (t) => {
  const capture = new Capture();
  for (const call of [IN, OUT({ laterMs: 4 })]) capture.add(call.messages);
  const { session } = await readCapture(t, capture.pcap(), ['--api', '127.0.0.1:0']);
  const all = [...session.dialogs.oldestFirst()];
  const ladder = finish(ladderSteps(session.evidence, all));
  assert.deepEqual(
    ladder.probable_legs?.map(({ call_id, score }) => [call_id, score]),
    [['b-out', 95]],
  );
  const lines = [...ladderLines(ladder, { width: 130, color: false, isUtc: true })];
  assert.ok(lines.some((line) => /^ {2}A0 .*INVITE/.test(line)));
  assert.ok(lines.some((line) => /^ B\?0 .*INVITE/.test(line)));
  assert.match(lines.at(-1) ?? '', /^B\? b-out {2}probably another leg \(95 of 100\): it begins 4 ms later/);
  assert.equal(finish(ladderSteps(session.evidence, all.slice(0, 1))).probable_legs, undefined);
});
