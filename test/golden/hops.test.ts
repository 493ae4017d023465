/** Recorded calls over several hops (fixtures/hops): each fault is named on the hop where it was made, and nothing else is. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { messagesOf } from '../../src/analysis/call-messages.ts';
import { packageRoot } from '../../src/core/package.ts';
import type { Dialog } from '../../src/store/dialogs/dialog.ts';
import { dialogDocument } from '../helpers/at-once.ts';
import { detectionsOf } from '../helpers/detections.ts';
import type { OpenSession } from '../helpers/open-session.ts';
import { readCaptureFile } from '../helpers/read-capture.ts';
import { AT, HOP_CASES } from '../live/hop-cases.ts';

/** From whom to whom the messages of a finding went: `edge to callee`. */
function hopsOf(session: OpenSession, d: Dialog, evidence: readonly number[]): string {
  const placeOf = (address: string): string => Object.entries(AT).find(([, a]) => a === address)?.[0] ?? address;
  const hops = messagesOf(d, session.log)
    .filter((m) => evidence.includes(m.index))
    .map((m) => {
      const [from = '', , to = ''] = m.way.split(' ');
      return `${placeOf(from)} to ${placeOf(to)}`;
    });
  return [...new Set(hops)].join(', ');
}

for (const { name, findings } of HOP_CASES) {
  const expected = Object.entries(findings).map(([finding, hop]) => `${finding} ${hop}`);
  test(`${name}: ${expected.length === 0 ? 'nothing is wrong' : expected.join(', ')}`, async (t) => {
    const { session } = await readCaptureFile(t, join(packageRoot(), `fixtures/hops/${name}.pcap`), ['-E']);
    const found: string[] = [];
    const hints: string[] = [];
    for (const d of session.dialogs.oldestFirst()) {
      const { diagnosis, signaling_diagnosis } = dialogDocument(session.evidence, d);
      hints.push(...diagnosis.hints, ...(signaling_diagnosis?.hints ?? []));
      if (signaling_diagnosis?.source_disagreement !== undefined) found.push('source_disagreement');
      for (const detection of detectionsOf(session, d)) {
        const finding: unknown = Object.entries(signaling_diagnosis ?? {}).find(([key]) => key === detection)?.[1];
        const evidence =
          typeof finding === 'object' && finding !== null && 'evidence' in finding ? finding.evidence : [];
        found.push(`${detection} ${hopsOf(session, d, Array.isArray(evidence) ? evidence.map(Number) : [])}`);
      }
    }
    assert.deepEqual(found.sort(), expected.sort(), hints.join('\n'));
  });
}
