/** Whether a call's media would come past: by its very sockets, by its two hosts, never by another address of a relay. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, answer, BOB, basicCall, CALL_TIMES, hangUp, sdpBody } from '../../../fixtures/build/basic-call.ts';
import { scriptOf } from '../../../fixtures/build/calls-setup.ts';
import { Capture } from '../../../fixtures/build/capture.ts';
import { talk } from '../../../fixtures/build/case-kit.ts';
import { hep3 } from '../../../fixtures/build/hep.ts';
import type { Endpoint } from '../../../fixtures/build/packet.ts';
import { CODEC, sdp } from '../../../fixtures/build/sdp.ts';
import type { Party, SipScript } from '../../../fixtures/build/sip-call.ts';
import { CLASS, METHOD, stun, username } from '../../../fixtures/build/stun.ts';
import type { Diagnosis } from '../../../src/contract/index.ts';
import { dialogDocument } from '../../helpers/at-once.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const PBX: Party = {
  ...BOB,
  user: 'pbx',
  sip: { address: '203.0.113.5', port: 5060 },
  rtp: { address: '203.0.113.5', port: 12_000 },
};
const at = (party: Party, address: string, port = party.rtp.port): Party => ({
  ...party,
  sip: { address, port: 5060 },
  rtp: { address, port },
});
const with2 = (party: Party, rtp: Endpoint): Party => ({ ...party, rtp });

/** An answered call of ten seconds without media; `moves` is a re-INVITE right after the answer that names these sockets. */
function silentCall(caller: Party, callee: Party, o: { moves?: Party; name?: string } = {}): SipScript {
  const name = o.name ?? 'silent';
  const call = scriptOf(name, caller, callee);
  const body = (side: Party, version = 1): string =>
    sdp({ media: side.rtp, codecs: [CODEC.PCMU], session: `${name}/${side.user}`, version });
  answer(call, call.request('INVITE', 0, { body: sdpBody(body(caller)) }), body(callee));
  if (o.moves !== undefined) {
    const again = call.request('INVITE', CALL_TIMES.answer + 50, { by: 'callee', body: sdpBody(body(o.moves, 2)) });
    call.respond(again, 200, CALL_TIMES.answer + 60, { body: sdpBody(body(caller, 2)) });
    call.ack(again, 200, CALL_TIMES.answer + 70);
  }
  hangUp(call, 12_000);
  return call;
}

async function diagnosed(
  t: TestContext,
  call: SipScript,
  others: readonly (readonly [Party, Party])[],
  more: (capture: Capture) => void = () => undefined,
): Promise<Diagnosis> {
  const capture = new Capture().add(call.messages);
  for (const [i, [a, b]] of others.entries()) {
    const other = basicCall(`other-${i}`, { caller: a, callee: b });
    capture
      .add(other.messages)
      .add(talk(other, a, b).datagrams)
      .add(talk(other, b, a).datagrams);
  }
  more(capture);
  const { session } = await readCapture(t, capture.pcap());
  return dialogDocument(session.evidence, session.dialogs.get(call.callId) ?? assert.fail()).diagnosis;
}

const neighbour = at(ALICE, '192.0.2.77', 22_000);

test('open by its hosts: RTP between the two, or between their networks where signaling runs between them', async (t) => {
  const other = [with2(ALICE, { ...ALICE.rtp, port: 20_800 }), with2(PBX, { ...PBX.rtp, port: 12_800 })] as const;
  for (const [what, others] of [
    ['the same hosts', [other]],
    ['the same networks', [[neighbour, with2(PBX, { ...PBX.rtp, port: 12_800 })]]],
    ['the server with another network', [[at(ALICE, '198.51.100.9'), with2(PBX, { ...PBX.rtp, port: 12_800 })]]],
  ] as const)
    assert.equal((await diagnosed(t, silentCall(ALICE, PBX), others)).no_media, true, what);
});

test('unknown: alone in the capture, or beside media of strangers', async (t) => {
  assert.equal((await diagnosed(t, silentCall(ALICE, PBX), [])).no_media, false);
  const strangers = [[at(ALICE, '198.18.0.1'), at(BOB, '198.19.0.1')]] as const;
  assert.equal((await diagnosed(t, silentCall(ALICE, PBX), strangers)).no_media, false);
});

test('direct media after a re-INVITE runs past the tap of the PBX, whatever else the PBX carries', async (t) => {
  const phone = at(BOB, '198.51.100.61', 4000);
  const others = [
    [neighbour, with2(PBX, { ...PBX.rtp, port: 12_800 })],
    [with2(ALICE, { ...ALICE.rtp, port: 20_800 }), with2(PBX, { ...PBX.rtp, port: 12_900 })],
    [at(BOB, '198.51.100.62'), with2(PBX, { ...PBX.rtp, port: 12_902 })],
  ] as const;
  const direct = silentCall(ALICE, PBX, { moves: phone });
  assert.deepEqual((await diagnosed(t, direct, others)).hints, []);
  assert.equal((await diagnosed(t, silentCall(ALICE, PBX), others)).no_media, true, 'with the PBX itself it is silent');
  const met = [
    ...others,
    [with2(ALICE, { ...ALICE.rtp, port: 20_900 }), with2(phone, { ...phone.rtp, port: 4800 })],
  ] as const;
  assert.equal((await diagnosed(t, direct, met)).no_media, true, 'both phones do meet here');
});

