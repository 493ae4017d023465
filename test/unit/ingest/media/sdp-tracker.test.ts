/**
 * Offers and answers by the exchange that carried them, and what each changed (RFC 3264, RFC 3262 section 5, RFC 6337).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, answer, BOB, basicCall, sdpBody } from '../../../../fixtures/build/basic-call.ts';
import { answerOf, inviteOf, offerOf, scriptOf } from '../../../../fixtures/build/calls-setup.ts';
import { CODEC, sdp, t38Sdp } from '../../../../fixtures/build/sdp.ts';
import type { SipMessage, SipScript } from '../../../../fixtures/build/sip-call.ts';
import { endpointKeyFromText } from '../../../../src/core/ip.ts';
import { MAX_SDP_ENTRIES } from '../../../../src/ingest/media/sdp-tracker.ts';
import { MARK } from '../../../../src/store/dialogs/call-marks.ts';
import type { Dialog } from '../../../../src/store/dialogs/dialog.ts';
import { PlainSdpEntry } from '../../../../src/store/media/plain-sdp-entry.ts';
import { TrackerKit } from '../dialogs/tracker-kit.ts';

/** Each entry as one word: who, what, and what it changed. */
function story(d: Dialog): string[] {
  return (d.sdp ?? []).map(
    (e) =>
      `${e.side === 0 ? 'caller' : 'callee'} ${e.isOffer ? 'offers' : 'answers'}${e.event === null ? '' : ` ${e.event}`}`,
  );
}

const PCMU = [CODEC.PCMU];
const caller = (more: Partial<Parameters<typeof sdp>[0]> = {}): string =>
  sdp({ media: ALICE.rtp, codecs: PCMU, session: 'a', ...more });
const callee = (more: Partial<Parameters<typeof sdp>[0]> = {}): string =>
  sdp({ media: BOB.rtp, codecs: PCMU, session: 'b', ...more });

/** A call in progress that then sees re-INVITEs. */
function running(name: string): SipScript {
  const call = scriptOf(name);
  answer(call, call.request('INVITE', 0, { body: sdpBody(caller()) }), callee());
  return call;
}

function reinvite(
  call: SipScript,
  atMs: number,
  offered: string,
  answered: string,
  by: 'caller' | 'callee' = 'caller',
): void {
  const r = call.request('INVITE', atMs, { by, body: sdpBody(offered) });
  call.respond(r, 200, atMs + 20, { body: sdpBody(answered) });
  call.ack(r, 200, atMs + 40);
}

test('the request offers and the response answers', () => {
  assert.deepEqual(story(new TrackerKit().play(basicCall('plain'))), ['caller offers', 'callee answers']);
});

test('the 200 to an INVITE without an offer makes it, and the ACK answers', () => {
  const call = scriptOf('late');
  const invite = call.request('INVITE', 0);
  call.respond(invite, 200, 100, { body: sdpBody(answerOf('late')) });
  call.ack(invite, 200, 120, { body: sdpBody(offerOf('late')) });
  assert.deepEqual(story(new TrackerKit().play(call)), ['callee offers', 'caller answers']);
});

test('a reliable 183 may offer, and the PRACK answers; a later PRACK offers anew', () => {
  const call = scriptOf('prack');
  const invite = call.request('INVITE', 0);
  call.respond(invite, 183, 100, { body: sdpBody(callee()) });
  const prack = call.request('PRACK', 120, { early: true, body: sdpBody(caller()) });
  call.respond(prack, 200, 140);
  const again = call.request('PRACK', 200, {
    early: true,
    body: sdpBody(caller({ version: 2, direction: 'sendonly' })),
  });
  call.respond(again, 200, 220, { body: sdpBody(callee({ version: 2, direction: 'recvonly' })) });
  call.respond(invite, 200, 300);
  const d = new TrackerKit().play(call);
  assert.deepEqual(story(d), ['callee offers', 'caller answers', 'caller offers hold', 'callee answers']);
  assert.notEqual(d.marks & MARK.EARLY_MEDIA, 0);
});

