/**
 * The messages of a call as its judges read them: in the order of the log, each text scanned once, and nothing of a
 * message once it has been evicted between two steps.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, answer, BOB } from '../../../fixtures/build/basic-call.ts';
import { answerOf, inviteOf, scriptOf } from '../../../fixtures/build/calls-setup.ts';
import { messagesOf, openerOf } from '../../../src/analysis/call-messages.ts';
import { TrackerKit } from '../ingest/dialogs/tracker-kit.ts';

test('the messages of a call come oldest first, with their facts and their hop', () => {
  const call = scriptOf('listed');
  answer(call, inviteOf(call, 'listed'), answerOf('listed'));
  const kit = new TrackerKit();
  const d = kit.play(call);
  const [invite, ...others] = messagesOf(d, kit.log);
  assert.ok(invite !== undefined);
  assert.deepEqual([openerOf(d, kit.log)?.row, openerOf(d, kit.log)?.index], [invite.row, 0]);
  assert.deepEqual(
    [invite, ...others].map((m) => m.index),
    call.messages.map((_, i) => i),
  );
  assert.equal(invite.way, `${ALICE.sip.address} ${ALICE.sip.port} ${BOB.sip.address} ${BOB.sip.port}`);
  assert.equal(invite.parse()?.startLine.startsWith('INVITE '), true);
  const ok = others.find((m) => m.status === 200);
  assert.equal(ok?.hop.transaction, invite.hop.transaction);
  assert.notEqual(ok?.hop.toTag, '');
  assert.equal(invite.hop.toTag, '');
});

test('a text is scanned once, however often it is read', () => {
  const call = scriptOf('once');
  answer(call, inviteOf(call, 'once'), answerOf('once'));
  const kit = new TrackerKit();
  for (const m of messagesOf(kit.play(call), kit.log)) {
    const scan = m.read()?.scan;
    assert.ok(scan !== undefined);
    assert.equal(m.read()?.scan, scan);
    assert.equal(m.parse()?.scan, scan);
  }
});

test('what is evicted while its reader rests is empty, not another message', () => {
  const talk = scriptOf('evicted');
  for (let i = 0; i < 240; i++)
    talk.request('MESSAGE', i * 100, { body: { type: 'text/plain', text: 'x'.repeat(2500) } });
  const kit = new TrackerKit({ logBytes: 1 });
  const half = talk.messages.length / 2;
  for (const m of talk.messages.slice(0, half)) kit.send(m);
  const d = kit.dialog(talk.callId);
  const [first] = messagesOf(d, kit.log);
  assert.ok(first?.isKept === true && first.bytes.length > 2500);
  for (const m of talk.messages.slice(half)) kit.send(m);
  assert.ok(kit.log.evicted > half, 'the first half has gone');
  assert.ok((openerOf(d, kit.log)?.row ?? 0) > first.row, 'another message is the oldest that is kept');
  assert.equal(first.isKept, false);
  assert.equal(first.read(), null);
  assert.equal(first.parse(), null);
  assert.deepEqual(first.hop, { transaction: '', fromTag: '', toTag: '' });
  assert.deepEqual([first.bytes.length, first.byteLength, first.src.host], [0, 0, '']);
});
