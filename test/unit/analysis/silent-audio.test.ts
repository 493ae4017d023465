/** Whom the sentence of silent audio names. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, BOB } from '../../../fixtures/build/basic-call.ts';
import { SOUND } from '../../../src/protocols/rtp/stream-layout.ts';
import { answered, diagnosed, stream, textsOf } from './media-calls.ts';

const SILENT = { sound: SOUND.SILENT, octet: 0xff };
const RELAY = { address: '203.0.113.7', port: 45_000 };
const RELAY_TOO = { address: '203.0.113.7', port: 45_002 };

test('of silence that a relay passes on, who sends it to the relay is named', () => {
  const call = answered();
  const found = diagnosed(call, [
    stream(call, RELAY_TOO, ALICE.rtp, SILENT),
    stream(call, ALICE.rtp, RELAY_TOO),
    stream(call, BOB.rtp, RELAY, SILENT),
    stream(call, RELAY, BOB.rtp),
  ]);
  const { address, port } = BOB.rtp;
  assert.match(textsOf(found).join('\n'), new RegExp(`: ${address}:${port} sent 250 packets to 203.0.113.7:45000 in`));
});

test('an octet that is not nothing is named as one', () => {
  const call = answered();
  const found = diagnosed(call, [
    stream(call, ALICE.rtp, BOB.rtp),
    stream(call, BOB.rtp, ALICE.rtp, { sound: SOUND.SILENT, octet: 0 }),
  ]);
  assert.match(textsOf(found).join('\n'), /^Silent audio from the callee: .* one octet again and again \(0x00\)/);
});
