/**
 * The dialog tracker: which message is a retransmission, the same packet seen twice, or a copy from another source;
 * and that a message moves its dialog only once, by the transaction its CSeq names.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basicCall } from '../../../../fixtures/build/basic-call.ts';
import { inviteOf, scriptOf } from '../../../../fixtures/build/calls-setup.ts';
import type { SipMessage } from '../../../../fixtures/build/sip-call.ts';
import { MARK } from '../../../../src/store/dialogs/call-marks.ts';
import { callTiming } from '../../../../src/store/dialogs/call-timing.ts';
import { STATE } from '../../../../src/store/dialogs/dialog-state.ts';
import { ROW } from '../../../../src/store/messages/message-rows.ts';
import { HEP, TrackerKit, WIRE } from './tracker-kit.ts';

const REPEATS = ROW.RETRANSMISSION | ROW.DUPLICATE | ROW.COPY;

/** The same message at another time. */
function at(m: SipMessage, afterUs: number): SipMessage {
  return { ...m, tsUs: m.tsUs + afterUs };
}

/** Call and its first message. */
function invited(name: string): { kit: TrackerKit; invite: SipMessage } {
  return { kit: new TrackerKit(), invite: inviteOf(scriptOf(name), name) };
}

test('a retransmission counts, keeps its message and moves updated_at, and touches nothing else', () => {
  const kit = new TrackerKit();
  const call = basicCall('again');
  const d = kit.play(call);
  const before = {
    state: d.state,
    timing: callTiming(d),
    sdp: d.sdp?.length,
    final: d.finalCode,
    left: kit.left.length,
  };
  const [invite, , ringing, ok, , bye] = call.messages;
  assert.ok(invite && ringing && ok && bye);
  const repeats = [invite, ringing, ok, bye].map((m) => at(m, 9_000_000));
  for (const m of repeats) kit.send(m);
  assert.equal(d.retransmits, 4);
  assert.equal(kit.tracker.counts.retransmissions, 4);
  assert.equal(d.msgCount, 11);
  assert.equal(d.updatedUs, at(bye, 9_000_000).tsUs);
  assert.deepEqual(
    kit
      .flags(d)
      .slice(7)
      .map((f) => f & REPEATS),
    [ROW.RETRANSMISSION, ROW.RETRANSMISSION, ROW.RETRANSMISSION, ROW.RETRANSMISSION],
  );
  assert.deepEqual(
    { state: d.state, timing: callTiming(d), sdp: d.sdp?.length, final: d.finalCode, left: kit.left.length },
    before,
  );
});

test('the same packet within 5 ms is a duplicate frame; another packet, or later, a retransmission', () => {
  const { kit, invite } = invited('twice');
  const d = kit.send(invite, { ipId: 77 });
  assert.ok(d !== null);
  kit.send(at(invite, 3), { ipId: 77 });
  kit.send(at(invite, 4_999), { ipId: 77 });
  assert.deepEqual([d.retransmits, kit.tracker.counts.duplicateFrames], [0, 2]);
  kit.send(at(invite, 5_100), { ipId: 78 });
  assert.deepEqual([d.retransmits, kit.tracker.counts.duplicateFrames], [1, 2]);
  // The identification came round: half a second is no mirror.
  kit.send(at(invite, 500_000), { ipId: 78 });
  assert.equal(d.retransmits, 2);
  assert.deepEqual(
    kit.flags(d).map((f) => f & REPEATS),
    [0, ROW.DUPLICATE, ROW.DUPLICATE, ROW.RETRANSMISSION, ROW.RETRANSMISSION],
  );
  assert.equal(d.msgCount, 5);
});

test('a copy from another source is none of both, in whatever order the copies come', () => {
  // One message sent twice, each time carried by wire and HEP.
  const orders = [
    [WIRE, WIRE, HEP, HEP],
    [WIRE, HEP, WIRE, HEP],
    [WIRE, HEP, HEP, WIRE],
    [HEP, WIRE, WIRE, HEP],
    [HEP, HEP, WIRE, WIRE],
  ];
  for (const order of orders) {
    const { kit, invite } = invited(`copies ${order.join('')}`);
    order.forEach((origin, i) => {
      kit.send(at(invite, i * 500_000), { origin });
    });
    const { retransmissions, copies, duplicateFrames } = kit.tracker.counts;
    assert.deepEqual([retransmissions, copies, duplicateFrames], [1, 2, 0], order.join(' '));
    const [d] = [...kit.dialogs.oldestFirst()];
    assert.deepEqual([d?.retransmits, d?.msgCount, d?.originsSeen], [1, 4, 3]);
    assert.equal(d?.origin, order[0], 'the origin is that of the opening message');
  }
});

