/** A capture rebuilt from kept messages, as tshark shows it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finish } from '../../../src/core/turns.ts';
import { rebuiltCapture } from '../../../src/export/rebuilt-capture.ts';
import { skipWithoutTshark, tsharkSip } from '../../helpers/tshark.ts';
import { calls, sessionWith, written } from './rebuilt-calls.ts';

test('tshark opens it: in the order of time, with addresses and the comment', { skip: skipWithoutTshark() }, (t) => {
  const session = sessionWith(t, calls());
  const path = written(t, finish(rebuiltCapture(session.dialogs.oldestFirst(), session.log)));
  const fields = ['sip.Call-ID', '_ws.col.Source', 'exported_pdu.src_port', 'frame.comment'];
  const found = tsharkSip(path, fields);
  assert.deepEqual(
    found.map(([callId]) => callId),
    ['wire', 'hep', 'uprobe', 'wire', 'hep', 'uprobe'],
  );
  assert.deepEqual(found[1]?.slice(1, 4), ['2001:db8::1', '40000', 'rebuilt']);
  assert.deepEqual(found[5]?.slice(1, 4), ['198.51.100.2', '5061', 'rebuilt']);
});
