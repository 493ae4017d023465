/** The absent/null rules of the interface, as the schemas state them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DIALOG_LIST,
  FULL_DIALOG,
  FULL_STREAM,
  PLAIN_DIALOG,
  PLAIN_STREAM,
  STATS,
  STREAM_LIST,
} from '../api/documents.ts';
import { assertDocument } from '../api/strict-contract.ts';

const refused = (name: string, document: unknown): void => {
  assert.throws(
    () => assertDocument(name, document),
    assert.AssertionError,
    `${name} took ${JSON.stringify(document)}`,
  );
};

/** Every document that differs from `document` by one key left out. */
function withoutEachKey(document: object): readonly (readonly [string, object])[] {
  return Object.keys(document).map((key) => [
    key,
    Object.fromEntries(Object.entries(document).filter(([each]) => each !== key)),
  ]);
}

test('the hand-made documents are valid', () => {
  assertDocument('DialogList', DIALOG_LIST);
  assertDocument('Dialog', FULL_DIALOG);
  assertDocument('Dialog', PLAIN_DIALOG);
  assertDocument('StreamList', STREAM_LIST);
  assertDocument('RtpStream', FULL_STREAM);
  assertDocument('RtpStream', PLAIN_STREAM);
  assertDocument('Stats', STATS);
});

test('a required key may not be left out, an optional one may', () => {
  const cases = [
    ['Dialog', FULL_DIALOG, Object.keys(PLAIN_DIALOG)],
    ['RtpStream', FULL_STREAM, Object.keys(PLAIN_STREAM)],
    ['DialogSummary', DIALOG_LIST.dialogs[0] ?? {}, Object.keys(DIALOG_LIST.dialogs[1] ?? {})],
    ['StreamRow', STREAM_LIST.streams[0] ?? {}, Object.keys(STREAM_LIST.streams[1] ?? {})],
    ['Stats', STATS, Object.keys(STATS).filter((key) => !OPTIONAL_STATS.includes(key))],
  ] as const;
  for (const [name, document, required] of cases) {
    for (const [key, rest] of withoutEachKey(document)) {
      if (required.includes(key)) refused(name, rest);
      else assertDocument(name, rest);
    }
  }
});
const OPTIONAL_STATS = ['capture_identity', 'capture_name', 'uptime_sec', 'writing_to'];

test('an absent key is never null', () => {
  for (const key of ['from', 'to', 'final_status_code', 'frame', 'input_origin', 'tags', 'icmp_media', 'termination']) {
    refused('Dialog', { ...PLAIN_DIALOG, [key]: null });
  }
  for (const key of ['codec', 'mos', 'dscp', 'burst_gap', 'round_trip_ms', 'associated_dialog', 'frame']) {
    refused('RtpStream', { ...PLAIN_STREAM, [key]: null });
  }
  refused('Timing', { retransmits: 0, pdd_ms: null });
});

test('list timing has exactly four keys, null where unknown', () => {
  const timing = { pdd_ms: null, setup_ms: null, retransmits: 0, duration_ms: null };
  assertDocument('TimingSummary', timing);
  for (const [, rest] of withoutEachKey(timing)) refused('TimingSummary', rest);
  refused('TimingSummary', { ...timing, retransmits: null });
  refused('TimingSummary', { ...timing, ring_ms: 1 });
});

test('the seven checked detections are null or an object, the other two are absent or an object', () => {
  const nothing = {
    hints: [],
    final_failure: null,
    auth_loop: null,
    retransmissions: null,
    ack_missing: null,
    abandoned: null,
    post_dial_delay: null,
    registration_failure: null,
  };
  assertDocument('SignalingDiagnosis', nothing);
  for (const [, rest] of withoutEachKey(nothing)) refused('SignalingDiagnosis', rest);
  refused('SignalingDiagnosis', { ...nothing, icmp_unreachable: null });
  refused('SignalingDiagnosis', { ...nothing, source_disagreement: null });
});

test('values outside their range or set are refused', () => {
  refused('Dialog', { ...PLAIN_DIALOG, state: 'Cancelled' });
  refused('Dialog', { ...PLAIN_DIALOG, final_status_code: 0 });
  refused('Dialog', { ...PLAIN_DIALOG, tags: [] });
  refused('Dialog', { ...PLAIN_DIALOG, frame: 'calls.pcap#1' });
  refused('Dialog', { ...PLAIN_DIALOG, input_origin: 'tap' });
  refused('RtpStream', { ...PLAIN_STREAM, ssrc: '0xABCDEF01' });
  refused('RtpStream', { ...PLAIN_STREAM, dscp: 64 });
  refused('RtpStream', { ...PLAIN_STREAM, packets: 1.5 });
  refused('RtpStream', { ...PLAIN_STREAM, first_seen: '2026-03-01 12:00:00' });
  refused('Stats', { ...STATS, schema_version: 1 });
  refused('PersistenceRequest', { enabled: true, more: 1 });
  refused('BanRequest', { ip: '::1' });
  assertDocument('BanRequest', { ip: '192.0.2.1', ttl_secs: 0 });
});
