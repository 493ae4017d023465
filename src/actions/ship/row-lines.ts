/**
 * Makes lines of records, in a thread: of messages and calls in one piece of memory it writes the rows into another. The thread
 * that captures sends both pieces, and gets both back.
 */
import { asBuffer } from '../../core/byte-text.ts';
import type { RecordMemory } from '../../core/record.ts';
import { RecordReader, recordMemory } from '../../core/record.ts';
import type { ShippedRow } from './call-lines.ts';
import { callRows } from './call-lines.ts';
import { readCall } from './call-record.ts';
import { LINE_END, SHIP_SLAB_BYTES } from './lines.ts';
import type { LineMaker } from './message-lines.ts';
import { messageLine } from './message-lines.ts';
import { RecordedMessage } from './message-record.ts';

/** Stands before each record. */
export const RECORD = { message: 0, call: 1 } as const;

/** Whose rows the thread makes, in the order in which their lines lie. */
const ROW_TABLES = ['messages', 'ids', 'streams', 'calls'] as const;
export type RowTable = ShippedRow['table'];

/** Two pieces of memory, to read and to write, and which bytes to read. */
export type RowJob = {
  readonly records: ArrayBuffer;
  readonly lines: ArrayBuffer;
  readonly from: number;
  readonly upTo: number;
};
/** Lines of one table, behind those of the one before. */
export type RowPart = { readonly table: RowTable; readonly bytes: number; readonly rows: number };
/** The same pieces. Records from `from` on did not fit any more. */
export type RowJobResult = {
  readonly records: ArrayBuffer;
  readonly lines: ArrayBuffer;
  readonly from: number;
  readonly parts: readonly RowPart[];
  /** Rows that do not fit at all. */
  readonly tooLong: number;
};

/** Makes lines until a slab is full, and those of one record at least. */
export function makeLines(maker: LineMaker, { records, lines, from: first, upTo }: RowJob): RowJobResult {
  const read = recordMemory(records);
  const written = asBuffer(new Uint8Array(lines));
  const byTable: Record<RowTable, string[]> = { messages: [], ids: [], streams: [], calls: [] };
  let [from, bytes, tooLong] = [first, 0, 0];
  while (from < upTo) {
    const { rows, next } = rowsAt(read, from, maker);
    const sizes = rows.map(({ line }) => Buffer.byteLength(line) + 1);
    if (bytes > 0 && bytes + sizes.reduce((sum, size) => sum + size, 0) > SHIP_SLAB_BYTES) break;
    for (const [i, { table, line }] of rows.entries()) {
      const size = sizes[i] ?? 0;
      if (bytes + size > written.length) tooLong++;
      else {
        byTable[table].push(line);
        bytes += size;
      }
    }
    from = next;
  }
  return { records, lines, from, parts: write(byTable, written), tooLong };
}

function rowsAt(
  memory: RecordMemory,
  at: number,
  maker: LineMaker,
): { readonly rows: ShippedRow[]; readonly next: number } {
  const from = new RecordReader(memory, at);
  const rows: ShippedRow[] =
    from.byte() === RECORD.message
      ? [{ table: 'messages', line: messageLine(new RecordedMessage(from), maker) }]
      : callRows(readCall(from), maker);
  return { rows, next: from.at };
}

function write(byTable: Readonly<Record<RowTable, readonly string[]>>, to: Buffer): RowPart[] {
  let at = 0;
  return ROW_TABLES.map((table) => {
    const from = at;
    for (const line of byTable[table]) {
      at += to.write(line, at);
      to[at++] = LINE_END;
    }
    return { table, bytes: at - from, rows: byTable[table].length };
  });
}
