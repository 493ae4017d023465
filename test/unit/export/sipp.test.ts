/** Scenarios for SIPp from generated calls: what is replaced, what is left out, and what no captured text can do to them. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, BOB, basicCall, hangUp } from '../../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import type { SipMessage } from '../../../fixtures/build/sip-call.ts';
import { SipScript } from '../../../fixtures/build/sip-call.ts';
import { finish } from '../../../src/core/turns.ts';
import type { SippPair } from '../../../src/export/sipp.ts';
import { sippScenarios } from '../../../src/export/sipp.ts';
import { MAX_SIPP_BYTES } from '../../../src/export/sipp-side.ts';
import { readCapture } from '../../helpers/read-capture.ts';

async function result(t: TestContext, messages: readonly SipMessage[], callId: string, showSecrets = false) {
  const { session } = await readCapture(t, new Capture().add(messages).pcap());
  const d = session.dialogs.get(callId) ?? assert.fail(callId);
  return finish(sippScenarios(d, session.log, { showSecrets }));
}

async function pairOf(
  t: TestContext,
  call: { readonly messages: readonly SipMessage[]; readonly callId: string },
  showSecrets = false,
): Promise<SippPair> {
  const made = await result(t, call.messages, call.callId, showSecrets);
  assert.ok(made.ok);
  return made.value;
}

const newCall = (): SipScript =>
  new SipScript({ callId: 'one@example.com', caller: ALICE, callee: BOB, startUs: EPOCH_US });
/** The texts in CDATA. */
const sends = (scenario: string): string[] =>
  [...scenario.matchAll(/<!\[CDATA\[\n(.*?)\]\]>/gs)].map((m) => m[1] ?? '');
const steps = (scenario: string): string[] =>
  [...scenario.matchAll(/<(send|recv [^>]*|pause [^>]*)/g)].map((m) => (m[1] ?? '').replace(/\/$/, ''));

/** A call whose only message is a request with these bytes in place of `X: here`. */
async function hostile(t: TestContext, text: string, body = ''): Promise<SippPair> {
  const script = newCall();
  const content = body === '' ? {} : { body: { type: 'text/plain', text: body } };
  const options = script.request('OPTIONS', 0, { headers: [['X', 'here']], ...content });
  script.respond(options, 200, 10);
  const messages = script.messages.map((m) => ({
    ...m,
    bytes: Buffer.from(Buffer.from(m.bytes).toString('latin1').replace('X: here', text), 'latin1'),
  }));
  return pairOf(t, { messages, callId: script.callId });
}

test('both sides of a call: order, pauses up to two seconds, provisional responses that may stay away', async (t) => {
  const { uac, uas, notes } = await pairOf(t, basicCall('plain'));
  assert.deepEqual(steps(uac), [
    'send',
    ...['recv response="100" optional="true"', 'recv response="180" optional="true"', 'recv response="200" rrs="true"'],
    ...['pause milliseconds="20"', 'send', 'pause milliseconds="2000"', 'send', 'recv response="200"'],
  ]);
  assert.deepEqual(steps(uas), [
    'recv request="INVITE"',
    ...['pause milliseconds="20"', 'send', 'pause milliseconds="160"', 'send', 'pause milliseconds="2000"', 'send'],
    ...['recv request="ACK"', 'recv request="BYE"', 'pause milliseconds="30"', 'send'],
  ]);
  assert.deepEqual(notes, []);
});

test('a request: addresses, tags, branch and Call-ID are those of SIPp, all else is captured', async (t) => {
  const { uac } = await pairOf(t, basicCall('plain'));
  const [invite = '', ack = ''] = sends(uac);
  assert.deepEqual(invite.split('\n').slice(0, 8), [
    'INVITE sip:bob@example.com SIP/2.0',
    'Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch];rport',
    'Max-Forwards: 70',
    'From: "Alice" <sip:alice@example.com>;tag=[pid]a[call_number]',
    'To: <sip:bob@example.com>',
    'Call-ID: [call_id]',
    'CSeq: 1 INVITE',
    'Contact: <sip:alice@[local_ip]:[local_port]>',
  ]);
  assert.match(invite, /\nContent-Length: \[len\]\n\nv=0\no=- \d+ \d+ IN IP\[media_ip_type\] \[media_ip\]\n/);
  assert.match(invite, /\nc=IN IP\[media_ip_type\] \[media_ip\]\nt=0 0\nm=audio \[media_port\] RTP\/AVP /);
  assert.match(ack, /^ACK \[next_url\] SIP\/2\.0\n/);
  assert.match(ack, /\nTo: <sip:bob@example\.com>\[peer_tag_param\]\n/);
});

