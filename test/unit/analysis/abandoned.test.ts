/**
 * A call that was canceled is abandoned, unless another branch got it; and who sent CANCEL is named. Read as a file is, with
 * what ties legs known from the start and found out later.
 */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import type { Party, SipMessage } from '../../../fixtures/build/sip-call.ts';
import { SipScript } from '../../../fixtures/build/sip-call.ts';
import { messagesOf } from '../../../src/analysis/call-messages.ts';
import { whoHungUp } from '../../../src/analysis/hangup.ts';
import { dialogDocument } from '../../helpers/at-once.ts';
import { readCapture } from '../../helpers/read-capture.ts';
import { ALICE, BOB, CAROL, FAR, NULL_UUID, PBX, SDP, A as SESSION } from './tied-calls.ts';

type Headers = readonly (readonly [string, string])[];
type Leg = {
  readonly from: Party;
  readonly to: Party;
  readonly atMs?: number;
  readonly headers?: Headers;
  readonly sdp?: string;
  /** After the leg began; the 487 follows a CANCEL. */
  readonly cancelMs?: number;
  readonly reason?: string;
  readonly answerMs?: number;
  readonly tryingMs?: number;
};

function legOf(callId: string, o: Leg): SipScript {
  const call = new SipScript({ callId, caller: o.from, callee: o.to, startUs: EPOCH_US + (o.atMs ?? 0) * 1000 });
  const body = o.sdp === undefined ? {} : { body: { type: 'application/sdp', text: o.sdp } };
  const invite = call.request('INVITE', 0, { headers: o.headers ?? [], ...body });
  call.respond(invite, 180, o.tryingMs ?? 20);
  if (o.answerMs !== undefined) {
    call.respond(invite, 200, o.answerMs);
    call.ack(invite, 200, o.answerMs + 20);
  }
  if (o.cancelMs !== undefined) {
    const headers: Headers = o.reason === undefined ? [] : [['Reason', o.reason]];
    call.respond(call.cancel(invite, o.cancelMs, { headers }), 200, o.cancelMs + 10);
    call.respond(invite, 487, o.cancelMs + 20);
    call.ack(invite, 487, o.cancelMs + 30);
  }
  return call;
}

type Said = { readonly kind: string | null; readonly hint: string; readonly endedBy: string };

async function read(
  t: TestContext,
  messages: readonly SipMessage[],
  options: readonly string[],
): Promise<Map<string, Said>> {
  const { session } = await readCapture(t, new Capture().add(messages).pcap(), options);
  const said = new Map<string, Said>();
  for (const d of session.dialogs.oldestFirst()) {
    const found = dialogDocument(session.evidence, d).signaling_diagnosis;
    said.set(d.callId, {
      kind: found?.abandoned?.kind ?? null,
      hint: found?.hints.join('\n') ?? '',
      endedBy: whoHungUp(d, messagesOf(d, session.log))?.side ?? '',
    });
  }
  return said;
}

/** Which legs are abandoned; the same whether legs are tied as they come or when they are asked for. */
async function abandoned(t: TestContext, legs: Readonly<Record<string, Leg>>): Promise<string[]> {
  const messages = Object.entries(legs).flatMap(([callId, leg]) => legOf(callId, leg).messages);
  const found: string[][] = [];
  for (const options of [[], ['--json']]) {
    const said = await read(t, messages, options);
    found.push([...said].flatMap(([callId, { kind }]) => (kind === null ? [] : [callId])).sort());
  }
  assert.deepEqual(found[0], found[1]);
  return found[0] ?? [];
}

