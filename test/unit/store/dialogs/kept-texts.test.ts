/** Every text that a dialog keeps has a cap, all of them together have one in bytes, and what is cut is counted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { answer, sdpBody } from '../../../../fixtures/build/basic-call.ts';
import { answerOf, offerOf, scriptOf } from '../../../../fixtures/build/calls-setup.ts';
import type { SipMessage } from '../../../../fixtures/build/sip-call.ts';
import { SipScript } from '../../../../fixtures/build/sip-call.ts';
import { cutEnd } from '../../../../src/core/byte-text.ts';
import { MAX_NAME_BYTES } from '../../../../src/protocols/sip/address.ts';
import { MAX_CALL_ID_BYTES } from '../../../../src/store/dialogs/call-id.ts';
import { DIALOG_BYTES } from '../../../../src/store/dialogs/dialog-room.ts';
import { MAX_VALUE_BYTES } from '../../../../src/store/dialogs/termination-cause.ts';
import { toDialogSummary } from '../../../../src/view/call.ts';
import { TrackerKit } from '../../ingest/dialogs/tracker-kit.ts';

const ALICE = { user: 'alice', sip: { address: '192.0.2.1', port: 5060 }, rtp: { address: '192.0.2.1', port: 20_000 } };
const BOB = { user: 'bob', sip: { address: '192.0.2.2', port: 5060 }, rtp: { address: '192.0.2.2', port: 30_000 } };

const callWith = (callId: string, over: Partial<typeof ALICE & { display: string }> = {}): SipScript =>
  new SipScript({ callId, caller: { ...ALICE, ...over }, callee: { ...BOB, ...over }, startUs: 1_000_000 });

const LONG = 'L'.repeat(60_000);

test('Call-IDs of 60 KB that differ anywhere are dialogs of their own, found by all of it and by what is shown', () => {
  const kit = new TrackerKit({ logBytes: 64 * 1024 * 1024 });
  const ids = [LONG, `${LONG}x`, `x${LONG.slice(1)}`, `${LONG.slice(0, 30_000)}x${LONG.slice(30_001)}`];
  for (const id of ids) {
    kit.send(callWith(id).request('OPTIONS', 0));
    kit.send(callWith(id).request('OPTIONS', 5));
  }
  assert.equal(kit.dialogs.size, ids.length);
  assert.equal(kit.dialogs.longCallIds, ids.length);
  const shown = ids.map((id) => kit.dialogs.get(id)?.callId ?? assert.fail());
  assert.equal(new Set(shown).size, ids.length);
  for (const [i, text] of shown.entries()) {
    assert.match(text, /^.{64}\.\.\.sha256-[0-9a-f]{64}$/);
    assert.equal(kit.dialogs.get(text), kit.dialogs.get(ids[i] ?? ''));
    assert.equal(kit.dialogs.get(text)?.msgCount, 2);
  }
});

test('who sends what is shown of a long Call-ID as a Call-ID does not become that dialog', () => {
  const kit = new TrackerKit();
  kit.send(callWith(LONG).request('OPTIONS', 0));
  const shown = kit.dialogs.get(LONG)?.callId ?? assert.fail();
  kit.send(callWith(shown).request('OPTIONS', 0));
  assert.equal(kit.dialogs.size, 2);
  assert.equal(kit.dialogs.get(LONG)?.msgCount, 1);
});

test('a Call-ID of the longest length is kept whole; with control characters a shorter one is', () => {
  const kit = new TrackerKit();
  const whole = 'w'.repeat(MAX_CALL_ID_BYTES);
  kit.send(callWith(whole).request('OPTIONS', 0));
  assert.equal(kit.dialogs.get(whole)?.callId, whole);
  const control = `${'c\x01'.repeat(300)}c`;
  kit.send(callWith(control).request('OPTIONS', 0));
  assert.equal(kit.dialogs.longCallIds, 1);
  assert.ok((kit.dialogs.get(control)?.callId.length ?? 600) < 200);
});

test('legs are found by a long Call-ID that another leg names', () => {
  const kit = new TrackerKit({ callIdHeaders: ['X-Leg'] });
  kit.send(callWith(LONG).request('INVITE', 0));
  const other = callWith('other');
  const named = other.request('INVITE', 10, { headers: [['X-Leg', LONG]] });
  kit.send(named);
  const [own] = kit.identifiers.index.of(kit.dialog('other').slot);
  const keys = [...kit.identifiers.index.of(kit.dialog('other').slot)].filter((k) => k.kind === 1);
  assert.ok(own);
  assert.deepEqual(
    keys.flatMap((k) => kit.dialogs.withCallIdHashes(k.hashA, k.hashB)),
    [kit.dialogs.get(LONG)],
  );
});

test('names, phrases, Refer-To and causes are cut, and counted', () => {
  const kit = new TrackerKit({ logBytes: 64 * 1024 * 1024 });
  const long = LONG.slice(0, 9_000);
  const script = callWith('texts', { user: `u${long}`, display: `D${long}` });
  const invite = script.request('INVITE', 0, { headers: [['Refer-To', `<sip:${long}@x>`]] });
  kit.send(invite);
  kit.send(script.request('REFER', 5, { headers: [['Refer-To', `<sip:${long}@x>`]] }));
  kit.send(script.respond(invite, 486, 10, { reason: long, headers: [['Reason', `SIP;cause=486;text="${long}"`]] }));
  const d = kit.dialog('texts');
  for (const text of [d.fromUser, d.toUser, d.fromDisplay, d.toDisplay, d.finalReason]) {
    assert.ok((text?.length ?? 0) <= MAX_NAME_BYTES + 1, text?.slice(0, 9));
    assert.ok(text?.endsWith('…'));
  }
  assert.equal(d.referTo?.length, MAX_VALUE_BYTES + 1);
  assert.equal(d.cause?.reason.length, MAX_VALUE_BYTES + 1);
  assert.equal(kit.tracker.counts.textsCut, 5, 'both parties, the phrase, Refer-To, the cause');
  assert.ok(JSON.stringify(toDialogSummary(d, { sources: [], clockSteps: [] })).length < 4_096);
});

test('a cut never breaks a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 4, max: 30 }), (text, max) => {
      const bytes = Buffer.from(text);
      const end = cutEnd(bytes, 0, bytes.length, max);
      assert.ok(end <= Math.max(max, 0) || end === bytes.length);
      assert.ok(text.startsWith(bytes.toString('utf8', 0, end)));
    }),
  );
});

/** A request with as much text as a dialog keeps. */
function heavy(n: number): SipMessage {
  const names = { user: `u${n}-${LONG.slice(0, 300)}`, display: `D${LONG.slice(0, 300)}` };
  return callWith(`${n}-${LONG.slice(0, 4_000)}`, names).request('OPTIONS', n);
}

