/** The rows of all calls of a session, as an agent makes them when it has ended. */
import type { CallShipperOptions } from '../../src/actions/ship/call-shipper.ts';
import type { StoredRow } from '../../src/explore/stored/call-of-row.ts';
import { rowWithDocument } from '../../src/explore/stored/document-columns.ts';
import { callShipper } from '../unit/actions/ship/lab.ts';
import type { OpenSession } from './open-session.ts';

export type MadeRow = { readonly row: StoredRow; readonly document: unknown };

export async function rowsOfCalls(session: OpenSession, more: Partial<CallShipperOptions> = {}): Promise<MadeRow[]> {
  const rows: MadeRow[] = [];
  const take = (table: string, row: object): void => {
    const shipped: StoredRow = { ...row };
    if (table === 'calls') rows.push({ row: rowWithDocument(shipped), document: shipped['document'] });
  };
  const shipper = callShipper(() => session.evidence, take, { parts: 'none', sendsUprobe: true, ...more });
  for (const d of session.dialogs.oldestFirst()) shipper.onDialogState(d);
  await shipper.finish();
  return rows;
}