test('a response echoes what SIPp received', async (t) => {
  const { uas } = await pairOf(t, basicCall('plain'));
  const [, ringing = ''] = sends(uas);
  assert.deepEqual(ringing.split('\n').slice(0, 7), [
    'SIP/2.0 180 Ringing',
    '[last_Via:]',
    '[last_From:]',
    '[last_To:];tag=[pid]b[call_number]',
    'Call-ID: [call_id]',
    '[last_CSeq:]',
    'Contact: <sip:bob@[local_ip]:[local_port]>',
  ]);
});

test('CANCEL and ACK of a failure carry the branch of their INVITE; 487 answers the INVITE', async (t) => {
  const script = newCall();
  const invite = script.request('INVITE', 0);
  script.respond(invite, 180, 100);
  script.respond(script.cancel(invite, 500), 200, 510);
  script.respond(invite, 487, 520);
  script.ack(invite, 487, 530);
  const { uac, uas } = await pairOf(t, script);
  const branches = [...uac.matchAll(/branch=(\S+?);/g)].map((m) => m[1]);
  assert.deepEqual(branches, ['[branch]', '[branch-3]', '[branch-7]']);
  assert.ok(steps(uac).includes('recv response="180"'), 'CANCEL waits for it');
  assert.match(sends(uas)[2] ?? '', /487 .*\n\[last_Via:\]\n.*\nCSeq: 1 INVITE\n/s);
});

test('a response that comes after other requests has the Via of its own', async (t) => {
  const script = newCall();
  const invite = script.request('INVITE', 0);
  script.respond(invite, 183, 100);
  script.respond(script.request('PRACK', 110, { early: true }), 200, 120);
  script.respond(invite, 200, 500);
  const { uas } = await pairOf(t, script);
  assert.match(
    uas,
    /<recv request="INVITE"><action><ereg regexp="[^"]*Via:[^"]*" search_in="msg" assign_to="found,via1"\/>/,
  );
  assert.match(sends(uas)[2] ?? '', /200 OK\nVia:\[\$via1\]\n/);
});

test('credentials and keys are replaced, a challenge is not; shown when asked for', async (t) => {
  const script = newCall();
  const challenge = ['WWW-Authenticate', 'Digest realm="r", nonce="open", algorithm=MD5'] as const;
  const first = script.request('REGISTER', 0);
  script.respond(first, 401, 10, { headers: [challenge] });
  const secret = ['Authorization', 'Digest username="alice", realm="r", nonce="open", response="hidden"'] as const;
  const body = { type: 'application/sdp', text: 'v=0\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:hiddenkey\r\n' };
  script.respond(script.request('REGISTER', 20, { headers: [secret], body }), 200, 30);
  const { uac, uas, notes } = await pairOf(t, script);
  assert.match(sends(uas)[0] ?? '', /\nWWW-Authenticate: Digest realm="r", nonce="open", algorithm=MD5\n/);
  assert.match(sends(uac)[1] ?? '', /\n\[authentication\]\n/);
  assert.match(uac, /<recv response="401" auth="true"\/>/);
  assert.match(uac, /a=crypto:1 AES_CM_128_HMAC_SHA1_80 \\x5Bremoved\\x5D/);
  assert.ok(!uac.includes('hidden') && notes.some((note) => note.includes('credentials')));
  const shown = await pairOf(t, script, true);
  assert.match(shown.uac, /response="hidden"\n/);
  assert.match(shown.uac, /inline:hiddenkey/);
});

test('a challenge that SIPp cannot take is not answered by it', async (t) => {
  for (const value of [
    'Digest realm="r", nonce="n", algorithm=SHA-256',
    `Digest realm="r", nonce="${'n'.repeat(900)}"`,
  ]) {
    const script = newCall();
    script.respond(script.request('REGISTER', 0), 401, 10, { headers: [['WWW-Authenticate', value]] });
    const secret = ['Authorization', 'Digest username="alice", response="hidden"'] as const;
    script.respond(script.request('REGISTER', 20, { headers: [secret] }), 200, 30);
    const { uac } = await pairOf(t, script);
    assert.match(uac, /\nAuthorization: \\x5Bremoved\\x5D\n/);
  }
});

test('captured text is neither a keyword nor XML', async (t) => {
  const text =
    'X: ]]></send><nop><action><exec command="touch owned"/></action></nop>[file name=/etc/passwd] [$1] --> \\x5B';
  const { uac } = await hostile(t, text, `${text}\r\n[field0] ]]>`);
  assert.deepEqual(steps(uac), ['send', 'recv response="200"']);
  assert.match(uac, /^[\n -~]+$/);
  assert.ok(!/<(nop|action|exec)/.test(uac.replace(/<!\[CDATA\[.*?\]\]>/gs, '')));
  const keywords = [
    ...uac
      .replaceAll('<![CDATA[', '')
      .replaceAll(']]>', '')
      .matchAll(/\[([^\]]*)\]/g),
  ].map((m) => m[1]);
  assert.deepEqual(
    new Set(keywords),
    new Set(['transport', 'local_ip', 'local_port', 'branch', 'pid', 'call_number', 'call_id', 'len']),
  );
});

