/** Durations of a call: anchored on the INVITE that was answered, rounded half up, the first occurrence wins (RFC 6076). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inviteOf, scriptOf } from '../../../fixtures/build/calls-setup.ts';
import type { SipScript } from '../../../fixtures/build/sip-call.ts';
import type { CallTiming } from '../../../src/store/call-timing.ts';
import { callTiming } from '../../../src/store/call-timing.ts';
import { TrackerKit } from './tracker-kit.ts';

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