test('the same transaction on another hop is no retransmission and moves no time', () => {
  const kit = new TrackerKit();
  const call = basicCall('hops');
  const proxy = { address: '203.0.113.1', port: 5060 };
  // Seen in front of and behind a proxy that adds its Via.
  for (const m of call.messages) {
    kit.send({ ...m, dst: proxy });
    const via = /Via: [^\r]*\r\n/.exec(Buffer.from(m.bytes).toString('latin1'))?.[0] ?? '';
    const text = Buffer.from(m.bytes)
      .toString('latin1')
      .replace(via, `Via: SIP/2.0/UDP 203.0.113.1:5060;branch=z9hG4bKp${via.slice(-9, -3)}\r\n${via}`);
    kit.send({ ...m, src: proxy, tsUs: m.tsUs + 1500, bytes: Buffer.from(text, 'latin1') });
  }
  const d = kit.dialog(call.callId);
  assert.deepEqual([d.retransmits, d.msgCount, d.state], [0, 14, STATE.Completed]);
  const direct = new TrackerKit().play(basicCall('hops'));
  assert.deepEqual(callTiming(d), callTiming(direct));
});

test('the direction belongs to the message: the same bytes the other way are another message', () => {
  const { kit, invite } = invited('spiral');
  kit.send(invite);
  kit.send({ ...at(invite, 1000), src: invite.dst, dst: invite.src });
  assert.equal(kit.tracker.counts.retransmissions, 0);
});

test('a response differs from another by status, CSeq, branch and To tag', () => {
  const kit = new TrackerKit();
  const call = scriptOf('responses');
  const invite = inviteOf(call, 'responses');
  call.respond(invite, 180, 100, { tag: 'one' });
  call.respond(invite, 180, 200, { tag: 'two' });
  call.respond(invite, 183, 300, { tag: 'one' });
  const d = kit.play(call);
  assert.equal(d.retransmits, 0);
  assert.notEqual(d.marks & MARK.FORKED, 0);
});

test('a message without a Call-ID is counted and joins no dialog', () => {
  const kit = new TrackerKit();
  const call = scriptOf('nameless');
  assert.equal(kit.send(call.request('OPTIONS', 0, { omit: ['Call-ID'] })), null);
  assert.deepEqual([kit.dialogs.size, kit.tracker.counts.messages, kit.tracker.counts.withoutCallId], [0, 1, 1]);
});

test('Call-IDs are told apart byte by byte', () => {
  const kit = new TrackerKit();
  for (const callId of ['a@b', 'A@b', 'a@B', 'a@b ', '"a"@b']) {
    const script = basicCall('x', { callId });
    const [first] = script.messages;
    assert.ok(first !== undefined);
    kit.send(first);
  }
  // Blanks around a header value are no part of it (RFC 3261 section 7.3.1).
  assert.equal(kit.dialogs.size, 4);
});

test('500 messages of a dialog are kept; later ones still count and still end the call', () => {
  const kit = new TrackerKit();
  const call = scriptOf('long');
  const invite = inviteOf(call, 'long');
  call.respond(invite, 200, 100);
  call.ack(invite, 200, 110);
  for (let i = 0; i < 600; i++) call.request('INFO', 200 + i * 10);
  call.respond(call.request('BYE', 9000), 200, 9010);
  const d = kit.play(call);
  assert.deepEqual([d.msgCount, d.keptCount, kit.flags(d).length], [605, 500, 500]);
  assert.equal(kit.tracker.counts.beyondDialogCap, 105);
  assert.equal(d.state, STATE.Completed);
  assert.equal(callTiming(d).durationMs, 8900);
});

test('the dialog idle longest makes room, and is counted', () => {
  const kit = new TrackerKit({ maxDialogs: 2 });
  const names = ['first', 'second', 'third'];
  const scripts = names.map((name) => basicCall(name));
  const message = (n: number, i: number): SipMessage => scripts[n]?.messages[i] ?? assert.fail();
  kit.send(message(0, 0));
  kit.send(message(1, 0));
  // The first one is heard of again: now the second is idle longest.
  kit.send(message(0, 1));
  kit.send(message(2, 0));
  assert.deepEqual(
    [...kit.dialogs.oldestFirst()].map((d) => d.callId.split('@')[0]),
    ['first', 'third'],
  );
  assert.equal(kit.dialogs.evicted, 1);
  assert.equal(kit.dialogs.inState[STATE.Trying], 2);
  assert.equal(kit.dialogs.entered[STATE.Trying], 3, 'entries never fall');
  // What the evicted one named belongs to nobody.
  assert.equal(kit.endpoints.size, 1);
});