test('the word that leads SIPp to the method stands in the header CSeq alone', async (t) => {
  const script = newCall();
  const options = script.request('OPTIONS', 0);
  script.respond(options, 200, 10, { reason: `CSeq: 1 ${'A'.repeat(200)}` });
  const { uas, notes } = await pairOf(t, script);
  assert.match(sends(uas)[0] ?? '', /^SIP\/2\.0 200 C\?eq: 1 AAA/);
  assert.deepEqual(notes, ['1 message (1): the word CSeq before the header CSeq misleads SIPp: C?eq stands for it.']);
  assert.match(uas, /<!-- message 1, the word CSeq before [^>]*-->\n<send>/);
});

test('NUL in a header gets a mark and a note, and a comment in the scenario', async (t) => {
  const { uac, notes } = await hostile(t, 'X: a\0b');
  assert.match(uac, /\nX: a\\xE2\\x90\\x80b\n/);
  assert.ok(notes.some((note) => note.startsWith('1 message (0): NUL in a header')));
  assert.match(uac, /<!-- message 0, NUL in a header/);
});

test('headers that SIPp has to find have the form in which it looks for them', async (t) => {
  const script = newCall();
  const options = script.request('OPTIONS', 0);
  script.respond(options, 200, 10);
  const messages = script.messages.map((m) => ({
    ...m,
    bytes: Buffer.from(
      Buffer.from(m.bytes)
        .toString('latin1')
        .replace('Call-ID: one@example.com', 'cAll-id :  one@example.com  ')
        .replace(/CSeq: (.*)/, 'cseq:\t$1  ')
        .replace('To: ', 'TO\t: '),
      'latin1',
    ),
  }));
  const { uac, notes } = await pairOf(t, { messages, callId: script.callId });
  assert.match(uac, /\ncAll-id: \[call_id\]\nCSeq: 1 OPTIONS\n/);
  assert.match(uac, /\nTO: <sip:bob/);
  assert.ok(notes.some((note) => note.includes('it has its usual form')));
});

test('what SIPp cannot take is left out on both sides, and a note says so', async (t) => {
  const script = newCall();
  script.respond(script.request('OPTIONS', 0), 200, 10);
  script.respond(script.request('A'.repeat(40), 20), 200, 30);
  const { uac, uas, notes } = await pairOf(t, script);
  assert.deepEqual([steps(uac).length, steps(uas).length], [2, 3]);
  assert.deepEqual(notes, [
    '1 message (2) left out: SIPp takes no method of such a form or length.',
    '1 message (3) left out: a header that SIPp needs is missing or has no usable value.',
  ]);
});

test('a call that is larger than a scenario may be ends early, on both sides at the same message', async (t) => {
  const script = newCall();
  for (let i = 0; i < 40; i++) {
    const body = { type: 'text/plain', text: `${i} ${'\u0001'.repeat(600)}` };
    script.respond(script.request('MESSAGE', i * 100, { body }), 200, i * 100 + 10);
  }
  const { uac, uas, notes } = await pairOf(t, script);
  for (const scenario of [uac, uas]) assert.ok(scenario.length < MAX_SIPP_BYTES);
  const received = steps(uas).filter((step) => step.startsWith('recv')).length;
  assert.ok(received > 10);
  assert.equal(sends(uac).length, received);
  assert.match(notes.join(), /SIPp reads no scenario of 64 KiB or more/);
});

test('SIPp refuses a variable that is not used: none is kept for a message that had no room', async (t) => {
  const script = newCall();
  script.respond(script.request('OPTIONS', 0), 200, 10);
  script.request('MESSAGE', 20, { by: 'callee', body: { type: 'text/plain', text: '\u0001'.repeat(20_000) } });
  const { uas, notes } = await pairOf(t, script);
  assert.match(notes.join(), /64 KiB/);
  assert.ok(!uas.includes('assign_to') && !uas.includes('Reference'));
});

test('an ACK without its INVITE is left out: SIPp begins no call with it', async (t) => {
  const script = newCall();
  const invite = script.request('INVITE', 0);
  script.respond(invite, 200, 10);
  script.ack(invite, 200, 20);
  hangUp(script, 30);
  const { uac } = await pairOf(t, { messages: script.messages.slice(2), callId: script.callId });
  assert.equal(sends(uac).length, 1);
  assert.match(sends(uac)[0] ?? '', /^BYE /);
});

test('without a request there is nothing to replay', async (t) => {
  const script = newCall();
  script.respond(script.request('OPTIONS', 0), 200, 10);
  assert.deepEqual(await result(t, script.messages.slice(1), script.callId), { ok: false, reason: 'no_request' });
});
