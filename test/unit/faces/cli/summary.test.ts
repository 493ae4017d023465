/** The summary line counts in words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basicCall } from '../../../../fixtures/build/basic-call.ts';
import { Capture } from '../../../../fixtures/build/capture.ts';
import { summaryLines } from '../../../../src/faces/cli/summary.ts';
import { readCapture } from '../../../helpers/read-capture.ts';

test('one of a thing is one, none and several are many', async (t) => {
  const { messages } = basicCall('one');
  const said = async (n: number): Promise<string | undefined> =>
    summaryLines((await readCapture(t, new Capture().add(messages.slice(0, n)).pcap())).session.explorer.summary())[0];
  assert.equal(await said(1), '1 frame, 1 SIP message, 1 dialog (Trying 1), 0 RTP streams (0 orphaned)');
  assert.equal(await said(2), '2 frames, 2 SIP messages, 1 dialog (Trying 1), 0 RTP streams (0 orphaned)');
  assert.equal(await said(0), '0 frames, 0 SIP messages, 0 dialogs, 0 RTP streams (0 orphaned)');
});
