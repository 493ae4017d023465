/** Whose messages of a dialog are kept: a stranger who knows its Call-ID does not use up the room of its parties. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, hangUp, sdpBody } from '../../../../fixtures/build/basic-call.ts';
import { answerOf, offerOf, scriptOf } from '../../../../fixtures/build/calls-setup.ts';
import type { SipMessage, SipScript } from '../../../../fixtures/build/sip-call.ts';
import { DIALOGS_WITH_PARTIES, DialogParties } from '../../../../src/ingest/dialogs/dialog-parties.ts';
import { DIALOG_MESSAGES_OF_ANYBODY, MAX_DIALOG_MESSAGES } from '../../../../src/ingest/dialogs/dialog-tracker.ts';
import type { Packet } from '../../../../src/sources/packet.ts';
import { NO_ROW } from '../../../../src/store/messages/message-rows.ts';
import { CARRIER, HEP, TrackerKit } from './tracker-kit.ts';

const socket = (address: string) => ({ address, port: 5060 });
const A = { user: 'alice', sip: socket('10.1.1.1'), rtp: { address: '10.1.1.1', port: 20_000 } };
const P = { user: 'bob', sip: socket('192.0.2.2'), rtp: { address: '192.0.2.2', port: 30_000 } };
const B = socket('10.3.3.3');
const STRANGER = socket('203.0.113.9');

function answered(name: string): SipScript {
  const call = scriptOf(name, A, P);
  answer(call, call.request('INVITE', 0, { body: sdpBody(offerOf(name)) }), answerOf(name));
  return call;
}

/** `n` messages with the call's Call-ID to one of its ends, each with a branch of its own, from these addresses in turn. */
function intrude(kit: TrackerKit, call: SipScript, n: number, from: readonly string[]): void {
  const [invite] = call.messages;
  assert.ok(invite !== undefined);
  for (let i = 0; i < n; i++) {
    const text = Buffer.from(invite.bytes)
      .toString('latin1')
      .replace(/branch=\w+/, `branch=z9hG4bKx${i}`);
    const bytes = Buffer.from(
      text.replace(/\bINVITE\b/g, 'OPTIONS').replace(/CSeq: \d+/, `CSeq: ${900 + i}`),
      'latin1',
    );
    const src = socket(from[i % from.length] ?? assert.fail());
    kit.send({ ...invite, bytes, src, dst: i % 2 === 0 ? A.sip : P.sip, tsUs: invite.tsUs + 1e6 + i });
  }
}

/** The call hangs up: its last two messages, in a kit that has had the others. */
function end(kit: TrackerKit, call: SipScript): void {
  const had = call.messages.length;
  hangUp(call, 60_000);
  for (const m of call.messages.slice(had)) kit.send(m);
}

function texts(kit: TrackerKit, { callId }: SipScript): string[] {
  const out: string[] = [];
  for (let row = kit.dialog(callId).headRow; row !== NO_ROW && kit.log.has(row); row = kit.log.next(row))
    out.push(Buffer.from(kit.log.bytes(row)).toString('latin1'));
  return out;
}

function assertWhole(kit: TrackerKit, call: SipScript): void {
  const own = new Set(call.messages.map((m) => Buffer.from(m.bytes).toString('latin1')));
  const kept = texts(kit, call);
  assert.deepEqual(
    kept.filter((text) => own.has(text)),
    [...own],
    'its own messages, in order',
  );
}

const MANY = Array.from({ length: 5_000 }, (_, i) => `198.18.${i >> 8}.${i & 255}`);

for (const [who, from] of Object.entries({ 'one source': [STRANGER.address], '5,000 sources': MANY })) {
  test(`a stranger at ${who} who knows the Call-ID leaves room for the BYE and its answer`, () => {
    const kit = new TrackerKit();
    const call = answered('intruded');
    kit.play(call);
    intrude(kit, call, 5_000, from);
    end(kit, call);
    assertWhole(kit, call);
    const d = kit.dialog(call.callId);
    const own = call.messages.length;
    assert.deepEqual([d.msgCount, d.keptCount], [5_000 + own, DIALOG_MESSAGES_OF_ANYBODY + 2]);
    assert.equal(kit.tracker.counts.ofOutsiders, 5_000 + own - DIALOG_MESSAGES_OF_ANYBODY - 2);
    assert.equal(kit.tracker.counts.beyondDialogCap, 0);
  });
}

test('so does one who sends while it rings', () => {
  const kit = new TrackerKit();
  const call = answered('rings');
  for (const m of call.messages.slice(0, 2)) kit.send(m);
  intrude(kit, call, 2_000, MANY);
  for (const m of call.messages.slice(2)) kit.send(m);
  end(kit, call);
  assertWhole(kit, call);
});

test('parties are known again when more dialogs were asked for than are remembered', () => {
  const kit = new TrackerKit({ maxDialogs: 2_000 });
  const calls = Array.from({ length: DIALOGS_WITH_PARTIES + 20 }, (_, i) => kit.play(answered(`call ${i}`)));
  const parties = new DialogParties(kit.log, kit.dialogs.room);
  const from = (...v4: number[]): Packet => ({
    ...CARRIER,
    addresses: Uint8Array.from({ length: 32 }, (_, i) => v4[i] ?? 0),
  });
  for (let round = 0; round < 2; round++) {
    for (const d of calls) {
      const told = [from(10, 1, 1, 1), from(192, 0, 2, 2), from(203, 0, 113, 9)].map((c) =>
        parties.hasSent(d, c, true),
      );
      assert.deepEqual(told, [true, true, false], d.callId);
    }
  }
});

/** The message on another hop, with a Via of its own. */
function relayed(m: SipMessage, src: { address: string; port: number }, dst: typeof src): SipMessage {
  const text = Buffer.from(m.bytes)
    .toString('latin1')
    .replace(/branch=(\w+)/, `branch=$1x${src.address}`);
  return { ...m, src, dst, bytes: Buffer.from(text, 'latin1'), tsUs: m.tsUs + 500 };
}

test('legs behind proxies with the same Call-ID are parties', () => {
  const kit = new TrackerKit();
  const call = answered('relayed');
  for (let i = 0; i < 200; i++) call.respond(call.request('UPDATE', 10), 200, 10);
  const c = socket('10.4.4.4');
  for (const m of call.messages) {
    const isDown = m.src.address === A.sip.address;
    kit.send(m);
    kit.send(isDown ? relayed(m, P.sip, B) : relayed(m, B, P.sip));
    kit.send(isDown ? relayed(m, B, c) : relayed(m, c, B));
  }
  assert.equal(kit.dialog(call.callId).keptCount, MAX_DIALOG_MESSAGES);
  assert.equal(kit.tracker.counts.ofOutsiders, 0);
  assert.ok(kit.tracker.counts.beyondDialogCap > 0);
});

test('who a mirror says the ends are, is a party too', () => {
  const kit = new TrackerKit();
  const call = answered('mirrored');
  for (let i = 0; i < 150; i++) call.respond(call.request('UPDATE', 10), 200, 10);
  for (const m of call.messages) {
    kit.send(m);
    const inside = m.src.address === A.sip.address ? [socket('172.16.0.1'), socket('172.16.0.2')] : null;
    const [src = socket('172.16.0.2'), dst = socket('172.16.0.1')] = inside ?? [];
    kit.send({ ...m, src, dst }, { origin: HEP });
  }
  assert.equal(kit.dialog(call.callId).keptCount, MAX_DIALOG_MESSAGES);
  assert.equal(kit.tracker.counts.ofOutsiders, 0);
});
