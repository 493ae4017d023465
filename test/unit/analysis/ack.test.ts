/** An answer that goes on being sent was acknowledged by nobody, wherever an ACK went; one that stops was. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inviteOf, scriptOf } from '../../../fixtures/build/calls-setup.ts';
import type { Endpoint } from '../../../fixtures/build/packet.ts';
import type { SipMessage, SipRequest, SipScript } from '../../../fixtures/build/sip-call.ts';
import type { SignalingFindings } from '../../../src/analysis/signaling/diagnose.ts';
import { THRESHOLDS } from '../../../src/core/thresholds.ts';
import type { Packet } from '../../../src/sources/packet.ts';
import { signalingOf } from '../../helpers/judged.ts';
import { TrackerKit } from '../ingest/dialogs/tracker-kit.ts';

const at = (address: string, port = 5060): Endpoint => ({ address, port });
const PRIVATE = at('192.168.9.9');
/** When a 2xx is sent again (RFC 3261 section 13.3.1.4): T1 doubled up to T2. */
const TIMES = [500, 1500, 3500, 7500, 11_500, 15_500];

type Send = (kit: TrackerKit, m: SipMessage) => void;

/** What is found where each message comes by as `send` has it. */
function found(build: (call: SipScript) => void, send: Send = (kit, m) => void kit.send(m)): SignalingFindings | null {
  const call = scriptOf('ack');
  build(call);
  const kit = new TrackerKit();
  const sent = call.messages.toSorted((a, b) => a.tsUs - b.tsUs);
  for (const m of sent) send(kit, m);
  const nowUs = sent.at(-1)?.tsUs ?? 0;
  return signalingOf(kit.dialog(call.callId), kit.log, { nowUs, thresholds: THRESHOLDS, icmp: [] });
}

/** An answer that is sent `copies` times more; each draws an ACK `ackMs` after it. */
function answered(copies: number, o: { ackMs?: number; times?: readonly number[]; acks?: number } = {}) {
  const { ackMs = 30, times = TIMES, acks = Number.POSITIVE_INFINITY } = o;
  return (call: SipScript): void => {
    const invite = inviteOf(call, 'ack');
    repeated(call, invite, 100, times.slice(0, copies), ackMs, acks);
  };
}

function repeated(
  call: SipScript,
  invite: SipRequest,
  atMs: number,
  times: readonly number[],
  ackMs: number,
  acks = Number.POSITIVE_INFINITY,
): void {
  const ok = call.respond(invite, 200, atMs);
  for (const ms of times) call.repeat(ok, atMs + ms);
  const ack = call.ack(invite, 200, atMs + ackMs);
  for (const ms of times.slice(0, acks - 1)) call.repeat(ack, atMs + ms + ackMs);
}

/** The ACK goes there, as the Contact said. */
const acksTo =
  (to: Endpoint, over: Partial<Packet> = {}): Send =>
  (kit, m) =>
    void kit.send(m.method === 'ACK' ? { ...m, dst: to } : m, over);

const missing = (f: SignalingFindings | null): number | null => f?.ackMissing?.answerTransmissions ?? null;

test('an ACK with the To tag of another response fits no answer, and one of another answer says nothing', () => {
  const tagged = (tag: string) =>
    found((call) => {
      const invite = inviteOf(call, 'ack');
      call.respond(invite, 180, 50, { tag: 'rings' });
      const ok = call.respond(invite, 200, 100);
      call.ack(invite, 200, 130, { tag });
      for (const ms of TIMES) call.repeat(ok, 100 + ms);
    });
  assert.equal(tagged('rings')?.ackMissing?.misfit, 'the To tag of the 180, which is another one than the answer has');
  assert.match(
    tagged('rings')?.hints[0]?.text ?? '',
    /^The answer was sent 7 times, and no ACK fits it: those that came have the To tag of the 180, which is another one/,
  );
  assert.match(tagged('nobodys')?.hints[0]?.text ?? '', /those that came have a To tag that no response has\.$/);
});

