/** Silence that the signaling explains: machines by how they are called and what they say of themselves, and transfers. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, answer, BOB, CALL_TIMES, hangUp, sdpBody } from '../../../fixtures/build/basic-call.ts';
import { scriptOf } from '../../../fixtures/build/calls-setup.ts';
import { Capture } from '../../../fixtures/build/capture.ts';
import { talk } from '../../../fixtures/build/case-kit.ts';
import { CODEC, sdp } from '../../../fixtures/build/sdp.ts';
import type { Party, SipScript } from '../../../fixtures/build/sip-call.ts';
import { messagesOf } from '../../../src/analysis/call-messages.ts';
import { machinesOf } from '../../../src/analysis/media/meant-silence.ts';
import type { Diagnosis } from '../../../src/contract/index.ts';
import { dialogDocument } from '../../helpers/at-once.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const ANSWERED_MS = CALL_TIMES.answer + 20;

type Talk = { readonly from: Party; readonly to: Party; readonly fromMs?: number; readonly count: number };

async function diagnosed(t: TestContext, call: SipScript, talks: readonly Talk[]): Promise<Diagnosis> {
  const capture = new Capture().add(call.messages);
  for (const { from, to, fromMs = ANSWERED_MS, count } of talks)
    capture.add(talk(call, from, to, { fromMs, count }).datagrams);
  const { session } = await readCapture(t, capture.pcap());
  return dialogDocument(session.evidence, session.dialogs.get(call.callId) ?? assert.fail()).diagnosis;
}

function callTo(callee: Party, name: string, contact?: string): SipScript {
  const call = scriptOf(name, ALICE, callee);
  const body = (side: Party) => sdp({ media: side.rtp, codecs: [CODEC.PCMU], session: `${name}/${side.user}` });
  const invite = call.request('INVITE', 0, { body: sdpBody(body(ALICE)) });
  if (contact === undefined) answer(call, invite, body(callee));
  else {
    call.respond(invite, 200, CALL_TIMES.answer, { body: sdpBody(body(callee)), headers: [['Contact', contact]] });
    call.ack(invite, 200, CALL_TIMES.answer + 5);
  }
  hangUp(call, 30_000);
  return call;
}

const called = (user: string): Party => ({ ...BOB, user });
const RECORDED_MS = 27_000;
const recording: readonly Talk[] = [
  { from: BOB, to: ALICE, count: 15 },
  { from: ALICE, to: BOB, count: RECORDED_MS / 20 },
];

test('a beep of 0.3 s and a recording: both readings where nothing tells, none where the call went to a mailbox', async (t) => {
  for (const user of ['bob', 'vmiller', 'recordon', '*970']) {
    const found = await diagnosed(t, callTo(called(user), `plain-${user}`), recording);
    assert.equal(found.one_way_audio, false, user);
    assert.match(
      found.hints.join('\n'),
      /media stopped .* sent on: a recording or announcement, or lost media\./,
      user,
    );
  }
  for (const user of ['*97', 'voicemail', 'vm-2001', 'VoiceMail_2001', 'mailbox.7']) {
    const found = await diagnosed(t, callTo(called(user), `mailbox-${user}`), recording);
    assert.equal(found.one_way_audio, false, user);
    assert.match(found.hints.join('\n'), /media stopped, which a mailbox explains\./, user);
    assert.doesNotMatch(found.hints.join('\n'), /lost media/, user);
  }
});

test('a machine that says so in its Contact is silent on purpose; who calls it and sends nothing is not', async (t) => {
  for (const [contact, what] of [
    ['<sip:m@198.51.100.20>;automata', 'a machine'],
    ['<sip:m@198.51.100.20>;audio;+sip.srs', 'a recorder'],
  ] as const) {
    const only = [{ from: ALICE, to: BOB, count: 500 }];
    const silent = await diagnosed(t, callTo(BOB, `silent ${what}`, contact), only);
    assert.equal(silent.one_way_audio, false);
    assert.match(silent.hints.join('\n'), new RegExp(`for [\\d.]+ s, which ${what} explains\\.`));
    const unheard = await diagnosed(t, callTo(BOB, `unheard ${what}`, contact), [{ from: BOB, to: ALICE, count: 500 }]);
    assert.equal(unheard.one_way_audio, true);
  }
  const person = await diagnosed(t, callTo(BOB, 'person', '<sip:m@198.51.100.20>;audio'), [
    { from: ALICE, to: BOB, count: 500 },
  ]);
  assert.equal(person.one_way_audio, true);
});

test('an announcement speaks to who says nothing', async (t) => {
  const found = await diagnosed(t, callTo(called('annc'), 'announcement'), [{ from: BOB, to: ALICE, count: 500 }]);
  assert.equal(found.one_way_audio, false);
  assert.match(found.hints.join('\n'), /which an announcement explains/);
});

test('URIs of media services and of diverted calls name the machine', async (t) => {
  for (const [uri, machine] of [
    ['sip:annc@ms.example;play=file://a.wav', 'an announcement'],
    ['sip:x@ms.example;play=http://a/b.wav', 'an announcement'],
    ['sip:dialog@ms.example;voicexml=http://a/b.vxml', 'a machine'],
    ['sip:um@example.com;target=sip:bob%40example.com;cause=486', 'a mailbox'],
    ['sip:bob@example.com;cause=486', null],
    ['sip:bob@voicemail.example.com', 'a mailbox'],
    ['sip:bob@vm.example.com', null],
    ['sip:rec@example.com', null],
    ['sip:bob@example.com', null],
    ['sip:broken', null],
  ] as const) {
    const call = scriptOf('uri');
    call.request('INVITE', 0, { uri });
    const { session } = await readCapture(t, new Capture().add(call.messages).pcap());
    const d = session.dialogs.get(call.callId) ?? assert.fail();
    const found = machinesOf(messagesOf(d, session.evidence.stores.log));
    assert.deepEqual(found, machine === null ? [] : [{ side: 1, machine }], uri);
  }
});

/** The caller sends the callee to somebody else after 5 s, and stays until the end. */
function transferred(name: string, status: number, outcome?: string): SipScript {
  const call = callTo(BOB, name);
  const refer = call.request('REFER', 7_200, { headers: [['Refer-To', '<sip:carol@example.com>']] });
  call.respond(refer, status, 7_210);
  if (outcome !== undefined) {
    const text = `${outcome}\r\n`;
    const notify = call.request('NOTIFY', 9_000, {
      by: 'callee',
      headers: [['Event', 'refer']],
      body: { type: 'message/sipfrag', text },
    });
    call.respond(notify, 200, 9_010);
  }
  return call;
}

test('media that stops as a transfer is accepted has not stopped; one that is refused or fails explains nothing', async (t) => {
  const untilThen: readonly Talk[] = [
    { from: ALICE, to: BOB, count: 250 },
    { from: BOB, to: ALICE, count: 250 },
  ];
  for (const [name, status, outcome, isStopped] of [
    ['accepted', 202, undefined, false],
    ['going', 202, 'SIP/2.0 100 Trying', false],
    ['done', 202, 'SIP/2.0 200 OK', false],
    ['refused', 603, undefined, true],
    ['failed', 202, 'SIP/2.0 486 Busy Here', true],
  ] as const) {
    const found = await diagnosed(t, transferred(name, status, outcome), untilThen);
    assert.equal(
      /media (?:stopped|did not come back)/.test(found.hints.join('\n')),
      isStopped,
      `${name}: ${found.hints.join()}`,
    );
  }
});
