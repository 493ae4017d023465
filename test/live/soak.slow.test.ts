/**
 * The short form of the soak (`npm run soak -- 1h`): everything a generator of known size sends is analysed or counted as
 * lost, and memory stays where it was once the caps are full.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soak } from '../../bench/soak.ts';
import { missing } from './lab.ts';

/** All caps but those of trunks are full after 24. */
const SECONDS = 40;

test('nothing is lost uncounted, and memory is flat at the caps', { skip: missing('cc') }, async (t) => {
  const { sent } = await soak(
    SECONDS,
    (stop) => t.after(stop),
    (line) => t.diagnostic(line),
  );
  for (const kind of ['calls', 'registers', 'garbage_cut', 'mirrored', 'hep_messages', 'hep_garbage'])
    assert.ok((sent[kind] ?? 0) > 0, kind);
});