test('a proxy with a relay for some: what the relay carries proves nothing of calls that go direct', async (t) => {
  const proxy = { address: '203.0.113.9', port: 5060 };
  const relay = at(PBX, '203.0.113.10');
  const call = silentCall(ALICE, BOB);
  const behind = silentCall(ALICE, BOB);
  const hops = [
    ...call.messages.map((m) => (m.src.address === ALICE.sip.address ? { ...m, dst: proxy } : { ...m, src: proxy })),
    ...behind.messages.map((m) => (m.src.address === ALICE.sip.address ? { ...m, src: proxy } : { ...m, dst: proxy })),
  ];
  const relayed = [
    [neighbour, relay],
    [at(BOB, '198.51.100.77'), with2(relay, { ...relay.rtp, port: 12_400 })],
  ] as const;
  const capture = new Capture().add(hops);
  for (const [i, [a, b]] of relayed.entries()) {
    const other = basicCall(`relayed-${i}`, { caller: a, callee: b });
    capture.add(talk(other, a, b).datagrams).add(talk(other, b, a).datagrams);
  }
  const { session } = await readCapture(t, capture.pcap());
  const d = session.dialogs.get(call.callId) ?? assert.fail();
  assert.deepEqual(dialogDocument(session.evidence, d).diagnosis.hints, []);
});

test('signaling that an agent mirrors from elsewhere proves no path; RTP between the same hosts still does', async (t) => {
  const agent = { src: { address: '203.0.113.9', port: 45_060 }, dst: { address: '203.0.113.60', port: 9060 } };
  const inside = at(ALICE, '10.0.0.7');
  const trunks = [1, 2, 3, 4].map(
    (n) => [at(BOB, `198.51.100.${n}`), with2(PBX, { ...PBX.rtp, port: 13_000 + n * 2 })] as const,
  );
  const same = [with2(inside, { ...inside.rtp, port: 20_800 }), with2(PBX, { ...PBX.rtp, port: 12_800 })] as const;
  for (const [others, isOpen] of [
    [trunks, false],
    [[same], true],
  ] as const) {
    const call = silentCall(inside, PBX);
    const capture = new Capture().add(
      call.messages.map((m) => ({ ...agent, tsUs: m.tsUs, bytes: hep3({ ...m, payload: m.bytes }) })),
    );
    for (const [i, [a, b]] of others.entries()) {
      const other = basicCall(`other-${i}`, { caller: a, callee: b });
      capture
        .add(other.messages)
        .add(talk(other, a, b).datagrams)
        .add(talk(other, b, a).datagrams);
    }
    const { session } = await readCapture(t, capture.pcap(), ['-E']);
    const d = session.dialogs.get(call.callId) ?? assert.fail();
    assert.equal(dialogDocument(session.evidence, d).diagnosis.no_media, isOpen);
  }
});

test('a phone behind a NAT is where its signaling comes from', async (t) => {
  const natted = with2(ALICE, { address: '10.0.0.5', port: 20_000 });
  const others = [[neighbour, with2(PBX, { ...PBX.rtp, port: 12_800 })]] as const;
  assert.equal((await diagnosed(t, silentCall(natted, PBX), others)).no_media, true);
});

test('open by an ICE check that nobody answers, and not by a question to a STUN server', async (t) => {
  const call = silentCall(ALICE, BOB);
  const check = stun(CLASS.REQUEST, METHOD.BINDING, 'check', username('b:a'));
  const question = stun(CLASS.REQUEST, METHOD.BINDING, 'question');
  const server = { address: '203.0.113.250', port: 3478 };
  for (const [bytes, dst, isOpen] of [
    [check, BOB.rtp, true],
    [question, server, false],
  ] as const) {
    const found = await diagnosed(t, call, [], (capture) => {
      capture.add([3000, 3500].map((ms) => ({ tsUs: call.at(ms), src: ALICE.rtp, dst, bytes })));
    });
    assert.equal(found.no_media, isOpen, dst.address);
  }
});

/** RTCP receiver report without a block: its sender hears nobody. */
function emptyReport(ssrc: number): Uint8Array {
  const b = Buffer.alloc(8);
  b.writeUInt16BE(0x80c9, 0);
  b.writeUInt16BE(1, 2);
  b.writeUInt32BE(ssrc, 4);
  return b;
}

const rtcpOf = ({ rtp }: Party): Endpoint => ({ ...rtp, port: rtp.port + 1 });

test('open by its very sockets, also alone: RTCP between them, not RTCP to a third', async (t) => {
  const elsewhere = { address: '203.0.113.77', port: 12_001 };
  for (const [to, isOpen] of [
    [rtcpOf(BOB), true],
    [elsewhere, false],
  ] as const) {
    const call = silentCall(ALICE, BOB);
    const found = await diagnosed(t, call, [], (capture) => {
      capture.add(
        [3000, 8000].map((ms) => ({
          tsUs: call.at(ms),
          src: rtcpOf(ALICE),
          dst: to,
          bytes: emptyReport(7),
        })),
      );
    });
    assert.equal(found.no_media, isOpen, to.address);
  }
});