test('both sides may count alike: an INVITE of the called side is an exchange of its own', () => {
  const call = running('alike');
  reinvite(call, 3000, callee(), caller(), 'callee');
  const late = call.request('INVITE', 4000, { by: 'callee' });
  call.respond(late, 200, 4020, { body: sdpBody(caller()) });
  call.ack(late, 200, 4040, { body: sdpBody(callee()) });
  const kit = new TrackerKit();
  // The called side begins at 101 in a script.
  for (const m of call.messages)
    kit.send({
      ...m,
      bytes: Buffer.from(
        Buffer.from(m.bytes)
          .toString('latin1')
          .replace(/CSeq: 10/, 'CSeq: '),
      ),
    });
  assert.deepEqual(story(kit.dialog(call.callId)), [
    'caller offers',
    'callee answers',
    'callee offers',
    'caller answers',
    'caller offers',
    'callee answers',
  ]);
});

test('what was refused is no change: later descriptions are compared with those in force', () => {
  const call = running('glare');
  const mine = call.request('INVITE', 3000, { body: sdpBody(caller({ version: 2, direction: 'sendonly' })) });
  const theirs = call.request('INVITE', 3005, {
    by: 'callee',
    body: sdpBody(callee({ version: 2, direction: 'sendonly' })),
  });
  call.respond(mine, 491, 3010);
  call.respond(theirs, 491, 3020);
  const kit = new TrackerKit();
  const d = kit.play(call);
  assert.deepEqual(story(d).slice(2), ['caller offers hold', 'callee offers hold']);
  assert.equal(d.marks & MARK.HELD, 0, 'nobody was put on hold');
  const seen = call.messages.length;
  reinvite(call, 5000, caller({ version: 3, direction: 'sendonly' }), callee({ version: 3, direction: 'recvonly' }));
  const update = call.request('UPDATE', 7000, { body: sdpBody(caller({ version: 4 })) });
  call.respond(update, 488, 7020);
  for (const m of call.messages.slice(seen)) kit.send(m);
  assert.deepEqual(story(d).slice(4), ['caller offers hold', 'callee answers', 'caller offers resume']);
  assert.deepEqual(
    d.sdp?.map((e) => e.isRefused),
    [false, false, true, true, false, false, true],
  );
  assert.notEqual(d.marks & MARK.HELD, 0);
});

test('one branch that refuses leaves the offer to the others', () => {
  const call = scriptOf('branches');
  const invite = inviteOf(call, 'branches');
  call.respond(invite, 486, 900, { tag: 'desk' });
  call.respond(invite, 200, 1000, { tag: 'mobile', body: sdpBody(callee()) });
  assert.deepEqual(
    new TrackerKit().play(call).sdp?.map((e) => e.isRefused),
    [false, false],
  );
});

test('the response to an INVITE that was not captured answers, as nearly all do', () => {
  const kit = new TrackerKit();
  const call = basicCall('behind');
  for (const m of call.messages.slice(2)) kit.send(m);
  assert.deepEqual(story(kit.dialog(call.callId)), ['callee answers']);
});

test('what an ACK says is an answer, so that what it answers was an offer although its INVITE was not captured', () => {
  const call = scriptOf('late behind');
  const invite = call.request('INVITE', 0);
  call.respond(invite, 200, 100, { body: sdpBody(answerOf('late behind')) });
  call.ack(invite, 200, 120, { body: sdpBody(offerOf('late behind')) });
  const played = (messages: readonly SipMessage[]): string[] => {
    const kit = new TrackerKit();
    for (const m of messages) kit.send(m);
    return story(kit.dialog(call.callId));
  };
  assert.deepEqual(played(call.messages.slice(1)), ['callee offers', 'caller answers']);
  assert.deepEqual(played(call.messages.slice(2)), ['caller answers']);
});

test('the response to an UPDATE answers, captured or not', () => {
  const call = running('update behind');
  const update = call.request('UPDATE', 3000, { body: sdpBody(caller({ version: 2 })) });
  call.respond(update, 200, 3020, { body: sdpBody(callee({ version: 2 })) });
  const kit = new TrackerKit();
  for (const m of call.messages) if (m.status !== 0 || m.method !== 'UPDATE') kit.send(m);
  assert.deepEqual(story(kit.dialog(call.callId)), ['caller offers', 'callee answers', 'callee answers']);
});

test('an UPDATE carries an exchange of its own', () => {
  const call = running('update');
  const r = call.request('UPDATE', 3000, {
    body: sdpBody(caller({ version: 2, media: { ...ALICE.rtp, port: 20500 } })),
  });
  call.respond(r, 200, 3020, { body: sdpBody(callee({ version: 2 })) });
  const d = new TrackerKit().play(call);
  assert.deepEqual(story(d), [
    'caller offers',
    'callee answers',
    'caller offers media_anchor_change',
    'callee answers',
  ]);
});

