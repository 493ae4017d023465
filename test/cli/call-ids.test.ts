/** Call-IDs of any bytes: each dialog of the list is had at its own address, whatever stands in its Call-ID. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EPOCH_US } from '../../fixtures/build/capture.ts';
import { ethernet } from '../../fixtures/build/link.ts';
import { udpPacket } from '../../fixtures/build/packet.ts';
import { pcap } from '../../fixtures/build/pcap-file.ts';
import { startService } from '../conformance/service.ts';
import { asRows } from '../helpers/json.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';

const CALLER = { address: '192.0.2.1', port: 5060 };
const CALLEE = { address: '192.0.2.2', port: 5060 };

/** Longer than is kept, and short enough for the address of a request. */
const TOO_LONG = 'long'.repeat(2_000);
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What stands in the message, and what is shown of it when that is not the same text. */
const CALL_IDS: readonly (readonly [bytes: string | Buffer, shown?: string])[] = [
  ...['plain@host', 'a/b/c@h', '/lead@h', 'trail/', 'a//b', '..', '.', 'report', 'x/report', 'v1/dialogs'].map(
    (id) => [id] as const,
  ),
  ...['%41%2F@h', '100%', '%zz@h', 'a;b=c@h', 'q?x=1#f@h', 'a+b@h', 'has space@h', '"quo\\te"@h', "<x>&'*!~()@h"].map(
    (id) => [id] as const,
  ),
  ...['ключ@узел', '\u{1f600}@h', 'e\u0301@h', `${'é'.repeat(40)}@h`].map((id) => [id] as const),
  [Buffer.from([0xff, 0xfe, 0x40, 0x68]), 'ÿþ@h'],
  [`${'long'.repeat(1023)}@h`],
  [`${'%'.repeat(4095)}x`],
  ...['o', 'p'].map((end) => [TOO_LONG + end, `${TOO_LONG.slice(0, 64)}...sha256-${sha256(TOO_LONG + end)}`] as const),
];

test('every Call-ID of the list is an address, escaped as a path segment', async (t) => {
  const file = join(temporaryFolder(t), 'call-ids.pcap');
  const frames = CALL_IDS.map(([id], i) => {
    const head = [
      'OPTIONS sip:bob@example.net SIP/2.0',
      `Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK${i}`,
      'From: <sip:alice@example.net>;tag=1',
      'To: <sip:bob@example.net>',
      'CSeq: 1 OPTIONS',
      'Call-ID: ',
    ].join('\r\n');
    const bytes = Buffer.concat([Buffer.from(head), Buffer.from(id), Buffer.from('\r\nContent-Length: 0\r\n\r\n')]);
    return { tsUs: EPOCH_US + i * 1000, data: ethernet(udpPacket(CALLER, CALLEE, bytes, { id: i }), 0) };
  });
  writeFileSync(file, pcap(frames));
  const service = await startService(['-I', file]);
  t.after(() => service.stop());
  const list = await service.json('/v1/dialogs?limit=1000');
  const shown = CALL_IDS.map(([id, text]) => text ?? id);
  assert.deepEqual(
    asRows(list['dialogs']).map((d) => d['call_id']),
    shown.toReversed(),
  );
  for (const callId of shown) {
    const path = `/v1/dialogs/${encodeURIComponent(String(callId))}`;
    for (const route of ['', '/report', '/lint']) {
      const document = await service.json(path + route);
      assert.equal(document['call_id'], callId);
    }
    assert.equal((await service.json(`${path}/correlated`))['source_call_id'], callId);
    assert.equal((await service.json(`${path}/tree`))['root_call_id'], callId);
    assert.equal(asRows((await service.json(`${path}/vcon`))['dialog'])[0]?.['sip_call_id'], callId);
  }
  for (const end of ['o', 'p'])
    assert.match(String((await service.json(`/v1/dialogs/${TOO_LONG}${end}`))['call_id']), /\.\.\.sha256-/);
  for (const other of [`${TOO_LONG}q`, 'plain%40hos', 'ключ', '%00', `${'long'.repeat(1023)}@`])
    await service.problem(404, `/v1/dialogs/${encodeURIComponent(other)}`);
});