test('dialogs that keep much give way by bytes, and answered calls outlive them', () => {
  const kit = new TrackerKit({ maxDialogs: 100_000, logBytes: 1024 * 1024 });
  const call = scriptOf('answered');
  answer(call, call.request('INVITE', 0, { body: sdpBody(offerOf('answered')) }), answerOf('answered'));
  kit.play(call);
  for (let n = 0; kit.dialogs.evicted < 100; n++) kit.send(heavy(n));
  assert.ok(kit.dialogs.room.bytes <= DIALOG_BYTES);
  assert.equal(kit.dialogs.evictedForBytes, kit.dialogs.evicted);
  assert.ok(kit.dialogs.get(call.callId));
});

test('what a dialog keeps is given back when it goes', () => {
  const kit = new TrackerKit({ maxDialogs: 50 });
  for (let n = 0; n < 200; n++) {
    const script = scriptOf(`call ${n}`);
    answer(script, script.request('INVITE', 0, { body: sdpBody(offerOf(`c${n}`)) }), answerOf(`c${n}`));
    kit.play(script);
  }
  const heldNow = [...kit.dialogs.oldestFirst()].reduce((sum, d) => sum + d.heldBytes, 0);
  assert.ok(heldNow > 0);
  assert.equal(kit.dialogs.room.bytes, heldNow);
});
