/** Servers that copy the tag of From into To: a final response ends the INVITE, and who did what is told by the users. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, BOB } from '../../../../fixtures/build/basic-call.ts';
import { labelHex } from '../../../../fixtures/build/bytes.ts';
import { EPOCH_US } from '../../../../fixtures/build/capture.ts';
import type { SipRequest } from '../../../../fixtures/build/sip-call.ts';
import { SipScript } from '../../../../fixtures/build/sip-call.ts';
import { messagesOf } from '../../../../src/analysis/call-messages.ts';
import { whoHungUp } from '../../../../src/analysis/hangup.ts';
import type { DialogStateName } from '../../../../src/core/words.ts';
import { DIALOG_STATES } from '../../../../src/core/words.ts';
import type { Dialog } from '../../../../src/store/dialogs/dialog.ts';
import { TrackerKit } from './tracker-kit.ts';

const CALL_ID = 'equal@example.com';
const EQUAL = { tag: labelHex(`${CALL_ID}/caller`) };

/** An INVITE, and what the script adds to it. */
function played(add: (call: SipScript, invite: SipRequest) => void): { kit: TrackerKit; d: Dialog } {
  const kit = new TrackerKit();
  const call = new SipScript({ callId: CALL_ID, caller: ALICE, callee: BOB, startUs: EPOCH_US });
  add(call, call.request('INVITE', 0));
  return { kit, d: kit.play(call) };
}

const stateOf = (d: Dialog): string | undefined => DIALOG_STATES[d.state];

test('a final response ends the INVITE', () => {
  const ends: readonly [status: number, DialogStateName][] = [
    [503, 'Failed'],
    [486, 'Failed'],
    [603, 'Failed'],
    [302, 'Redirected'],
    [200, 'InCall'],
  ];
  for (const [status, state] of ends) {
    const { d } = played((call, invite) => {
      call.respond(invite, 180, 50, EQUAL);
      call.respond(invite, status, 100, EQUAL);
      call.ack(invite, status, 120, EQUAL);
    });
    assert.deepEqual([stateOf(d), d.finalCode], [state, status]);
    assert.ok(!Number.isNaN(d.finalUs), `${status}`);
  }
});

test('a provisional response ends nothing', () => {
  for (const status of [100, 180, 183, 199]) {
    const ways = [EQUAL, { tag: 'own' }].map((tag) => {
      const { d } = played((call, invite) => call.respond(invite, status, 50, tag));
      assert.ok(Number.isNaN(d.finalUs) && Number.isNaN(d.endedUs), `${status}`);
      return stateOf(d);
    });
    assert.ok(ways[0] === ways[1] && ['Trying', 'Ringing'].includes(ways[0] ?? ''), `${status}: ${ways}`);
  }
});

test('a cancelled INVITE is cancelled, one sent again with credentials goes on', () => {
  const cancelled = played((call, invite) => {
    call.respond(call.cancel(invite, 100), 200, 110, EQUAL);
    call.respond(invite, 487, 120, EQUAL);
  });
  assert.equal(stateOf(cancelled.d), 'Canceled');
  const again = played((call, invite) => {
    call.respond(invite, 503, 100, EQUAL);
    call.respond(call.request('INVITE', 500), 200, 700, EQUAL);
  });
  assert.deepEqual([stateOf(again.d), again.d.finalCode], ['InCall', 200]);
});

/** A call that was answered with equal tags. */
function answered(add: (call: SipScript) => void): { kit: TrackerKit; d: Dialog } {
  return played((call, invite) => {
    call.respond(invite, 200, 100, EQUAL);
    call.ack(invite, 200, 120, EQUAL);
    add(call);
  });
}

test('who sends BYE ended the call', () => {
  for (const by of ['caller', 'callee'] as const) {
    const { kit, d } = answered((call) => call.respond(call.request('BYE', 5000, { by }), 200, 5010));
    assert.equal(stateOf(d), 'Completed');
    assert.equal(whoHungUp(d, messagesOf(d, kit.log))?.side, by);
  }
});

test('what is refused within the call ends nothing, whoever asked', () => {
  for (const by of ['caller', 'callee'] as const)
    for (const tag of [EQUAL.tag, 'own']) {
      const { d } = played((call, invite) => {
        call.respond(invite, 200, 100, { tag });
        call.ack(invite, 200, 120);
        call.respond(call.request('INVITE', 2000, { by }), 488, 2010);
      });
      assert.deepEqual([stateOf(d), d.finalCode], ['InCall', 200], `${by} ${tag}`);
    }
});

test('the description of each side is its own', () => {
  const body = (port: number) => ({
    type: 'application/sdp',
    text: `v=0\r\no=- ${port} 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\nm=audio ${port} RTP/AVP 0\r\n`,
  });
  const { d } = answered((call) => {
    const asked = call.request('INVITE', 2000, { by: 'callee', body: body(4000) });
    call.respond(asked, 200, 2010, { body: body(5000) });
  });
  assert.deepEqual(
    d.sdp?.map(({ isOffer, side }) => [isOffer, side]),
    [
      [true, 1],
      [false, 0],
    ],
  );
});
