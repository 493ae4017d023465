/** A message of a capture file stays in the file: it is read again while the file is what it was, and never shown changed. */
import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { callCases } from '../../../../fixtures/build/calls.ts';
import { NO_ROW } from '../../../../src/store/messages/message-rows.ts';
import type { OpenSession } from '../../../helpers/open-session.ts';
import { readCaptureFile, temporaryFolder } from '../../../helpers/read-capture.ts';

/** The messages of all dialogs, as text. */
function messages(session: OpenSession): string[] {
  const out: string[] = [];
  for (const d of session.dialogs.order.fromNewest())
    for (let row = d.headRow; row !== NO_ROW; row = session.log.next(row))
      out.push(Buffer.from(session.log.bytes(row)).toString('latin1'));
  return out;
}

async function opened(t: TestContext, name = 'calls.pcap', compress = false) {
  const made = [...callCases()][0];
  assert.ok(made !== undefined);
  const path = join(temporaryFolder(t), name);
  const bytes = Buffer.from(made.bytes);
  writeFileSync(path, compress ? gzipSync(bytes) : bytes);
  const { session } = await readCaptureFile(t, path, made.options);
  return { path, bytes, session, failed: () => session.file?.files.failed ?? assert.fail('a file source') };
}

test('messages are those of the file, also when its name is gone', async (t) => {
  const { path, bytes, session, failed } = await opened(t);
  const before = messages(session);
  assert.ok(before.length > 3 && before.every((m) => /SIP\/2\.0/.test(m.slice(0, m.indexOf('\r\n')))));
  for (const m of before) assert.ok(bytes.includes(Buffer.from(m, 'latin1')), 'the text stands in the capture');
  rmSync(path);
  assert.deepEqual(messages(session), before);
  assert.equal(failed(), 0);
});

test('a message whose bytes have changed is not shown, and counted; the others are', async (t) => {
  const { path, session, failed } = await opened(t);
  const before = messages(session);
  const first = before[0] ?? '';
  const fd = openSync(path, 'r+');
  writeSync(fd, 'X', readFileSync(path).indexOf(Buffer.from(first, 'latin1')) + first.length - 1);
  closeSync(fd);
  assert.deepEqual(messages(session), ['', ...before.slice(1)]);
  assert.equal(failed(), 1);
});

test('a file that was cut gives no message', async (t) => {
  const { path, session, failed } = await opened(t);
  const { length } = messages(session);
  writeFileSync(path, 'gone');
  assert.deepEqual(messages(session), new Array<string>(length).fill(''));
  assert.equal(failed(), length);
});

test('messages of a compressed file are kept in memory', async (t) => {
  const plain = await opened(t);
  const packed = await opened(t, 'calls.pcap.gz', true);
  writeFileSync(packed.path, 'gone');
  assert.deepEqual(messages(packed.session), messages(plain.session));
  assert.equal(packed.failed(), 0);
});
