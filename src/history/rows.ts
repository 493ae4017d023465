/** A call as an index has it: the columns of its row, when it was, and where its document stands. */
import { isObject, isPlace, jsonOf } from './values.ts';

/** The columns of a shipped row without its document, and where its frames are (docs/history.md). */
export type StoredRow = Readonly<Record<string, unknown>>;

/** A line of a block of documents; the offset is that of the block. */
export type DocumentPlace = { readonly offset: number; readonly line: number };

export type IndexedCall = {
  readonly row: StoredRow;
  /** Null where the index had no room for the document. */
  readonly place: DocumentPlace | null;
  /** First and last message, and packet of its media, as the clock of the host showed it. */
  readonly startUs: number;
  readonly endUs: number;
};

/** What becomes a row. */
export type NewCall = {
  /** JSON: an object of columns, or a list of their values in the order in which the block names them; null is nothing. */
  readonly row: string;
  readonly document: string | null;
  readonly startUs: number;
  readonly endUs: number;
  readonly callId: string;
  readonly state: string;
  /** Users and numbers, by whose parts the call is looked for. */
  readonly names: readonly string[];
};

/** No offset: a block of documents never stands at the beginning. */
const NOWHERE = 0;

export function rowLine({ row, startUs, endUs }: NewCall, place: DocumentPlace | null): string {
  const { offset, line } = place ?? { offset: NOWHERE, line: 0 };
  return `[${startUs},${endUs},${offset},${line},${row}]`;
}

/** The names that the first line of a block has of the values of its rows; null where it is a row. */
export function readColumns(text: string): string[] | null {
  const value = jsonOf(text);
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : null;
}

/** Null where the line is no row. */
export function readRowLine(text: string, columns: readonly string[]): IndexedCall | null {
  const value = jsonOf(text);
  if (!Array.isArray(value)) return null;
  const [startUs, endUs, offset, line, told] = value as unknown[];
  if (!Number.isFinite(startUs) || !Number.isFinite(endUs) || !isPlace(offset) || !isPlace(line)) return null;
  const row = Array.isArray(told) ? named(told, columns) : told;
  if (!isObject(row)) return null;
  const place = offset === NOWHERE ? null : { offset, line };
  return { row, place, startUs: Number(startUs), endUs: Number(endUs) };
}

function named(values: readonly unknown[], columns: readonly string[]): StoredRow {
  // Whoever wrote the names has no way to what objects have by themselves.
  const row = Object.create(null) as Record<string, unknown>;
  columns.forEach((name, i) => {
    if (values[i] !== null && values[i] !== undefined) row[name] = values[i];
  });
  return row;
}