test('a dialog may open with a response, in mid-call, or at its end', () => {
  const opened = (
    name: string,
    pick: (call: ReturnType<typeof basicCall>) => readonly (SipMessage | undefined)[],
  ): TrackerKit => {
    const kit = new TrackerKit();
    for (const m of pick(basicCall(name))) if (m !== undefined) kit.send(m);
    return kit;
  };
  const only = (kit: TrackerKit): readonly [string | undefined, number | undefined] => {
    const [d] = [...kit.dialogs.oldestFirst()];
    return [d?.methodText, d?.state];
  };
  assert.deepEqual(only(opened('r', (c) => [c.messages[2]])), ['INVITE', STATE.Ringing]);
  assert.deepEqual(only(opened('s', (c) => [c.messages[3]])), ['INVITE', STATE.InCall]);
  assert.deepEqual(only(opened('a', (c) => [c.messages[4]])), ['ACK', STATE.InCall]);
  assert.deepEqual(only(opened('b', (c) => [c.messages[5]])), ['BYE', STATE.Completed]);
  const kit = new TrackerKit();
  const call = basicCall('re-invite');
  kit.send(call.request('INVITE', 9000));
  assert.deepEqual(only(kit), ['INVITE', STATE.InCall]);
});

test('a record that was read late moves the beginning of its dialog, one from another time does not', () => {
  const { kit, invite } = invited('late-record');
  const first = at(invite, 1_000_000);
  const d = kit.send(first);
  assert.ok(d !== null);
  kit.send(invite);
  assert.equal(d.createdUs, invite.tsUs);
  assert.equal(d.updatedUs, first.tsUs);
  kit.send(at(invite, -3_600_000_000));
  assert.equal(d.createdUs, invite.tsUs);
});

test('a call under the Call-ID of a registration or ping gives that dialog no final status', () => {
  for (const method of ['REGISTER', 'OPTIONS', 'SUBSCRIBE'] as const) {
    const kit = new TrackerKit();
    const call = basicCall(`after-${method}`);
    const opened = scriptOf(`after-${method}`);
    kit.send(opened.request(method, 0));
    const d = kit.play(call);
    assert.equal(d.methodText, method);
    assert.equal(d.msgCount, 1 + call.messages.length);
    assert.equal(d.finalCode, 0, method);
  }
});

test('a late failure of an attempt that a newer INVITE replaced decides nothing', () => {
  const kit = new TrackerKit();
  const call = scriptOf('replaced');
  const first = inviteOf(call, 'replaced');
  call.respond(first, 407, 50);
  const second = inviteOf(call, 'replaced', 100);
  call.respond(second, 180, 200);
  call.respond(first, 500, 300);
  const d = kit.play(call);
  assert.equal(d.state, STATE.Ringing);
});

test('registrations lapse when the granted time passed, unless they were refreshed', () => {
  const kit = new TrackerKit();
  const call = scriptOf('registration');
  const register = (ms: number, expires: number): void => {
    const r = call.request('REGISTER', ms, { headers: [['Expires', String(expires)]] });
    call.respond(r, 200, ms + 20, { headers: [['Contact', `<sip:alice@192.0.2.10:5060>;expires=${expires}`]] });
  };
  register(0, 60);
  register(50_000, 60);
  const d = kit.play(call);
  kit.tracker.sweep(call.at(61_000));
  assert.equal(d.state, STATE.Registered, 'refreshed at 50 s');
  kit.tracker.sweep(call.at(110_019));
  assert.equal(d.state, STATE.Registered);
  kit.tracker.sweep(call.at(110_021));
  assert.equal(d.state, STATE.Expired);
  const more = call.messages.length;
  register(120_000, 60);
  for (const m of call.messages.slice(more)) kit.send(m);
  assert.equal(d.state, STATE.Registered, 'and comes back');
});

test('a registration is granted the time of its own contact, whatever other devices have', () => {
  const granted = (own: string, ...bound: string[]): number => {
    const kit = new TrackerKit();
    const call = scriptOf(`own ${own} ${bound.join()}`);
    const headers = [['Contact', own] as const, ['Expires', '600'] as const];
    const r = call.request('REGISTER', 0, { headers });
    // The script adds a Contact of its own in front: it is taken out.
    const text = Buffer.from(r.bytes)
      .toString('latin1')
      .replace(/Contact: [^\r]*\r\n/, '');
    kit.send({ ...r, bytes: Buffer.from(text, 'latin1') });
    const d = kit.send(call.respond(r, 200, 20, { headers: bound.map((c) => ['Contact', c] as const) }));
    kit.tracker.sweep(call.at(100_000));
    assert.equal(d?.state, (d?.grantedExpirySec ?? 0) < 100 ? STATE.Expired : STATE.Registered);
    return d?.grantedExpirySec ?? -1;
  };
  const other = '<sip:a@192.0.2.9>;expires=599';
  assert.equal(granted('<sip:a@192.0.2.1>', other, '<sip:a@192.0.2.1>;expires=30'), 30);
  assert.equal(granted('<sip:a@192.0.2.1>', `${other}, <sip:a@192.0.2.1>;expires=30`), 30);
  assert.equal(
    granted('"A" <sip:a@Host.Example:5070;transport=tcp;ob>', other, 'sip:a@host.example:5070;expires=30'),
    30,
  );
  assert.equal(granted('<sip:A@192.0.2.1>', '<sip:a@192.0.2.1>;expires=30', '<sip:A@192.0.2.1>;expires=40'), 40);
  assert.equal(
    granted('<sip:a@192.0.2.1:5060>', '<sip:a@192.0.2.1:5062>;expires=599', '<sip:a@192.0.2.1:5060>;expires=30'),
    30,
  );
  // What the registrar wrote anew names no own one.
  assert.equal(granted('<sip:a@10.0.0.1>', other, '<sip:a@203.0.113.7:4411>;expires=30'), 599);
  assert.equal(granted('<sip:a@10.0.0.1>', '<sip:a@203.0.113.7:4411>;expires=30'), 30);
});