const ELSEWHERE: readonly string[] = [
  'SIP;cause=200;text="Call completed elsewhere"',
  'SIP ;cause=200 ;text="Call completed elsewhere"',
  'sip;cause=202',
  'Q.850;cause=26',
  'Q.850;cause=26;text="Non-selected user clearing", SIP;cause=200',
  'Preemption;cause=1, SIP;cause=200;text="x, y"',
  'SIP;text="Answered elsewhere"',
  'SIP;cause=600;text="Busy Everywhere"',
  'SIP;cause=603;text="Declined"',
];
const GAVE_UP: readonly (string | undefined)[] = [
  undefined,
  'SIP;cause=487;text="ORIGINATOR_CANCEL"',
  'SIP;cause=408;text="Request Timeout"',
  'Q.850;cause=16;text="Normal call clearing"',
  'Q.850;cause=19',
  'SIP;cause=2000',
  'X.200;cause=200',
  'SIP;cause=',
  'elsewhere',
];

test('a branch that lost says so by the Reason of its CANCEL; any other Reason is a call given up', async (t) => {
  for (const reason of ELSEWHERE)
    assert.deepEqual(await abandoned(t, { x: { from: PBX, to: BOB, cancelMs: 3000, reason } }), [], reason);
  for (const reason of GAVE_UP)
    assert.deepEqual(
      await abandoned(t, { x: { from: PBX, to: BOB, cancelMs: 3000, ...(reason === undefined ? {} : { reason }) } }),
      ['x'],
      reason,
    );
});

const SESSION_ID: Headers = [['Session-ID', `${SESSION};remote=${NULL_UUID}`]];
const OF_CALLER: Headers = [['X-Call-ID', 'caller']];
const caller = (o: Partial<Leg>): Leg => ({ from: ALICE, to: PBX, headers: SESSION_ID, ...o });
const phone = (to: Party, o: Partial<Leg>): Leg => ({ from: PBX, to, atMs: 10, headers: SESSION_ID, ...o });

test('another branch of the same call was answered: the one that was canceled then is no finding', async (t) => {
  const ring = (headers: Headers, o: Partial<Leg> = {}): Record<string, Leg> => ({
    caller: caller({ answerMs: 2020, headers: headers === SESSION_ID ? headers : [] }),
    winner: phone(BOB, { answerMs: 2000, headers }),
    loser: phone(CAROL, { cancelMs: 2005, headers, ...o }),
  });
  assert.deepEqual(await abandoned(t, ring(SESSION_ID)), []);
  assert.deepEqual(await abandoned(t, ring(OF_CALLER)), [], 'the winner, by the Call-ID that both carry');
  // A phone that answers 100 late gets its CANCEL then (RFC 3261 section 9.1).
  assert.deepEqual(await abandoned(t, ring(SESSION_ID, { tryingMs: 7000, cancelMs: 7010 })), []);
  // The winner is not captured: the caller's own leg was answered first.
  const { winner: _, ...unseen } = ring(SESSION_ID, { cancelMs: 2030 });
  assert.deepEqual(await abandoned(t, unseen), []);
});

test('legs that nothing ties, or that were answered at another time, prove nothing', async (t) => {
  const pair = (winner: Partial<Leg>, loser: Partial<Leg>): Record<string, Leg> => ({
    winner: phone(BOB, winner),
    loser: phone(CAROL, loser),
  });
  const other: Headers = [['Session-ID', `${'c'.repeat(32)};remote=${NULL_UUID}`]];
  assert.deepEqual(await abandoned(t, pair({ answerMs: 2000, headers: other }, { cancelMs: 2005 })), ['loser']);
  assert.deepEqual(await abandoned(t, pair({ answerMs: 2000 }, { cancelMs: 9000 })), ['loser'], 'seven seconds before');
  // A relay writes one o= line for all calls.
  const relayed = { headers: [], sdp: SDP('relay 1 1 IN IP4 192.0.2.2') };
  assert.deepEqual(await abandoned(t, pair({ answerMs: 2000, ...relayed }, { cancelMs: 2005, ...relayed })), ['loser']);
  assert.deepEqual(await abandoned(t, pair({ answerMs: 3000 }, { cancelMs: 2005 })), ['loser'], 'after it');
  // One phone for 4 s, then the next one; a voicemail that answers when the phone has been given up.
  const failover = {
    caller: caller({ answerMs: 5000 }),
    first: phone(BOB, { cancelMs: 4000 }),
    second: phone(CAROL, { atMs: 4020, answerMs: 600 }),
  };
  assert.deepEqual(await abandoned(t, failover), ['first']);
  assert.deepEqual(
    await abandoned(t, { caller: caller({ answerMs: 20_012 }), phone: phone(BOB, { cancelMs: 20_000 }) }),
    ['phone'],
  );
  // A queue answered the caller first and rang the phones then.
  const queue = { caller: caller({ answerMs: 100 }), phone: phone(BOB, { atMs: 1500, cancelMs: 400 }) };
  assert.deepEqual(await abandoned(t, queue), ['phone']);
});

