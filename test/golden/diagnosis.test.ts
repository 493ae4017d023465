/**
 * Each fault is found in the case that has it and in no other: every generated call is held to the list below, and what
 * is not in the list must have nothing at all. Every detection has a case.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callCases } from '../../fixtures/build/calls.ts';
import { demo } from '../../fixtures/build/demo.ts';
import { qualityTruthCases } from '../../fixtures/build/quality-truth.ts';
import type { Detection } from '../helpers/detections.ts';
import { DETECTIONS, detectionsOf } from '../helpers/detections.ts';
import { readCapture } from '../helpers/read-capture.ts';

/** By case; all its dialogs together. */
const FAULTS: Readonly<Record<string, readonly Detection[]>> = {
  'auth-loop': ['auth_loop', 'final_failure'],
  'auth-silent-drop': ['auth_loop', 'retransmissions'],
  busy: ['final_failure'],
  canceled: ['abandoned'],
  declined: ['final_failure'],
  'early-media-then-silent': ['one_way_audio'],
  'icmp-media': ['icmp_media'],
  'icmp-media-v6': ['icmp_media'],
  'icmp-signaling': ['retransmissions', 'icmp_unreachable'],
  'icmp-signaling-short': ['retransmissions', 'icmp_unreachable'],
  'invite-unanswered': ['retransmissions'],
  'missing-ack': ['ack_missing'],
  'nat-mismatch': ['nat_mismatch', 'private_media_address'],
  'no-answer': ['final_failure'],
  'no-final-response': ['abandoned'],
  'no-media': ['no_media'],
  'one-way-audio': ['one_way_audio'],
  'options-refused': ['final_failure'],
  'post-dial-delay': ['post_dial_delay'],
  'register-rejected': ['final_failure', 'auth_loop', 'registration_failure'],
  'register-shortened': ['registration_failure'],
  'relay-latching': ['private_media_address'],
  'relay-one-way': ['one_way_audio'],
  'stun-ignored': ['private_media_address', 'stun_sdp_mismatch'],
  'stun-unanswered': ['private_media_address', 'stun_sdp_mismatch'],
  'turn-channel': ['media_relay'],
  'turn-lapsed': ['media_relay', 'media_relay_lapsed'],
};

for (const { name, bytes, options } of callCases()) {
  test(`diagnosis of ${name}: ${FAULTS[name]?.join(', ') ?? 'nothing'}`, async (t) => {
    const { session } = await readCapture(t, bytes, options);
    const found = new Set<Detection>();
    for (const d of session.dialogs.oldestFirst()) for (const name of detectionsOf(session, d)) found.add(name);
    assert.deepEqual([...found].sort(), [...(FAULTS[name] ?? [])].sort());
  });
}

test('calls of known quality have nothing, however bad it is', async (t) => {
  for (const { name, bytes } of qualityTruthCases()) {
    const { session } = await readCapture(t, bytes);
    for (const d of session.dialogs.oldestFirst()) assert.deepEqual(detectionsOf(session, d), [], name);
  }
});

test('every detection has a case that shows it, and every listed case is there', () => {
  const shown = new Set(Object.values(FAULTS).flat());
  assert.deepEqual(
    DETECTIONS.filter((name) => !shown.has(name)),
    [],
  );
  const names = new Set(callCases().map((c) => c.name));
  assert.deepEqual(
    Object.keys(FAULTS).filter((name) => !names.has(name)),
    [],
  );
});

test('the demo shows faults beside healthy calls', async (t) => {
  const { session } = await readCapture(t, demo().bytes);
  const all = [...session.dialogs.oldestFirst()].map((d) => detectionsOf(session, d));
  assert.ok(all.some((list) => list.length > 0) && all.some((list) => list.length === 0));
});
