/** The columns of a row of a call that its document has: as deploy/store/schema.sql reads them out of it. */
import { socketOf } from '../../core/ip.ts';
import type { StoredRow } from './call-of-row.ts';
import { LISTED, textOf } from './call-of-row.ts';

type Document = Readonly<Record<string, unknown>>;

const PATHS: readonly (readonly [column: string, path: readonly string[]])[] = [
  ...LISTED.flatMap(({ stored, document }): [string, string[]][] =>
    document === undefined ? [] : [[stored, document.split('.')]],
  ),
  ...['tags', 'from_display', 'to_display'].map((name): [string, string[]] => [name, [name]]),
];

/** Those of a row that was shipped: its own, and what its document has besides. The document is left out. */
export function rowWithDocument({ document, ...own }: StoredRow): StoredRow {
  const row: Record<string, unknown> = { ...own };
  for (const [column, path] of PATHS) {
    const value = path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), document);
    if (value !== undefined && value !== null) row[column] ??= value;
  }
  for (const end of ['src', 'dst']) {
    const socket = textOf(row[end]);
    if (socket !== '') row[`${end}_host`] = socketOf(socket).host;
  }
  return row;
}

function isObject(value: unknown): value is Document {
  return typeof value === 'object' && value !== null;
}
