/** A call of the demo capture with its streams, as the thread of rows gets it. */
import assert from 'node:assert/strict';
import type { CallRecord } from '../../../../src/actions/ship/call-record.ts';
import { documentFactsSteps } from '../../../../src/analysis/dialog-facts.ts';
import { finish } from '../../../../src/core/turns.ts';
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
    return { key: { number: 7, version: 9, hourUs: 3_600e6 }, reading, columns: COLUMNS, identifiers };
  } finally {
    session.close();
  }
}

/** The same with so many characters more. */
export function longer({ key, reading, columns, identifiers }: CallRecord, characters: number): CallRecord {
  return { key, reading, identifiers, columns: { ...columns, hints: ['h'.repeat(characters)] } };
}

const COLUMNS: CallRecord['columns'] = {
  ...{ src: '192.0.2.1:5060', dst: '192.0.2.2:5060', transport: 'UDP', trunkIn: 'carrier', trunkOut: '192.0.2.2' },
  ...{ code: 200, reason: 'OK', worstMos: null, worstLossPct: 0, worstJitterMs: 1.5, codecs: ['PCMU'], findings: [] },
  ...{ userAgent: 'Größe ☎', endedBy: 'caller', trunks: ['carrier', '192.0.2.2'], numbers: ['1'], hints: [] },
  binding: '',
};
