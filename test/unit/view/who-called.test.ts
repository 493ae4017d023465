/** A call whose response was captured before its request, or alone: every view names the same caller and callee. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, answer, BOB, hangUp } from '../../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import type { SipMessage } from '../../../fixtures/build/sip-call.ts';
import { SipScript } from '../../../fixtures/build/sip-call.ts';
import { columnsOf } from '../../../src/actions/ship/call-lines.ts';
import { NO_OPENING } from '../../../src/analysis/opening.ts';
import { finish } from '../../../src/core/turns.ts';
import { chosenSteps } from '../../../src/explore/chosen.ts';
import { openingHop } from '../../../src/export/sipp-hop.ts';
import { parseFilter } from '../../../src/query/parse.ts';
import { toCall } from '../../../src/view/call.ts';
import { compareSteps } from '../../../src/view/compare.ts';
import { ladderSteps } from '../../../src/view/ladder.ts';
import { dialogFacts, saidOf } from '../../helpers/at-once.ts';
import type { OpenSession } from '../../helpers/open-session.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const CALLER = ALICE.sip.address;
const CALLEE = BOB.sip.address;

/** The call with these messages first, the earliest of the call. */
function call(callId: string, first: readonly number[], left: readonly number[] = []): SipMessage[] {
  const c = new SipScript({ callId, caller: { ...ALICE, agent: 'phone/1' }, callee: BOB, startUs: EPOCH_US });
  answer(c, c.request('INVITE', 0), 'v=0\r\n');
  hangUp(c, 5000);
  const early = first.map((n, i) => ({ ...(c.messages[n] ?? assert.fail()), tsUs: EPOCH_US - 200 + i * 10 }));
  return [...early, ...c.messages.filter((_, i) => !first.includes(i) && !left.includes(i))];
}

const CALLS = {
  usual: call('usual', []),
  trying: call('trying', [1]),
  ringing: call('ringing', [1, 2]),
  answered: call('answered', [3]),
  late: call('late', [], [0, 1]),
};
const NAMES = Object.keys(CALLS);

async function sessionOf(t: TestContext): Promise<OpenSession> {
  const capture = new Capture().add(Object.values(CALLS).flat());
  return (await readCapture(t, capture.pcap(), ['--trunk', `${CALLER}=home`, '--trunk', `${CALLEE}=carrier`])).session;
}

function found({ evidence }: OpenSession, filter: string): string[] {
  const parsed = parseFilter(filter, { isUtc: true });
  assert.ok(parsed.ok, filter);
  const question = { filter: parsed.filter, sort: { by: 'created', isDescending: false } } as const;
  const chosen = finish(chosenSteps(evidence, question));
  return chosen.dialogs.map((d) => d.callId).sort();
}

test('row, document, ladder, scenarios and shipped columns', async (t) => {
  const { evidence: e, dialogs, log } = await sessionOf(t);
  for (const name of NAMES) {
    const d = dialogs.get(name) ?? assert.fail(name);
    const { src, dst, transport, user_agent } = toCall(e, d);
    assert.deepEqual([src, dst, transport], [`${CALLER}:5060`, `${CALLEE}:5060`, 'UDP'], name);
    // Of a call without a request that opened it nobody knows what sent it.
    assert.equal(user_agent, name === 'late' ? undefined : 'phone/1', name);
    const { lifelines, steps } = finish(ladderSteps(e, [d]));
    assert.deepEqual(
      lifelines.map(({ address }) => address),
      [CALLER, CALLEE],
      name,
    );
    assert.deepEqual([steps.at(-1)?.from, steps.at(-1)?.to], [1, 0], name);
    const facts = dialogFacts(e, d);
    const call = { e, d, facts, findings: [], streams: [], opening: NO_OPENING, said: saidOf(e, d) };
    const columns: Record<string, unknown> = Object.fromEntries(columnsOf(call));
    assert.deepEqual([columns['src'], columns['dst']], [`${CALLER}:5060`, `${CALLEE}:5060`], name);
    assert.deepEqual([columns['trunk_in'], columns['trunk_out']], ['home', 'carrier'], name);
    const hop = finish(openingHop(d, log));
    assert.deepEqual([hop?.caller.host, hop?.callee.host], [CALLER, CALLEE], name);
  }
});

test('filters find all of them', async (t) => {
  const session = await sessionOf(t);
  const all = [...NAMES].sort();
  for (const filter of [`src:${CALLER}`, `dst:${CALLEE}`, `src:${CALLER} dst:${CALLEE}`, 'src:192.0.2.0/24'])
    assert.deepEqual(found(session, filter), all, filter);
  for (const filter of [`src:${CALLEE}`, `dst:${CALLER}`]) assert.deepEqual(found(session, filter), [], filter);
});

test('calls are compared by their requests', async (t) => {
  const { evidence, dialogs } = await sessionOf(t);
  const [usual, trying] = ['usual', 'trying'].map((name) => dialogs.get(name) ?? assert.fail());
  assert.ok(usual !== undefined && trying !== undefined);
  const { rows } = finish(compareSteps(evidence, [usual, trying]));
  assert.deepEqual(
    rows.filter(({ differs, group }) => differs && (group === 'headers' || group === 'call')),
    [],
  );
});
