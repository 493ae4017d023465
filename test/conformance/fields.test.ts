/**
 * Every row of the field tables, on every document that the fixtures give: required keys are always there, optional
 * ones are seen both there and absent, none is null where the table does not say so, and no other key is sent.
 */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Json } from '../helpers/json.ts';
import { asJson, asRows } from '../helpers/json.ts';
import type { FieldRule, TableName } from './field-tables.ts';
import { TABLES } from './field-tables.ts';
import type { Service } from './service.ts';
import { allCaptures, startService } from './service.ts';

/** Keys that a document may carry beyond its table. */
const MORE_KEYS: Partial<Record<TableName, readonly string[]>> = {
  Stats: ['losses'],
  // The last two are those that an earlier description lists.
  Dialog: ['termination', 'refer_to', 'siprec_metadata'],
};

/** Optional keys that no fixture leaves out, with why they are not absent somewhere. */
const ALWAYS_THERE: readonly string[] = [
  // Every capture of the fixtures is a file, which names its frames, and is read off a wire.
  'DialogSummary.frame',
  'DialogSummary.input_origin',
  'DialogSummary.to_user',
  'Dialog.frame',
  'Dialog.input_origin',
  'Dialog.to',
  'RtpStream.frame',
  'RtpStream.input_origin',
  'RtpStream.dscp',
  'SdpExchange.media_addr',
  'SdpExchange.media_port',
  'Stats.capture_identity',
  'Stats.capture_name',
  'Stats.uptime_sec',
  'Stats.writing_to',
  // Sent as null where the message has no such header.
  'final_failure.reason_header',
  'final_failure.warning',
  'registration_failure.requested_expiry_sec',
  'registration_failure.granted_expiry_sec',
  // Of the capture, not of the dialog: a capture without ICMP has none, which routes.test.ts shows.
  'Dialog.icmp_media',
  'media_relay.peer',
  'media_relay.relayed_address',
  'icmp_unreachable.method',
  'icmp_media.findings.call_ids',
  'icmp_media.findings.ssrc',
];

/** Optional keys that need another source, with the test that shows them. */
const ELSEWHERE: readonly string[] = [
  'SignalingDiagnosis.source_disagreement',
  'retransmissions.icmp_cause',
  'RtpStream.dialog_origin',
];

const seen = new Map<TableName, Json[]>();
let service: Service;
let done: () => void = () => undefined;

function note(table: TableName, value: unknown): void {
  if (value === undefined || value === null) return;
  seen.set(table, [...(seen.get(table) ?? []), asJson(value)]);
}

before(async () => {
  const captures = allCaptures();
  done = captures.done;
  service = await startService([
    ...captures.files.flatMap((file) => ['-I', file]),
    ...['-I', 'fixtures/demo/demo.pcap', '--quality-interval', '1', '--portrange', '5060-5061'],
  ]);
  const list = await service.json('/v1/dialogs?limit=1000');
  note('DialogList', list);
  for (const row of asRows(list['dialogs'])) {
    note('DialogSummary', row);
    note('DialogSummary.timing', row['timing']);
    const dialog = await service.json(`/v1/dialogs/${encodeURIComponent(String(row['call_id']))}`);
    note('Dialog', dialog);
    note('Timing', dialog['timing']);
    for (const exchange of asRows(dialog['sdp_timeline'])) note('SdpExchange', exchange);
    note('Diagnosis', dialog['diagnosis']);
    note('media_relay', asJson(dialog['diagnosis'])['media_relay']);
    if (dialog['icmp_media'] !== undefined) {
      const { capture, findings } = asJson(dialog['icmp_media']);
      note('icmp_media', dialog['icmp_media']);
      note('icmp_media.capture', capture);
      for (const finding of asRows(findings)) note('icmp_media.findings', finding);
    }
    const signaling = dialog['signaling_diagnosis'];
    note('SignalingDiagnosis', signaling);
    if (signaling === undefined) continue;
    for (const name of [
      'final_failure',
      'auth_loop',
      'retransmissions',
      'ack_missing',
      'abandoned',
      'post_dial_delay',
      'registration_failure',
      'icmp_unreachable',
    ] as const) {
      note(name, asJson(signaling)[name]);
    }
  }
  const streams = await service.json('/v1/streams?limit=1000');
  note('StreamList', streams);
  for (const row of asRows(streams['streams'])) {
    note('StreamList.streams', row);
    const stream = await service.json(`/v1/streams/${String(row['ssrc'])}`);
    note('RtpStream', stream);
    note('burst_gap', stream['burst_gap']);
    for (const interval of asRows(stream['quality_intervals'])) note('quality_interval', interval);
  }
  const stats = await service.json('/v1/stats');
  note('Stats', stats);
  note('CaptureIdentity', stats['capture_identity']);
  for (const port of asRows(stats['unanalysed_busiest_ports'])) note('SkippedPort', port);
});

test('the sums of icmp_media hold on every dialog', () => {
  let sums = 0;
  for (const { icmp_media: media } of seen.get('Dialog') ?? []) {
    if (media === undefined) continue;
    sums++;
    const { errors, attributed, unattributed } = asJson(asJson(media)['capture']);
    assert.equal(Number(attributed) + Number(unattributed), errors);
  }
  assert.ok(sums > 0);
});

after(async () => {
  await service.stop();
  done();
});

for (const [table, rules] of Object.entries(TABLES) as [TableName, Record<string, FieldRule>][]) {
  for (const [field, { isOptional, check }] of Object.entries(rules)) {
    const name = `${table}.${field}`;
    test(`field ${name}`, () => {
      const documents = seen.get(table) ?? [];
      assert.ok(documents.length > 0, `no ${table} was seen`);
      let present = 0;
      for (const document of documents) {
        if (!(field in document)) {
          assert.ok(isOptional, `${name} is not in ${JSON.stringify(document)}`);
          continue;
        }
        present++;
        assert.ok(check(document[field]), `${name} is ${JSON.stringify(document[field])}`);
      }
      if (ELSEWHERE.includes(name)) return;
      assert.ok(present > 0, `${name} is never there`);
      if (isOptional && !ALWAYS_THERE.includes(name)) assert.ok(present < documents.length, `${name} is never absent`);
    });
  }
  test(`no key beyond the table: ${table}`, () => {
    const allowed = [...Object.keys(rules), ...(MORE_KEYS[table] ?? [])];
    for (const document of seen.get(table) ?? []) {
      for (const key of Object.keys(document)) assert.ok(allowed.includes(key), `${table} has ${key}`);
    }
  });
}
