/** A capture point that sees the requests of a call and not its responses, as on one side of two routes, finds nothing wrong. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inviteOf, scriptOf } from '../../../fixtures/build/calls-setup.ts';
import type { SipScript } from '../../../fixtures/build/sip-call.ts';
import { THRESHOLDS } from '../../../src/core/thresholds.ts';
import { signalingOf } from '../../helpers/judged.ts';
import { TrackerKit } from '../ingest/dialogs/tracker-kit.ts';

const HOUR_MS = 3_600_000;

/** Names of what is found where the responses are not seen. */
function found(build: (call: SipScript) => void, afterMs = 0): string[] {
  const call = scriptOf('requests');
  build(call);
  const kit = new TrackerKit();
  for (const m of call.messages) if (m.status === 0) kit.send(m);
  const d = kit.dialog(call.callId);
  const nowUs = d.updatedUs + afterMs * 1000;
  const f = signalingOf(d, kit.log, { nowUs, thresholds: THRESHOLDS, icmp: [] });
  return Object.entries(f ?? {}).flatMap(([name, value]) => (name === 'hints' || value === null ? [] : [name]));
}

test('an INVITE that was sent again and acknowledged was answered, and so was its BYE, as far as this tap can tell', () => {
  const talks = (byes: readonly number[]) => (call: SipScript) => {
    const invite = inviteOf(call, 'x');
    for (const ms of [500, 1500]) call.repeat(invite, ms);
    call.respond(invite, 200, 1600);
    call.ack(invite, 200, 1700);
    if (byes.length === 0) return;
    const bye = call.request('BYE', 5000);
    for (const ms of byes) call.repeat(bye, ms);
  };
  assert.deepEqual(found(talks([])), []);
  assert.deepEqual(found(talks([]), HOUR_MS), [], 'it goes on');
  assert.deepEqual(found(talks([5500, 6500])), []);
});

test('a fork that a phone answered: the others get CANCEL', () => {
  const forked = (isAnswered: boolean) => (call: SipScript) => {
    const invite = inviteOf(call, 'x');
    call.cancel(invite, 4000);
    if (isAnswered) call.respond(invite, 200, 3990);
    call.ack(invite, isAnswered ? 200 : 487, 4100);
  };
  assert.deepEqual(found(forked(true)), []);
  assert.deepEqual(found(forked(false)), ['abandoned'], 'the ACK of a 487 has the branch of its INVITE');
});

test('requests that nothing acknowledges drew no response', () => {
  const asked = (method: string) => (call: SipScript) => {
    const r = method === 'INVITE' ? inviteOf(call, 'x') : call.request(method, 0);
    for (const ms of [500, 1500, 3500]) call.repeat(r, ms);
  };
  for (const method of ['INVITE', 'OPTIONS', 'BYE', 'REGISTER'])
    assert.deepEqual(found(asked(method)), ['retransmissions'], method);
  assert.deepEqual(found(asked('INVITE'), HOUR_MS), ['retransmissions', 'abandoned']);
});
