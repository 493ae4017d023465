/**
 * Every call case: the documents of its dialogs and streams say what its script put into the capture.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callCases } from '../../fixtures/build/calls.ts';
import { dialogMismatches, streamMismatches } from '../../fixtures/build/match.ts';
import { createReaders } from '../../src/app/readers.ts';
import { asJson, readCapture } from '../helpers/read-capture.ts';
import { allDialogs, allStreams } from '../helpers/documents.ts';

for (const { name, note, bytes, options, expected } of callCases()) {
  test(`call ${name}: ${note}`, async (t) => {
    const { session, end } = await readCapture(t, bytes, options);
    const readers = createReaders(session);
    assert.equal(end.end, 'ok');
    const wrong: string[] = [];
    if (session.tracker.counts.messages !== expected.sip_messages)
      wrong.push(`SIP messages: wanted ${expected.sip_messages}, got ${session.tracker.counts.messages}`);
    const rows = await allDialogs(readers);
    if (rows.length !== expected.dialogs.length) wrong.push(`dialogs: wanted ${expected.dialogs.length}, got ${rows.length}`);
    for (const wanted of expected.dialogs) {
      const full = readers.dialog(wanted.call_id);
      const row = rows.find((r) => r['call_id'] === wanted.call_id);
      if (full === null || row === undefined) wrong.push(`${wanted.call_id}: no such dialog`);
      else wrong.push(...dialogMismatches(wanted, asJson(full), row));
    }
    wrong.push(...streamMismatches(expected.streams, allStreams(session)));
    assert.deepEqual(wrong, []);
  });
}
