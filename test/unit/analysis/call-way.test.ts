/** Who called whom, whichever message of the call came first: the request's own ends, else those of a response turned round. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, answer, BOB, hangUp } from '../../../fixtures/build/basic-call.ts';
import { EPOCH_US } from '../../../fixtures/build/capture.ts';
import type { Party, SipMessage } from '../../../fixtures/build/sip-call.ts';
import { SipScript } from '../../../fixtures/build/sip-call.ts';
import { messagesOf } from '../../../src/analysis/call-messages.ts';
import { callWayAmong, callWayOf } from '../../../src/analysis/call-way.ts';
import type { Dialog } from '../../../src/store/dialogs/dialog.ts';
import { TrackerKit } from '../ingest/dialogs/tracker-kit.ts';

const CALL_ID = 'way@example.com';
const PROXY: Party = { ...BOB, user: 'proxy', sip: { address: '203.0.113.5', port: 5060 } };

function script(caller: Party, callee: Party): SipScript {
  return new SipScript({ callId: CALL_ID, caller, callee, startUs: EPOCH_US });
}

/** `<src> <dst>` of a call whose messages came in this order. */
function wayOf(messages: readonly SipMessage[], kit = new TrackerKit()): string {
  for (const m of messages) kit.send(m);
  const d = kit.dialog(CALL_ID);
  const way = callWayOf(d, kit.log);
  assert.deepEqual(way, callWayAmong(d, messagesOf(d, kit.log)));
  assert.ok(way !== null);
  return `${way.src.host}:${way.src.port} ${way.dst.host}:${way.dst.port}`;
}

/** A call from one to the other, in which BYE comes from either. */
function call(caller: Party, callee: Party, method = 'INVITE'): SipMessage[] {
  const c = script(caller, callee);
  const asked = c.request(method, 0);
  if (method !== 'INVITE') c.respond(asked, 200, 20);
  else {
    answer(c, asked, 'v=0\r\n');
    hangUp(c, 5000, 'callee');
  }
  return c.messages;
}

const at = (messages: readonly SipMessage[], i: number): SipMessage => messages[i] ?? assert.fail(`${i}`);
const A = `${ALICE.sip.address}:5060`;
const B = `${BOB.sip.address}:5060`;
const P = `${PROXY.sip.address}:5060`;

test('a response before its request: the request tells', () => {
  const messages = call(ALICE, BOB);
  for (const first of [1, 2, 3]) {
    const early = { ...at(messages, first), tsUs: EPOCH_US - 140 };
    const others = messages.filter((_, i) => i !== first);
    assert.equal(wayOf([early, ...others]), `${A} ${B}`, `message ${first}`);
  }
  // Several of them.
  assert.equal(wayOf([at(messages, 1), at(messages, 2), at(messages, 0)]), `${A} ${B}`);
});

test('responses alone: they are turned round', () => {
  const messages = call(ALICE, BOB);
  assert.equal(wayOf([at(messages, 1)]), `${A} ${B}`);
  assert.equal(wayOf(messages.slice(2)), `${A} ${B}`);
  for (const method of ['REGISTER', 'OPTIONS', 'SUBSCRIBE', 'MESSAGE']) {
    const [asked, answered] = call(ALICE, BOB, method);
    assert.ok(asked !== undefined && answered !== undefined);
    assert.equal(wayOf([answered]), `${A} ${B}`, method);
    assert.equal(wayOf([answered, asked]), `${A} ${B}`, method);
    assert.equal(wayOf([asked, answered]), `${A} ${B}`, method);
  }
});

test('a phone that listens on another port than it sends from: the request says which', () => {
  const [invite, trying] = call(ALICE, BOB);
  assert.ok(invite !== undefined && trying !== undefined);
  const sent = { ...invite, src: { ...invite.src, port: 49_152 } };
  assert.equal(wayOf([trying, sent]), `${ALICE.sip.address}:49152 ${B}`);
});

test('a server that answers from another address: the request says which it went to', () => {
  const [invite, trying] = call(ALICE, BOB);
  assert.ok(invite !== undefined && trying !== undefined);
  assert.equal(wayOf([{ ...trying, src: PROXY.sip }, invite]), `${A} ${B}`);
});