test('who gives up while all phones ring has given up on every leg', async (t) => {
  const legs = {
    caller: caller({ cancelMs: 8000 }),
    one: phone(BOB, { cancelMs: 8005 }),
    two: phone(CAROL, { cancelMs: 8005 }),
  };
  assert.deepEqual(await abandoned(t, legs), ['caller', 'one', 'two']);
  // One of them had just been answered, and the CANCEL crossed it: the caller gave up all the same.
  assert.deepEqual(await abandoned(t, { ...legs, one: phone(BOB, { answerMs: 7985 }) }), ['caller']);
});

/** Messages of one Call-ID over the hops of a proxy: each as who sends it to whom, with what it says. */
function hops(
  callId: string,
  sent: readonly [number, Party, Party, string, { vias?: number; reason?: string }?][],
): SipMessage[] {
  return sent.map(([atMs, from, to, start, { vias = 1, reason } = {}]) => {
    const isRequest = !start.startsWith('SIP/2.0');
    const method = isRequest ? (start.split(' ')[0] ?? '') : 'INVITE';
    const asked = isRequest ? [from, to] : [to, from];
    const branch = `z9hG4bK-${asked.map((p) => p?.user).join('-')}`;
    const lines = [
      isRequest ? `${start} SIP/2.0` : start,
      `Via: SIP/2.0/UDP ${asked[0]?.sip.address};branch=${branch}`,
      ...Array.from({ length: vias - 1 }, (_, i) => `Via: SIP/2.0/UDP 198.51.100.77;branch=z9hG4bK-before-${i}`),
      'From: <sip:alice@example.com>;tag=1',
      `To: <sip:group@example.com>${isRequest ? '' : ';tag=2'}`,
      `Call-ID: ${callId}`,
      `CSeq: 1 ${method}`,
      ...(reason === undefined ? [] : [`Reason: ${reason}`]),
      'Content-Length: 0',
      '',
      '',
    ];
    return {
      tsUs: EPOCH_US + atMs * 1000,
      src: from.sip,
      dst: to.sip,
      bytes: Buffer.from(lines.join('\r\n')),
      by: 'caller',
      method,
      status: 0,
    };
  });
}

const PROXY = PBX;
const INVITE = 'INVITE sip:group@example.com';
const CANCEL = 'CANCEL sip:group@example.com';
const THROUGH: Parameters<typeof hops>[1] = [
  [0, ALICE, PROXY, INVITE],
  [5, PROXY, BOB, INVITE, { vias: 2 }],
  [6, PROXY, CAROL, INVITE, { vias: 2 }],
  [20, BOB, PROXY, 'SIP/2.0 180 Ringing', { vias: 2 }],
  [25, PROXY, ALICE, 'SIP/2.0 180 Ringing'],
];

