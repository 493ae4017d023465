/**
 * One call carried by the wire and by its HEP mirror: the copies agree, and what one of them left out or changed is
 * named with the index of the message.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALICE6, BOB6, basicCall } from '../../../fixtures/build/basic-call.ts';
import { inviteOf, scriptOf } from '../../../fixtures/build/calls-setup.ts';
import type { SipMessage, SipScript } from '../../../fixtures/build/sip-call.ts';
import type { SignalingFindings } from '../../../src/analysis/signaling/diagnose.ts';
import { pairInTime } from '../../../src/analysis/signaling/pair-in-time.ts';
import type { SourceDisagreement } from '../../../src/analysis/signaling/source-disagreement.ts';
import { THRESHOLDS } from '../../../src/core/thresholds.ts';
import { TRANSPORT } from '../../../src/core/words.ts';
import { MAX_DIALOG_MESSAGES } from '../../../src/ingest/dialogs/dialog-tracker.ts';
import type { Packet } from '../../../src/sources/packet.ts';
import { toSignalingDiagnosis } from '../../../src/view/signaling.ts';
import { assertDocument } from '../../api/strict-contract.ts';
import { asJson } from '../../helpers/json.ts';
import { disagreementOf, signalingOf } from '../../helpers/judged.ts';
import { HEP, TrackerKit, WIRE } from '../ingest/dialogs/tracker-kit.ts';

const UPROBE = 2;

/** What each source saw of a call: its messages, changed or left out. */
type Seen = (messages: readonly SipMessage[]) => readonly SipMessage[];

const all: Seen = (messages) => messages;
const later =
  (us: number): Seen =>
  (messages) =>
    messages.map((m) => ({ ...m, tsUs: m.tsUs + us }));
const without =
  (...left: number[]): Seen =>
  (messages) =>
    messages.filter((_, i) => !left.includes(i));

/** Changes the text of one message and its Content-Length with it. */
function edited(at: number, change: (text: string) => string): Seen {
  return (messages) =>
    messages.map((m, i) => {
      if (i !== at) return m;
      const [head = '', ...body] = change(Buffer.from(m.bytes).toString('latin1')).split('\r\n\r\n');
      const text = body.join('\r\n\r\n');
      const length = `Content-Length: ${text.length}`;
      return { ...m, bytes: Buffer.from(`${head.replace(/Content-Length: \d+/, length)}\r\n\r\n${text}`, 'latin1') };
    });
}

function diagnose(call: SipScript, wire: Seen, mirror: Seen, over: Partial<Packet> = {}): SignalingFindings | null {
  const kit = new TrackerKit();
  for (const m of wire(call.messages)) kit.send(m, over);
  for (const m of mirror(call.messages)) kit.send(m, { origin: HEP });
  return signalingOf(kit.dialog(call.callId), kit.log, { nowUs: call.at(1e6), thresholds: THRESHOLDS, icmp: [] });
}

function disagreement(call: SipScript, wire: Seen, mirror: Seen, over: Partial<Packet> = {}): SourceDisagreement {
  const kit = new TrackerKit();
  for (const m of wire(call.messages)) kit.send(m, over);
  for (const m of mirror(call.messages)) kit.send(m, { origin: HEP });
  const d = kit.dialog(call.callId);
  const compared = disagreementOf(d, kit.log);
  assert.ok(compared !== null);
  const found = signalingOf(d, kit.log, { nowUs: call.at(1e6), thresholds: THRESHOLDS, icmp: [] });
  assert.deepEqual(found?.sourceDisagreement ?? null, compared.evidence.length === 0 ? null : compared);
  if (found !== null) assertDocument('SignalingDiagnosis', asJson(toSignalingDiagnosis(found)));
  return compared;
}

/** A call by TLS, as its Via says, whichever hop carried it. */
function encrypted(name: string, via: string): SipScript {
  const call = basicCall(name);
  call.messages.forEach((m, i) => {
    const text = Buffer.from(m.bytes).toString('latin1').replace('SIP/2.0/UDP', via);
    call.messages[i] = { ...m, bytes: Buffer.from(text, 'latin1') };
  });
  return call;
}

