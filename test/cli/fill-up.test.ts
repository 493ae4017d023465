/** Every cap filled at once: resident memory stays below its bound, and what went over is counted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill } from '../../bench/fill-up.ts';
import { ROOT } from '../conformance/service.ts';
import { asJson } from '../helpers/json.ts';

/** A tenth of what `npm run fill-up` sends, with caps as much smaller where an option moves them. */
const SMALLER = ['--max-dialogs', '10000', '--max-streams', '10000', '--message-log-bytes', '16M'];
const MOST_MIB = 512;

test('a program whose caps are full keeps within its memory, and says what it left out', async () => {
  const { mib, stats } = await fill(ROOT, 0.1, SMALLER);
  assert.ok(mib < MOST_MIB, `${mib} MiB`);
  const losses = asJson(asJson(stats)['losses']);
  const full = ['dialogs_evicted', 'messages_evicted', 'rtp_streams_refused', 'sdp_dialogs_shed', 'call_ids_shortened'];
  assert.deepEqual(
    full.filter((name) => !(Number(losses[name]) > 0)),
    [],
  );
});
