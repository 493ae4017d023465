/** Durations of a call: anchored on the INVITE that was answered, rounded half up, the first occurrence wins (RFC 6076). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inviteOf, scriptOf } from '../../../../fixtures/build/calls-setup.ts';
import type { SipScript } from '../../../../fixtures/build/sip-call.ts';
import { messagesOf } from '../../../../src/analysis/call-messages.ts';
import { whoHungUp } from '../../../../src/analysis/hangup.ts';
import { MARK } from '../../../../src/store/dialogs/call-marks.ts';
import type { CallTiming } from '../../../../src/store/dialogs/call-timing.ts';
import { callTiming } from '../../../../src/store/dialogs/call-timing.ts';
import { STATE } from '../../../../src/store/dialogs/dialog-state.ts';
import { TrackerKit } from '../../ingest/dialogs/tracker-kit.ts';

const NONE: CallTiming = {
  pddMs: null,
  setupMs: null,
  ringMs: null,
  tryingDelayMs: null,
  teardownMs: null,
  durationMs: null,
};

function timed(build: (call: SipScript) => void): CallTiming {
  const call = scriptOf('timing');
  build(call);
  return callTiming(new TrackerKit().play(call));
}

test('half a millisecond rounds up, less rounds down', () => {
  for (const [ms, wanted] of [
    [0, 0],
    [0.499, 0],
    [0.5, 1],
    [1.499, 1],
    [1.5, 2],
    [999.5, 1000],
    [2180.499, 2180],
  ] as const) {
    const t = timed((call) => {
      call.respond(inviteOf(call, 'timing'), 180, ms);
    });
    assert.deepEqual(t, { ...NONE, pddMs: wanted }, `${ms} ms`);
  }
});

test('what came earlier than its begin has no duration', () => {
  const t = timed((call) => {
    const invite = inviteOf(call, 'timing');
    call.respond(invite, 180, -1);
    call.respond(invite, 200, -2);
  });
  assert.deepEqual(t, NONE);
});

test('the first 18x counts, 100 is not one, 199 is none', () => {
  const t = timed((call) => {
    const invite = inviteOf(call, 'timing');
    call.respond(invite, 100, 10);
    call.respond(invite, 199, 20);
    call.respond(invite, 183, 30);
    call.respond(invite, 180, 40);
    call.respond(invite, 100, 50);
    call.respond(invite, 200, 100);
    call.respond(invite, 200, 200);
  });
  assert.deepEqual(t, { ...NONE, tryingDelayMs: 10, pddMs: 30, setupMs: 100, ringMs: 70 });
});

test('without an 18x the delay runs to the final answer, which is no challenge', () => {
  const refused = timed((call) => {
    call.respond(inviteOf(call, 'timing'), 486, 300);
  });
  assert.deepEqual(refused, { ...NONE, pddMs: 300 });
  const challenged = timed((call) => {
    call.respond(inviteOf(call, 'timing'), 401, 30);
  });
  assert.deepEqual(challenged, NONE);
  const answered = timed((call) => {
    call.respond(inviteOf(call, 'timing'), 200, 700);
  });
  assert.deepEqual(answered, { ...NONE, pddMs: 700, setupMs: 700 });
});

test('the INVITE with credentials is the anchor; a re-INVITE is not', () => {
  const t = timed((call) => {
    const first = inviteOf(call, 'timing');
    call.respond(first, 100, 5);
    call.respond(first, 180, 8);
    call.respond(first, 407, 30);
    const second = inviteOf(call, 'timing', 1000);
    call.respond(second, 100, 1015);
    call.respond(second, 180, 1250);
    call.respond(second, 200, 3000);
    call.ack(second, 200, 3010);
    const again = call.request('INVITE', 9000);
    call.respond(again, 100, 9100);
    call.respond(again, 200, 9500);
    const bye = call.request('BYE', 10_000.4);
    call.respond(bye, 200, 10_030);
    call.respond(call.request('BYE', 11_000), 481, 11_500);
  });
  assert.deepEqual(t, { tryingDelayMs: 15, pddMs: 250, setupMs: 2000, ringMs: 1750, durationMs: 7000, teardownMs: 30 });
});

test('the branch that answered gives the ringing; one that never rang borrows the first', () => {
  const forked = (answering: string): CallTiming =>
    timed((call) => {
      const invite = inviteOf(call, 'timing');
      call.respond(invite, 180, 300, { tag: 'desk' });
      call.respond(invite, 180, 500, { tag: 'mobile' });
      call.respond(invite, 180, 700, { tag: 'mobile' });
      call.respond(invite, 200, 2000, { tag: answering });
    });
  assert.deepEqual([forked('desk').pddMs, forked('desk').ringMs], [300, 1700]);
  assert.deepEqual([forked('mobile').pddMs, forked('mobile').ringMs], [500, 1500]);
  assert.deepEqual([forked('voicemail').pddMs, forked('voicemail').ringMs], [300, 1700]);
});

test('a caller who ends a second answer goes on talking to the first', () => {
  // The script speaks to whom answered last.
  const kit = new TrackerKit();
  const call = scriptOf('two answers');
  const invite = inviteOf(call, 'two answers');
  call.respond(invite, 180, 300, { tag: 'desk' });
  call.respond(invite, 200, 2000, { tag: 'desk' });
  call.respond(invite, 200, 2100, { tag: 'mobile' });
  const surplus = call.request('BYE', 2120);
  call.respond(surplus, 200, 2140);
  const d = kit.play(call);
  assert.deepEqual([d.state, callTiming(d).durationMs, callTiming(d).teardownMs], [STATE.InCall, null, null]);
  assert.equal(d.byeFinalUs, Number.NaN, 'nor does the response to that BYE count');
  assert.notEqual(d.marks & MARK.FORKED, 0);
  const seen = call.messages.length;
  call.respond(invite, 200, 2200, { tag: 'desk' });
  call.respond(call.request('BYE', 9000), 200, 9030);
  for (const m of call.messages.slice(seen)) kit.send(m);
  assert.equal(d.state, STATE.Completed);
  assert.deepEqual([callTiming(d).durationMs, callTiming(d).teardownMs], [7000, 30]);
  assert.equal(whoHungUp(d, messagesOf(d, kit.log))?.atUs, call.at(9000));
});

test('a BYE whose tag nobody answered with ends the call: a proxy may have written tags of its own', () => {
  const kit = new TrackerKit();
  const call = scriptOf('rewritten');
  call.respond(inviteOf(call, 'rewritten'), 200, 1000, { tag: 'one' });
  const behind = scriptOf('rewritten');
  behind.respond(inviteOf(behind, 'rewritten'), 200, 1000, { tag: 'other' });
  const bye = behind.request('BYE', 5000);
  for (const m of [...call.messages, bye]) kit.send(m);
  assert.equal(kit.dialog(call.callId).state, STATE.Completed);
});

test('a capture that begins behind the INVITE knows what came after', () => {
  const kit = new TrackerKit();
  const call = scriptOf('behind');
  const invite = inviteOf(call, 'behind');
  call.respond(invite, 180, 300);
  call.respond(invite, 200, 2000);
  call.ack(invite, 200, 2020);
  call.respond(call.request('BYE', 9000), 200, 9030);
  for (const m of call.messages.slice(1)) kit.send(m);
  assert.deepEqual(callTiming(kit.dialog(call.callId)), {
    ...NONE,
    durationMs: 7000,
    teardownMs: 30,
  });
});

test('the answer to a re-INVITE is not taken for that of a call which began before the capture', () => {
  const kit = new TrackerKit();
  const call = scriptOf('amid');
  call.respond(inviteOf(call, 'amid'), 200, 1000);
  const again = call.request('INVITE', 5000);
  call.respond(again, 200, 5100);
  call.respond(call.request('BYE', 9000), 200, 9030);
  for (const m of call.messages.slice(2)) kit.send(m);
  assert.deepEqual(callTiming(kit.dialog(call.callId)), { ...NONE, teardownMs: 30 });
});

test('in whatever order the records of a call are read, its durations are the same', () => {
  const call = scriptOf('shuffled');
  const first = inviteOf(call, 'shuffled');
  call.respond(first, 407, 30);
  const invite = inviteOf(call, 'shuffled', 100);
  call.respond(invite, 100, 120);
  call.respond(invite, 183, 300);
  call.respond(invite, 180, 400);
  call.respond(invite, 200, 2000);
  const wanted = callTiming(new TrackerKit().play(call));
  assert.deepEqual(wanted, { ...NONE, tryingDelayMs: 20, pddMs: 200, setupMs: 1900, ringMs: 1700 });
  const [, , ...attempt] = call.messages;
  for (let turn = 0; turn < attempt.length; turn++)
    for (const order of [attempt, attempt.toReversed()]) {
      const kit = new TrackerKit();
      for (const m of call.messages.slice(0, 2)) kit.send(m);
      for (const m of [...order.slice(turn), ...order.slice(0, turn)]) kit.send(m);
      const d = kit.dialog(call.callId);
      assert.deepEqual(callTiming(d), wanted, `from ${turn}`);
      assert.equal(d.state, STATE.InCall);
    }
});

test('an INVITE of the other side with the same CSeq is another matter', () => {
  const kit = new TrackerKit();
  const call = scriptOf('same number');
  const invite = inviteOf(call, 'same number');
  call.respond(invite, 200, 1000);
  const own = call.request('INVITE', 3000, { by: 'callee' });
  call.respond(own, 200, 3020);
  for (const m of call.messages)
    kit.send({
      ...m,
      bytes: Buffer.from(Buffer.from(m.bytes).toString('latin1').replace(`CSeq: ${own.cseq} `, 'CSeq: 1 ')),
    });
  const d = kit.dialog(call.callId);
  assert.equal(d.marks & MARK.FORKED, 0);
  assert.deepEqual(callTiming(d), { ...NONE, pddMs: 1000, setupMs: 1000 });
});

test('the response to a BYE may be read before it', () => {
  const call = scriptOf('bye first');
  const invite = inviteOf(call, 'bye first');
  call.respond(invite, 200, 1000);
  const bye = call.request('BYE', 5000);
  const ok = call.respond(bye, 200, 5030);
  const kit = new TrackerKit();
  for (const m of [...call.messages.slice(0, 2), ok]) kit.send(m);
  const d = kit.dialog(call.callId);
  assert.equal(callTiming(d).teardownMs, null);
  kit.send(bye);
  assert.equal(callTiming(d).teardownMs, 30);
  // Another BYE than the one that was answered has no answer yet.
  const other = new TrackerKit();
  for (const m of [...call.messages.slice(0, 2), ok, call.request('BYE', 6000)]) other.send(m);
  assert.equal(callTiming(other.dialog(call.callId)).teardownMs, null);
});