test('the answer of a 183 repeated in the 200 is one answer; another one is another', () => {
  const call = scriptOf('repeat');
  const invite = inviteOf(call, 'repeat');
  call.respond(invite, 183, 100, { body: sdpBody(callee()) });
  call.respond(invite, 200, 900, { body: sdpBody(callee()) });
  assert.deepEqual(story(new TrackerKit().play(call)), ['caller offers', 'callee answers']);
  const changed = scriptOf('changed');
  const second = inviteOf(changed, 'changed');
  changed.respond(second, 183, 100, { body: sdpBody(callee()) });
  changed.respond(second, 200, 900, { body: sdpBody(callee({ version: 2, media: { ...BOB.rtp, port: 30500 } })) });
  assert.deepEqual(story(new TrackerKit().play(changed)), [
    'caller offers',
    'callee answers',
    'callee answers media_anchor_change',
  ]);
});

test('hold and resume, in the new style and the old, by either side', () => {
  const styles: readonly (readonly [string, Partial<Parameters<typeof sdp>[0]>])[] = [
    ['sendonly', { direction: 'sendonly' }],
    ['inactive', { direction: 'inactive' }],
    ['zero', { connection: '0.0.0.0' }],
  ];
  for (const [name, style] of styles) {
    const call = running(`hold-${name}`);
    reinvite(call, 4000, caller({ version: 2, ...style }), callee({ version: 2 }));
    reinvite(call, 6000, caller({ version: 3 }), callee({ version: 3 }));
    const d = new TrackerKit().play(call);
    assert.deepEqual(
      story(d).slice(2),
      ['caller offers hold', 'callee answers', 'caller offers resume', 'callee answers'],
      name,
    );
    assert.notEqual(d.marks & MARK.HELD, 0);
  }
  const other = running('hold-callee');
  reinvite(
    other,
    4000,
    callee({ version: 2, direction: 'sendonly' }),
    caller({ version: 2, direction: 'recvonly' }),
    'callee',
  );
  assert.deepEqual(story(new TrackerKit().play(other)).slice(2), ['callee offers hold', 'caller answers']);
});

test('a new codec, a new place and fax are told; a session refresh is not', () => {
  const outcome = (offered: string): string | undefined => {
    const call = running('change');
    reinvite(call, 4000, offered, callee({ version: 2 }));
    return story(new TrackerKit().play(call))[2];
  };
  assert.equal(outcome(caller({ version: 2 })), 'caller offers');
  assert.equal(outcome(caller({ version: 2, codecs: [CODEC.PCMU, CODEC.EVENT] })), 'caller offers');
  assert.equal(outcome(caller({ version: 2, codecs: [CODEC.PCMA, CODEC.PCMU] })), 'caller offers codec_change');
  assert.equal(
    outcome(caller({ version: 2, media: { ...ALICE.rtp, port: 20700 } })),
    'caller offers media_anchor_change',
  );
  assert.equal(outcome(t38Sdp({ media: ALICE.rtp, session: 'a', version: 2 })), 'caller offers t38_switch');
});

test('a change of place while a transfer runs is the transfer', () => {
  const call = running('transfer');
  const r = call.request('REFER', 3000, { by: 'callee', headers: [['Refer-To', '<sip:carol@example.com>']] });
  call.respond(r, 202, 3020);
  reinvite(call, 4000, caller({ version: 2, media: { address: '203.0.113.30', port: 40000 } }), callee({ version: 2 }));
  assert.equal(story(new TrackerKit().play(call))[2], 'caller offers transfer');
});

/** The message as a proxy with a media relay sends it on. */
function relayed(m: SipMessage, relayPort: number): SipMessage {
  const proxy = { address: '203.0.113.1', port: 5060 };
  const text = Buffer.from(m.bytes)
    .toString('latin1')
    .replace(/branch=z9hG4bK/, 'branch=z9hG4bKp')
    .replace(/c=IN IP4 [^\r]*/, `c=IN IP4 ${proxy.address}`)
    .replace(/m=audio \d+/, `m=audio ${relayPort}`);
  return { ...m, src: proxy, tsUs: m.tsUs + 1000, bytes: Buffer.from(text, 'latin1') };
}