test('the caller gave up only where the caller sent CANCEL', async (t) => {
  const said = async (more: Parameters<typeof hops>[1], before = THROUGH): Promise<Said> => {
    const found = await read(t, hops('proxied', [...before, ...more]), []);
    return found.get('proxied') ?? assert.fail();
  };
  const byCaller = await said([
    [8000, ALICE, PROXY, CANCEL],
    [8002, PROXY, BOB, CANCEL],
    [8003, PROXY, CAROL, CANCEL],
  ]);
  assert.deepEqual(byCaller, {
    kind: 'canceled',
    hint: 'The caller gave up after 8.0 s, before the call was answered: 192.0.2.1:5060 sent CANCEL.',
    endedBy: 'caller',
  });
  // The timer of the proxy.
  const reason = 'SIP;cause=408;text="Request Timeout"';
  const byProxy = await said([[8000, PROXY, BOB, CANCEL, { reason }]]);
  assert.equal(byProxy.kind, 'canceled');
  assert.equal(
    byProxy.hint.split('\n').at(-1),
    `CANCEL came after 8.0 s, before the call was answered: 192.0.2.2:5060 sent it (${reason}), a proxy or PBX, not the caller.`,
  );
  assert.equal(byProxy.endedBy, '');
  // The final response that it gives the caller says enough.
  for (const [status, kind] of [
    ['SIP/2.0 480 Gone', null],
    ['SIP/2.0 408 Request Timeout', null],
    ['SIP/2.0 487 Request Terminated', 'canceled'],
  ] as const) {
    const ended = await said([
      [8000, PROXY, BOB, CANCEL, { reason }],
      [8001, PROXY, ALICE, status],
    ]);
    assert.equal(ended.kind, kind, status);
  }
  // What the caller says of its CANCEL goes before what a proxy makes of it.
  const lost = await said([
    [8000, ALICE, PROXY, CANCEL, { reason: 'SIP;cause=200;text="Call completed elsewhere"' }],
    [8002, PROXY, BOB, CANCEL],
  ]);
  assert.equal(lost.kind, null);
  // One phone declined for all.
  const declined = await said([
    [2000, BOB, PROXY, 'SIP/2.0 603 Decline', { vias: 2 }],
    [2001, PROXY, CAROL, CANCEL],
    [2002, PROXY, ALICE, 'SIP/2.0 603 Decline'],
  ]);
  assert.deepEqual([declined.kind, declined.endedBy], [null, '']);
  // Only the hop behind the proxy is captured, and then not even the INVITE.
  const behind = await said([[8000, PROXY, BOB, CANCEL]], THROUGH.slice(1, 2));
  const unseen =
    /^CANCEL came after .* s, before the call was answered: 192\.0\.2\.2:5060 sent it\. Whether the caller gave up is not visible here\.$/;
  assert.match(behind.hint, unseen);
  assert.equal(behind.endedBy, 'caller', 'the side that called');
  assert.match((await said([[8000, PROXY, BOB, CANCEL]], THROUGH.slice(3, 4))).hint, unseen);
});

test('a PBX that cancels its own leg is not the caller', async (t) => {
  const legs = {
    caller: caller({}),
    phone: phone(BOB, { cancelMs: 4000 }),
    alone: { from: FAR, to: BOB, cancelMs: 4000 },
  };
  const messages = Object.entries(legs).flatMap(([callId, leg]) => legOf(callId, leg).messages);
  const said = await read(t, messages, ['--json']);
  assert.match(
    said.get('phone')?.hint ?? '',
    /^CANCEL came after 4\.0 s, .*: 192\.0\.2\.2:5060 sent it, a proxy or PBX, not the caller\.$/,
  );
  assert.match(
    said.get('alone')?.hint ?? '',
    /^The caller gave up after 4\.0 s, .*: 198\.51\.100\.1:5060 sent CANCEL\.$/,
  );
});

test('a hint has an end, whatever the Reason has', async (t) => {
  const reason = Array.from({ length: 2000 }, (_, i) => `SIP;cause=${300 + (i % 100)};text="no"`).join(', ');
  const said = await read(t, legOf('long', { from: FAR, to: BOB, cancelMs: 4000, reason }).messages, []);
  const { hint, kind } = said.get('long') ?? assert.fail();
  assert.ok(hint.length < 1000, `${hint.length} characters`);
  assert.equal(kind, 'canceled');
});
