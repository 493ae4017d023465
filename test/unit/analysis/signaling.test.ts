/**
 * Every signaling detection fires where it must, tells what it saw, and stays silent in the healthy call beside it.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basicCall } from '../../../fixtures/build/basic-call.ts';
import { CHALLENGE, credentials, inviteOf, scriptOf } from '../../../fixtures/build/calls-setup.ts';
import { EPOCH_US } from '../../../fixtures/build/capture.ts';
import type { SipMessage, SipRequest, SipScript } from '../../../fixtures/build/sip-call.ts';
import type { SignalingFindings } from '../../../src/analysis/signaling/diagnose.ts';
import { THRESHOLDS } from '../../../src/core/thresholds.ts';
import { signalingOf } from '../../helpers/judged.ts';
import { TrackerKit } from '../ingest/dialogs/tracker-kit.ts';

/** What is found in a script when the capture went on for `afterMs` behind its last message. */
function found(build: (call: SipScript) => void, afterMs = 0): SignalingFindings | null {
  const call = scriptOf('diagnosed');
  build(call);
  const kit = new TrackerKit();
  const d = kit.play(call);
  const nowUs = Math.max(...call.messages.map((m) => m.tsUs)) + afterMs * 1000;
  return signalingOf(d, kit.log, { nowUs, thresholds: THRESHOLDS, icmp: [] });
}

/** Names of what fired. */
function fired(f: SignalingFindings | null): string[] {
  if (f === null) return [];
  const names = Object.entries(f)
    .filter(([name, value]) => name !== 'hints' && value !== null)
    .map(([name]) => name);
  assert.equal(f.hints.length, names.length, 'one hint a detection');
  for (const { text } of f.hints) assert.match(text, /^[A-Z].*[^.]\.$/, 'a sentence');
  return names;
}

function withCredentials(call: SipScript, atMs: number, method = 'INVITE'): SipRequest {
  const header = method === 'REGISTER' ? 'Authorization' : 'Proxy-Authorization';
  return call.request(method, atMs, { headers: [[header, credentials('alice', 'sip:bob@example.com')]] });
}

function challenge(call: SipScript, r: SipRequest, atMs: number): void {
  call.respond(r, 407, atMs, { headers: [['Proxy-Authenticate', CHALLENGE]] });
  call.ack(r, 407, atMs + 5);
}

test('a healthy call, however long the capture goes on, has nothing', () => {
  const kit = new TrackerKit();
  const call = basicCall('healthy');
  const d = kit.play(call);
  assert.equal(signalingOf(d, kit.log, { nowUs: call.at(1e9), thresholds: THRESHOLDS, icmp: [] }), null);
});

test('final failure: the last refusal before any 2xx', () => {
  const refused = (status: number): SignalingFindings | null =>
    found((call) => {
      const invite = inviteOf(call, 'x');
      call.respond(invite, 100, 10);
      call.respond(invite, status, 50, {
        headers: [
          ['Reason', 'Q.850;cause=34;text="no circuit"'],
          ['Warning', '399 pbx "busy"'],
        ],
      });
      call.ack(invite, status, 60);
    });
  for (const status of [400, 486, 500, 603]) assert.deepEqual(fired(refused(status)), ['finalFailure'], String(status));
  assert.deepEqual(refused(503)?.finalFailure, {
    code: 503,
    reasonPhrase: 'Service Unavailable',
    reasonHeader: 'Q.850;cause=34;text="no circuit"',
    warning: '399 pbx "busy"',
    retryAfterSec: null,
    isUnanswered: false,
    evidence: [2],
  });
  for (const status of [302, 401, 407]) assert.deepEqual(fired(refused(status)), [], `${status} is none`);
  // A fork failed, another answered; a re-INVITE failed in a call that goes on.
  const forked = found((call) => {
    const invite = inviteOf(call, 'x');
    call.respond(invite, 486, 50, { tag: 'a' });
    call.respond(invite, 200, 90, { tag: 'b' });
    call.ack(invite, 200, 95);
    call.respond(call.request('INVITE', 500), 488, 510);
  });
  assert.deepEqual(fired(forked), []);
  const twice = found((call) => {
    call.respond(inviteOf(call, 'x'), 404, 50);
    call.respond(inviteOf(call, 'x', 100), 480, 150);
  });
  assert.deepEqual(twice?.finalFailure?.code, 480, 'the last one');
});

