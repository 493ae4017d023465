/**
 * Makes of the table of fields (core/call-fields.ts) what a hub asks the store of a call: columns and their shapes, orders and
 * keys of the filter. And makes the call of a row.
 */
import type { TSchema } from 'typebox';
import type { Call, FieldKind, NamedField } from '../../core/call-fields.ts';
import { FIELDS } from '../../core/call-fields.ts';
import { socketOf } from '../../core/ip.ts';
import type { Names } from '../../core/names.ts';
import { rounded } from '../../core/rounded.ts';
import { AMOUNT_OR_NULL, COUNT, COUNT_OR_NULL, TEXT, TEXTS, TIME } from './row-shapes.ts';

const KINDS: Readonly<Record<FieldKind, { readonly shape: TSchema; readonly json: string }>> = {
  text: { shape: TEXT, json: 'JSONExtractString' },
  word: { shape: TEXT, json: 'JSONExtractString' },
  frame: { shape: TEXT, json: 'JSONExtractString' },
  texts: { shape: TEXTS, json: '' },
  time: { shape: TIME, json: '' },
  timing: { shape: TEXT, json: '' },
  count: { shape: COUNT, json: 'JSONExtractUInt' },
  code: { shape: COUNT, json: 'JSONExtractUInt' },
  status: { shape: COUNT, json: 'JSONExtractUInt' },
  seconds: { shape: AMOUNT_OR_NULL, json: '' },
  milliseconds: { shape: COUNT_OR_NULL, json: '' },
  figure: { shape: AMOUNT_OR_NULL, json: '' },
};

type Listed = NamedField & { readonly stored: string };
const LISTED = FIELDS.filter((field): field is Listed => field.stored !== undefined);

/** What the field is called in a row of an answer. */
const nameIn = ({ stored, name }: Listed): string => stored || name;

function selected(field: Listed): string {
  const { stored, name, isTiming, kind } = field;
  if (stored !== '') return stored;
  return `${KINDS[kind].json}(document, ${isTiming ? `'timing', ` : ''}'${name}') AS ${name}`;
}

/** The columns of a row that the table of fields has, without `but`, and their shapes. */
export function listedBut(but: readonly string[]): { readonly sql: string; readonly shapes: Record<string, TSchema> } {
  const others = LISTED.filter((field) => !but.includes(nameIn(field)));
  return {
    sql: others.map(selected).join(', '),
    shapes: Object.fromEntries(others.map((field) => [nameIn(field), KINDS[field.kind].shape])),
  };
}

/** Columns of four bytes have these digits, and behind them some that nobody measured. */
const DIGITS = 4;

/** A figure as filters compare it and lists are sorted by it; null where there is none. */
export function figureSql({ kind, stored = '' }: NamedField): string {
  if (kind === 'time') return `toFloat64(toUnixTimestamp64Micro(${stored}))`;
  if (kind === 'figure') return `round(toFloat64(${stored}), ${DIGITS})`;
  return kind === 'seconds' ? stored : `toFloat64(${stored})`;
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
    const value = valueIn(row[nameIn(field)], field);
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
