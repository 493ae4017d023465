/** The audio route of the running program, on a generated capture: headers, files, and the sentences of its refusals. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Capture } from '../../fixtures/build/capture.ts';
import type { Answer, Service } from '../conformance/service.ts';
import { problemOf, startService } from '../conformance/service.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { G729, GSM_LAW, PACKETS, spokenCall } from '../helpers/spoken-call.ts';
import { readWav } from '../helpers/wav.ts';

const HOSTILE = '..a"b/../c;x=\\%0d%0a';
const CALLS = [
  spokenCall({ callId: HOSTILE, keys: [{ event: 7, first: 50, count: 8 }] }),
  spokenCall({ callId: 'one-way', both: false, index: 1 }),
  spokenCall({ callId: 'g729', law: G729, index: 2 }),
  spokenCall({ callId: 'gsm', law: GSM_LAW, index: 3 }),
];

async function serving(t: TestContext, options: readonly string[]): Promise<Service> {
  const file = join(temporaryFolder(t), 'calls.pcap');
  writeFileSync(file, new Capture().add(CALLS.flat()).pcap());
  const service = await startService(['-I', file, ...options]);
  t.after(() => service.stop());
  return service;
}

const audioOf = (service: Service, callId: string): Promise<Answer> =>
  service.ask(`/v1/dialogs/${encodeURIComponent(callId)}/audio`);

test('a whole call: type, a harmless file name, not partial; the note names mechanism, version and keys', async (t) => {
  const service = await serving(t, ['--retain-audio']);
  const answer = await audioOf(service, HOSTILE);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers['content-type'], 'audio/wav');
  assert.equal(answer.headers['content-disposition'], 'attachment; filename="_a_b_.._c_x___0d_0a.wav"');
  assert.equal(answer.headers['x-service-audio-partial'], 'false');
  assert.equal(answer.headers['content-length'], String(answer.bytes.length));
  const { channels, note, marks } = readWav(answer.bytes);
  assert.deepEqual(
    channels.map((c) => c.length),
    [PACKETS * 160, PACKETS * 160],
  );
  assert.match(note, /calltap \d+\.\d+\.\d+.*Decoded from RTP kept by --retain-audio/s);
  assert.match(note, /keys: 7 at 1\.000 s/);
  assert.doesNotMatch(note, /partial/);
  assert.deepEqual(marks, [{ at: 8000, label: 'key 7' }]);
});

test('one direction of a call: mono, partial in the header, how in the note', async (t) => {
  const service = await serving(t, ['--retain-audio']);
  const answer = await audioOf(service, 'one-way');
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers['x-service-audio-partial'], 'true');
  assert.equal(answer.headers['content-disposition'], 'attachment; filename="one-way.wav"');
  const { channels, note } = readWav(answer.bytes);
  assert.equal(channels.length, 1);
  assert.match(note, /partial: direction never seen/);
});

test('a GSM call is heard, a G.729 call is 422 and named, an unknown one 404', async (t) => {
  const service = await serving(t, ['--retain-audio']);
  const gsm = await audioOf(service, 'gsm');
  assert.deepEqual([gsm.status, gsm.headers['x-service-audio-partial']], [200, 'false'], gsm.text.slice(0, 200));
  assert.ok(readWav(gsm.bytes).channels.every((c) => c.some((s) => Math.abs(s) > 4000)));
  const g729 = await audioOf(service, 'g729');
  assert.equal(g729.status, 422);
  assert.equal(g729.headers['x-service-audio-partial'], undefined);
  assert.equal(g729.headers['content-disposition'], undefined);
  assert.match(String(problemOf(g729)['detail']), /only codecs that cannot be decoded: G729/);
  const unknown = await audioOf(service, 'nobody');
  assert.equal(unknown.status, 404);
  problemOf(unknown);
});

test('without --retain-audio every call is 422 and says what was not given', async (t) => {
  const service = await serving(t, []);
  const answer = await audioOf(service, 'one-way');
  assert.equal(answer.status, 422);
  assert.match(String(problemOf(answer)['detail']), /No payload was kept.*--retain-audio/);
  assert.equal((await audioOf(service, 'nobody')).status, 404);
});