test('487 is a failure only where nobody sent CANCEL', () => {
  const ended = (cancels: boolean): string[] =>
    fired(
      found((call) => {
        const invite = inviteOf(call, 'x');
        call.respond(invite, 180, 50);
        if (cancels) call.respond(call.cancel(invite, 4000), 200, 4010);
        call.respond(invite, 487, 4020);
      }),
    );
  assert.deepEqual(ended(true), ['abandoned']);
  assert.deepEqual(ended(false), ['finalFailure']);
});

test('authentication loop: three challenges and no success', () => {
  const attempts = (n: number, success: boolean): SignalingFindings | null =>
    found((call) => {
      challenge(call, inviteOf(call, 'x'), 10);
      for (let i = 1; i < n; i++) challenge(call, withCredentials(call, i * 100), i * 100 + 10);
      if (success) {
        const invite = withCredentials(call, 5000);
        call.respond(invite, 200, 5010);
        call.ack(invite, 200, 5020);
      }
    });
  assert.deepEqual(fired(attempts(2, false)), ['finalFailure'], 'refused, and no loop');
  assert.deepEqual(fired(attempts(3, true)), []);
  assert.deepEqual(attempts(3, false)?.authLoop, { kind: 'credential_failure', challenges: 3, evidence: [1, 4, 7] });
});

test('authentication loop: nobody answers the credentials, or nobody sends any', () => {
  const dropped = found((call) => {
    challenge(call, inviteOf(call, 'x'), 10);
    const invite = withCredentials(call, 100);
    call.repeat(invite, 600);
    call.repeat(invite, 1600);
  });
  assert.equal(dropped?.authLoop?.kind, 'silent_drop');
  assert.equal(dropped?.authLoop?.challenges, 1);
  const naked = found((call) => {
    for (let i = 0; i < 3; i++) challenge(call, inviteOf(call, 'x', i * 100), i * 100 + 10);
  });
  assert.equal(naked?.authLoop?.kind, 'silent_drop');
});

test('retransmissions: three transmissions and no response at all', () => {
  const sent = (times: readonly number[], answers: boolean): SignalingFindings | null =>
    found((call) => {
      const r = call.request('OPTIONS', 0);
      for (const ms of times) call.repeat(r, ms);
      if (answers) call.respond(r, 200, 4000);
    });
  assert.deepEqual(fired(sent([500], false)), []);
  assert.deepEqual(fired(sent([500, 1500], true)), []);
  assert.deepEqual(sent([500, 1500], false)?.retransmissions, {
    method: 'OPTIONS',
    count: 2,
    spanSec: 1.5,
    icmpCause: null,
    evidence: [0, 1, 2],
  });
  // Records of a file may be in any order: the time is that of the clock, and an answer counts from the first one on.
  const backwards = (answerMs: number | null): SignalingFindings | null =>
    found((call) => {
      const r = call.request('OPTIONS', 1500);
      for (const ms of [500, 0]) call.repeat(r, ms);
      if (answerMs !== null) call.respond(r, 200, answerMs);
    });
  assert.equal(backwards(null)?.retransmissions?.spanSec, 1.5);
  assert.deepEqual(fired(backwards(700)), []);
  // A BYE nobody answers, in a call that was fine.
  const bye = found((call) => {
    const invite = inviteOf(call, 'x');
    call.respond(invite, 200, 100);
    call.ack(invite, 200, 110);
    const r = call.request('BYE', 3000);
    for (const ms of [3500, 4500, 6500]) call.repeat(r, ms);
  });
  assert.deepEqual(
    [fired(bye), bye?.retransmissions?.method, bye?.retransmissions?.count],
    [['retransmissions'], 'BYE', 3],
  );
});

test('a method that is none of the known ones is told as the wire wrote it', () => {
  const silent = found((call) => {
    const r = call.request('FOOBAR', 0);
    for (const ms of [500, 1500]) call.repeat(r, ms);
  });
  assert.equal(silent?.retransmissions?.method, 'FOOBAR');
  const refused = found((call) => {
    call.respond(call.request('FOOBAR', 0), 501, 20);
  });
  assert.match(refused?.hints[0]?.text ?? '', /^FOOBAR was refused with 501/);
});

