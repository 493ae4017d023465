/**
 * Makes of a row of columns the call that lists show (core/call-fields.ts), and the figures that filters compare and lists are sorted by.
 */
import type { Call, FieldKind, NamedField } from '../../core/call-fields.ts';
import { FIELDS, WORST_FIGURE } from '../../core/call-fields.ts';
import { socketOf } from '../../core/ip.ts';
import type { Names } from '../../core/names.ts';
import { usOf } from '../../core/timestamp.ts';

/** Columns of a row of a call by their names; what is not known is absent, null or empty. */
export type StoredRow = Readonly<Record<string, unknown>>;

type Listed = NamedField & { readonly stored: string };
export const LISTED = FIELDS.filter((field): field is Listed => field.stored !== undefined);

/** What a column says; undefined for what stands there where nothing is known. */
function valueIn(value: unknown, { kind, words = [], isAlways }: Listed): unknown {
  if (kind === 'word') return words.includes(String(value)) ? value : isAlways === true ? words[0] : undefined;
  if (isAlways === true) return value ?? (kind === 'seconds' || kind === 'count' ? 0 : kind === 'texts' ? [] : null);
  if (value === undefined || value === '' || value === null || (value === 0 && kind !== 'figure')) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value;
  return value;
}

/** The call of a row that has the columns of the table of fields. `figure`: what a figure of a column is. */
export function callOfRow(row: StoredRow, names: Names, figure = (value: number): number => value): Call {
  const call: Record<string, unknown> = {};
  const timing: Record<string, unknown> = {};
  for (const field of LISTED) {
    const value = valueIn(row[field.stored], field);
    if (value === undefined) continue;
    (field.isTiming ? timing : call)[field.name] = field.kind === 'figure' ? figure(Number(value)) : value;
  }
  call['timing'] = timing;
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

/** A figure of a row as filters compare it and lists are sorted by it; NaN where there is none. */
export function figureOfRow(row: StoredRow, { kind, stored = '', worst }: NamedField): number {
  if (worst !== undefined && textsOf(row['findings']).some((name) => name in worst)) return WORST_FIGURE;
  const value = row[stored];
  if (kind === 'time') return typeof value === 'string' ? usOf(value) : Number.NaN;
  return typeof value === 'number' ? value : Number.NaN;
}

/** The texts of an array; of a column that is none, an empty one. */
export function textsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.every(isText) ? value : value.filter(isText);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The columns of a row that anybody may have written: what is not of its kind is left out. */
export function plainRow(row: StoredRow): StoredRow {
  const plain: Record<string, unknown> = { ...row };
  for (const { stored, kind } of LISTED) if (!isOfKind(kind, plain[stored])) delete plain[stored];
  return plain;
}

function isOfKind(kind: FieldKind, value: unknown): boolean {
  switch (kind) {
    case 'texts':
      return Array.isArray(value) && value.every(isText);
    case 'time':
      return isText(value) && !Number.isNaN(usOf(value));
    case 'text':
    case 'word':
    case 'frame':
      return isText(value);
    default:
      return Number.isFinite(value);
  }
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
