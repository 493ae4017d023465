/** Calls as operators have them: what is wrong in each is named, and in a healthy look-alike nothing is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialogDocument } from '../../../src/view/documents.ts';
import { detectionsOf } from '../../helpers/detections.ts';
import { readCapture } from '../../helpers/read-capture.ts';
import { faultyScenes } from './faulty.ts';
import { healthyScenes } from './healthy.ts';

for (const { name, note, bytes, faults } of [...healthyScenes(), ...faultyScenes()]) {
  test(`${name} (${note}): ${faults.length === 0 ? 'nothing wrong' : faults.join(', ')}`, async (t) => {
    const { session } = await readCapture(t, bytes);
    const found = new Set<string>();
    const hints: string[] = [];
    for (const d of session.dialogs.oldestFirst()) {
      for (const detection of detectionsOf(session, d)) found.add(detection);
      const { diagnosis, signaling_diagnosis } = dialogDocument(session.evidence, d);
      hints.push(...diagnosis.hints, ...(signaling_diagnosis?.hints ?? []));
    }
    assert.deepEqual([...found].sort(), [...faults].sort(), hints.join('\n'));
  });
}
