/**
 * The rows of one call: by what it is found, its streams, and what filters ask for with its document. Columns are those of
 * deploy/store/schema.sql. Everything is made of the record: no store is needed.
 */
import { asCaptured } from '../../store/clock-steps.ts';
import { toCallDocument } from '../../view/dialog-document.ts';
import { toRtpStream } from '../../view/stream-document.ts';
import type { CallRecord } from './call-record.ts';
import { STORED_FIELDS } from './call-record.ts';
import type { Shipper } from './key.ts';
import { hourText, line, lineHead } from './key.ts';
import { wellFormed } from './lines.ts';
import { streamLine } from './stream-line.ts';

/** A row that a thread makes: the line of one table. */
export type ShippedRow = { readonly table: 'messages' | 'ids' | 'streams' | 'calls'; readonly line: string };

export function callRows(call: CallRecord, shipper: Shipper): ShippedRow[] {
  const { key, reading, identifiers } = call;
  // Spelled out, as in analysis/stream-quality.ts.
  const { host, boot } = shipper;
  const { number, version } = key;
  const headAt = (us: number): string => lineHead({ host, boot, number, version }, hourText(us));
  const head = headAt(key.hourUs);
  const rows: ShippedRow[] = [];
  const add = (table: ShippedRow['table'], text: string): void => {
    rows.push({ table, line: wellFormed(text) });
  };
  for (const identifier of identifiers) add('ids', line(head, identifier));
  for (const s of reading.streams)
    add('streams', streamLine(headAt(asCaptured(s.clockSteps, s.openedUs)), s.serial + 1, toRtpStream(s)));
  add('calls', callLine(head, call));
  return rows;
}

function callLine(head: string, { reading, columns: c }: CallRecord): string {
  return line(head, {
    ...Object.fromEntries(STORED_FIELDS.map(({ stored = '' }, i) => [stored, c.fields[i]])),
    trunk_in: c.trunkIn,
    trunk_out: c.trunkOut,
    trunks: c.trunks,
    numbers: c.numbers,
    hints: c.hints,
    binding: c.binding,
    // The store keeps an object that stands for a text as it is written: it is not quoted, and not read again.
    document: toCallDocument(reading),
  });
}