test('an ACK that goes elsewhere acknowledges nothing where the answer is sent on and on', () => {
  const call = found(answered(5), acksTo(PRIVATE));
  assert.deepEqual(call?.ackMissing, {
    waitedSec: 11.53,
    answerTransmissions: 6,
    strayedTo: '192.168.9.9:5060',
    misfit: null,
    evidence: [1, 2, 3, 5, 7, 9, 11],
  });
  assert.deepEqual(
    call?.hints.map(({ text }) => text),
    [
      'The answer was sent 6 times in spite of an ACK: that went to 192.168.9.9:5060, where the answer did not come from.',
    ],
  );
  const elsewhere: Readonly<Record<string, Endpoint>> = {
    'carrier-grade NAT': at('100.64.3.4'),
    'another public address': at('198.51.100.200'),
    'another port of the host that answered': at('198.51.100.20', 5080),
    'the sender itself': at('192.0.2.10', 5070),
  };
  for (const [name, to] of Object.entries(elsewhere)) assert.equal(missing(found(answered(5), acksTo(to))), 6, name);
  assert.equal(missing(found(answered(3), acksTo(PRIVATE))), 4, 'the caller hung up early');
  assert.equal(missing(found(answered(5, { acks: 1 }), acksTo(PRIVATE))), 6, 'one ACK alone');
});

test('likewise the answer to a re-INVITE, and one that a proxy passed on from a phone behind NAT', () => {
  const isOfSecond = (m: SipMessage): boolean => Buffer.from(m.bytes).includes('CSeq: 2 ACK');
  const later = found(
    (call) => {
      repeated(call, inviteOf(call, 'ack'), 100, [], 30);
      repeated(call, call.request('INVITE', 5000), 5100, TIMES, 30);
    },
    (kit, m) => void kit.send(isOfSecond(m) ? { ...m, dst: PRIVATE } : m),
  );
  assert.equal(missing(later), 7);
  const proxied: Send = (kit, m) => {
    const proxy = at('203.0.113.1');
    if (m.method === 'ACK') kit.send({ ...m, dst: PRIVATE });
    else kit.send(m.by === 'caller' ? { ...m, dst: proxy } : { ...m, src: proxy });
  };
  assert.equal(missing(found(answered(6), proxied)), 7);
});

test('an ACK past the proxy that passed the answer on arrives where the answer stops', () => {
  // One or two copies come while the ACK is on its way, or lost; a satellite takes longer.
  for (const copies of [0, 1, 2]) assert.equal(found(answered(copies), acksTo(PRIVATE)), null, `${copies} copies`);
  assert.equal(found(answered(5, { ackMs: 11_600, acks: 1 }), acksTo(PRIVATE)), null, 'the ACK came last');
  // Each frame twice from one mirror port, within a millisecond.
  const twice = [0.4, 500, 500.4, 1500, 1500.4];
  assert.equal(found(answered(5, { times: twice }), acksTo(PRIVATE)), null);
  // The same packet from two taps.
  const kitOf: Send = (kit, m) => {
    const ipId = (m.tsUs / 1000) & 0xffff;
    const to = m.method === 'ACK' ? { ...m, dst: PRIVATE } : m;
    kit.send(to, { ipId, source: 0 });
    kit.send({ ...to, tsUs: to.tsUs + 300 }, { ipId, source: 1 });
  };
  assert.equal(found(answered(2), kitOf), null);
});

test('an ACK to who sent the answer is not missing, however often that is sent', () => {
  // That it does not arrive is another finding.
  assert.equal(found(answered(6)), null);
  assert.equal(found(answered(6, { acks: 1 })), null);
  // The proxy passes each copy on, and the ACK goes past it, to who made the answer: both hops are captured.
  const proxy = at('203.0.113.1');
  const past: Send = (kit, m) => {
    if (m.method === 'ACK') kit.send(m);
    else {
      kit.send({ ...m, dst: proxy });
      kit.send({ ...m, src: proxy, tsUs: m.tsUs + 500 });
    }
  };
  assert.equal(found(answered(6), past), null);
});
