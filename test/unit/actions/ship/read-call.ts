/** A call of the demo capture with its streams, as the thread of rows gets it. */
import assert from 'node:assert/strict';
import type { CallRecord, FieldValue } from '../../../../src/actions/ship/call-record.ts';
import { nothingOf, STORED_FIELDS } from '../../../../src/actions/ship/call-record.ts';
import { documentFactsSteps } from '../../../../src/analysis/dialog-facts.ts';
import type { Call } from '../../../../src/core/call-fields.ts';
import { fieldValue } from '../../../../src/core/call-fields.ts';
import { finish } from '../../../../src/core/turns.ts';
import { toCall } from '../../../../src/view/call.ts';
import { callReadingSteps } from '../../../../src/view/documents.ts';
import { openSession } from '../../../helpers/open-session.ts';

const DEMO = 'fixtures/demo/demo.pcap';

export async function readDemoCall(): Promise<CallRecord> {
  const session = openSession(['-I', DEMO, '--json']);
  try {
    await session.read([DEMO], () => undefined);
    const e = session.evidence;
    const d =
      [...session.dialogs.oldestFirst()].find((one) => e.stores.streams.ownedBy(one).length === 2) ?? assert.fail();
    const reading = finish(callReadingSteps(e, d, finish(documentFactsSteps(e, d))));
    const identifiers = [{ kind: 'call_id', text: d.callId } as const];
    return { key: { number: 7, version: 9, hourUs: 3_600e6 }, reading, columns: columnsOf(toCall(e, d)), identifiers };
  } finally {
    session.close();
  }
}

/** The same with so many characters more. */
export function longer({ key, reading, columns, identifiers }: CallRecord, characters: number): CallRecord {
  return { key, reading, identifiers, columns: { ...columns, hints: ['h'.repeat(characters)] } };
}

const VALUES: Readonly<Record<string, FieldValue>> = {
  ...{ src: '192.0.2.1:5060', dst: '192.0.2.2:5060', transport: 'UDP', code: 200, reason: 'OK' },
  ...{ worst_loss_pct: 0, worst_jitter_ms: 1.5, codecs: ['PCMU'], user_agent: 'Größe ☎', ended_by: 'caller' },
};
function columnsOf(call: Call): CallRecord['columns'] {
  return {
    fields: STORED_FIELDS.map(
      (field) => VALUES[field.stored ?? ''] ?? fieldValue(call, field) ?? nothingOf(field.kind),
    ),
    ...{ trunkIn: 'carrier', trunkOut: '192.0.2.2', trunks: ['carrier', '192.0.2.2'], numbers: ['1'], hints: [] },
    binding: '',
  };
}