/** The same messages as another hop sees them, with a Via of its own. */
function hop(messages: readonly SipMessage[], from: Party, to: Party, branch: string): SipMessage[] {
  return messages.map((m) => ({
    ...m,
    tsUs: m.tsUs + 500,
    src: m.by === 'caller' ? from.sip : to.sip,
    dst: m.by === 'caller' ? to.sip : from.sip,
    bytes: Buffer.from(
      Buffer.from(m.bytes)
        .toString('latin1')
        .replace(/^Via: .*$/m, `Via: SIP/2.0/UDP ${from.sip.address};branch=z9hG4bK${branch}`),
      'latin1',
    ),
  }));
}

test('of several hops the request of the same hop', () => {
  const near = call(ALICE, PROXY).slice(0, 3);
  const forks = [BOB, { ...BOB, sip: { address: '198.51.100.21', port: 5060 } }].map((to, i) =>
    hop(near, PROXY, to, `fork-${i}-of-it`),
  );
  const [first = [], second = []] = forks;
  const order = [at(near, 1), at(first, 0), at(second, 0), at(near, 0)];
  assert.equal(wayOf(order), `${A} ${P}`);
  // A tap that sees the far side alone: of two branches that of which a response came first.
  assert.equal(wayOf([at(second, 1), at(first, 0), at(second, 0)]), `${P} 198.51.100.21:5060`);
  // The first hop has no request here: its response stands for it.
  assert.equal(wayOf([at(near, 1), at(first, 0), at(first, 1)]), `${A} ${P}`);
});

test('another transaction is none of its requests', () => {
  const c = script(ALICE, BOB);
  const invite = c.request('INVITE', 0);
  const refused = c.respond(invite, 407, 10);
  const other = { ...c.request('INVITE', 20), src: { address: '192.0.2.99', port: 5060 } };
  assert.equal(wayOf([refused, other]), `${A} ${B}`);
  const cancel = { ...c.cancel(invite, 30), src: { address: '192.0.2.99', port: 5060 } };
  assert.equal(wayOf([refused, cancel]), `${A} ${B}`);
});

test('a mirror tells the response, the wire the request', () => {
  const kit = new TrackerKit();
  const [invite, trying, ringing] = call(ALICE, BOB);
  assert.ok(invite !== undefined && trying !== undefined && ringing !== undefined);
  kit.mirror(trying, { aheadUs: -200_000 });
  assert.equal(wayOf([invite, ringing], kit), `${A} ${B}`);
});

test('a capture that begins in a call has no other caller than who asks first', () => {
  const messages = call(ALICE, BOB);
  assert.equal(wayOf(messages.slice(5)), `${B} ${A}`);
  assert.equal(wayOf(messages.slice(6)), `${B} ${A}`);
});

test('where the log has dropped what opened the call, its tags tell who called', () => {
  const kit = new TrackerKit({ logBytes: 64 * 1024 });
  const c = script(ALICE, BOB);
  const invite = c.request('INVITE', 0);
  c.respond(invite, 200, 20);
  c.ack(invite, 200, 30);
  for (let i = 0; i < 200; i++) {
    const padding: [string, string] = ['X-Padding', 'x'.repeat(2000)];
    const info = c.request('INFO', 100 + i * 20, { by: 'callee', headers: [padding] });
    if (i % 3 > 0) c.respond(info, 200, 110 + i * 20, { headers: [padding] });
  }
  const oldest = (d: Dialog) => messagesOf(d, kit.log)[0];
  const seen = new Set<boolean>();
  for (const m of c.messages) {
    kit.send(m);
    const d = kit.dialog(CALL_ID);
    const way = callWayOf(d, kit.log);
    assert.equal(way?.src.host, ALICE.sip.address);
    assert.equal(way?.dst.host, BOB.sip.address);
    if (kit.log.evicted > 3) seen.add(oldest(d)?.isRequest === true);
  }
  assert.equal(seen.size, 2);
});
