/**
 * Keys and who hung up: RFC 4733 packets in any order and repetition are one press, INFO bodies of both kinds are keys.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, answer, BOB, basicCall, hangUp } from '../../../fixtures/build/basic-call.ts';
import { answerOf, inviteOf, scriptOf } from '../../../fixtures/build/calls-setup.ts';
import { dtmf, rtpStream } from '../../../fixtures/build/rtp.ts';
import type { SipScript } from '../../../fixtures/build/sip-call.ts';
import { messagesOf } from '../../../src/analysis/call-messages.ts';
import { keysPressed } from '../../../src/analysis/dtmf.ts';
import { whoHungUp } from '../../../src/analysis/hangup.ts';
import { finish } from '../../../src/core/turns.ts';
import { KeyPresses } from '../../../src/store/media/key-presses.ts';
import { TrackerKit } from '../ingest/dialogs/tracker-kit.ts';
import { StreamKit } from '../store/media/stream-kit.ts';

test('all packets of one press are one key', () => {
  const stream = new StreamKit().stream(ALICE.rtp, BOB.rtp);
  const presses = new KeyPresses();
  const plan = [...dtmf(5, 10, 0, 0), ...dtmf(5, 10, 400_000, 3200), ...dtmf(11, 6, 800_000, 6400)];
  const sent = rtpStream({ src: ALICE.rtp, dst: BOB.rtp, ssrc: 1, startUs: 1e6 }, plan, {
    lost: new Set([0, 3, 19]),
    duplicated: new Set([5, 22]),
    delayUs: (i) => (i === 12 ? 70_000 : 0),
  });
  for (const d of sent.datagrams) presses.onPacket(stream, d.bytes, 0, d.bytes.length, d.tsUs);
  assert.deepEqual(
    presses.of(stream).map((p) => [p.event, p.timestamp - 160_000, p.duration]),
    [
      [5, 0, 8 * 160],
      [5, 3200, 8 * 160],
      [11, 6400, 4 * 160],
    ],
  );
});

test('what is cut is no press, and a flood of them is not kept', () => {
  const stream = new StreamKit().stream(ALICE.rtp, BOB.rtp);
  const presses = new KeyPresses();
  const [first] = rtpStream({ src: ALICE.rtp, dst: BOB.rtp, ssrc: 1, startUs: 0 }, dtmf(1, 5, 0, 0)).datagrams;
  assert.ok(first !== undefined);
  for (let end = 0; end < first.bytes.length; end++) presses.onPacket(stream, first.bytes, 0, end, 0);
  const extended = first.bytes.slice();
  extended[0] = 0x9f;
  presses.onPacket(stream, extended, 0, extended.length, 0);
  assert.deepEqual(presses.of(stream), []);
  const view = new DataView(first.bytes.buffer, first.bytes.byteOffset);
  for (let i = 0; i < 5000; i++) {
    view.setUint32(4, i);
    presses.onPacket(stream, first.bytes, 0, first.bytes.length, i);
  }
  assert.ok(presses.of(stream).length <= 128);
});

function keysOf(build: (call: SipScript) => void): string[] {
  const call = scriptOf('keys');
  answer(call, inviteOf(call, 'keys'), answerOf('keys'));
  build(call);
  const kit = new TrackerKit();
  const d = kit.play(call);
  return finish(keysPressed(d, [], new KeyPresses(), kit.log)).map((k) => `${k.key} ${k.by} ${k.from}`);
}

test('INFO bodies of both kinds are keys', () => {
  const info = (call: SipScript, atMs: number, type: string, text: string): void => {
    call.respond(call.request('INFO', atMs, { body: { type, text } }), 200, atMs + 20);
  };
  const from = '192.0.2.10:5060';
  const keys = keysOf((call) => {
    info(call, 3000, 'application/dtmf-relay', 'Signal=5\r\nDuration=160\r\n');
    info(call, 3100, 'application/dtmf-relay', 'Signal = #\r\nDuration = 160\r\n');
    info(call, 3200, 'application/dtmf', '7');
    info(call, 3300, 'application/dtmf-relay', 'Signal=11\r\nDuration=100\r\n');
    info(call, 3400, 'application/dtmf-relay', 'Duration=160\r\n');
    info(call, 3500, 'application/media_control+xml', '5');
    call.repeat(call.request('INFO', 3600, { body: { type: 'application/dtmf', text: 'a' } }), 4100);
  });
  assert.deepEqual(keys, [`5 info ${from}`, `# info ${from}`, `7 info ${from}`, `# info ${from}`, `A info ${from}`]);
});

test('who hung up: the first BYE, or the CANCEL', () => {
  const side = (build: (call: SipScript) => void): string | null => {
    const call = scriptOf('ended');
    build(call);
    const kit = new TrackerKit();
    const d = kit.play(call);
    const found = whoHungUp(d, messagesOf(d, kit.log));
    return found === null ? null : `${found.side} ${found.method} ${found.index}`;
  };
  const talk = (call: SipScript): void => answer(call, inviteOf(call, 'ended'), answerOf('ended'));
  const ended = (by: 'caller' | 'callee') => (call: SipScript) => {
    talk(call);
    hangUp(call, 5000, by);
  };
  assert.equal(side(ended('caller')), 'caller BYE 5');
  assert.equal(side(ended('callee')), 'callee BYE 5');
  const both = (first: 'caller' | 'callee', second: 'caller' | 'callee') => (call: SipScript) => {
    talk(call);
    hangUp(call, 5000, first);
    hangUp(call, 5000, second);
  };
  assert.equal(side(both('callee', 'caller')), 'callee BYE 5');
  assert.equal(side(both('caller', 'callee')), 'caller BYE 5');
  assert.equal(side(talk), null);
  assert.equal(
    side((call) => {
      const invite = inviteOf(call, 'ended');
      call.respond(invite, 180, 100);
      call.respond(call.cancel(invite, 4000), 200, 4010);
      call.respond(invite, 487, 4020);
    }),
    'caller CANCEL 2',
  );
  const kit = new TrackerKit();
  const late = basicCall('ended-late');
  const bye = late.messages.find((m) => m.method === 'BYE');
  assert.ok(bye !== undefined);
  kit.send(bye);
  assert.equal(
    whoHungUp(kit.dialog(late.callId), messagesOf(kit.dialog(late.callId), kit.log)),
    null,
    'who called is not known',
  );
});
