/** `octets` of SRTP are those of the payload: without the tag of the suite that the answer took, and without the MKI. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, answer, BOB, hangUp, sdpBody } from '../../../fixtures/build/basic-call.ts';
import { scriptOf } from '../../../fixtures/build/calls-setup.ts';
import { Capture } from '../../../fixtures/build/capture.ts';
import { voice } from '../../../fixtures/build/rtp.ts';
import { stream } from '../../../fixtures/build/scene-kit.ts';
import { CODEC, sdp } from '../../../fixtures/build/sdp.ts';
import { dialogDocument } from '../../helpers/at-once.ts';
import { readCapture } from '../../helpers/read-capture.ts';
import { description } from '../../helpers/video-call.ts';

const KEY = `inline:${'A'.repeat(40)}`;
const PACKETS = 60;
const PAYLOAD = 160;

type Side = { readonly lines: readonly string[]; readonly trailer: number };

/** Octets a packet of both directions of a call whose sides describe these lines and put so many bytes behind each payload. */
async function octets(
  t: TestContext,
  a: Side,
  b: Side,
  profile: 'RTP/SAVP' | 'RTP/AVP' = 'RTP/SAVP',
): Promise<number[]> {
  const call = scriptOf('secured');
  const body = (party: typeof ALICE, attributes: readonly string[]): string =>
    sdp({ media: party.rtp, codecs: [CODEC.PCMU], session: party.user, profile, attributes });
  answer(call, call.request('INVITE', 0, { body: sdpBody(body(ALICE, a.lines)) }), body(BOB, b.lines));
  hangUp(call, 12_000);
  const plan = ({ trailer }: Side) =>
    voice({ payloadType: 0, count: PACKETS, payload: () => new Uint8Array(PAYLOAD + trailer) });
  const capture = new Capture().add(call.messages);
  capture.add(stream(call, ALICE.rtp, BOB.rtp, 2300, plan(a))).add(stream(call, BOB.rtp, ALICE.rtp, 2300, plan(b)));
  const { session } = await readCapture(t, capture.pcap());
  const { streams } = dialogDocument(session.evidence, session.dialogs.get(call.callId) ?? assert.fail());
  return streams
    .sort((x, y) => (x.src < y.src ? -1 : 1))
    .map((s) => {
      assert.equal(s.packets, PACKETS);
      return s.octets / PACKETS;
    });
}

const line = (tag: number, suite: string, more = ''): string => `crypto:${tag} ${suite} ${KEY}${more}`;

test('each suite by the length of its tag; of those offered the one that was answered', async (t) => {
  for (const [suite, bytes] of [
    ['AES_CM_128_HMAC_SHA1_80', 10],
    ['AES_CM_128_HMAC_SHA1_32', 4],
    ['AES_256_CM_HMAC_SHA1_80', 10],
    ['AES_192_CM_HMAC_SHA1_32', 4],
    ['AEAD_AES_128_GCM', 16],
    ['AEAD_AES_256_GCM', 16],
  ] as const) {
    const one = { lines: [line(3, suite)], trailer: bytes };
    const all = {
      lines: [line(1, 'AES_CM_128_HMAC_SHA1_80'), line(2, 'F8_128_HMAC_SHA1_80'), line(3, suite)],
      trailer: bytes,
    };
    assert.deepEqual(await octets(t, all, one), [PAYLOAD, PAYLOAD], suite);
  }
});

test('the MKI of each side, and no tag where none was agreed', async (t) => {
  const suite = 'AES_CM_128_HMAC_SHA1_80';
  const a = { lines: [line(1, suite, '|2^20|1:4')], trailer: 14 };
  const b = { lines: [line(1, suite, '|7:1')], trailer: 11 };
  assert.deepEqual(await octets(t, a, b), [PAYLOAD, PAYLOAD]);
  const several = { lines: [line(1, suite, `|2^20|1:2;${KEY}|2^20|2:2`)], trailer: 12 };
  assert.deepEqual(await octets(t, several, { lines: [line(1, suite)], trailer: 10 }), [PAYLOAD, PAYLOAD]);
  const open = { lines: [line(1, suite, ' UNAUTHENTICATED_SRTP')], trailer: 0 };
  assert.deepEqual(await octets(t, open, open), [PAYLOAD, PAYLOAD]);
});

test('what is not told is left as it is: unknown suites, DTLS, keys that nobody took', async (t) => {
  const unknown = { lines: [line(1, 'X_SUITE_80')], trailer: 10 };
  assert.deepEqual(await octets(t, unknown, unknown), [PAYLOAD + 10, PAYLOAD + 10]);
  const dtls = { lines: ['fingerprint:sha-256 AA:BB', 'setup:actpass'], trailer: 10 };
  assert.deepEqual(await octets(t, dtls, dtls), [PAYLOAD + 10, PAYLOAD + 10]);
  const offered = { lines: [line(1, 'AES_CM_128_HMAC_SHA1_80')], trailer: 0 };
  assert.deepEqual(await octets(t, offered, { lines: [], trailer: 0 }, 'RTP/AVP'), [PAYLOAD, PAYLOAD]);
});

test('of two audio lines each by the answer to its own', async (t) => {
  const call = scriptOf('two secured');
  const body = (address: string): string =>
    description(address, [
      { line: 'audio 20000 RTP/SAVP 0', attributes: [line(1, 'AES_CM_128_HMAC_SHA1_80')] },
      { line: 'audio 20002 RTP/SAVP 0', attributes: [line(1, 'AES_CM_128_HMAC_SHA1_32')] },
    ]);
  const invite = call.request('INVITE', 0, { body: sdpBody(body(ALICE.rtp.address)) });
  answer(call, invite, body(BOB.rtp.address));
  hangUp(call, 12_000);
  const plan = (trailer: number) =>
    voice({ payloadType: 0, count: PACKETS, payload: () => new Uint8Array(PAYLOAD + trailer) });
  const capture = new Capture().add(call.messages);
  // No description names where they come from.
  for (const [port, trailer] of [
    [20_000, 10],
    [20_002, 4],
  ] as const)
    capture.add(stream(call, { ...BOB.rtp, port: port + 5000 }, { ...ALICE.rtp, port }, 2300, plan(trailer)));
  const { session } = await readCapture(t, capture.pcap());
  const { streams } = dialogDocument(session.evidence, session.dialogs.get(call.callId) ?? assert.fail());
  assert.deepEqual(
    streams.map((s) => s.octets / PACKETS),
    [PAYLOAD, PAYLOAD],
  );
});