test('a REGISTER removes what it named: one contact, all by a star, but not one of two', () => {
  const outcome = (contacts: readonly string[], expires: string | null): number => {
    const kit = new TrackerKit();
    const call = scriptOf(`removal ${contacts.join()}`);
    const headers = contacts.map((c) => ['Contact', c] as const);
    const all = expires === null ? headers : [...headers, ['Expires', expires] as const];
    const r = call.request('REGISTER', 0, { headers: all, omit: [] });
    // The script adds a Contact of its own in front: it is taken out.
    const text = Buffer.from(r.bytes)
      .toString('latin1')
      .replace(/Contact: [^\r]*\r\n/, '');
    kit.send({ ...r, bytes: Buffer.from(text, 'latin1') });
    const d = kit.send(call.respond(r, 200, 20));
    return d?.state ?? -1;
  };
  const a = '<sip:a@192.0.2.1>';
  const b = '<sip:b@192.0.2.2>';
  assert.equal(outcome([a], '3600'), STATE.Registered);
  assert.equal(outcome([a], '0'), STATE.Terminated);
  assert.equal(outcome([`${a};expires=0`], '3600'), STATE.Terminated);
  assert.equal(outcome(['*'], '0'), STATE.Terminated);
  assert.equal(outcome([`${a};expires=0`, `${b};expires=600`], null), STATE.Registered);
  assert.equal(outcome([`${a};expires=0, ${b};expires=600`], null), STATE.Registered);
  assert.equal(outcome([`${a};expires=0`, `${b};expires=0`], null), STATE.Terminated);
});

test('key presses by INFO are told', () => {
  const kit = new TrackerKit();
  const call = basicCall('info');
  call.request('INFO', 3000, { body: { type: 'application/dtmf-relay', text: 'Signal=5\r\nDuration=160\r\n' } });
  assert.notEqual(kit.play(call).marks & MARK.DTMF, 0);
  const other = basicCall('other-info');
  other.request('INFO', 3000, { body: { type: 'application/media_control+xml', text: '<x/>' } });
  assert.equal(new TrackerKit().play(other).marks & MARK.DTMF, 0);
});

test('a call is transferred while a REFER runs or was accepted, not when all were refused', () => {
  const kit = new TrackerKit();
  const call = basicCall('referred');
  call.messages.length = 5;
  const d = kit.play(call);
  const isTransferred = (): boolean => (d.marks & MARK.TRANSFERRED) !== 0;
  const refer = (ms: number, status: number): void => {
    const r = call.request('REFER', ms, { headers: [['Refer-To', '<sip:carol@example.com>']] });
    kit.send(r);
    assert.equal(isTransferred(), true, 'asked');
    kit.send(call.respond(r, status, ms + 20));
  };
  refer(3000, 603);
  assert.deepEqual([isTransferred(), d.state], [false, STATE.InCall]);
  refer(4000, 407);
  assert.deepEqual([isTransferred(), d.state], [true, STATE.Transferring], 'asked again with credentials');
  refer(5000, 202);
  refer(6000, 603);
  assert.equal(isTransferred(), true);
});

test('a subscription lasts as long as its last NOTIFY says', () => {
  const kit = new TrackerKit();
  const call = scriptOf('notified');
  const notify = (ms: number, state: string): void => {
    const headers = [['Event', 'presence'] as const, ['Subscription-State', state] as const];
    call.respond(call.request('NOTIFY', ms, { by: 'callee', headers }), 200, ms + 20);
  };
  notify(0, 'active;expires=60');
  notify(50_000, 'active; expires=30');
  notify(55_000, 'active');
  const d = kit.play(call);
  kit.tracker.sweep(call.at(79_000));
  assert.equal(d.state, STATE.Active);
  kit.tracker.sweep(call.at(80_001));
  assert.equal(d.state, STATE.Expired);
});
