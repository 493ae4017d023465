/**
 * Makes of the table of fields (core/call-fields.ts) what a hub asks the store of a call: columns and their shapes, orders and
 * keys of the filter. And makes the call of a row.
 */
import type { TSchema } from 'typebox';
import type { Call, FieldKind, NamedField } from '../../core/call-fields.ts';
import { FIELDS, WORST_FIGURE } from '../../core/call-fields.ts';
import { socketOf } from '../../core/ip.ts';
import type { Names } from '../../core/names.ts';
import { rounded } from '../../core/rounded.ts';
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

type Listed = NamedField & { readonly stored: string };
const LISTED = FIELDS.filter((field): field is Listed => field.stored !== undefined);

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

/** What a column says; undefined for what stands there where nothing is known. */
function valueIn(value: unknown, { kind, words = [], isAlways }: Listed): unknown {
  if (kind === 'word') return words.includes(String(value)) ? value : isAlways === true ? words[0] : undefined;
  if (isAlways === true) return value ?? (kind === 'seconds' ? 0 : null);
  if (value === '' || value === null || (value === 0 && kind !== 'figure')) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value;
  return kind === 'figure' ? rounded(Number(value), DIGITS) : value;
}

/** The call of a row that has the columns of the table of fields. */
export function callOfRow(row: Readonly<Record<string, unknown>>, host: string, names: Names): Call {
  const call: Record<string, unknown> = {};
  const timing: Record<string, unknown> = {};
  for (const field of LISTED) {
    const value = valueIn(row[field.stored], field);
    if (value !== undefined) (field.isTiming ? timing : call)[field.name] = value;
  }
  call['timing'] = timing;
  call['host'] = host;
  for (const end of ['src', 'dst']) {
    const socket = call[end];
    const name = typeof socket === 'string' ? names.of(socketOf(socket).host) : null;
    if (name !== null) call[`${end}_name`] = name;
  }
  // A final answer may have an empty reason.
  if (call['final_status_code'] !== undefined) call['final_status_reason'] ??= '';
  // Every value is of the kind of its field.
  return call as Call;
}
