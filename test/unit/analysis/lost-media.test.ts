/** Media that a capture lacks, from the packets on: on another leg, dead while the call goes on, or silent by agreement. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, answer, BOB, basicCall, hangUp, sdpBody } from '../../../fixtures/build/basic-call.ts';
import { scriptOf } from '../../../fixtures/build/calls-setup.ts';
import { Capture } from '../../../fixtures/build/capture.ts';
import { CAROL, talk } from '../../../fixtures/build/case-kit.ts';
import type { RtpPlan } from '../../../fixtures/build/rtp.ts';
import { voice } from '../../../fixtures/build/rtp.ts';
import { stream } from '../../../fixtures/build/scene-kit.ts';
import type { Codec } from '../../../fixtures/build/sdp.ts';
import { CODEC, sdp } from '../../../fixtures/build/sdp.ts';
import type { Party, SipScript } from '../../../fixtures/build/sip-call.ts';
import type { Diagnosis } from '../../../src/contract/index.ts';
import { dialogDocument } from '../../helpers/at-once.ts';
import { readCapture } from '../../helpers/read-capture.ts';

/** Two frames of G.729. */
const FRAME = new Uint8Array(20);

async function diagnosed(
  t: TestContext,
  capture: Capture,
  callIds: readonly string[],
  options: readonly string[] = [],
): Promise<Diagnosis[]> {
  const { session } = await readCapture(t, capture.pcap(), options);
  return callIds.map((id) => dialogDocument(session.evidence, session.dialogs.get(id) ?? assert.fail(id)).diagnosis);
}

const at = (party: Party, port: number): Party => ({ ...party, rtp: { ...party.rtp, port } });

/** Answered after 2.2 s, both with these codecs. */
function agreed(name: string, codec: Codec, byeMs: number): SipScript {
  const call = scriptOf(name);
  const body = (side: typeof ALICE) => sdp({ media: side.rtp, codecs: [codec], session: `${name}/${side.user}` });
  answer(call, call.request('INVITE', 0, { body: sdpBody(body(ALICE)) }), body(BOB));
  hangUp(call, byeMs);
  return call;
}

test('a leg without media whose linked leg has it says so, and lacks none; without a link it does', async (t) => {
  const session = (id: string) => ({
    headers: [['Session-ID', `${id};remote=00000000000000000000000000000000`]] as const,
  });
  const legs = (second: string): [SipScript, SipScript] => {
    const leg = (name: string, from: typeof ALICE, to: typeof ALICE, id: string): SipScript => {
      const call = scriptOf(name, from, to);
      const body = (side: typeof ALICE) =>
        sdp({ media: side.rtp, codecs: [CODEC.PCMU], session: `${name}/${side.user}` });
      answer(call, call.request('INVITE', 0, { ...session(id), body: sdpBody(body(from)) }), body(to));
      hangUp(call, 12_000);
      return call;
    };
    const other = { ...CAROL, rtp: { ...CAROL.rtp, port: CAROL.rtp.port + 2 } };
    return [leg('leg-in', ALICE, CAROL, 'a1'.repeat(16)), leg('leg-out', other, BOB, second)];
  };
  for (const [second, isLinked] of [
    ['a1'.repeat(16), true],
    ['b2'.repeat(16), false],
  ] as const) {
    const [first, other] = legs(second);
    const capture = new Capture().add(first.messages).add(other.messages);
    capture
      .add(talk(first, ALICE, CAROL, { count: 480 }).datagrams)
      .add(talk(first, CAROL, ALICE, { count: 480 }).datagrams);
    // Indexed as it is read, and only now.
    for (const options of [['--json'], []]) {
      const [one, two] = await diagnosed(t, capture, [first.callId, other.callId], options);
      assert.deepEqual([one?.no_media, one?.hints], [false, []]);
      assert.equal(two?.no_media, !isLinked);
      assert.match(two?.hints.join() ?? '', isLinked ? /^Not captured on this leg: .* leg leg-in@/ : /no RTP was seen/);
    }
  }
});

