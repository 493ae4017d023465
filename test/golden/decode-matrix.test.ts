/**
 * The decode matrix: a call of seven SIP messages, carried in every way a capture file can carry it, is read whole.
 *
 * What a row states to be lost is counted under its own name, and nothing else is counted as lost.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeMatrixCases } from '../../fixtures/build/decode-matrix.ts';
import { DIALOG_STATES } from '../../src/core/words.ts';
import { toStats } from '../../src/view/stats.ts';
import { readCapture } from '../helpers/read-capture.ts';

/** Rows whose capture holds less than the call, with the state the rest leaves the dialog in. */
const SEEN = 7;

for (const row of decodeMatrixCases()) {
  test(`decode ${row.name}: ${row.note}`, async (t) => {
    const { session, end } = await readCapture(t, row.bytes, row.options);
    const stats = toStats(session.figures);
    assert.equal(end.end, 'ok');
    assert.equal(session.ingest.tracker.counts.messages, row.sipMessages, 'SIP messages');
    assert.equal(stats.capture_quality.snapped_frames, row.snappedFrames ?? 0, 'snapped frames');
    assert.equal(stats.capture_quality.undecodable_frames, row.undecodable ?? 0, 'undecodable frames');
    assert.equal(stats.capture_quality.malformed_sip, 0, 'malformed SIP');
    assert.equal(stats.unanalysed_sip_messages, 0, 'SIP outside the gate');
    if (row.sipMessages === 0) {
      assert.equal(session.dialogs.size, 0);
      return;
    }
    const dialogs = [...session.dialogs.oldestFirst()];
    assert.deepEqual(
      dialogs.map((d) => [DIALOG_STATES[d.state], d.msgCount]),
      [['Completed', row.sipMessages]],
    );
    const [d] = dialogs;
    if (row.sipMessages >= SEEN) {
      assert.equal(d?.finalCode, 200);
      assert.equal(d?.retransmits, 0);
      // Whatever carried them, the addresses are those of the call, not of the carrier.
      assert.deepEqual([d?.fromUser, d?.toUser], ['alice', 'bob']);
    }
  });
}
