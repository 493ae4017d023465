/** Two calls of one B2BUA are labelled, two calls that only share a host or come of a transfer are not. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, answer, BOB, hangUp, sdpBody } from '../../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import { CODEC, sdp } from '../../../fixtures/build/sdp.ts';
import { type Party, SipScript } from '../../../fixtures/build/sip-call.ts';
import { finish } from '../../../src/core/turns.ts';
import { reportSteps } from '../../../src/view/report-input.ts';
import { dialogDocument } from '../../helpers/at-once.ts';
import type { OpenSession } from '../../helpers/open-session.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const MIDDLE: Party = {
  user: 'pbx',
  sip: { address: '203.0.113.40', port: 5060 },
  rtp: { address: '203.0.113.40', port: 40000 },
};
const CAROL: Party = { ...BOB, user: 'carol', sip: { address: '198.51.100.77', port: 5060 } };

function leg(callId: string, caller: Party, callee: Party, headers: readonly (readonly [string, string])[]): SipScript {
  const call = new SipScript({ callId, caller, callee, startUs: EPOCH_US });
  const body = (p: Party): string => sdp({ media: p.rtp, codecs: [CODEC.PCMU], session: `${callId}/${p.user}` });
  answer(call, call.request('INVITE', 0, { body: sdpBody(body(caller)), headers }), body(callee));
  hangUp(call, 5200);
  return call;
}

const SERVED = ['--api', '127.0.0.1:0'];

async function sessionOf(t: TestContext, legs: readonly SipScript[], argv: readonly string[]): Promise<OpenSession> {
  const capture = new Capture();
  for (const call of legs) capture.add(call.messages);
  return (await readCapture(t, capture.pcap(), argv)).session;
}

/** Tags of every dialog, in order; calls are tied together where something shows it. */
async function tagsOf(t: TestContext, legs: readonly SipScript[], argv = SERVED): Promise<(readonly string[])[]> {
  const session = await sessionOf(t, legs, argv);
  return [...session.dialogs.oldestFirst()].map((d) => dialogDocument(session.evidence, d).tags ?? []);
}

test('two legs of one host that share an identifier', async (t) => {
  const first = leg('first@example.com', ALICE, MIDDLE, []);
  const second = leg('second@example.com', MIDDLE, BOB, [['X-Call-ID', 'first@example.com']]);
  for (const argv of [SERVED, ['--json'], ['--call-report', 'first@example.com']])
    assert.deepEqual(await tagsOf(t, [first, second], argv), [['b2bua'], ['b2bua']]);
});

/** A leg whose sender wrote tags and branches of its own, `laterMs` behind the other one. */
function rewritten(call: SipScript, laterMs: number): SipScript {
  call.messages.forEach((m, i) => {
    const text = Buffer.from(m.bytes)
      .toString('latin1')
      .replace(/(;tag=|z9hG4bK)/g, '$1own');
    call.messages[i] = { ...m, tsUs: m.tsUs + laterMs * 1000, bytes: Buffer.from(text, 'latin1') };
  });
  return call;
}

test('two legs under one Call-ID: no fork, whichever is answered first', async (t) => {
  for (const laterMs of [-3, 3]) {
    const first = leg('kept@example.com', ALICE, MIDDLE, []);
    const second = rewritten(leg('kept@example.com', MIDDLE, BOB, []), laterMs);
    assert.deepEqual(await tagsOf(t, [first, second]), [['b2bua']]);
  }
});

test('under one Call-ID: a fork of one leg is one, and so is that of a proxy', async (t) => {
  const callId = 'kept@example.com';
  const forked = (headers: readonly (readonly [string, string])[]): SipScript => {
    const call = new SipScript({ callId, caller: ALICE, callee: MIDDLE, startUs: EPOCH_US });
    const invite = call.request('INVITE', 0, { headers });
    call.respond(invite, 180, 100, { tag: 'desk' });
    call.respond(invite, 180, 200, { tag: 'mobile' });
    return call;
  };
  assert.deepEqual(await tagsOf(t, [forked([]), rewritten(leg(callId, MIDDLE, BOB, []), 3)]), [['forked', 'b2bua']]);
  const behind = forked([['X-Hop', '2']]);
  behind.messages.forEach((m, i) => {
    const [src, dst] = m.src.address === ALICE.sip.address ? [MIDDLE.sip, BOB.sip] : [BOB.sip, MIDDLE.sip];
    const text = Buffer.from(m.bytes).toString('latin1').replace('z9hG4bK', 'z9hG4bKproxy');
    behind.messages[i] = { ...m, src, dst, tsUs: m.tsUs + 1, bytes: Buffer.from(text, 'latin1') };
  });
  assert.deepEqual(await tagsOf(t, [forked([]), behind]), [['forked']]);
});

test('a caller that changes its tag when it is challenged has no other leg', async (t) => {
  const callId = 'retry@example.com';
  const call = new SipScript({ callId, caller: ALICE, callee: MIDDLE, startUs: EPOCH_US });
  const challenged = call.request('INVITE', 0);
  call.respond(challenged, 407, 20);
  call.ack(challenged, 407, 30);
  const again = rewritten(leg(callId, ALICE, MIDDLE, []), 100);
  const onward = rewritten(leg(callId, MIDDLE, BOB, []), 101);
  assert.deepEqual(await tagsOf(t, [call, again]), [[]]);
  assert.deepEqual(await tagsOf(t, [call, again, onward]), [['relayed']], 'what challenged it sent it on');
});

test('the call report names the other leg', async (t) => {
  const first = leg('first@example.com', ALICE, MIDDLE, []);
  const second = leg('second@example.com', MIDDLE, BOB, [['X-Call-ID', 'first@example.com']]);
  const session = await sessionOf(t, [first, second], ['--call-report', 'first@example.com']);
  const legs = [...session.dialogs.oldestFirst()].map((d) =>
    finish(reportSteps(session.evidence, d))
      .facts.filter(([name]) => name === 'Other leg')
      .map(([, text]) => text),
  );
  assert.deepEqual(legs, [['second@example.com (by x_call_id)'], ['first@example.com (by x_call_id)']]);
});

test('calls without an identifier, or of other hosts, are not', async (t) => {
  const first = leg('first@example.com', ALICE, MIDDLE, []);
  assert.deepEqual(await tagsOf(t, [first, leg('second@example.com', MIDDLE, BOB, [])]), [[], []]);
  const elsewhere = leg('third@example.com', CAROL, BOB, [['X-Call-ID', 'first@example.com']]);
  assert.deepEqual(await tagsOf(t, [first, elsewhere]), [[], []]);
});

test('a call that begins with a response in this capture began where its request came from', async (t) => {
  const shared = [['X-Call-ID', 'first@example.com']] as const;
  const first = leg('first@example.com', ALICE, MIDDLE, []);
  const second = leg('second@example.com', ALICE, MIDDLE, shared);
  first.messages.shift();
  assert.deepEqual(await tagsOf(t, [first, second]), [[], []]);
});
