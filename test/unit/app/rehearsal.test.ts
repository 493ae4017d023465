/** What is played before a large capture is whole calls, and nothing of it is in the answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basicCall } from '../../../fixtures/build/basic-call.ts';
import { Capture } from '../../../fixtures/build/capture.ts';
import { CALLS, rehearse } from '../../../src/app/rehearsal.ts';
import { toStats } from '../../../src/view/stats.ts';
import { readCapture } from '../../helpers/read-capture.ts';

test('every call is answered, has two streams and ends; what was read beside it stays as it was', async (t) => {
  const bytes = new Capture().add(basicCall('real').messages).pcap();
  const { session } = await readCapture(t, bytes);
  const answer = (): string => JSON.stringify({ ...toStats(session), uptime_sec: 0 });
  const before = answer();
  for (let n = 0; n < 2; n++)
    assert.deepEqual(rehearse(session.options), { messages: CALLS * 7, completed: CALLS, streams: CALLS * 2 });
  assert.equal(answer(), before);
  assert.deepEqual([session.dialogs.size, session.tracker.counts.messages], [1, 7]);
});
