/**
 * The messages of a call as its judges read them: in the order of the log, each text scanned once, and nothing of a
 * message once it has been evicted between two steps.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, answer, BOB } from '../../../fixtures/build/basic-call.ts';
import { answerOf, inviteOf, scriptOf } from '../../../fixtures/build/calls-setup.ts';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import { messagesOf, openerOf } from '../../../src/analysis/call-messages.ts';
import { readCapture } from '../../helpers/read-capture.ts';
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

test('long texts of a hop are compared by their beginning and hash, and differ where the texts do', async (t) => {
  const tag = 't'.repeat(30_000);
  const invite = (last: string, at: number) => ({
    tsUs: EPOCH_US + at * 1_000,
    src: ALICE.sip,
    dst: BOB.sip,
    bytes: Buffer.from(
      `INVITE sip:b@y SIP/2.0\r\nVia: SIP/2.0/UDP 192.0.2.10;branch=z9hG4bK${tag}${last}\r\nFrom: <sip:a@x>;tag=${tag}${last}\r\nTo: <sip:b@y>\r\nCall-ID: long\r\nCSeq: 1 INVITE\r\nContent-Length: 0\r\n\r\n`,
    ),
  });
  const { session } = await readCapture(t, new Capture().add([invite('a', 0), invite('b', 1), invite('a', 2)]).pcap());
  const d = session.dialogs.get('long');
  assert.ok(d !== undefined);
  const [one, other, same] = messagesOf(d, session.log).map(({ hop }) => hop);
  assert.deepEqual(one, same);
  assert.notEqual(one?.fromTag, other?.fromTag);
  assert.notEqual(one?.transaction, other?.transaction);
  assert.ok(JSON.stringify(one).length < 1_000);
});