test('missing ACK: three transmissions of the 2xx, or 32 seconds', () => {
  const answered = (repeats: number, afterMs: number, acks = false): SignalingFindings | null =>
    found((call) => {
      const invite = inviteOf(call, 'x');
      const ok = call.respond(invite, 200, 100);
      for (let i = 1; i <= repeats; i++) call.repeat(ok, 100 + i * 500);
      if (acks) call.ack(invite, 200, 5000);
    }, afterMs);
  assert.deepEqual(fired(answered(1, 1000)), []);
  assert.deepEqual(fired(answered(0, 31_900)), []);
  assert.deepEqual(answered(0, 32_000)?.ackMissing, {
    waitedSec: 32,
    answerTransmissions: 1,
    strayedTo: null,
    misfit: null,
    evidence: [1],
  });
  assert.deepEqual(answered(2, 0)?.ackMissing, {
    waitedSec: 1,
    answerTransmissions: 3,
    strayedTo: null,
    misfit: null,
    evidence: [1, 2, 3],
  });
  assert.deepEqual(fired(answered(5, 60_000, true)), []);
});

test('a capture without the requests of a call has no ACK either: only an answer that is repeated tells', () => {
  const responses = (repeats: number): SignalingFindings | null => {
    const call = scriptOf('one direction');
    const invite = inviteOf(call, 'x');
    const sent = [call.respond(invite, 180, 50), call.respond(invite, 200, 100)];
    for (let i = 1; i <= repeats; i++) call.repeat(sent[1] ?? assert.fail(), 100 + i * 500);
    const kit = new TrackerKit();
    for (const m of call.messages.slice(1)) kit.send(m);
    const d = kit.dialog(call.callId);
    return signalingOf(d, kit.log, { nowUs: call.at(1e8), thresholds: THRESHOLDS, icmp: [] });
  };
  assert.deepEqual(fired(responses(0)), []);
  assert.deepEqual(fired(responses(2)), ['ackMissing']);
});

/** The call as a capture sees it that has a proxy between its two hops. */
function foundOnTwoHops(
  build: (call: SipScript) => void,
  isSeen: (m: SipMessage, isFar: boolean) => boolean = () => true,
): SignalingFindings | null {
  const call = scriptOf('hops');
  build(call);
  const kit = new TrackerKit();
  const proxy = { address: '203.0.113.1', port: 5060 };
  for (const m of call.messages) {
    const text = Buffer.from(m.bytes).toString('latin1');
    const branch = /branch=([^;\r]*)/.exec(text)?.[1] ?? '';
    const behind = text.replace('Via: ', `Via: SIP/2.0/UDP 203.0.113.1:5060;branch=${branch}p\r\nVia: `);
    const [near, far] = m.by === 'caller' ? [text, behind] : [behind, text];
    const isUp = m.by === 'caller';
    if (isSeen(m, !isUp)) kit.send({ ...m, dst: proxy, bytes: Buffer.from(near, 'latin1') });
    if (isSeen(m, isUp)) kit.send({ ...m, src: proxy, tsUs: m.tsUs + 500, bytes: Buffer.from(far, 'latin1') });
  }
  const nowUs = call.messages.at(-1)?.tsUs ?? 0;
  return signalingOf(kit.dialog(call.callId), kit.log, { nowUs, thresholds: THRESHOLDS, icmp: [] });
}

test('what comes by on every hop is counted once', () => {
  const challenged = (times: number) => (call: SipScript) => {
    for (let i = 0; i < times; i++) challenge(call, withCredentials(call, i * 100), i * 100 + 10);
  };
  assert.deepEqual(fired(foundOnTwoHops(challenged(2))), ['finalFailure'], 'refused, and no loop');
  const loop = foundOnTwoHops(challenged(3))?.authLoop;
  assert.deepEqual([loop?.challenges, loop?.evidence.length], [3, 3]);
  const answered = (times: number) => (call: SipScript) => {
    const ok = call.respond(inviteOf(call, 'hops'), 200, 100);
    for (let i = 1; i < times; i++) call.repeat(ok, 100 + i * 500);
  };
  assert.equal(foundOnTwoHops(answered(2)), null);
  assert.equal(foundOnTwoHops(answered(3))?.ackMissing?.answerTransmissions, 3);
});