test('the same o= line alone makes no leg of a call; the same media port beside it does', async (t) => {
  const leg = (name: string, from: Party, to: Party, startMs: number): SipScript => {
    const call = scriptOf(name, from, to);
    // Programs that always write the same session id.
    const body = (side: Party) => sdp({ media: side.rtp, codecs: [CODEC.PCMU], session: 'always' });
    answer(call, call.request('INVITE', startMs, { body: sdpBody(body(from)) }), body(to));
    hangUp(call, 12_000);
    return call;
  };
  // Another address of the same host, which keeps the port of the medium or takes another one.
  const address = CAROL.rtp.address.replace(/\d+$/, '250');
  const inner = { ...CAROL, sip: { ...CAROL.sip, address }, rtp: { ...CAROL.rtp, address } };
  for (const [port, isLinked] of [
    [CAROL.rtp.port + 2, false],
    [CAROL.rtp.port, true],
  ] as const) {
    const [heard, silent] = [leg('heard', ALICE, CAROL, 0), leg('silent', at(inner, port), at(ALICE, 20_400), 100)];
    const capture = new Capture().add(heard.messages).add(silent.messages);
    capture
      .add(talk(heard, ALICE, CAROL, { count: 480 }).datagrams)
      .add(talk(heard, CAROL, ALICE, { count: 480 }).datagrams);
    const [found] = await diagnosed(t, capture, [silent.callId]);
    assert.deepEqual(
      [found?.no_media, found?.hints.join().startsWith('Not captured')],
      [!isLinked, isLinked],
      `${port}`,
    );
  }
});

test('media that dies at ten seconds of sixty-one, from the packets', async (t) => {
  const until = async (a: number, b: number): Promise<Diagnosis | undefined> => {
    const call = basicCall('dies', { byeMs: 2200 + 61_000 });
    const capture = new Capture().add(call.messages);
    for (const [from, to, sec] of [
      [ALICE, BOB, a],
      [BOB, ALICE, b],
    ] as const)
      capture.add(talk(call, from, to, { fromMs: 2220, count: sec * 50 }).datagrams);
    return (await diagnosed(t, capture, [call.callId]))[0];
  };
  const both = await until(10, 10);
  assert.deepEqual(
    [both?.one_way_audio, both?.hints],
    [false, ['In both directions media stopped at 00:10, 51 s before the BYE.']],
  );
  const one = await until(10, 60.9);
  assert.equal(one?.one_way_audio, false);
  assert.match(
    one?.hints.join('\n') ?? '',
    /^From 192\.0\.2\.10:20000 media stopped at 00:10, 51 s before the BYE, while .*: a recording or announcement, or lost/m,
  );
  assert.deepEqual((await until(60.9, 60.9))?.hints, []);
});

test('comfort noise of G.729 is no packet time, and a silence with it is no stop', async (t) => {
  const call = agreed('annex-b', { ...CODEC.G729B }, 64_000);
  const plan: RtpPlan[] = voice({ payloadType: 18, count: 100, payload: () => FRAME });
  // From two seconds on two octets every two seconds, then nothing for half a minute.
  for (let k = 1; k <= 10; k++)
    plan.push({ payloadType: 18, payload: new Uint8Array(2), sendUs: k * 2_000_000, timestamp: k * 16_000 });
  const capture = new Capture().add(call.messages);
  capture.add(stream(call, ALICE.rtp, BOB.rtp, 2260, plan));
  capture.add(stream(call, BOB.rtp, ALICE.rtp, 2260, voice({ payloadType: 18, count: 3080, payload: () => FRAME })));
  const [found] = await diagnosed(t, capture, [call.callId]);
  assert.equal(found?.one_way_audio, false);
  assert.deepEqual(
    found?.hints.filter((h) => !h.startsWith('Duration')),
    [],
  );
});

test("early media of a call that failed, a second behind its end, is the call's; half a minute behind it is nobody's", async (t) => {
  const call = scriptOf('failed-with-early-media');
  const body = (side: typeof ALICE) => sdp({ media: side.rtp, codecs: [CODEC.PCMU], session: `failed/${side.user}` });
  const invite = call.request('INVITE', 0, { body: sdpBody(body(ALICE)) });
  call.respond(invite, 183, 200, { body: sdpBody(body(BOB)) });
  call.respond(invite, 480, 3000);
  call.ack(invite, 480, 3010);
  const capture = new Capture().add(call.messages);
  for (const atMs of [4000, 36_000])
    capture.add(stream(call, ALICE.rtp, BOB.rtp, atMs, voice({ payloadType: 0, count: 50 })));
  const { session } = await readCapture(t, capture.pcap());
  const d = session.dialogs.get(call.callId);
  assert.deepEqual(
    [d && session.streams.ownedBy(d).length, session.streams.established, session.streams.orphaned],
    [1, 1, 1],
  );
  assert.deepEqual(dialogDocument(session.evidence, d ?? assert.fail()).diagnosis.hints, []);
});