test('what a relaying proxy sends on is another view of the same exchange, not a change', () => {
  const call = running('relay');
  reinvite(call, 4000, caller({ version: 2, direction: 'sendonly' }), callee({ version: 2, direction: 'recvonly' }));
  reinvite(call, 6000, caller({ version: 3 }), callee({ version: 3 }));
  const kit = new TrackerKit();
  for (const m of call.messages) {
    kit.send({ ...m, dst: { address: '203.0.113.1', port: 5060 } });
    kit.send(relayed(m, m.by === 'caller' ? 41000 : 42000));
  }
  const d = kit.dialog(call.callId);
  assert.deepEqual(story(d), [
    'caller offers',
    'caller offers',
    'callee answers',
    'callee answers',
    'caller offers hold',
    'caller offers',
    'callee answers',
    'callee answers',
    'caller offers resume',
    'caller offers',
    'callee answers',
    'callee answers',
  ]);
  assert.equal(d.retransmits, 0);
});

test('every endpoint of a description is claimed, once', () => {
  const kit = new TrackerKit();
  const call = scriptOf('claims');
  const body = caller({
    attributes: [
      'rtcp:20009',
      'candidate:1 1 UDP 2130706431 10.0.0.5 20100 typ host',
      'candidate:2 1 UDP 1694498815 203.0.113.9 31000 typ srflx raddr 10.0.0.5 rport 20100',
    ],
  });
  const invite = call.request('INVITE', 0, { body: sdpBody(body) });
  call.respond(invite, 183, 50, { body: sdpBody(callee()) });
  call.respond(invite, 200, 90, { body: sdpBody(callee()) });
  const d = kit.play(call);
  const named = (address: string, port: number): boolean => {
    const key = endpointKeyFromText(address, port);
    return key !== null && kit.endpoints.dialogOf(kit.endpoints.find(key, call.at(1000))) === d;
  };
  for (const [address, port] of [
    ['192.0.2.10', 20000],
    ['192.0.2.10', 20009],
    ['10.0.0.5', 20100],
    ['203.0.113.9', 31000],
    ['198.51.100.20', 30000],
  ] as const)
    assert.ok(named(address, port), `${address}:${port}`);
  assert.equal(kit.claims.length, 5);
  assert.notEqual(d.marks & MARK.ICE, 0);
});

test('a closed media line claims nothing, and broken SDP is counted', () => {
  const kit = new TrackerKit();
  const call = scriptOf('closed');
  call.request('INVITE', 0, { body: sdpBody(caller({ media: { ...ALICE.rtp, port: 0 } })) });
  call.request('INVITE', 10, { body: sdpBody('this is no session description\r\n') });
  kit.play(call);
  assert.deepEqual([kit.claims.length, kit.sdp.bodies, kit.sdp.malformed], [0, 2, 1]);
});

test('the timeline has an end', () => {
  const kit = new TrackerKit();
  const call = running('endless');
  for (let i = 0; i < MAX_SDP_ENTRIES; i++)
    reinvite(call, 3000 + i * 100, caller({ version: i + 2 }), callee({ version: i + 2 }));
  assert.equal(kit.play(call).sdp?.length, MAX_SDP_ENTRIES);
});

test('a description whose shape is known says the same as when it was read in full', () => {
  const kit = new TrackerKit();
  const bodies = [
    caller(),
    caller({ direction: 'sendonly' }),
    callee({ codecs: [CODEC.PCMU, CODEC.PCMA] }),
    t38Sdp({ media: BOB.rtp, session: 'b' }),
  ];
  const said = (name: string) => {
    const call = scriptOf(name);
    const invite = call.request('INVITE', 0, { body: sdpBody(caller()) });
    for (const [i, body] of bodies.entries()) call.respond(invite, 180 + (i % 4), 100 + i, { body: sdpBody(body) });
    const d = kit.play(call);
    const { sdp, claimedKeys, marks } = d;
    const entries = (sdp ?? []).map(
      ({ isOffer, side, codecs, mode, address, port, event, hasT38, sender, toPublicPeer, media }) => ({
        ...{ isOffer, side, codecs, mode, address, port, event, hasT38, sender, toPublicPeer },
        media: media.map((m) => ({
          type: m.type,
          address: m.address,
          port: m.port,
          mode: m.mode,
          isRtp: m.isRtp,
          codecs: m.codecs,
        })),
      }),
    );
    return { entries, claimedKeys, marks, plain: (sdp ?? []).filter((e) => e instanceof PlainSdpEntry).length };
  };
  const first = said('read');
  const second = said('known');
  assert.deepEqual({ ...second, plain: 0 }, { ...first, plain: 0 });
  assert.ok(
    second.plain > first.plain && second.plain < second.entries.length,
    'some took the short way, T.38 did not',
  );
});