test('a fault on one hop is found whatever the other hop does', () => {
  // The proxy answers 100 to its caller and goes on asking a dead callee.
  const dead = foundOnTwoHops(
    (call) => {
      const invite = inviteOf(call, 'hops');
      call.respond(invite, 100, 5);
      for (const ms of [500, 1500, 3500]) call.repeat(invite, ms);
    },
    (m, isFar) => (m.status === 100 ? !isFar : isFar || m.tsUs < 1_000_000 + EPOCH_US),
  );
  assert.deepEqual([dead?.retransmissions?.method, dead?.retransmissions?.count], ['INVITE', 3]);
  // The ACK of the caller never gets behind the proxy.
  const answered = (times: number) => (call: SipScript) => {
    const invite = inviteOf(call, 'hops');
    const ok = call.respond(invite, 200, 100);
    call.ack(invite, 200, 110);
    for (let i = 1; i < times; i++) call.repeat(ok, 100 + i * 500);
  };
  const lost = foundOnTwoHops(answered(7), (m, isFar) => m.method !== 'ACK' || !isFar);
  assert.equal(lost?.ackMissing?.answerTransmissions, 7);
  assert.deepEqual(fired(foundOnTwoHops(answered(7))), [], 'acknowledged on both');
  assert.deepEqual(fired(foundOnTwoHops(answered(2), (m, isFar) => m.method !== 'ACK' || !isFar)), [], 'no repeat');
});

test('abandoned: canceled before an answer, or no final response for three minutes', () => {
  const canceled = found((call) => {
    const invite = inviteOf(call, 'x');
    call.respond(invite, 180, 50);
    call.cancel(invite, 2500);
  });
  assert.deepEqual(canceled?.abandoned, {
    kind: 'canceled',
    elapsedSec: 2.5,
    canceledBy: { side: 'caller', socket: '192.0.2.10:5060', reason: '' },
    evidence: [2],
  });
  const ringing = (afterMs: number, byes = false): SignalingFindings | null =>
    found((call) => {
      const invite = inviteOf(call, 'x');
      call.respond(invite, 180, 50);
      if (byes) call.respond(call.request('BYE', 1000), 200, 1010);
    }, afterMs);
  assert.deepEqual(fired(ringing(179_000)), []);
  assert.deepEqual(ringing(180_000)?.abandoned?.kind, 'no_final_response');
  // What a BYE ended was answered, whether the answer was seen or not.
  assert.deepEqual(fired(ringing(400_000, true)), []);
  // A final response of any kind came.
  assert.deepEqual(
    fired(
      found((call) => {
        challenge(call, inviteOf(call, 'x'), 10);
      }, 400_000),
    ),
    [],
  );
});

test('post-dial delay: more than 11 seconds to the first sign of progress', () => {
  const progress = (ms: number, status = 180): SignalingFindings | null =>
    found((call) => {
      const invite = inviteOf(call, 'x');
      call.respond(invite, 100, 10);
      call.respond(invite, status, ms);
      call.respond(invite, 200, ms + 1000);
      call.ack(invite, 200, ms + 1010);
    });
  assert.deepEqual(fired(progress(11_000)), []);
  assert.deepEqual(progress(11_001, 183)?.postDialDelay, {
    delaySec: 11.001,
    thresholdSec: 11,
    respondedWith: 183,
    evidence: [0, 2],
  });
});

test('registration: rejected, or granted less than asked; a removal is neither', () => {
  const registered = (asked: number, status: number, granted: number | null): SignalingFindings | null =>
    found((call) => {
      const r = call.request('REGISTER', 0, { headers: [['Expires', String(asked)]] });
      const contact = granted === null ? [] : [['Contact', `<sip:alice@192.0.2.10>;expires=${granted}`] as const];
      call.respond(r, status, 20, { headers: contact });
    });
  assert.deepEqual(fired(registered(3600, 200, 3600)), []);
  assert.deepEqual(fired(registered(60, 200, 3600)), [], 'more than asked');
  assert.deepEqual(fired(registered(0, 200, null)), []);
  assert.deepEqual(registered(3600, 200, 60)?.registrationFailure, {
    kind: 'shortened_expiry',
    code: 200,
    requestedExpirySec: 3600,
    grantedExpirySec: 60,
    lateSec: null,
    evidence: [1],
  });
  const rejected = registered(3600, 403, null);
  assert.deepEqual(fired(rejected), ['finalFailure', 'registrationFailure']);
  assert.deepEqual([rejected?.registrationFailure?.kind, rejected?.registrationFailure?.code], ['rejected', 403]);
  assert.deepEqual(fired(registered(3600, 401, null)), [], 'a challenge is no rejection');
});
