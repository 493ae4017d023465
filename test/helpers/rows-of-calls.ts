/** The rows of all calls of a session, as the index beside the files of -O has them when it has ended. */
import assert from 'node:assert/strict';
import { HISTORY_COLUMNS, historyRow } from '../../src/actions/history/history-row.ts';
import type { CallShipperOptions } from '../../src/actions/ship/call-shipper.ts';
import { CallShipper } from '../../src/actions/ship/call-shipper.ts';
import { Turns } from '../../src/core/turns.ts';
import type { IndexedCall, NewCall } from '../../src/history/rows.ts';
import { readRowLine, rowLine } from '../../src/history/rows.ts';
import type { OpenSession } from './open-session.ts';

export type MadeRow = {
  readonly made: NewCall;
  readonly call: IndexedCall;
  readonly document: Readonly<Record<string, unknown>>;
};

export async function rowsOfCalls(
  session: OpenSession,
  shipper: CallShipperOptions['shipper'] = { host: 'sbc1', boot: '0123456789abcdef' },
): Promise<MadeRow[]> {
  const rows: MadeRow[] = [];
  let version = 0;
  const told = new CallShipper({
    evidence: () => session.evidence,
    shipper,
    nextVersion: () => ++version,
    room: () => Promise.resolve(),
    store: null,
    history: (key, judged, document) => {
      const made = historyRow(shipper, key, judged, document);
      const call = readRowLine(rowLine(made, null), HISTORY_COLUMNS);
      assert.ok(call !== null);
      rows.push({
        made,
        call,
        document: JSON.parse(document) as MadeRow['document'],
      });
    },
    turns: new Turns(() => performance.now()),
  });
  for (const d of session.dialogs.oldestFirst()) told.onDialogState(d);
  await told.finish();
  return rows;
}