describe('two sources of one call', () => {
  it('agree on every message: nothing is found', () => {
    assert.equal(diagnose(basicCall('agree'), all, later(300)), null);
    assert.deepEqual(disagreement(basicCall('agree'), all, later(300)), {
      agreed: 7,
      mirrorOnly: [],
      wireOnly: [],
      sdpDiffers: [],
      evidence: [],
    });
  });

  it('are compared on the hops that the wire shows: an encrypted one is no witness, unless a probe reads it', () => {
    for (const via of ['SIP/2.0/TLS', 'SIP / 2.0 / wss', 'SIP/2.0/TLS-SCTP']) {
      const inside = encrypted('hops', via);
      const outside = basicCall('hops');
      // The proxy mirrors both hops; the wire shows the plain one.
      const kit = new TrackerKit();
      for (const m of outside.messages) for (const origin of [WIRE, HEP]) kit.send(m, { origin });
      for (const m of inside.messages) kit.send({ ...m, dst: { address: '203.0.113.1', port: 5061 } }, { origin: HEP });
      const d = kit.dialog(outside.callId);
      const c = { nowUs: outside.at(1e6), thresholds: THRESHOLDS, icmp: [] };
      assert.equal(signalingOf(d, kit.log, c), null, via);
      assert.equal(disagreementOf(d, kit.log)?.agreed, 7, via);
    }
    const call = encrypted('probed', 'SIP/2.0/TLS');
    const missing = disagreement(call, without(2), all, { origin: UPROBE });
    assert.deepEqual([missing.agreed, missing.mirrorOnly.length], [6, 1]);
    // Whatever the Via says, the mirror may know that it was encrypted.
    const plain = basicCall('told');
    const kit = new TrackerKit();
    plain.messages.forEach((m, i) => {
      if (i > 0) kit.send(m);
      kit.send(m, { origin: HEP, transport: i > 0 ? TRANSPORT.UDP : TRANSPORT.TLS });
    });
    const d = kit.dialog(plain.callId);
    assert.deepEqual(disagreementOf(d, kit.log)?.evidence, []);
  });

  it('are not compared when one alone carried the call, or when a probe read what the wire had encrypted', () => {
    const call = basicCall('alone');
    assert.equal(diagnose(call, all, without(0, 1, 2, 3, 4, 5, 6)), null);
    assert.equal(diagnose(call, without(0, 1, 2, 3, 4, 5, 6), all), null);
    const kit = new TrackerKit();
    for (const m of call.messages) for (const origin of [WIRE, UPROBE]) kit.send(m, { origin });
    assert.equal(
      signalingOf(kit.dialog(call.callId), kit.log, { nowUs: call.at(1e6), thresholds: THRESHOLDS, icmp: [] }),
      null,
    );
    assert.equal(disagreement(call, all, all, { origin: UPROBE }).agreed, 7, 'a probe against a mirror');
  });

  it('differ: each message that one of them left out is named once, with its index', () => {
    const call = basicCall('left out');
    const found = diagnose(call, without(2), without(1, 5));
    assert.deepEqual(found?.sourceDisagreement, {
      agreed: 4,
      wireOnly: [
        { summary: '100 Trying to INVITE (CSeq 1)', index: 1 },
        { summary: 'BYE sip:bob@198.51.100.20:5060 (CSeq 2)', index: 4 },
      ],
      mirrorOnly: [{ summary: '180 Ringing to INVITE (CSeq 1)', index: 7 }],
      sdpDiffers: [],
      evidence: [1, 4, 7],
    });
    assert.deepEqual(
      found?.hints.map(({ text }) => text),
      [
        'The wire and its HEP mirror disagree: 2 messages that the mirror never reported, ' +
          '1 message that the wire never carried; 4 agreed.',
      ],
    );
  });

  it('may have clocks two seconds apart, and the mirror may tell other addresses', () => {
    const call = basicCall('clocks');
    assert.equal(disagreement(call, all, later(2_000_000)).agreed, 7);
    assert.equal(disagreement(call, all, later(-2_000_000)).agreed, 7);
    const apart = disagreement(call, all, later(2_000_001));
    assert.deepEqual([apart.agreed, apart.wireOnly.length, apart.mirrorOnly.length], [0, 7, 7]);
    const behindNat: Seen = (messages) =>
      messages.map((m) => ({ ...m, src: { ...m.src, address: '10.9.9.9' }, dst: { ...m.dst, port: 6060 } }));
    assert.equal(disagreement(call, all, behindNat).agreed, 7);
  });

  it('count retransmissions one by one; the same packet seen twice stands once', () => {
    const call = scriptOf('repeated');
    const invite = inviteOf(call, 'repeated');
    const again = [0, 500, 1500, 3500].map((ms) => ({ ...invite, tsUs: call.at(ms) }));
    const found = disagreement(
      call,
      () => again,
      () => again.filter((_, i) => i !== 1).map((m) => ({ ...m, tsUs: m.tsUs + 400 })),
    );
    assert.deepEqual([found.agreed, found.mirrorOnly], [3, []]);
    assert.deepEqual(
      found.wireOnly.map((m) => m.index),
      [1],
      'the copy that has no partner near it',
    );
    const twice = disagreement(
      call,
      () => [invite, { ...invite, tsUs: invite.tsUs + 20 }],
      () => [invite],
      { ipId: 7 },
    );
    assert.deepEqual([twice.agreed, twice.wireOnly], [1, []]);
  });

  it('differ in what a description says, not in how it is written', () => {
    const call = basicCall('sdp');
    const moved = disagreement(
      call,
      all,
      edited(0, (t) => t.replace(/m=audio \d+/, 'm=audio 40000').replace(/c=IN IP4 \S+/, 'c=IN IP4 203.0.113.50')),
    );
    assert.deepEqual(moved.sdpDiffers, [
      {
        summary: 'INVITE sip:bob@example.com (CSeq 1)',
        wire: ['audio 192.0.2.10:20000'],
        mirror: ['audio 203.0.113.50:40000'],
        wireIndex: 0,
        mirrorIndex: 7,
      },
    ]);
    assert.deepEqual([moved.agreed, moved.evidence], [7, [0, 7]], 'both carried it all the same');
    const stripped = disagreement(
      call,
      all,
      edited(3, (t) => t.slice(0, t.indexOf('\r\n\r\n') + 4)),
    );
    assert.deepEqual(
      stripped.sdpDiffers.map((s) => [s.wire, s.mirror]),
      [[['audio 198.51.100.20:30000'], []]],
    );
    const rewritten = disagreement(
      call,
      all,
      edited(0, (t) => t.replace(/o=(\S+) \S+/, 'o=$1 4711').replace(/s=.*/, 's=other')),
    );
    assert.deepEqual(rewritten.sdpDiffers, []);
    const cut = disagreement(
      call,
      all,
      edited(0, (t) => t.replace(/m=audio \d+/, 'm=audio 40000')),
      { isSnapped: true },
    );
    assert.deepEqual(cut.sdpDiffers, [], 'a cut copy says nothing of what was sent');
  });

  it('brackets addresses of version 6', () => {
    const call = basicCall('six', { caller: ALICE6, callee: BOB6 });
    const found = disagreement(
      call,
      all,
      edited(0, (t) => t.replace(/m=audio \d+/, 'm=audio 40000')),
    );
    assert.deepEqual(
      found.sdpDiffers.map((s) => [s.wire, s.mirror]),
      [[['audio [2001:db8:1::10]:20000'], ['audio [2001:db8:1::10]:40000']]],
    );
  });

  it('are compared as far as the message list reaches: what a cap cut is no disagreement', () => {
    const call = scriptOf('long');
    for (let i = 0; i < MAX_DIALOG_MESSAGES; i++) call.request('MESSAGE', i * 100);
    const kit = new TrackerKit();
    for (const m of call.messages) {
      kit.send(m);
      kit.send({ ...m, tsUs: m.tsUs + 900_000 }, { origin: HEP });
    }
    const d = kit.dialog(call.callId);
    assert.equal(d.keptCount, MAX_DIALOG_MESSAGES);
    const found = disagreementOf(d, kit.log);
    assert.deepEqual([found?.agreed, found?.evidence], [MAX_DIALOG_MESSAGES / 2, []]);
    // Its oldest messages were evicted from the log, in the midst of a pair.
    const small = new TrackerKit({ logBytes: 1 });
    const talk = scriptOf('evicted');
    for (let i = 0; i < 240; i++)
      talk.request('MESSAGE', i * 100, { body: { type: 'text/plain', text: 'x'.repeat(2500) } });
    for (const m of talk.messages) for (const origin of [WIRE, HEP]) small.send(m, { origin });
    const evicted = small.dialog(talk.callId);
    assert.ok(small.log.evicted > 0);
    const rest = disagreementOf(evicted, small.log);
    assert.ok(rest !== null && rest.agreed > 0);
    assert.deepEqual(rest.evidence, []);
  });
});

describe('pairing in time', () => {
  it('gives as many pairs as there can be, then the closest ones', () => {
    const pairs = (a: number[], b: number[]) => [...pairInTime(a, b, 2000)];
    assert.deepEqual(pairs([], [1]), []);
    assert.deepEqual(pairs([0, 10], []), [-1, -1]);
    assert.deepEqual(pairs([0], [2000]), [0]);
    assert.deepEqual(pairs([0], [2001]), [-1]);
    assert.deepEqual(pairs([0, 500, 1500], [500, 1500]), [-1, 0, 1]);
    assert.deepEqual(pairs([0, 3000], [1500, 2500]), [0, 1], 'two pairs rather than the closest one');
    assert.deepEqual(
      pairs([5, 5, 5], [5, 5]).filter((p) => p >= 0),
      [0, 1],
    );
  });
});
