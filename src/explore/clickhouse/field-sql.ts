/**
 * Makes of the table of fields (core/call-fields.ts) what a hub asks the store of a call: columns and their shapes, orders and
 * keys of the filter. And makes the call of a row.
 */
import type { TSchema } from 'typebox';
import type { Call, FieldKind, NamedField } from '../../core/call-fields.ts';
import { FIELDS, WORST_FIGURE } from '../../core/call-fields.ts';
import type { Names } from '../../core/names.ts';
import { rounded } from '../../core/rounded.ts';
import type { StoredRow } from '../stored/call-of-row.ts';
import { callOfRow, LISTED } from '../stored/call-of-row.ts';
import { AMOUNT_OR_NULL, COUNT, COUNT_OR_NULL, TEXT, TEXTS, TIME } from './row-shapes.ts';

const SHAPES: Readonly<Record<FieldKind, TSchema>> = {
  text: TEXT,
  word: TEXT,
  frame: TEXT,
  texts: TEXTS,
  time: TIME,
  timing: TEXT,
  count: COUNT,
  code: COUNT,
  status: COUNT,
  seconds: AMOUNT_OR_NULL,
  milliseconds: COUNT_OR_NULL,
  figure: AMOUNT_OR_NULL,
};

/** The columns of a row that the table of fields has, without `but`, and their shapes. */
export function listedBut(but: readonly string[]): { readonly sql: string; readonly shapes: Record<string, TSchema> } {
  const others = LISTED.filter(({ stored }) => !but.includes(stored));
  return {
    sql: others.map(({ stored }) => stored).join(', '),
    shapes: Object.fromEntries(others.map(({ stored, kind }) => [stored, SHAPES[kind]])),
  };
}

/** Columns of four bytes have these digits, and behind them some that nobody measured. */
const DIGITS = 4;

/** A figure as filters compare it and lists are sorted by it; null where there is none. */
export function figureSql({ kind, stored = '', worst }: Pick<NamedField, 'kind' | 'stored' | 'worst'>): string {
  if (worst !== undefined) return `if(${hasAny(Object.keys(worst))}, ${WORST_FIGURE}, ${figureSql({ kind, stored })})`;
  if (kind === 'time') return `toFloat64(toUnixTimestamp64Micro(${stored}))`;
  if (kind === 'figure') return `round(toFloat64(${stored}), ${DIGITS})`;
  return kind === 'seconds' ? stored : `toFloat64(${stored})`;
}

/** Their names are those of the table of findings. */
function hasAny(findings: readonly string[]): string {
  return `hasAny(findings, [${findings.map((name) => `'${name}'`).join(', ')}])`;
}

/** What a list is sorted by. */
export const SORT_SQL: ReadonlyMap<string, string> = new Map(
  FIELDS.flatMap((field) => (field.sort === undefined ? [] : [[field.sort, figureSql(field)]])),
);

/** The call of a row that has the columns of the table of fields. */
export function callOfStored(row: StoredRow, host: string, names: Names): Call {
  return { ...callOfRow(row, names, (figure) => rounded(figure, DIGITS)), host };
}
